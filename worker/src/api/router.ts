/** The routes `GET /api/…`, which answer with JSON; docs/reference/http-api.md describes them. */

import { truncate } from "../python_strings.ts";
import { didYouMean } from "../suggestions.ts";
import { HttpError } from "../http_error.ts";
import { toHex } from "../access_token.ts";
import type { CallEndpoint, SearchAnswer } from "./types.ts";
import data from "../../build/worker_data.json";

const PARAMETERS = new Map(Object.entries(data.parameters as Record<string, string[]>));
/** Responses may be stored, but must be revalidated. */
const CACHE_HEADERS = { "cache-control": "private, no-cache" };

/** Returns true if the endpoint exists. */
export function isEndpoint(name: string): boolean {
  return PARAMETERS.has(name);
}

/** The response of an endpoint with `more` parameters; HTTP 304 if the client has it in its cache. */
export async function respond(
  name: string,
  request: Request,
  callEndpoint: CallEndpoint,
  more: readonly string[],
): Promise<Response> {
  const params = parseParameters(new URL(request.url).searchParams);
  const names = [...new Set([...PARAMETERS.get(name)!, ...more])];
  const unknownKey = Object.keys(params).find((key) => !names.includes(key));
  if (unknownKey !== undefined) throw unknownParameterError(name, unknownKey, names);
  const body = JSON.stringify(withoutNullFields(await callEndpoint(name, params)));
  const etag = `"${toHex(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body))).slice(0, 32)}"`;
  const headers = { etag, ...CACHE_HEADERS };
  const tags = (request.headers.get("if-none-match") ?? "").split(",").map((one) => one.trim());
  // a proxy may have turned the tag into a weak one
  const isCached = tags.some((one) => one === "*" || one.replace(/^W\//, "") === etag);
  if (isCached) return new Response(null, { status: 304, headers });
  return new Response(body, { headers: { ...headers, "content-type": "application/json" } });
}

/** The answer, whose hits and snippets have no field that is null. */
function withoutNullFields(answer: object): object {
  const { hits } = answer as Partial<SearchAnswer>;
  if (!hits) return answer;
  return { ...answer, hits: hits.map((hit) => nonNullFields({ ...hit, window: hit.window && nonNullFields(hit.window) })) };
}

function nonNullFields(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

function parseParameters(query: URLSearchParams): Record<string, string[]> {
  const params: Record<string, string[]> = Object.create(null);
  for (const [key, value] of query) (params[key] ??= []).push(value);
  return params;
}

function unknownParameterError(name: string, key: string, names: string[]): HttpError {
  const listing = names.length ? `It has ${names.join(", ")}.` : "It takes no parameters.";
  const remedy = [didYouMean(key, names), listing].filter(Boolean).join(" ");
  return new HttpError(400, `/api/${name} has no parameter \`${truncate(key, 60)}\`.`, remedy);
}
