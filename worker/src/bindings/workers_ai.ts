/** The Workers AI client: embeds a query with the model of the index. */

import data, { constants } from "../../build/worker_data.json";
import type { OnTiming } from "../api/types.ts";
import { badRequest } from "../http_error.ts";
import { ServiceError } from "./service_error.ts";

interface Model {
  dimensions: number;
  tokens: number;
  truncates: boolean;
  asymmetric: boolean;
  instruction: string;
  before_query: string;
}

const MODELS = new Map<string, Model>(Object.entries(data.models));
const BYTES_A_TOKEN = constants.batching.BYTES_PER_TOKEN;

/** Returns true for a known model of Workers AI. */
export function isWorkersAiModel(model: string): boolean {
  return MODELS.has(model);
}

/** Embeds a query, with the dimensions of the index. */
export async function embedQuery(
  ai: Ai,
  name: string,
  dimensions: number,
  question: string,
  onTiming: OnTiming,
): Promise<number[]> {
  const model = MODELS.get(name);
  if (!model) {
    throw badRequest(`${name} is not a known model of Workers AI. Choose one of: ${[...MODELS.keys()].join(", ")}.`);
  }
  const began = Date.now();
  try {
    const answer = await run(ai, name, bodyOf(model, fit(model, question)));
    return shortened(name, model, answer, dimensions);
  } catch (error) {
    throw error instanceof ServiceError ? error : new ServiceError("Workers AI", error);
  } finally {
    onTiming("ai", Date.now() - began);
  }
}

/** Runs a model; the types of the binding lack some models. */
function run(ai: Ai, name: string, body: object): Promise<unknown> {
  const asked = ai as unknown as { run(name: string, body: object): Promise<unknown> };
  return asked.run(name, body);
}

function bodyOf(model: Model, text: string): object {
  if (model.asymmetric) return { queries: [text], instruction: model.instruction };
  return { text: [text], ...(model.truncates ? { truncate_inputs: true } : {}) };
}

/** Truncates the query, with the model's prefix, to the model's token limit. */
function fit(model: Model, question: string): string {
  const raw = new TextEncoder().encode(`${model.before_query}${question}`);
  const most = model.tokens * BYTES_A_TOKEN;
  if (raw.length <= most) return new TextDecoder().decode(raw) || " ";
  return new TextDecoder().decode(raw.slice(0, most), { stream: true }) || " ";
}

/** The vector truncated to the dimensions of the index and normalized to length 1. */
function shortened(name: string, model: Model, answer: unknown, dimensions: number): number[] {
  const [vector] = (answer as { data?: unknown[] }).data ?? [];
  if (!Array.isArray(vector) || vector.length !== model.dimensions) {
    throw new ServiceError("Workers AI", `${name} answered without a vector`);
  }
  const numbers = (vector as number[]).slice(0, dimensions);
  const length = Math.hypot(...numbers) || 1;
  return numbers.map((number) => Math.fround(number / length));
}
