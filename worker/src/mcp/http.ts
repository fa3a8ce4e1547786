/** MCP over HTTP: checks headers and revision of a request, and answers it. */

import { constants } from "../../build/worker_data.json";
import { HttpError } from "../http_error.ts";
import { readBody } from "../request_body.ts";
import {
  DEFAULT_REVISION,
  errorResponse,
  LEGACY_REVISIONS,
  INVALID_PARAMS,
  INVALID_REQUEST,
  isMessage,
  isRequest,
  type Message,
  requestId,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  parseMessage,
  ProtocolError,
  MessageHandler,
  type McpServer,
  MODERN_REVISIONS,
  UNSUPPORTED_VERSION,
  VERSION_KEY,
} from "./protocol.ts";

const { MAX_BODY_BYTES } = constants.protocol;
const JSON_TYPE = "application/json";
const ACCEPTED_TYPES = [JSON_TYPE, "application/*", "*/*"];

/** Answers a request without a session; HTTP 202 without a body for notifications. */
export async function handlePost(request: Request, server: McpServer): Promise<Response> {
  // the body is read even if the headers are rejected: an unread body would reset the connection
  const body = await readBody(request, MAX_BODY_BYTES);
  checkHeaders(request.headers);
  let message: unknown = null;
  let revision: string;
  try {
    message = parseMessage(body);
    revision = negotiatedRevision(message, request.headers);
  } catch (error) {
    if (error instanceof ProtocolError) return jsonResponse(errorResponse(error, requestId(message)), 400);
    throw error;
  }
  const answer = await new MessageHandler(server, revision).handle(message);
  return jsonResponse(answer, httpStatus(message, answer));
}

/** Throws an HttpError if the client does not send and accept JSON. */
function checkHeaders(headers: Headers): void {
  if (mediaType(headers.get("content-type") ?? "") !== JSON_TYPE) {
    throw new HttpError(415, "The request's Content-Type is not JSON.", `Send Content-Type: ${JSON_TYPE}.`);
  }
  const types = (headers.get("accept") ?? "*/*").split(",").map(mediaType);
  if (!types.some((one) => ACCEPTED_TYPES.includes(one))) {
    throw new HttpError(406, "The request does not accept JSON.", `Send Accept: ${JSON_TYPE}, text/event-stream.`);
  }
}

function mediaType(value: string): string {
  return (value.split(";")[0] ?? "").trim().toLowerCase();
}

function jsonResponse(answer: unknown, errorStatus: number): Response {
  if (answer === null) return new Response(null, { status: 202 });
  const isError = isMessage(answer) && "error" in answer;
  return Response.json(answer, { status: isError ? errorStatus : 200 });
}

const HEADER_MISMATCH = -32020;
/** The parameter that the header `Mcp-Name` repeats, by method. */
const NAME_PARAMETERS = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);
const BAD_REQUEST_CODES = [PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS, HEADER_MISMATCH, UNSUPPORTED_VERSION];

/**
 * The revision of a message; throws a ProtocolError if the headers contradict the message.
 *
 * A client that calls `initialize` names its revision in a header only; from 2026-07-28 on, clients name
 * it in both.
 */
export function negotiatedRevision(message: unknown, headers: Headers): string {
  const inHeader = headers.get("MCP-Protocol-Version");
  if (Array.isArray(message)) return batchRevision(message, inHeader);
  const inMessage = messageRevision(message);
  if (inMessage === null) return handshakeRevision(message, inHeader);
  if (inHeader !== inMessage) throw mismatchError("MCP-Protocol-Version", inHeader, inMessage);
  if (MODERN_REVISIONS.includes(inMessage) && isRequest(message)) checkNameHeaders(message, headers);
  return inMessage;
}

/** The revision that the message itself names; null if it names none. */
function messageRevision(message: unknown): string | null {
  const params = isMessage(message) ? message.params : null;
  const meta = isMessage(params) ? params._meta : null;
  const revision = isMessage(meta) ? meta[VERSION_KEY] : null;
  return typeof revision === "string" ? revision : null;
}

/** The HTTP status of an answer; before revision 2026-07-28 errors of requests have status 200. */
export function httpStatus(message: unknown, answer: unknown): number {
  if (!isMessage(answer) || !isMessage(answer.error)) return 200;
  const code = answer.error.code as number;
  const hasErrorStatus = code === PARSE_ERROR || code === INVALID_REQUEST || messageRevision(message) !== null;
  if (!hasErrorStatus) return 200;
  return code === METHOD_NOT_FOUND ? 404 : BAD_REQUEST_CODES.includes(code) ? 400 : 200;
}

/** The revision of an array, whose messages must not name their own. */
function batchRevision(messages: unknown[], inHeader: string | null): string {
  if (messages.some((message) => messageRevision(message) !== null)) {
    throw new ProtocolError(INVALID_REQUEST, "Send one message, not an array of them.");
  }
  return handshakeRevision(messages, inHeader);
}

/** The revision of a legacy client; a modern one may send `initialize` after `server/discover`. */
function handshakeRevision(message: unknown, inHeader: string | null): string {
  if (inHeader === null) return DEFAULT_REVISION;
  const isInitialize = isMessage(message) && message.method === "initialize";
  if (LEGACY_REVISIONS.includes(inHeader) || (MODERN_REVISIONS.includes(inHeader) && isInitialize)) return inHeader;
  if (!MODERN_REVISIONS.includes(inHeader)) {
    const data = { supported: [...MODERN_REVISIONS], requested: inHeader };
    throw new ProtocolError(UNSUPPORTED_VERSION, "Unsupported protocol version", data);
  }
  if (isRequest(message)) throw new ProtocolError(INVALID_PARAMS, `\`params._meta[${VERSION_KEY}]\` is missing.`);
  return inHeader;
}

function checkNameHeaders(message: Message, headers: Headers): void {
  const method = message.method as string;
  const inHeader = headers.get("Mcp-Method");
  if (inHeader !== method) throw mismatchError("Mcp-Method", inHeader, method);
  const parameter = NAME_PARAMETERS.get(method);
  if (!parameter) return;
  const name = (message.params as Message)[parameter];
  const repeatedName = decodeHeader(headers.get("Mcp-Name"));
  if (repeatedName !== (name ?? null)) throw mismatchError("Mcp-Name", repeatedName, name);
}

/** Decodes a header value; names with other characters are sent as base64. */
function decodeHeader(value: string | null): string | null {
  const text = value && /^=\?base64\?(.*)\?=$/s.exec(value)?.[1];
  if (typeof text !== "string") return value;
  try {
    const bytes = Uint8Array.from(atob(checkBase64(text)), (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ProtocolError(HEADER_MISMATCH, "Header mismatch: Mcp-Name is not valid base64");
  }
}

/** Rejects whitespace and missing padding, which `atob` accepts. */
function checkBase64(text: string): string {
  if (text.length % 4 || /\s/.test(text)) throw new SyntaxError("invalid base64");
  return text;
}

function mismatchError(name: string, inHeader: string | null, bodyValue: unknown): ProtocolError {
  if (inHeader === null) return new ProtocolError(HEADER_MISMATCH, `Header mismatch: ${name} is missing`);
  const values = `header value ${formatValue(inHeader)} does not match body value ${formatValue(bodyValue)}`;
  return new ProtocolError(HEADER_MISMATCH, `Header mismatch: ${name} ${values}`);
}

function formatValue(value: unknown): string {
  return typeof value === "string" ? `'${value}'` : (JSON.stringify(value) ?? "None");
}
