/** The MCP tools: each calls an endpoint and formats its answer. */

import { constants } from "../../build/worker_data.json";
import type {
  CallEndpoint,
  Hit,
  OutlineAnswer,
  Params,
  ReadAnswer,
  SearchAnswer,
  WithFreshness,
} from "../api/types.ts";
import { HttpError } from "../http_error.ts";
import type { ToolArguments } from "./tool_schemas.ts";
import type { ToolResult } from "./protocol.ts";
import { formatOutline } from "./outline_format.ts";
import {
  formatCallers,
  formatDefinitions,
  formatImplementations,
  formatReferences,
  formatUses,
} from "./relation_format.ts";
import type { RelationsAnswer } from "../api/relations.ts";
import { escapeLine } from "../escaping.ts";
import { commandsToTools, formatHits, formatReadResults, joinAnswer } from "./formatting.ts";

const { SNIPPET_LINES, MAX_TARGETS, MAX_REFERENCE_TARGETS, QUERY_AND_PLACE } = constants.tools;
const { DEFAULT_TOKENS, MIN_DEFAULT_LIMIT, TOKENS_PER_HIT, MAX_LIMIT } = constants.tool_schemas;
const { BLANKS_AND_QUOTES, EMPTY_QUERY } = constants.query;
/** The arguments of `search` that filter. */
const FILTERS = ["path", "exclude", "language", "type", "repo", "tests"];

type Tool = (callEndpoint: CallEndpoint, args: ToolArguments) => Promise<ToolResult>;

/** Searches for a query, or for nodes similar to a place, and formats the hits. */
async function search(callEndpoint: CallEndpoint, args: ToolArguments): Promise<ToolResult> {
  const isEmpty = [...(args.query as string)].every((character) => BLANKS_AND_QUOTES.includes(character));
  if (args.like && !isEmpty) throw new HttpError(400, ...(QUERY_AND_PLACE as [problem: string, remedy: string]));
  if (isEmpty && !args.like && !FILTERS.some((name) => args[name])) throw new HttpError(400, ...(EMPTY_QUERY as [problem: string, remedy: string]));
  const page = (await callEndpoint(args.like ? "similar" : "search", {
    ...(args.like ? { target: [args.like as string] } : { q: [args.query as string] }),
    ...(args.path ? { path: args.path as string[] } : {}),
    ...(args.exclude ? { not_path: args.exclude as string[] } : {}),
    ...listParameter("language", args.language),
    ...listParameter("node_type", args.type),
    ...listParameter("repo", args.repo),
    ...(args.tests ? { tests: [args.tests as string] } : {}),
    limit: [String(args.limit ?? defaultLimit(args.budget as number))],
    offset: [String(args.offset)],
    lines: [String(SNIPPET_LINES)],
    text: ["1"],
  })) as SearchAnswer;
  if (!page.total && !args.like) return textResult(formatNoHits(page));
  return textResult(formatHits(withRepositories(page), { detail: args.detail as string, tokens: args.budget as number }));
}

/** The hits of an answer with a budget of `tokens`, if the call has no limit. */
function defaultLimit(tokens: number): number {
  return Math.min(Math.max(MIN_DEFAULT_LIMIT, Math.floor(tokens / TOKENS_PER_HIT)), MAX_LIMIT);
}

/** Reads the lines of each target; an unknown target does not affect the others. */
async function read(callEndpoint: CallEndpoint, args: ToolArguments): Promise<ToolResult> {
  const targets = args.target as string[];
  if (targets.length > MAX_TARGETS) {
    const text = `\`target\` has ${targets.length} targets; at most ${MAX_TARGETS} are allowed.`;
    throw new HttpError(400, text);
  }
  const answer = (await callEndpoint("read", { target: targets })) as ReadAnswer;
  const isError = answer.targets.every((target) => !target.hits.length);
  const named = answer.targets.map((target) => withRepositories({ ...answer, ...target }));
  return { text: formatReadResults({ ...answer, targets: named }, args.budget as number), isError };
}

/** Outlines a file or folder. */
async function outline(callEndpoint: CallEndpoint, args: ToolArguments): Promise<ToolResult> {
  const answer = (await callEndpoint("agentoutline", { path: [args.path as string] })) as OutlineAnswer;
  const shown = formatOutline(withRepositoryNote(answer), (args.depth as number) ?? null, DEFAULT_TOKENS, args.offset as number);
  return textResult(shown);
}

/**
 * Lists the references to each target, those that it has itself, its definitions or implementations; an error of one
 * of several targets does not stop the others.
 */
async function references(callEndpoint: CallEndpoint, args: ToolArguments): Promise<ToolResult> {
  const targets = args.target as string[];
  if (targets.length > MAX_REFERENCE_TARGETS) {
    const text = `\`target\` has ${targets.length} targets; at most ${MAX_REFERENCE_TARGETS} are allowed.`;
    throw new HttpError(400, text);
  }
  if (targets.length === 1) {
    const answer = await findRelations(callEndpoint, args, targets[0]!);
    return textResult(formatRelations(answer, answer.note, DEFAULT_TOKENS, args.offset as number));
  }
  const tokens = Math.floor(DEFAULT_TOKENS / targets.length);
  const [parts, notes]: [string[], string[]] = [[], []];
  for (const target of targets) {
    const text = await relationsOrError(callEndpoint, args, target, tokens, notes);
    parts.push(`## ${escapeLine(target)}\n${text}`);
  }
  return { text: joinAnswer(parts, [], notes[0] ?? ""), isError: notes.length === 0 };
}

/** The text about one of several targets; adds the note of its answer to `notes`, if there is one. */
async function relationsOrError(
  callEndpoint: CallEndpoint,
  args: ToolArguments,
  target: string,
  tokens: number,
  notes: string[],
): Promise<string> {
  try {
    const answer = await findRelations(callEndpoint, args, target);
    notes.push(answer.note);
    return formatRelations(answer, "", tokens, args.offset as number);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return escapeLine(commandsToTools(error.message));
  }
}

async function findRelations(callEndpoint: CallEndpoint, args: ToolArguments, target: string): Promise<RelationsAnswer> {
  const given = Object.entries({ ...args, target }).map(([name, value]): [string, string[]] => [name, [String(value)]]);
  return withRepositoryNote((await callEndpoint("references", Object.fromEntries(given))) as RelationsAnswer);
}

function formatRelations(answer: RelationsAnswer, note: string, tokens: number, offset: number): string {
  const footer = { notes: answer.notes, note, tokens, offset };
  const atLeast = "at_least" in answer && answer.at_least;
  if ("definitions" in answer) return formatDefinitions(answer.definitions, atLeast, footer);
  if ("uses" in answer) return formatUses(answer.uses, footer);
  if ("tree" in answer) return formatCallers(answer.tree, footer);
  if ("page" in answer) return formatReferences(answer.page, footer);
  return formatImplementations(answer.definition, answer.implementations, atLeast, footer);
}

export const TOOLS: ReadonlyMap<string, Tool> = new Map([
  ["search", search],
  ["read", read],
  ["outline", outline],
  ["references", references],
]);

/** The answer with each hit's repository before its path, as a target has it, if there are several. */
function withRepositories<Answer extends WithFreshness & { hits: Hit[] }>(answer: Answer): Answer {
  if (!answer.index?.several) return answer;
  return { ...answer, hits: answer.hits.map((hit) => ({ ...hit, path: `${hit.repo}:${hit.path}` })) };
}

/** The answer about one of several repositories, with its name in the note. */
function withRepositoryNote<Answer extends WithFreshness>(answer: Answer): Answer {
  const { index } = answer;
  return index?.several ? { ...answer, note: `Paths are of ${index.repo}: write ${index.repo}:PATH. ${answer.note}` } : answer;
}

function textResult(text: string): ToolResult {
  return { text, isError: false };
}

/** The values of a comma-separated list as a parameter; none for an empty list. */
function listParameter(name: string, list: unknown): Params {
  const values = String(list ?? "").split(",").map((value) => value.trim()).filter(Boolean);
  return values.length ? { [name]: values } : {};
}

function formatNoHits(page: SearchAnswer): string {
  return joinAnswer(["No hits. Try other words, or a part of a name."], page.notes, page.note);
}
