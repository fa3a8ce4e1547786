/** The functions of MCP, suggestions and escaping that the tests call. */

import type { SearchAnswer, OutlineAnswer, ReadAnswer } from "../../src/api/types.ts";
import { validateArguments, type ToolArguments, type ObjectSchema } from "../../src/mcp/tool_schemas.ts";
import { formatCode, formatHits, formatReadResults } from "../../src/mcp/formatting.ts";
import { truncateLines, type HitForm, fitHits } from "../../src/mcp/token_budget.ts";
import { formatOutline } from "../../src/mcp/outline_format.ts";
import {
  errorMessage,
  parseMessage,
  ProtocolError,
  ProtocolSession,
  type ToolResult,
} from "../../src/mcp/protocol.ts";
import { didYouMean } from "../../src/suggestions.ts";
import { escapeLine } from "../../src/escaping.ts";
import { HttpError } from "../../src/http_error.ts";

interface Facts {
  name: string;
  version: string;
  instructions: string;
  tools: { name: string }[];
  answers: Record<string, ToolResult | null>;
}

/** The answers of a server to messages that are sent one after another in one session. */
async function transcript(facts: Facts, came: ({ line: string } | { in: unknown })[]) {
  const tools = { listed: facts.tools, call: (name: string) => told(facts.answers[name]) };
  const conversation = new ProtocolSession({ ...facts, tools });
  const answers: unknown[] = [];
  for (const one of came) answers.push(await answered(conversation, one));
  return answers;
}

async function answered(conversation: ProtocolSession, one: { line: string } | { in: unknown }) {
  try {
    return await conversation.answer("line" in one ? parseMessage(one.line) : one.in);
  } catch (fault) {
    if (fault instanceof ProtocolError) return errorMessage(fault);
    throw fault;
  }
}

function told(answer: ToolResult | null | undefined): ToolResult {
  if (answer) return answer;
  const broken = new Error("broken");
  broken.name = "LookupError";
  throw broken;
}

function arguments_(tool: string, schema: ObjectSchema, given: ToolArguments) {
  try {
    return validateArguments(tool, schema, given);
  } catch (fault) {
    if (fault instanceof HttpError) return fault.message;
    throw fault;
  }
}

export const shell = {
  transcript,
  arguments: arguments_,
  meant: didYouMean,
  code: formatCode,
  line: escapeLine,
  cut_lines: truncateLines,
  fitted: (hits: HitForm[][], budget: number, isGreedy: boolean) => fitHits(hits, budget, isGreedy),
  hits_as_text: (found: SearchAnswer, detail: string, tokens: number) => formatHits(found, { detail, tokens }),
  passages_as_text: (answer: ReadAnswer, tokens: number) => formatReadResults(answer, tokens),
  outline_as_text: (outline: OutlineAnswer, depth: number | null, tokens: number) =>
    formatOutline(outline, depth, tokens),
};
