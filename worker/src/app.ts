/** Routes a request to the JSON API, MCP or the page, and turns errors into responses. */

import { respond, isEndpoint } from "./api/router.ts";
import type { CallEndpoint, OnTiming, SearchAnswer, Params } from "./api/types.ts";
import type { Env } from "./bindings/env.ts";
import { authenticate, checkRateLimit, RETRY_AFTER_S } from "./access.ts";
import { truncate } from "./python_strings.ts";
import { createServer } from "./mcp/service.ts";
import { handlePost } from "./mcp/http.ts";
import type { Server } from "./mcp/protocol.ts";
import { isPreflight, requestingSite, preflightResponse, corsHeaders } from "./cors.ts";
import { HttpError } from "./http_error.ts";
import { formatNumber } from "./escaping.ts";
import { sessionCookie } from "./access_token.ts";
import { constants } from "../build/worker_data.json";

/** Answers a request to an endpoint; throws an HttpError for invalid ones. */
export type AnswerRequest = (name: string, said: Params, env: Env, onTiming: OnTiming) => Promise<object>;

/** The time, number of calls and rows read of each service. */
type Spent = Map<string, { ms: number; times: number; rows: number }>;

const HEADERS: Record<string, string> = constants.page_files.SECURITY_HEADERS;
const ADDRESS_CHARS = 16_384;
const QUERY_CHARS = constants.query.MAX_QUERY_CHARS;

/** Creates the Worker from its endpoints and its MCP server. */
export function createApp(answer: AnswerRequest, speaks: (ask: CallEndpoint) => Server = createServer) {
  return {
    async fetch(request: Request, env: Env): Promise<Response> {
      const began = Date.now();
      const spent: Spent = new Map();
      const onTiming: OnTiming = (name, ms, rows = 0) => {
        const before = spent.get(name) ?? { ms: 0, times: 0, rows: 0 };
        spent.set(name, { ms: before.ms + ms, times: before.times + 1, rows: before.rows + rows });
      };
      const ask: CallEndpoint = (name, said) => cutShort(said, (short) => answer(name, short, env, onTiming));
      let site: string | null = null;
      let response: Response;
      try {
        site = requestingSite(request, env);
        response = await routed(request, env, ask, speaks(ask));
      } catch (fault) {
        response = refused(fault);
      }
      return withHeaders(response, { ...corsHeaders(site), "server-timing": timing(spent, began) });
    },
  };
}

/** Routes a request; it is authenticated first, even for unknown paths. */
async function routed(request: Request, env: Env, ask: CallEndpoint, agents: Server): Promise<Response> {
  if (isPreflight(request)) return preflightResponse();
  checkAddress(request.url);
  const who = await authenticate(request, env);
  await checkRateLimit(who, env);
  const { pathname } = new URL(request.url);
  const name = /^\/api\/([a-z]+)$/.exec(pathname)?.[1] ?? "";
  if (pathname === "/mcp") return only("POST", request, () => handlePost(request, agents));
  if (pathname === "/api/session") return only("POST", request, () => session(env));
  if (isEndpoint(name)) return only("GET", request, () => respond(name, request, ask));
  if (name === "proof") throw new HttpError(404, "The Worker cannot validate the index.", "Run: feeder validate");
  throw new HttpError(404, "Not Found.", constants.page_files.NOT_FOUND_REMEDY);
}

function only(method: string, request: Request, work: () => Promise<Response>): Promise<Response> {
  if (request.method === method) return work();
  throw new NotAllowed(method);
}

class NotAllowed extends HttpError {
  constructor(readonly allowed: string) {
    super(405, "Method Not Allowed.", constants.page_files.NOT_FOUND_REMEDY);
  }
}

/** Sets the session cookie if the Worker has a token. */
async function session(env: Env): Promise<Response> {
  const headers = env.FEEDER_TOKEN ? { "set-cookie": await sessionCookie(env.FEEDER_TOKEN) } : {};
  return new Response(null, { status: 204, headers });
}

function checkAddress(url: string): void {
  if (url.length <= ADDRESS_CHARS) return;
  const error = `The address has more than ${formatNumber(ADDRESS_CHARS)} characters.`;
  throw new HttpError(414, error, "Shorten the query.");
}

/** Truncates a long query, and adds a note to the answer. */
async function cutShort(said: Params, ask: (said: Params) => Promise<object>): Promise<object> {
  const [question = "", ...more] = said.q ?? [];
  const short = truncate(question, QUERY_CHARS);
  if (short === question || more.length) return ask(said);
  const facts = (await ask({ ...said, q: [short] })) as SearchAnswer;
  const note = `Of the query the first ${formatNumber(QUERY_CHARS)} characters were read.`;
  return { ...facts, notes: [...facts.notes, note] };
}

/** The response for an error; an unexpected one becomes HTTP 500. */
function refused(fault: unknown): Response {
  if (!(fault instanceof HttpError)) {
    console.error(fault);
    const told = fault instanceof Error ? `${fault.name}: ${fault.message}` : String(fault);
    return refused(new HttpError(500, told, "Please report it."));
  }
  const { status, error, remedy } = fault;
  return Response.json({ error, remedy }, { status, headers: telling(fault) });
}

function telling(refusal: HttpError): Record<string, string> {
  if (refusal instanceof NotAllowed) return { allow: refusal.allowed };
  if (refusal.status === 401) return { "www-authenticate": "Bearer" };
  return refusal.status === 429 ? { "retry-after": String(RETRY_AFTER_S) } : {};
}

/** The `Server-Timing` header; the Worker's clock only advances while it waits for a service. */
function timing(spent: Spent, began: number): string {
  const all = Array.from(spent, ([name, { ms, times, rows }]) => {
    const read = rows ? `, ${rows} rows read` : "";
    return `${name};dur=${ms};desc="${times} ${times === 1 ? "call" : "calls"}${read}"`;
  });
  return [...all, `total;dur=${Date.now() - began}`].join(", ");
}

/** Adds the security headers that the response does not have. */
function withHeaders(response: Response, more: Record<string, string>): Response {
  const made = new Response(response.body, response);
  for (const [name, value] of Object.entries({ ...HEADERS, ...more })) {
    if (!made.headers.has(name)) made.headers.set(name, value);
  }
  return made;
}
