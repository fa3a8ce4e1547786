/** The MCP tools: each calls an endpoint and formats its answer. */

import { constants } from "../../build/worker_data.json";
import type { AskEndpoint, SearchAnswer, OutlineAnswer, Params, ReadAnswer } from "../api/types.ts";
import { HttpError } from "../http_error.ts";
import type { ToolArguments } from "./tool_schemas.ts";
import type { ToolResult } from "./protocol.ts";
import { formatOutline } from "./outline_format.ts";
import { formatHits, formatPassages, joinAnswer } from "./formatting.ts";

const { SNIPPET_LINES, MAX_TARGETS } = constants.tools;
const { DEFAULT_TOKENS } = constants.tool_schemas;
const { NO_WORD_NOTE } = constants.engine;

type Tool = (ask: AskEndpoint, args: ToolArguments) => Promise<ToolResult>;

/** Searches, and formats the hits. */
async function search(ask: AskEndpoint, args: ToolArguments): Promise<ToolResult> {
  const found = (await ask("search", {
    q: [args.query as string],
    ...(args.path ? { path: args.path as string[] } : {}),
    ...(args.exclude ? { not_path: args.exclude as string[] } : {}),
    ...several("language", args.language),
    ...several("node_type", args.type),
    ...several("repo", args.repo),
    ...(args.tests ? { tests: [args.tests as string] } : {}),
    limit: [String(args.limit)],
    offset: [String(args.offset)],
    lines: [String(SNIPPET_LINES)],
    loosened: ["yes"],
  })) as SearchAnswer;
  if (!found.total) return plain(nothing(found));
  const wanted = { detail: args.detail as string, tokens: args.budget as number };
  return plain(formatHits(found, wanted));
}

/** Reads the lines of each target; an unknown target does not affect the others. */
async function read(ask: AskEndpoint, args: ToolArguments): Promise<ToolResult> {
  const target = args.target as string[];
  if (target.length > MAX_TARGETS) {
    const text = `\`target\` has ${target.length} targets, at most ${MAX_TARGETS} are allowed.`;
    throw new HttpError(400, text);
  }
  const found = (await ask("read", { target })) as ReadAnswer;
  const isError = found.targets.every((one) => !one.hits.length);
  return { text: formatPassages(found, args.budget as number), isError };
}

/** Finds nodes similar to a node. */
async function similar(ask: AskEndpoint, args: ToolArguments): Promise<ToolResult> {
  const found = (await ask("similar", {
    target: [args.target as string],
    limit: [String(args.limit)],
    lines: [String(SNIPPET_LINES)],
  })) as SearchAnswer;
  return plain(formatHits(found, { detail: "auto", tokens: DEFAULT_TOKENS }));
}

/** Outlines a file or folder. */
async function outline(ask: AskEndpoint, args: ToolArguments): Promise<ToolResult> {
  const found = (await ask("outline", { path: [args.path as string] })) as OutlineAnswer;
  return plain(formatOutline(found, (args.depth as number) ?? null, DEFAULT_TOKENS));
}

export const TOOLS: ReadonlyMap<string, Tool> = new Map([
  ["search", search],
  ["read", read],
  ["similar", similar],
  ["outline", outline],
]);

function plain(text: string): ToolResult {
  return { text, isError: false };
}

/** The values of a comma-separated list as a parameter; none for an empty list. */
function several(name: string, text: unknown): Params {
  const some = String(text ?? "").split(",").map((one) => one.trim());
  const said = some.filter(Boolean);
  return said.length ? { [name]: said } : {};
}

/** The answer without hits: the searched repositories, and the hits without each filter. */
function nothing(found: SearchAnswer): string {
  const { repos = [], without = [] } = found.nowhere ?? {};
  const where = repos.length ? ` in ${repos.join(", ")}` : "";
  if (!without.length) {
    const said = `No hits${where}. Try other words, or a part of a name.`;
    return joinAnswer([said], found.notes, found.note);
  }
  const said = `No hits${where} with these filters. ${without.map(withoutOne).join(" ")}`;
  // of what the filters leave, which is not what the words may be in
  const notes = found.notes.filter((note) => !note.startsWith(NO_WORD_NOTE));
  return joinAnswer([said], notes, found.note);
}

function withoutOne({ name, total, best }: NonNullable<SearchAnswer["nowhere"]>["without"][number]): string {
  const called = best && (best.symbol || best.logical_path || best.node_type);
  const first = best ? `, first ${best.path}:${best.start_line}-${best.end_line} ${called}` : "";
  return `Without \`${name}\`: ${total}${first}.`;
}
