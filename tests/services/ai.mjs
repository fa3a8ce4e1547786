/** Workers AI's route for embeddings: which requests a model takes, and vectors for those. */

import { embed } from "./embedding.mjs";
import { ApiError, success } from "./envelope.mjs";
import { MODELS, TEXT_MODELS } from "./models.mjs";

const CHARACTERS_A_TOKEN = 4;

export class WorkersAi {
  #settings;

  constructor(settings) {
    this.#settings = settings;
  }

  routes() {
    const base = "/accounts/:account/ai";
    return [
      { name: "ai.run", method: "POST", path: `${base}/run/*model`, run: (call) => this.#run(call) },
      { name: "ai.models", method: "GET", path: `${base}/models/search`, run: (call) => searched(call) },
    ];
  }

  #run(call) {
    const name = call.params.model;
    if (TEXT_MODELS.has(name)) return this.#answered(call);
    const model = Object.hasOwn(MODELS, name) ? MODELS[name] : undefined;
    // The live service knows no route to a model it does not have.
    if (!model) throw new ApiError(400, 7000, "No route for that URI");
    const { texts, salt } = inputOf(jsonOf(call), model);
    const tokens = this.#tokensOf(texts, model, call);
    call.note({ texts: texts.length, tokens });
    const data = texts.map((text) => embed(text, model.dimensions, `${name} ${salt}`));
    return success({ shape: [data.length, model.dimensions], data, pooling: "cls" });
  }

  /** A line of the words of what is asked about: the same for the same question. */
  #answered(call) {
    const { messages, max_tokens } = jsonOf(call);
    const isRight = Array.isArray(messages) && messages.every(({ content }) => typeof content === "string");
    if (!isRight || !(max_tokens > 0)) throw mismatch("required properties are 'messages'");
    const [about] = messages.at(-1).content.split("\n");
    const words = about.split(" ").at(-1).split(/[^A-Za-z]+|(?=[A-Z])/).filter(Boolean);
    const usage = { prompt_tokens: 90, completion_tokens: 10, total_tokens: 100 };
    call.note({ texts: 1, tokens: 100 });
    return success({ response: `Does what is called ${words.join(" ").toLowerCase()} here.`, usage });
  }

  #tokensOf(texts, model, call) {
    const cut = model.truncates && jsonOf(call).truncate_inputs === true;
    const counts = texts.map((text) => Math.ceil(text.length / CHARACTERS_A_TOKEN));
    const longest = Math.max(...counts);
    if (longest > model.tokens && !cut) {
      throw new ApiError(
        413,
        5021,
        "AiError: AiError: The estimated number of input and maximum output tokens " +
          `(${longest}) exceeded this model context window limit (${model.tokens}).`,
      );
    }
    const total = counts.reduce((sum, count) => sum + Math.min(count, model.tokens), 0);
    if (total > this.#settings.ai_request_tokens) {
      throw new ApiError(413, 3006, "AiError: AiError: Request is too large");
    }
    return total;
  }
}

/** A page of the models whose name contains `search`. */
function searched({ query }) {
  const page = Number(query.get("page") ?? 1);
  const perPage = Number(query.get("per_page") ?? 20);
  const named = Object.keys(MODELS).filter((name) => name.includes(query.get("search") ?? ""));
  const shown = named.slice((page - 1) * perPage, page * perPage).map((name) => ({ name }));
  const counts = { count: shown.length, total_count: named.length };
  return success(shown, { result_info: { page, per_page: perPage, ...counts } });
}

/** The texts of a request, and what else shapes their vectors: a query's instruction. */
function inputOf(body, model) {
  const takes = model.instruction ? ["text", "documents", "queries"] : ["text"];
  const given = takes.filter((field) => body[field] !== undefined);
  if (given.length !== 1) throw mismatch(`required properties are '${takes.join("' or '")}'`);
  const [field] = given;
  const texts = typeof body[field] === "string" ? [body[field]] : body[field];
  if (!Array.isArray(texts) || !texts.every((text) => typeof text === "string")) {
    throw mismatch(`Type mismatch of '/${field}', 'array' not in 'string'`);
  }
  if (texts.length < 1 || texts.length > model.texts) {
    throw mismatch(`Length of '/${field}' must be 1 to ${model.texts}, not ${texts.length}`);
  }
  return { texts, salt: field === "queries" ? (body.instruction ?? model.instruction) : "" };
}

function jsonOf(call) {
  try {
    const body = JSON.parse(call.body.toString("utf8"));
    if (body !== null && typeof body === "object") return body;
  } catch {
    // Falls through to the refusal.
  }
  throw new ApiError(400, 3003, "AiError: AiError: Request is missing headers or body: body");
}

function mismatch(what) {
  return new ApiError(400, 5006, `AiError: AiError: Error: oneOf at '/' not met: ${what}`);
}
