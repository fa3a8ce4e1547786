/** What does each method of the protocol answer? */

import { truncate } from "../python_strings.ts";
import { isMessage, type Message, MAX_NAME_CHARS, INVALID_PARAMS, ProtocolError, type Server } from "./messages.ts";
import { INITIALIZE_REVISIONS, STATELESS_REVISIONS, TTL_MS } from "./revisions.ts";

type Method = (server: Server, params: Message) => Message | Promise<Message>;

function discover(server: Server): Message {
  return {
    supportedVersions: [...STATELESS_REVISIONS],
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
    protocolVersion: INITIALIZE_REVISIONS.includes(asked) ? asked : INITIALIZE_REVISIONS[0],
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
