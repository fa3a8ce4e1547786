/** Reads and checks the query parameters of a request. */

import { constants } from "../../build/worker_data.json";
import type { Filters, Pagination } from "../search/engine.ts";
import { HttpError } from "../http_error.ts";
import { DEFAULT_LINES } from "../snippets/snippets.ts";
import type { FileRange } from "../store/statements.ts";
import type { Params } from "./types.ts";

const CORRECT_IT = "Correct it or leave it out.";
const { DEFAULT_LIMIT, MAX_LIMIT, MAX_OFFSET } = constants.parameters;

/** The value of a required parameter; throws an HttpError if it is missing, empty or repeated. */
export function requiredParameter(params: Params, name: string): string {
  const values = params[name] ?? [];
  const [value] = values;
  if (values.length !== 1 || !value?.trim()) {
    throw new HttpError(400, `\`${name}\` is missing, empty or repeated.`, "Use it once.");
  }
  return value;
}

export function pagination(params: Params): Pagination {
  return {
    limit: integerParameter(params, "limit", DEFAULT_LIMIT, 1, MAX_LIMIT),
    offset: integerParameter(params, "offset", 0, 0, MAX_OFFSET),
  };
}

/** The range of files of a page, with one more, which tells that another page follows. */
export function filePage(params: Params, defaultLimit: number, maxLimit: number): { limit: number; range: FileRange } {
  const limit = integerParameter(params, "limit", defaultLimit, 1, maxLimit);
  return { limit, range: { after: params.after?.[0] ?? "", count: limit + 1 } };
}

/** The `after` of the page that follows `limit` of the paths; null if these are all. */
export function nextAfter(paths: readonly string[], limit: number): string | null {
  return paths.length > limit ? paths[limit - 1]! : null;
}

export function filters(params: Params): Filters {
  const tests = params.tests?.[0] ?? null;
  if (tests !== null && !["yes", "no", "only"].includes(tests)) {
    throw new HttpError(400, "`tests` must be yes, no or only.", CORRECT_IT);
  }
  return {
    tests,
    paths: params.path ?? [],
    notPaths: params.not_path ?? [],
    languages: params.language ?? [],
    nodeTypes: params.node_type ?? [],
    categories: params.category ?? [],
    repos: params.repo ?? [],
  };
}

/** Returns true if the search uses vectors. */
export function usesVectors(params: Params): boolean {
  const value = params.meaning?.[0] ?? "yes";
  if (value !== "yes" && value !== "no") {
    throw new HttpError(400, "`meaning` must be yes or no.", CORRECT_IT);
  }
  return value === "yes";
}

/** Returns true if hits shall have their whole text beside the snippet. */
export function wantsText(params: Params): boolean {
  return isSwitchedOn(params, "text");
}

/** Returns true if hits shall have the parts of their score. */
export function explains(params: Params): boolean {
  return isSwitchedOn(params, "explain");
}

function isSwitchedOn(params: Params, name: string): boolean {
  const value = params[name]?.[0] ?? "0";
  if (value !== "0" && value !== "1") throw new HttpError(400, `\`${name}\` must be 1 or 0.`, CORRECT_IT);
  return value === "1";
}

/** The number of snippet lines; MCP shows more than the page. */
export function snippetLines(params: Params): number {
  return Number(params.lines?.[0] ?? DEFAULT_LINES);
}

function integerParameter(
  params: Params,
  name: string,
  defaultValue: number,
  minimum: number,
  maximum: number,
): number {
  const text = params[name]?.[0] ?? String(defaultValue);
  const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : -1;
  if (value < minimum || value > maximum) {
    throw new HttpError(400, `\`${name}\` must be a number from ${minimum} to ${maximum}.`, CORRECT_IT);
  }
  return value;
}
