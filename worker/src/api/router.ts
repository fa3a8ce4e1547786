/** The routes `GET /api/…`, which answer with JSON; docs/reference/http-api.md describes them. */

import { truncate } from "../python_strings.ts";
import { didYouMean } from "../suggestions.ts";
import { HttpError } from "../http_error.ts";
import { toHex } from "../access_token.ts";
import type { CallEndpoint } from "./types.ts";
import data from "../../build/worker_data.json";

const KNOWN = new Map(Object.entries(data.parameters as Record<string, string[]>));
/** Responses may be stored, but must be revalidated. */
const PRIVATE = { "cache-control": "private, no-cache" };

/** Returns true if the endpoint exists. */
export function isEndpoint(name: string): boolean {
  return KNOWN.has(name);
}

/** The response of an endpoint; HTTP 304 if the client has it in its cache. */
export async function respond(name: string, request: Request, ask: CallEndpoint): Promise<Response> {
  const said = parameters(new URL(request.url).searchParams);
  const wrong = Object.keys(said).find((key) => !KNOWN.get(name)!.includes(key));
  if (wrong !== undefined) throw unknown(name, wrong, KNOWN.get(name)!);
  const body = JSON.stringify(await ask(name, said));
  const etag = `"${toHex(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body))).slice(0, 32)}"`;
  const headers = { etag, ...PRIVATE };
  const tags = (request.headers.get("if-none-match") ?? "").split(",").map((one) => one.trim());
  // a proxy may have turned the tag into a weak one
  const isKnown = tags.some((one) => one === "*" || one.replace(/^W\//, "") === etag);
  if (isKnown) return new Response(null, { status: 304, headers });
  return new Response(body, { headers: { ...headers, "content-type": "application/json" } });
}

function parameters(query: URLSearchParams): Record<string, string[]> {
  const said: Record<string, string[]> = Object.create(null);
  for (const [key, value] of query) (said[key] ??= []).push(value);
  return said;
}

function unknown(name: string, key: string, known: string[]): HttpError {
  const has = known.length ? `It has ${known.join(", ")}.` : "It has none.";
  const remedy = [didYouMean(key, known), has].filter(Boolean).join(" ");
  return new HttpError(400, `/api/${name} has no parameter \`${truncate(key, 60)}\`.`, remedy);
}
