/** What is a message of the protocol, what is an error of it, and who answers? */

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
export const UNSUPPORTED_REVISION = -32022;
/** Of a name that is not known, in the answer; a tool has no longer one. */
export const MAX_NAME_CHARS = 128;

export type Message = Record<string, unknown>;
export type Id = string | number | null;

/** What a tool answers: a text for a model; an error says what to change. */
export interface ToolResult {
  text: string;
  isError: boolean;
}

/** The tools that a server has. */
export interface ToolSet {
  /** Each as `tools/list` shows it, the same for everybody, in one order. */
  readonly listed: readonly { name: string }[];
  call(name: string, given: Message): Promise<ToolResult> | ToolResult;
}

/** Who answers: a name, a version, what it tells a model of itself, and its tools. */
export interface Server {
  name: string;
  version: string;
  instructions: string;
  tools: ToolSet;
}

/** A message that is answered by an error of the protocol. */
export class ProtocolError extends Error {
  readonly facts: Message;

  constructor(code: number, message: string, data?: Message) {
    super(message);
    this.facts = { code, message, ...(data && { data }) };
  }
}

/** The JSON of a body; throws Refused for what is none. */
export function parseMessage(body: Uint8Array | string): unknown {
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return JSON.parse(typeof body === "string" ? body : decoder.decode(body));
  } catch {
    throw new ProtocolError(PARSE_ERROR, "Parse error");
  }
}

/** The answer that says why there is none. */
export function errorMessage(refused: ProtocolError, id: Id = null): Message {
  return { jsonrpc: "2.0", id, error: refused.facts };
}

/** By which whoever sent it knows its answer; null where it has none. */
export function messageId(message: unknown): Id {
  return isMessage(message) && isId(message.id) ? message.id : null;
}

export function isMessage(value: unknown): value is Message {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether it waits for an answer. */
export function isRequest(message: unknown): message is Message {
  return isMessage(message) && "method" in message && "id" in message;
}

/** A number that JSON cannot write, as 1e999 becomes one, is none. */
export function isId(value: unknown): value is string | number {
  return typeof value === "string" || (typeof value === "number" && Number.isFinite(value));
}
