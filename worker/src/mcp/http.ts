/** MCP over HTTP: checks headers and revision of a request, and answers it. */

import { HttpError } from "../http_error.ts";
import { MAX_BODY_BYTES, readBody } from "../request_body.ts";
import {
  DEFAULT_REVISION,
  errorMessage,
  LEGACY_REVISIONS,
  INVALID_PARAMS,
  INVALID_REQUEST,
  isMessage,
  isRequest,
  type Message,
  messageId,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  parseMessage,
  ProtocolError,
  ProtocolSession,
  type Server,
  MODERN_REVISIONS,
  UNSUPPORTED_REVISION,
  VERSION_KEY,
} from "./protocol.ts";

const JSON_TYPE = "application/json";
const TAKEN = [JSON_TYPE, "application/*", "*/*"];

/** Answers a request without a session; HTTP 202 without a body for notifications. */
export async function handlePost(request: Request, server: Server): Promise<Response> {
  // the body is read even if the headers are rejected: an unread body would reset the connection
  const body = await readBody(request, MAX_BODY_BYTES);
  checkHeaders(request.headers);
  let message: unknown = null;
  let revision: string;
  try {
    message = parseMessage(body);
    revision = negotiateRevision(message, request.headers);
  } catch (fault) {
    if (fault instanceof ProtocolError) return sent(errorMessage(fault, messageId(message)), 400);
    throw fault;
  }
  const answer = await new ProtocolSession(server, revision).answer(message);
  return sent(answer, httpStatus(message, answer));
}

/** Throws an HttpError if the client does not send and accept JSON. */
function checkHeaders(headers: Headers): void {
  if (kind(headers.get("content-type") ?? "") !== JSON_TYPE) {
    throw new HttpError(415, "The request's Content-Type is not JSON.", `Send Content-Type: ${JSON_TYPE}.`);
  }
  const kinds = (headers.get("accept") ?? "*/*").split(",").map(kind);
  if (!kinds.some((one) => TAKEN.includes(one))) {
    throw new HttpError(406, "The request does not accept JSON.", `Send Accept: ${JSON_TYPE}, text/event-stream.`);
  }
}

function kind(value: string): string {
  return (value.split(";")[0] ?? "").trim().toLowerCase();
}

function sent(answer: unknown, code: number): Response {
  if (answer === null) return new Response(null, { status: 202 });
  const isError = isMessage(answer) && "error" in answer;
  return Response.json(answer, { status: isError ? code : 200 });
}

const MISMATCH = -32020;
/** The parameter that the header `Mcp-Name` repeats, by method. */
const NAMED = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);
const BAD = [PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS, MISMATCH, UNSUPPORTED_REVISION];

/**
 * The revision of a message; throws a ProtocolError if the headers contradict the message.
 *
 * A client that calls `initialize` names its revision in a header only; from 2026-07-28 on, clients name
 * it in both.
 */
export function negotiateRevision(message: unknown, headers: Headers): string {
  const said = headers.get("MCP-Protocol-Version");
  if (Array.isArray(message)) return agreedInArray(message, said);
  const own = version(message);
  if (own === null) return agreedByHand(message, said);
  if (said !== own) throw mismatch("MCP-Protocol-Version", said, own);
  if (MODERN_REVISIONS.includes(own) && isRequest(message)) checkNames(message, headers);
  return own;
}

/** The revision that the message itself names; null if it names none. */
function version(message: unknown): string | null {
  const params = isMessage(message) ? message.params : null;
  const meta = isMessage(params) ? params._meta : null;
  const own = isMessage(meta) ? meta[VERSION_KEY] : null;
  return typeof own === "string" ? own : null;
}

/** The HTTP status of an answer; before revision 2026-07-28 errors of requests have status 200. */
export function httpStatus(message: unknown, answer: unknown): number {
  if (!isMessage(answer) || !isMessage(answer.error)) return 200;
  const code = answer.error.code as number;
  const isTold = code === PARSE_ERROR || code === INVALID_REQUEST || version(message) !== null;
  if (!isTold) return 200;
  return code === METHOD_NOT_FOUND ? 404 : BAD.includes(code) ? 400 : 200;
}

/** The revision of an array, whose messages must not name their own. */
function agreedInArray(messages: unknown[], said: string | null): string {
  if (messages.some((message) => version(message) !== null)) {
    throw new ProtocolError(INVALID_REQUEST, "Send one message, not an array of them.");
  }
  return agreedByHand(messages, said);
}

/** The revision of a legacy client; a modern one may send `initialize` after `server/discover`. */
function agreedByHand(message: unknown, said: string | null): string {
  if (said === null) return DEFAULT_REVISION;
  const isHand = isMessage(message) && message.method === "initialize";
  if (LEGACY_REVISIONS.includes(said) || (MODERN_REVISIONS.includes(said) && isHand)) return said;
  if (!MODERN_REVISIONS.includes(said)) {
    const known = { supported: [...MODERN_REVISIONS], requested: said };
    throw new ProtocolError(UNSUPPORTED_REVISION, "Unsupported protocol version", known);
  }
  if (isRequest(message)) throw new ProtocolError(INVALID_PARAMS, `\`params._meta[${VERSION_KEY}]\` is missing.`);
  return said;
}

function checkNames(message: Message, headers: Headers): void {
  const method = message.method as string;
  const said = headers.get("Mcp-Method");
  if (said !== method) throw mismatch("Mcp-Method", said, method);
  const parameter = NAMED.get(method);
  if (!parameter) return;
  const name = (message.params as Message)[parameter];
  const repeated = decoded(headers.get("Mcp-Name"));
  if (repeated !== (name ?? null)) throw mismatch("Mcp-Name", repeated, name);
}

/** Decodes a header value; names with other characters are sent as base64. */
function decoded(value: string | null): string | null {
  const text = value && /^=\?base64\?(.*)\?=$/s.exec(value)?.[1];
  if (typeof text !== "string") return value;
  try {
    const bytes = Uint8Array.from(atob(checked(text)), (one) => one.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ProtocolError(MISMATCH, "Header mismatch: Mcp-Name is not valid base64");
  }
}

/** Rejects whitespace and missing padding, which `atob` accepts. */
function checked(text: string): string {
  if (text.length % 4 || /\s/.test(text)) throw new SyntaxError("no base 64");
  return text;
}

function mismatch(name: string, said: string | null, own: unknown): ProtocolError {
  if (said === null) return new ProtocolError(MISMATCH, `Header mismatch: ${name} is missing`);
  const values = `header value ${quoted(said)} does not match body value ${quoted(own)}`;
  return new ProtocolError(MISMATCH, `Header mismatch: ${name} ${values}`);
}

function quoted(value: unknown): string {
  return typeof value === "string" ? `'${value}'` : (JSON.stringify(value) ?? "None");
}
