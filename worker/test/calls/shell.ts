/** What the tests may call of the shell. */

import type { Hits, Outline, Passages } from "../../src/api/facts.ts";
import { checked, type Given, type Schemas } from "../../src/mcp/arguments.ts";
import { code } from "../../src/mcp/code.ts";
import { cutLines, type Form, fitted } from "../../src/mcp/fitting.ts";
import { outlineAsText } from "../../src/mcp/outlining.ts";
import { Conversation } from "../../src/mcp/protocol.ts";
import { error, parsed, Refused, type Said } from "../../src/mcp/messages.ts";
import { passagesAsText } from "../../src/mcp/reading.ts";
import { hitsAsText } from "../../src/mcp/shaping.ts";
import { meant } from "../../src/nearby.ts";
import { line } from "../../src/shown.ts";
import { Refusal } from "../../src/refusal.ts";

interface Facts {
  name: string;
  version: string;
  instructions: string;
  tools: { name: string }[];
  answers: Record<string, Said | null>;
}

/** The answers of a server to the messages that come in, one after another, in one conversation. */
async function transcript(facts: Facts, came: ({ line: string } | { in: unknown })[]) {
  const tools = { listed: facts.tools, call: (name: string) => told(facts.answers[name]) };
  const conversation = new Conversation({ ...facts, tools });
  const answers: unknown[] = [];
  for (const one of came) answers.push(await answered(conversation, one));
  return answers;
}

async function answered(conversation: Conversation, one: { line: string } | { in: unknown }) {
  try {
    return await conversation.answer("line" in one ? parsed(one.line) : one.in);
  } catch (fault) {
    if (fault instanceof Refused) return error(fault);
    throw fault;
  }
}

function told(answer: Said | null | undefined): Said {
  if (answer) return answer;
  const broken = new Error("broken");
  broken.name = "LookupError";
  throw broken;
}

function arguments_(tool: string, schema: Schemas, given: Given) {
  try {
    return checked(tool, schema, given);
  } catch (fault) {
    if (fault instanceof Refusal) return fault.message;
    throw fault;
  }
}

export const shell = {
  transcript,
  arguments: arguments_,
  meant,
  code,
  line,
  cut_lines: cutLines,
  fitted: (hits: Form[][], budget: number, isGreedy: boolean) => fitted(hits, budget, isGreedy),
  hits_as_text: (found: Hits, detail: string, tokens: number) => hitsAsText(found, { detail, tokens }),
  passages_as_text: (passages: Passages, tokens: number) => passagesAsText(passages, tokens),
  outline_as_text: (outline: Outline, depth: number | null, tokens: number) =>
    outlineAsText(outline, depth, tokens),
};
