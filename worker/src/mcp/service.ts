/** The MCP server's tools: checks arguments, calls the endpoint, reports errors as text. */

import { constants, version } from "../../build/worker_data.json";
import type { CallEndpoint } from "../api/types.ts";
import { HttpError } from "../http_error.ts";
import { escapeLine } from "../escaping.ts";
import { TOOLS } from "./tools.ts";
import { validateArguments, type ToolArguments, type ObjectSchema } from "./tool_schemas.ts";
import type { ToolResult, McpServer } from "./protocol.ts";
import { commandsToTools } from "./formatting.ts";

const { WORKER_INSTRUCTIONS, WORKER_TOOL_DEFINITIONS } = constants.tool_schemas;
const SCHEMAS = new Map(WORKER_TOOL_DEFINITIONS.map((tool) => [tool.name, tool.inputSchema as ObjectSchema]));

/** Creates the MCP server. */
export function createServer(callEndpoint: CallEndpoint): McpServer {
  const tools = {
    definitions: WORKER_TOOL_DEFINITIONS,
    call: (tool: string, args: ToolArguments) => callTool(callEndpoint, tool, args),
  };
  return { name: "feeder", version, instructions: WORKER_INSTRUCTIONS, tools };
}

/** Calls a tool; errors that the model can correct become results. */
async function callTool(callEndpoint: CallEndpoint, tool: string, args: ToolArguments): Promise<ToolResult> {
  try {
    const validated = validateArguments(tool, SCHEMAS.get(tool)!, args);
    return await TOOLS.get(tool)!(callEndpoint, validated);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const sentences = [error.error, ...error.remedy.split("\n")].filter(Boolean);
    return { text: escapeLine(sentences.map(commandsToTools).join(" ")), isError: true };
  }
}
