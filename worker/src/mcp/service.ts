/** The MCP server's tools: checks arguments, calls the endpoint, reports errors as text. */

import { constants, version } from "../../build/worker_data.json";
import type { CallEndpoint } from "../api/types.ts";
import { HttpError } from "../http_error.ts";
import { escapeLine } from "../escaping.ts";
import { TOOLS } from "./tools.ts";
import { validateArguments, type ToolArguments, type ObjectSchema } from "./tool_schemas.ts";
import type { ToolResult, Server } from "./protocol.ts";
import { commandsToTools } from "./formatting.ts";

const { WORKER_INSTRUCTIONS, WORKER_TOOL_DEFINITIONS } = constants.tool_schemas;
const SCHEMAS = new Map(WORKER_TOOL_DEFINITIONS.map((tool) => [tool.name, tool.inputSchema as ObjectSchema]));

/** Creates the MCP server. */
export function createServer(ask: CallEndpoint): Server {
  const tools = {
    listed: WORKER_TOOL_DEFINITIONS,
    call: (tool: string, args: ToolArguments) => call(ask, tool, args),
  };
  return { name: "feeder", version, instructions: WORKER_INSTRUCTIONS, tools };
}

/** Calls a tool; errors that the model can correct become results. */
async function call(ask: CallEndpoint, tool: string, args: ToolArguments): Promise<ToolResult> {
  try {
    const checked = validateArguments(tool, SCHEMAS.get(tool)!, args);
    return await TOOLS.get(tool)!(ask, checked);
  } catch (fault) {
    if (!(fault instanceof HttpError)) throw fault;
    return { text: escapeLine(commandsToTools(fault.message)), isError: true };
  }
}
