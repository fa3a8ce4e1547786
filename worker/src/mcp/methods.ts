/** What does each method of the protocol answer? */

import { cut } from "../letters.ts";
import { isMessage, type Message, NAME_CHARS, PARAMS, Refused, type Server } from "./messages.ts";
import { LEGACY, MODERN, TTL_MS } from "./revisions.ts";

type Method = (server: Server, params: Message) => Message | Promise<Message>;

function discover(server: Server): Message {
  return {
    supportedVersions: [...MODERN],
    capabilities: { tools: {} },
    instructions: server.instructions,
    ttlMs: TTL_MS,
    cacheScope: "public",
  };
}

function initialize(server: Server, params: Message): Message {
  const asked = params.protocolVersion;
  if (typeof asked !== "string") {
    throw new Refused(PARAMS, "`protocolVersion` is missing, or no string.");
  }
  return {
    protocolVersion: LEGACY.includes(asked) ? asked : LEGACY[0],
    capabilities: { tools: {} },
    serverInfo: { name: server.name, version: server.version },
    instructions: server.instructions,
  };
}

function list(server: Server, params: Message): Message {
  if (params.cursor != null) {
    throw new Refused(PARAMS, "There is no such cursor: the list has one page.");
  }
  return { tools: [...server.tools.listed] };
}

function cachedList(server: Server, params: Message): Message {
  return { ...list(server, params), ttlMs: TTL_MS, cacheScope: "public" };
}

async function call(server: Server, params: Message): Promise<Message> {
  const { name } = params;
  const given = params.arguments || {};
  if (typeof name !== "string") throw new Refused(PARAMS, "`name` is missing, or no string.");
  if (!server.tools.listed.some((tool) => tool.name === name)) {
    throw new Refused(PARAMS, `Unknown tool: ${cut(name, NAME_CHARS)}`);
  }
  if (!isMessage(given)) throw new Refused(PARAMS, "`arguments` is an object.");
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
