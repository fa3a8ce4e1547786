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
export const UNSUPPORTED_VERSION = -32022;
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
export interface ToolProvider {
  /** The tools as `tools/list` shows them, in a fixed order. */
  readonly definitions: readonly { name: string }[];
  call(name: string, args: Message): Promise<ToolResult> | ToolResult;
}

/** An MCP server: name, version, instructions for the model, and tools. */
export interface McpServer {
  name: string;
  version: string;
  instructions: string;
  tools: ToolProvider;
}

/** An error that becomes a JSON-RPC error response. */
export class ProtocolError extends Error {
  readonly payload: Message;

  constructor(code: number, message: string, data?: Message) {
    super(message);
    this.payload = { code, message, ...(data && { data }) };
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
export function errorResponse(error: ProtocolError, id: Id = null): Message {
  return { jsonrpc: "2.0", id, error: error.payload };
}

/** The id of a message; null if it has none. */
export function requestId(message: unknown): Id {
  return isMessage(message) && isValidId(message.id) ? message.id : null;
}

export function isMessage(value: unknown): value is Message {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns true for a request, which expects an answer. */
export function isRequest(message: unknown): message is Message {
  return isMessage(message) && "method" in message && "id" in message;
}

/** Returns true for a valid id; infinite numbers, such as 1e999, are not valid. */
export function isValidId(value: unknown): value is string | number {
  return typeof value === "string" || (typeof value === "number" && Number.isFinite(value));
}

type Method = (server: McpServer, params: Message) => Message | Promise<Message>;

function discoverServer(server: McpServer): Message {
  return {
    supportedVersions: [...MODERN_REVISIONS],
    capabilities: { tools: {} },
    instructions: server.instructions,
    ttlMs: TTL_MS,
    cacheScope: "public",
  };
}

function initialize(server: McpServer, params: Message): Message {
  const requested = params.protocolVersion;
  if (typeof requested !== "string") {
    throw new ProtocolError(INVALID_PARAMS, "`protocolVersion` is missing or not a string.");
  }
  return {
    protocolVersion: LEGACY_REVISIONS.includes(requested) ? requested : LEGACY_REVISIONS[0],
    capabilities: { tools: {} },
    serverInfo: { name: server.name, version: server.version },
    instructions: server.instructions,
  };
}

function listTools(server: McpServer, params: Message): Message {
  if (params.cursor != null) {
    throw new ProtocolError(INVALID_PARAMS, "There is no such cursor: the list has one page.");
  }
  return { tools: [...server.tools.definitions] };
}

function listToolsCacheable(server: McpServer, params: Message): Message {
  return { ...listTools(server, params), ttlMs: TTL_MS, cacheScope: "public" };
}

async function callTool(server: McpServer, params: Message): Promise<Message> {
  const { name } = params;
  const args = params.arguments || {};
  if (typeof name !== "string") throw new ProtocolError(INVALID_PARAMS, "`name` is missing or not a string.");
  if (!server.tools.definitions.some((tool) => tool.name === name)) {
    throw new ProtocolError(INVALID_PARAMS, `Unknown tool: ${truncate(name, MAX_NAME_CHARS)}`);
  }
  if (!isMessage(args)) throw new ProtocolError(INVALID_PARAMS, "`arguments` must be an object.");
  const { text, isError } = await server.tools.call(name, args);
  return { content: [{ type: "text", text }], isError };
}

export const METHODS: Record<"modern" | "legacy", ReadonlyMap<string, Method>> = {
  modern: new Map<string, Method>([
    ["server/discover", discoverServer],
    ["tools/list", listToolsCacheable],
    ["tools/call", callTool],
  ]),
  legacy: new Map<string, Method>([
    ["initialize", initialize],
    ["ping", () => ({})],
    ["tools/list", listTools],
    ["tools/call", callTool],
  ]),
};

/** The session of one client; its only state is the revision agreed on by `initialize`, for arrays. */
export class MessageHandler {
  constructor(
    private readonly server: McpServer,
    private revision: string | null = null,
  ) {}

  /** Answers a message; null for a notification. */
  async handle(message: unknown): Promise<unknown> {
    return Array.isArray(message) ? this.handleBatch(message) : this.handleOne(message);
  }

  private async handleBatch(messages: unknown[]): Promise<unknown> {
    if (this.revision !== BATCH_REVISION || !messages.length) {
      return errorResponse(new ProtocolError(INVALID_REQUEST, "Send one message, not an array of them."));
    }
    if (messages.length > MAX_BATCH_MESSAGES) {
      return errorResponse(new ProtocolError(INVALID_REQUEST, `An array may have at most ${MAX_BATCH_MESSAGES} messages.`));
    }
    const answers: Message[] = [];
    for (const message of messages) {
      const answer = await this.handleOne(message);
      if (answer) answers.push(answer);
    }
    return answers.length ? answers : null;
  }

  private async handleOne(message: unknown): Promise<Message | null> {
    const id = requestId(message);
    try {
      if (!isMessage(message)) throw new ProtocolError(INVALID_REQUEST, "A message must be an object.");
      if (isResponse(message) || !expectsAnswer(message)) return null;
      return { jsonrpc: "2.0", id, result: await this.callMethod(message) };
    } catch (error) {
      if (error instanceof ProtocolError) return errorResponse(error, id);
      // a bug costs one answer, not the server
      return errorResponse(new ProtocolError(INTERNAL_ERROR, `Internal error: ${errorText(error)}`), id);
    }
  }

  private async callMethod(message: Message): Promise<Message> {
    const method = message.method as string;
    const params = message.params || {};
    if (!isMessage(params)) throw new ProtocolError(INVALID_PARAMS, "`params` must be an object.");
    if (isModern(params)) {
      const result = await findMethod("modern", method)(this.server, params);
      const serverInfo = { name: this.server.name, version: this.server.version };
      return { resultType: "complete", ...result, _meta: { [`${META_PREFIX}serverInfo`]: serverInfo } };
    }
    const result = await findMethod("legacy", method)(this.server, params);
    if (typeof result.protocolVersion === "string") this.revision = result.protocolVersion;
    return result;
  }
}

function errorText(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** Returns true for a request, false for a notification; throws a ProtocolError for neither. */
function expectsAnswer(message: Message): boolean {
  if (message.jsonrpc !== "2.0" || typeof message.method !== "string") {
    throw new ProtocolError(INVALID_REQUEST, 'A message must have "jsonrpc": "2.0" and a method.');
  }
  if (!("id" in message)) return false;
  if (!isValidId(message.id)) {
    throw new ProtocolError(INVALID_REQUEST, "The id of a request must be a string or a number.");
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
    throw new ProtocolError(INVALID_PARAMS, `\`_meta[${VERSION_KEY}]\` must be a string.`);
  }
  if (!MODERN_REVISIONS.includes(requested)) {
    const data = { supported: [...MODERN_REVISIONS], requested };
    throw new ProtocolError(UNSUPPORTED_VERSION, "Unsupported protocol version", data);
  }
  if (!isMessage(meta[CAPABILITIES_KEY])) {
    throw new ProtocolError(INVALID_PARAMS, `\`_meta[${CAPABILITIES_KEY}]\` is missing or not an object.`);
  }
  return true;
}

function findMethod(generation: keyof typeof METHODS, name: string) {
  const method = METHODS[generation].get(name);
  if (method) return method;
  if (name === "server/discover") {
    throw new ProtocolError(INVALID_PARAMS, `\`params._meta[${VERSION_KEY}]\` is missing.`);
  }
  throw new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${truncate(name, MAX_NAME_CHARS)}`);
}
