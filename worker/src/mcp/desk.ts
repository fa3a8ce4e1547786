/** Who takes a call of a tool? The tools of `serve/catalogue.py`, over what the edge answers. */

import shared from "../../build/shared.json";
import type { Ask } from "../api/facts.ts";
import { Refusal } from "../refusal.ts";
import * as harmless from "../shown.ts";
import { TOOLS } from "./answering.ts";
import { checked, type Given, type Schemas } from "./arguments.ts";
import type { Said, Server } from "./messages.ts";
import { inTools } from "./remedies.ts";

const { listed, instructions, name, version } = shared.serve.server;
const SCHEMAS = new Map(listed.map((tool) => [tool.name, tool.inputSchema as Schemas]));

/** What the protocol is spoken for. */
export function server(ask: Ask): Server {
  return { name, version, instructions, tools: { listed, call: (tool, given) => call(ask, tool, given) } };
}

/** What the tool answers; what the user or the model has to change is an answer too. */
async function call(ask: Ask, tool: string, given: Given): Promise<Said> {
  try {
    const said = checked(tool, SCHEMAS.get(tool)!, given);
    return await TOOLS.get(tool)!(ask, said);
  } catch (fault) {
    if (!(fault instanceof Refusal)) throw fault;
    return { text: harmless.line(inTools(fault.message)), isError: true };
  }
}
