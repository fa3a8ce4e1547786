/**
 * The MCP protocol: answers a server's messages, in both generations of the protocol.
 *
 * A message carries its revision (modern), or `initialize` agrees on one for the session (legacy).
 * `tests/mcp_server/transcripts` has examples that run against this and `feeder.mcp.protocol`.
 */

import { constants } from "../../build/worker_data.json";
import { truncate } from "../python_strings.ts";

const { META_PREFIX } = constants.protocol;
/** Only `BATCH_REVISION` has arrays of messages, of at most `MAX_BATCH_MESSAGES`. */
export const { BATCH_REVISION, MAX_BATCH_MESSAGES, DEFAULT_REVISION, TTL_MS } = constants.protocol;
/** Revisions in which each message names its own. */
export const MODERN_REVISIONS: readonly string[] = constants.protocol.MODERN_REVISIONS;
/** Revisions that `initialize` agrees on, the newest first. */
export const LEGACY_REVISIONS: readonly string[] = constants.protocol.LEGACY_REVISIONS;
export const VERSION_KEY = `${META_PREFIX}protocolVersion`;
export const CAPABILITIES_KEY = `${META_PREFIX}clientCapabilities`;

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
export const UNSUPPORTED_REVISION = -32022;
/** The number of characters of an unknown name that an error shows. */
export const MAX_NAME_CHARS = 128;

export type Message = Record<string, unknown>;
export type Id = string | number | null;

/** The result of a tool: a text for a language model; that of an error says what to change. */
export interface ToolResult {
  text: string;
  isError: boolean;
}

/** The tools that a server has. */
export interface ToolSet {
  /** The tools as `tools/list` shows them, in a fixed order. */
  readonly listed: readonly { name: string }[];
  call(name: string, given: Message): Promise<ToolResult> | ToolResult;
}

/** An MCP server: name, version, instructions for the model, and tools. */
export interface Server {
  name: string;
  version: string;
  instructions: string;
  tools: ToolSet;
}

/** An error that becomes a JSON-RPC error response. */
export class ProtocolError extends Error {
  readonly facts: Message;

  constructor(code: number, message: string, data?: Message) {
    super(message);
    this.facts = { code, message, ...(data && { data }) };
  }
}

/** The JSON of a body; throws ProtocolError for invalid JSON. */
export function parseMessage(body: Uint8Array | string): unknown {
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return JSON.parse(typeof body === "string" ? body : decoder.decode(body));
  } catch {
    throw new ProtocolError(PARSE_ERROR, "Parse error");
  }
}

/** The error response to a message. */
export function errorMessage(refused: ProtocolError, id: Id = null): Message {
  return { jsonrpc: "2.0", id, error: refused.facts };
}

/** The id of a message; null if it has none. */
export function messageId(message: unknown): Id {
  return isMessage(message) && isId(message.id) ? message.id : null;
}

export function isMessage(value: unknown): value is Message {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns true for a request, which expects an answer. */
export function isRequest(message: unknown): message is Message {
  return isMessage(message) && "method" in message && "id" in message;
}

/** Returns true for a valid id; infinite numbers, such as 1e999, are not valid. */
export function isId(value: unknown): value is string | number {
  return typeof value === "string" || (typeof value === "number" && Number.isFinite(value));
}

type Method = (server: Server, params: Message) => Message | Promise<Message>;

function discover(server: Server): Message {
  return {
    supportedVersions: [...MODERN_REVISIONS],
    capabilities: { tools: {} },
    instructions: server.instructions,
    ttlMs: TTL_MS,
    cacheScope: "public",
  };
}

function initialize(server: Server, params: Message): Message {
  const asked = params.protocolVersion;
  if (typeof asked !== "string") {
    throw new ProtocolError(INVALID_PARAMS, "`protocolVersion` is missing, or no string.");
  }
  return {
    protocolVersion: LEGACY_REVISIONS.includes(asked) ? asked : LEGACY_REVISIONS[0],
    capabilities: { tools: {} },
    serverInfo: { name: server.name, version: server.version },
    instructions: server.instructions,
  };
}

function list(server: Server, params: Message): Message {
  if (params.cursor != null) {
    throw new ProtocolError(INVALID_PARAMS, "There is no such cursor: the list has one page.");
  }
  return { tools: [...server.tools.listed] };
}

function cachedList(server: Server, params: Message): Message {
  return { ...list(server, params), ttlMs: TTL_MS, cacheScope: "public" };
}

async function call(server: Server, params: Message): Promise<Message> {
  const { name } = params;
  const given = params.arguments || {};
  if (typeof name !== "string") throw new ProtocolError(INVALID_PARAMS, "`name` is missing, or no string.");
  if (!server.tools.listed.some((tool) => tool.name === name)) {
    throw new ProtocolError(INVALID_PARAMS, `Unknown tool: ${truncate(name, MAX_NAME_CHARS)}`);
  }
  if (!isMessage(given)) throw new ProtocolError(INVALID_PARAMS, "`arguments` is an object.");
  const { text, isError } = await server.tools.call(name, given);
  return { content: [{ type: "text", text }], isError };
}

export const METHODS: Record<"modern" | "legacy", ReadonlyMap<string, Method>> = {
  modern: new Map<string, Method>([
    ["server/discover", discover],
    ["tools/list", cachedList],
    ["tools/call", call],
  ]),
  legacy: new Map<string, Method>([
    ["initialize", initialize],
    ["ping", () => ({})],
    ["tools/list", list],
    ["tools/call", call],
  ]),
};

/** The session of one client; its only state is the revision agreed on by `initialize`, for arrays. */
export class ProtocolSession {
  constructor(
    private readonly server: Server,
    private agreed: string | null = null,
  ) {}

  /** Answers a message; null for a notification. */
  async answer(message: unknown): Promise<unknown> {
    return Array.isArray(message) ? this.batch(message) : this.one(message);
  }

  private async batch(messages: unknown[]): Promise<unknown> {
    if (this.agreed !== BATCH_REVISION || !messages.length) {
      return errorMessage(new ProtocolError(INVALID_REQUEST, "Send one message, not an array of them."));
    }
    if (messages.length > MAX_BATCH_MESSAGES) {
      return errorMessage(new ProtocolError(INVALID_REQUEST, `An array has at most ${MAX_BATCH_MESSAGES} messages.`));
    }
    const answers: Message[] = [];
    for (const message of messages) {
      const answer = await this.one(message);
      if (answer) answers.push(answer);
    }
    return answers.length ? answers : null;
  }

  private async one(message: unknown): Promise<Message | null> {
    const id = messageId(message);
    try {
      if (!isMessage(message)) throw new ProtocolError(INVALID_REQUEST, "A message is an object.");
      if (isResponse(message) || !isChecked(message)) return null;
      return { jsonrpc: "2.0", id, result: await this.result(message) };
    } catch (fault) {
      if (fault instanceof ProtocolError) return errorMessage(fault, id);
      // a bug costs one answer, not the server
      return errorMessage(new ProtocolError(INTERNAL_ERROR, `Internal error: ${told(fault)}`), id);
    }
  }

  private async result(message: Message): Promise<Message> {
    const method = message.method as string;
    const params = message.params || {};
    if (!isMessage(params)) throw new ProtocolError(INVALID_PARAMS, "`params` is an object.");
    if (isModern(params)) {
      const result = await found("modern", method)(this.server, params);
      const about = { name: this.server.name, version: this.server.version };
      return { resultType: "complete", ...result, _meta: { [`${META_PREFIX}serverInfo`]: about } };
    }
    const result = await found("legacy", method)(this.server, params);
    if (typeof result.protocolVersion === "string") this.agreed = result.protocolVersion;
    return result;
  }
}

function told(fault: unknown): string {
  return fault instanceof Error ? `${fault.name}: ${fault.message}` : String(fault);
}

/** Returns true for a request, false for a notification; throws a ProtocolError for neither. */
function isChecked(message: Message): boolean {
  if (message.jsonrpc !== "2.0" || typeof message.method !== "string") {
    throw new ProtocolError(INVALID_REQUEST, 'A message has "jsonrpc": "2.0" and a method.');
  }
  if (!("id" in message)) return false;
  if (!isId(message.id)) {
    throw new ProtocolError(INVALID_REQUEST, "The id of a request is a string or a number.");
  }
  return true;
}

function isResponse(message: Message): boolean {
  return !("method" in message) && ("result" in message || "error" in message);
}

/** Returns true if the message names its revision; throws a ProtocolError for an unsupported one. */
function isModern(params: Message): boolean {
  const meta = params._meta;
  if (!isMessage(meta) || !(VERSION_KEY in meta)) return false;
  const requested = meta[VERSION_KEY];
  if (typeof requested !== "string") {
    throw new ProtocolError(INVALID_PARAMS, `\`_meta[${VERSION_KEY}]\` is a string.`);
  }
  if (!MODERN_REVISIONS.includes(requested)) {
    const known = { supported: [...MODERN_REVISIONS], requested };
    throw new ProtocolError(UNSUPPORTED_REVISION, "Unsupported protocol version", known);
  }
  if (!isMessage(meta[CAPABILITIES_KEY])) {
    throw new ProtocolError(INVALID_PARAMS, `\`_meta[${CAPABILITIES_KEY}]\` is missing, or no object.`);
  }
  return true;
}

function found(era: keyof typeof METHODS, name: string) {
  const method = METHODS[era].get(name);
  if (method) return method;
  if (name === "server/discover") {
    throw new ProtocolError(INVALID_PARAMS, `\`params._meta[${VERSION_KEY}]\` is missing.`);
  }
  throw new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${truncate(name, MAX_NAME_CHARS)}`);
}
