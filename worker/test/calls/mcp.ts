/** The functions of MCP, suggestions and escaping that the tests call. */

import type { SearchAnswer, OutlineAnswer, ReadAnswer } from "../../src/api/types.ts";
import { validateArguments, type ToolArguments, type ObjectSchema } from "../../src/mcp/tool_schemas.ts";
import { formatCode, formatHits, formatReadResults } from "../../src/mcp/formatting.ts";
import { truncateLines, type HitVariant, fitToBudget } from "../../src/mcp/token_budget.ts";
import { formatOutline } from "../../src/mcp/outline_format.ts";
import {
  errorResponse,
  parseMessage,
  ProtocolError,
  MessageHandler,
  type ToolResult,
} from "../../src/mcp/protocol.ts";
import { didYouMean } from "../../src/suggestions.ts";
import { escapeLine } from "../../src/escaping.ts";
import { HttpError } from "../../src/http_error.ts";

interface ServerFacts {
  name: string;
  version: string;
  instructions: string;
  tools: { name: string }[];
  answers: Record<string, ToolResult | null>;
}

/** The answers of a server to messages that are sent one after another in one session. */
async function transcript(facts: ServerFacts, messages: ({ line: string } | { in: unknown })[]) {
  const tools = { definitions: facts.tools, call: (name: string) => resultOf(facts.answers[name]) };
  const handler = new MessageHandler({ ...facts, tools });
  const answers: unknown[] = [];
  for (const one of messages) answers.push(await handleLine(handler, one));
  return answers;
}

async function handleLine(handler: MessageHandler, one: { line: string } | { in: unknown }) {
  try {
    return await handler.handle("line" in one ? parseMessage(one.line) : one.in);
  } catch (error) {
    if (error instanceof ProtocolError) return errorResponse(error);
    throw error;
  }
}

function resultOf(answer: ToolResult | null | undefined): ToolResult {
  if (answer) return answer;
  const error = new Error("broken");
  error.name = "LookupError";
  throw error;
}

function arguments_(tool: string, schema: ObjectSchema, args: ToolArguments) {
  try {
    return validateArguments(tool, schema, args);
  } catch (error) {
    if (error instanceof HttpError) return error.message;
    throw error;
  }
}

export const mcp = {
  transcript,
  validateArguments: arguments_,
  didYouMean,
  formatCode,
  escapeLine,
  truncateLines,
  fitToBudget: (hits: HitVariant[][], budget: number) => fitToBudget(hits, budget),
  formatHits: (page: SearchAnswer, detail: string, tokens: number) => formatHits(page, { detail, tokens }),
  formatReadResults: (answer: ReadAnswer, tokens: number) => formatReadResults(answer, tokens),
  formatOutline: (outline: OutlineAnswer, depth: number | null, tokens: number, offset: number) =>
    formatOutline(outline, depth, tokens, offset),
};
