/** Routes a request to the JSON API, MCP or the page, and turns errors into responses. */

import { constants } from "../build/worker_data.json";
import { authenticate, checkHost, checkRateLimit, startSession } from "./access.ts";
import type { Client } from "./access_rights.ts";
import { respond, isEndpoint } from "./api/router.ts";
import type { CallEndpoint, SearchAnswer, Params } from "./api/types.ts";
import type { Env } from "./bindings/env.ts";
import { QueryBudget } from "./bindings/query_budget.ts";
import { isPreflight, requestingSite, preflightResponse, corsHeaders } from "./cors.ts";
import { formatNumber } from "./escaping.ts";
import { HttpError } from "./http_error.ts";
import { handlePost } from "./mcp/http.ts";
import type { McpServer } from "./mcp/protocol.ts";
import { createServer } from "./mcp/service.ts";
import { truncate } from "./python_strings.ts";
import type { OnTiming } from "./timing.ts";

/** Answers a request of a client to an endpoint; throws an HttpError for invalid ones. */
export type AnswerRequest = (
  name: string,
  params: Params,
  env: Env,
  onTiming: OnTiming,
  client: Client,
  queries: QueryBudget,
) => Promise<object>;

/** The time, number of calls and rows read of each service. */
type ServiceTimings = Map<string, { ms: number; calls: number; rows: number }>;

const DEFAULT_HEADERS: Record<string, string> = constants.page_files.SECURITY_HEADERS;
const MAX_URL_CHARS = 16_384;
/** The maximum number of requests to services for a request, of the 50 that the free plan allows. */
const MAX_SUBREQUESTS = 45;
/** The maximum for one of several calls in a request; a search needs at most 8, reading 50 targets 15. */
const MAX_SUBREQUESTS_OF_CALL = 15;
/** The maximum number of queries to D1 of a search in one database. */
const MAX_QUERIES_OF_SEARCH = 15;
const MAX_QUERY_CHARS = constants.query.MAX_QUERY_CHARS;

/** Creates the Worker from its endpoints and its MCP server. */
export function createApp(
  answerRequest: AnswerRequest,
  createMcpServer: (callEndpoint: CallEndpoint) => McpServer = createServer,
) {
  return {
    async fetch(request: Request, env: Env): Promise<Response> {
      const startedAt = Date.now();
      const timings: ServiceTimings = new Map();
      const onTiming: OnTiming = (name, ms, rows = 0) => {
        const previous = timings.get(name) ?? { ms: 0, calls: 0, rows: 0 };
        timings.set(name, { ms: previous.ms + ms, calls: previous.calls + 1, rows: previous.rows + rows });
      };
      const queries = new QueryBudget(env);
      let showsRows = true;
      const callAs = (client: Client): CallEndpoint => {
        showsRows = client.repos === null;
        return async (name, params) => {
          checkCallCount(timings, queries);
          return withTruncatedQuery(params, (truncated) => answerRequest(name, truncated, env, onTiming, client, queries));
        };
      };
      let origin: string | null = null;
      let response: Response;
      try {
        checkHost(request, env);
        origin = requestingSite(request, env);
        response = await route(request, env, callAs, createMcpServer);
      } catch (error) {
        response = errorResponse(error);
      }
      return withHeaders(response, { ...corsHeaders(origin), "server-timing": serverTiming(timings, queries, startedAt, showsRows) });
    },
  };
}

/** Routes a request; it is authenticated first, even for unknown paths. */
async function route(
  request: Request,
  env: Env,
  callAs: (client: Client) => CallEndpoint,
  createMcpServer: (callEndpoint: CallEndpoint) => McpServer,
): Promise<Response> {
  if (isPreflight(request)) return preflightResponse();
  checkUrlLength(request.url);
  const client = await authenticate(request, env);
  await checkRateLimit(client, env);
  const callEndpoint = callAs(client);
  const { pathname } = new URL(request.url);
  const name = /^\/api\/([a-z]+)$/.exec(pathname)?.[1] ?? "";
  if (pathname === "/mcp") return requireMethod("POST", request, () => handlePost(request, createMcpServer(callEndpoint)));
  if (pathname === "/api/session") return requireMethod("POST", request, () => startSession(request, env));
  if (isEndpoint(name)) return requireMethod("GET", request, () => respond(name, request, callEndpoint, ownParameters(env)));
  if (name === "proof") throw new HttpError(404, "The Worker cannot validate the index.", "Run: feeder validate");
  throw new HttpError(404, "Not Found.", constants.page_files.NOT_FOUND_REMEDY);
}

/** The parameters of all endpoints that only a Worker of several repositories has. */
function ownParameters(env: Env): string[] {
  return env.REPOSITORIES ? ["repo"] : [];
}

function requireMethod(method: string, request: Request, handler: () => Promise<Response>): Promise<Response> {
  if (request.method === method) return handler();
  throw new MethodNotAllowed(method);
}

class MethodNotAllowed extends HttpError {
  constructor(readonly allowed: string) {
    super(405, "Method Not Allowed.", constants.page_files.NOT_FOUND_REMEDY);
  }
}

function checkUrlLength(url: string): void {
  if (url.length <= MAX_URL_CHARS) return;
  const error = `The address has more than ${formatNumber(MAX_URL_CHARS)} characters.`;
  throw new HttpError(414, error, "Shorten the query.");
}

/** Throws an HttpError if another call might send more requests to services, or queries to D1, than the plan allows. */
function checkCallCount(timings: ServiceTimings, queries: QueryBudget): void {
  if (queries.count > 0 && queries.remaining < MAX_QUERIES_OF_SEARCH) {
    const error = `The calls before this one needed ${queries.count} of the ${queries.limit} queries to D1 that a request may send.`;
    throw new HttpError(429, error, "Send the remaining calls in another request.");
  }
  const count = [...timings.values()].reduce((sum, { calls }) => sum + calls, 0);
  if (count <= MAX_SUBREQUESTS - MAX_SUBREQUESTS_OF_CALL) return;
  const error = `The calls before this one needed ${count} of the ${MAX_SUBREQUESTS} requests to services that a request may send.`;
  throw new HttpError(429, error, "Send the remaining calls in another request.");
}

/** Truncates a long query, and adds a note to the answer. */
async function withTruncatedQuery(params: Params, callEndpoint: (params: Params) => Promise<object>): Promise<object> {
  const [query = "", ...others] = params.q ?? [];
  const truncated = truncate(query, MAX_QUERY_CHARS);
  if (truncated === query || others.length) return callEndpoint(params);
  const answer = (await callEndpoint({ ...params, q: [truncated] })) as SearchAnswer;
  const note = `Only the first ${formatNumber(MAX_QUERY_CHARS)} characters of the query were read.`;
  return { ...answer, notes: [...answer.notes, note] };
}

/** The response for an error; an unexpected one becomes HTTP 500. */
function errorResponse(cause: unknown): Response {
  if (!(cause instanceof HttpError)) {
    console.error(cause);
    const message = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
    return errorResponse(new HttpError(500, message, "Please report it."));
  }
  const { status, error, remedy, details } = cause;
  return Response.json({ error, remedy, ...details }, { status, headers: errorHeaders(cause) });
}

function errorHeaders(error: HttpError): Record<string, string> {
  if (error instanceof MethodNotAllowed) return { allow: error.allowed };
  if (error.status === 401) return { "www-authenticate": "Bearer" };
  return error.status === 429 ? { "retry-after": String(error.retryAfterS) } : {};
}

/**
 * The `Server-Timing` header; the Worker's clock only advances while it waits for a service. The rows are not shown to a
 * client with some of the repositories, since those of the others in a shared database count too.
 */
function serverTiming(timings: ServiceTimings, queries: QueryBudget, startedAt: number, showsRows: boolean): string {
  const metrics = Array.from(timings, ([name, { ms, calls, rows }]) => {
    const rowsRead = rows && showsRows ? `, ${rows} rows read` : "";
    return `${name};dur=${ms};desc="${calls} ${calls === 1 ? "call" : "calls"}${rowsRead}"`;
  });
  const sent = queries.count > 0 ? [`queries;desc="${queries.count} of ${queries.limit}"`] : [];
  return [...metrics, ...sent, `total;dur=${Date.now() - startedAt}`].join(", ");
}

/** Adds the security headers that the response does not have. */
function withHeaders(response: Response, extra: Record<string, string>): Response {
  const withDefaults = new Response(response.body, response);
  for (const [name, value] of Object.entries({ ...DEFAULT_HEADERS, ...extra })) {
    if (!withDefaults.headers.has(name)) withDefaults.headers.set(name, value);
  }
  return withDefaults;
}
