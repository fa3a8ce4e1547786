/** The Workers AI client: embeds a query with the model of the index. */

import data, { constants } from "../../build/worker_data.json";
import { HttpError } from "../http_error.ts";
import type { OnTiming } from "../timing.ts";
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
const BYTES_PER_INPUT_TOKEN = constants.batching.BYTES_PER_INPUT_TOKEN;

/** Returns true for a known model of Workers AI. */
export function isWorkersAiModel(model: string): boolean {
  return MODELS.has(model);
}

/** Embeds a query, with the dimensions of the index. */
export async function embedQuery(
  ai: Ai,
  name: string,
  dimensions: number,
  text: string,
  onTiming: OnTiming,
): Promise<number[]> {
  const model = MODELS.get(name);
  if (!model) {
    const remedy = `Choose one of: ${[...MODELS.keys()].join(", ")}.`;
    throw new HttpError(400, `${name} is not a known model of Workers AI.`, remedy);
  }
  const startedAt = Date.now();
  try {
    const answer = await run(ai, name, requestBody(model, truncateQuery(model, text)));
    return truncateVector(name, model, answer, dimensions);
  } catch (error) {
    throw error instanceof ServiceError ? error : new ServiceError("Workers AI", error);
  } finally {
    onTiming("ai", Date.now() - startedAt);
  }
}

/** Runs a model; the types of the binding lack some models. */
function run(ai: Ai, name: string, body: object): Promise<unknown> {
  const binding = ai as unknown as { run(name: string, body: object): Promise<unknown> };
  return binding.run(name, body);
}

function requestBody(model: Model, text: string): object {
  if (model.asymmetric) return { queries: [text], instruction: model.instruction };
  return { text: [text], ...(model.truncates ? { truncate_inputs: true } : {}) };
}

/** Truncates the query, with the model's prefix, to the model's token limit. */
function truncateQuery(model: Model, text: string): string {
  const bytes = new TextEncoder().encode(`${model.before_query}${text}`);
  const maxBytes = model.tokens * BYTES_PER_INPUT_TOKEN;
  if (bytes.length <= maxBytes) return new TextDecoder().decode(bytes) || " ";
  return new TextDecoder().decode(bytes.slice(0, maxBytes), { stream: true }) || " ";
}

/** The vector truncated to the dimensions of the index and normalized to length 1. */
function truncateVector(name: string, model: Model, answer: unknown, dimensions: number): number[] {
  const [vector] = (answer as { data?: unknown[] }).data ?? [];
  if (!Array.isArray(vector) || vector.length !== model.dimensions) {
    throw new ServiceError("Workers AI", `${name} answered without a vector`);
  }
  const numbers = (vector as number[]).slice(0, dimensions);
  const length = Math.hypot(...numbers) || 1;
  return numbers.map((number) => Math.fround(number / length));
}
