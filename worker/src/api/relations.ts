/** Endpoints that answer who refers to a symbol, and what it refers to itself. */

import { constants } from "../../build/worker_data.json";
import { HttpError } from "../http_error.ts";
import { type CallerTree, findCallers } from "../relations/callers.ts";
import type { SearchContext } from "../corpus/context.ts";
import {
  type FoundDefinition,
  findDefinitions,
  isPosition,
  LOCAL_TYPE,
  MEMBER_TYPE,
  resolveDefinition,
} from "../relations/definitions.ts";
import { FileContents } from "../snippets/excerpts.ts";
import { freshness } from "../corpus/index_status.ts";
import { unreadNotesOfRepo } from "../corpus/unread_files.ts";
import { type Definition, sayNoReferences, sayNothingImplements, sayRefersToNothing } from "../relations/modules.ts";
import {
  findImplementations,
  findReferences,
  reasonForNone,
  ReferenceFinder,
  type ReferencePage,
} from "../relations/references.ts";
import { type Implementation, type Reference, referenceJson } from "../relations/sites.ts";
import { linesOf, withText } from "../relations/site_text.ts";
import { type Target, targetNode } from "../relations/targets.ts";
import { findUses, type UsePage } from "../relations/uses.ts";
import type { Params, WithFreshness } from "./types.ts";

const { MAX_REFERENCES, MAX_USES, MAX_IMPLEMENTATIONS } = constants.symbol_relations;
/** References that are read for an answer of the MCP tool, which shows as many as fit. */
const MAX_TOOL_REFERENCES = constants.tools.MAX_REFERENCES;
const ALL = { kinds: [], tests: null, offset: 0 };
const NO_LINES_NOTE =
  "The index does not store the lines of these places: read them, or store the source with feeder sync --texts.";

/** The answer to the MCP tool `references`: one of its forms, with notes and the freshness. */
export type RelationsAnswer = WithFreshness & { notes: string[] } & (
    | { definitions: readonly FoundDefinition[]; at_least: boolean }
    | { definition: Definition; implementations: readonly Implementation[]; at_least: boolean }
    | { uses: UsePage }
    | { tree: CallerTree }
    | { page: ReferencePage }
  );

/** The definitions, references, implementations and uses of the symbol at a place. */
export async function answerRelations(context: SearchContext, place: string): Promise<object> {
  const { finder, contents } = openReferences(context);
  if (!isPosition(place)) {
    const target = await finder.target(place);
    const symbol = (await targetNode(finder.reader, target)).symbol || place;
    const relations = await relationsOf(finder, contents, target, symbol);
    const uses = await findUses(finder, target, { ...ALL, limit: MAX_USES });
    const sites = await referencesWithText(contents, uses.uses.map(({ reference }) => reference));
    const entries = uses.uses.map(({ definition }, at) => {
      const { resolved: _, ...defined } = definition;
      return { ...referenceJson(sites[at]!), definition: defined };
    });
    const reason = uses.total > 0 ? null : sayRefersToNothing(uses.symbol || uses.path, uses.unindexed);
    const totals = { uses_total: uses.total, uses_at_least: uses.atLeast, uses_reason: reason };
    return { name: symbol, definitions: [], ...relations, uses: entries, ...totals };
  }
  const found = await findDefinitions(finder, place, lineReader(contents));
  const [first] = found.definitions;
  const { path, start_line, end_line, symbol, node_type } = first!;
  const noUses = { uses: [], uses_total: 0, uses_at_least: false, uses_reason: null };
  if (node_type === LOCAL_TYPE) return { name: found.name, definitions: found.definitions, ...noRelations(found.name), ...noUses };
  const target = await finder.target(node_type === MEMBER_TYPE ? `${path}#${symbol}` : `${path}:${start_line}-${end_line}`);
  const relations = await relationsOf(finder, contents, target, found.name);
  return { name: found.name, definitions: found.definitions, ...relations, ...noUses };
}

/** A finder and the lines of its sites, which share their batches. */
function openReferences(context: SearchContext) {
  const finder = new ReferenceFinder(context);
  const contents = new FileContents({ ...context, database: finder.reader.database });
  finder.onSites = (sites) => contents.loadLines(sites);
  return { finder, contents };
}

/** The lists of a name to which no reference is recorded. */
function noRelations(name: string): object {
  return {
    references: [],
    total: 0,
    resolved: 0,
    at_least: false,
    left_out: 0,
    reason: sayNoReferences(name),
    implementations: [],
    implementations_total: 0,
    implementations_at_least: false,
    implementations_reason: null,
  };
}

async function relationsOf(finder: ReferenceFinder, contents: FileContents, target: Target, name: string): Promise<object> {
  let page: ReferencePage;
  try {
    page = await findReferences(finder, target, name, { ...ALL, limit: MAX_REFERENCES });
  } catch (error) {
    if (!(error instanceof HttpError) || error.status >= 500) throw error;
    // a section or chunk, to which no code refers
    return noRelations(name);
  }
  const hasTypes = page.target.isType || page.target.owner;
  const implementations = hasTypes ? (await findImplementations(finder, target, name)).implementations : [];
  const references = await referencesWithText(contents, page.references);
  return {
    references: references.map(referenceJson),
    total: page.total,
    resolved: page.resolved,
    at_least: page.atLeast,
    left_out: page.leftOut,
    reason: reasonForNone(page) || null,
    implementations: implementations.slice(0, MAX_IMPLEMENTATIONS),
    implementations_total: implementations.length,
    implementations_at_least: finder.reader.isCut,
    implementations_reason: hasTypes && implementations.length === 0 ? sayNothingImplements(page.target) : null,
  };
}

/** The references to a target, those that it has itself, its definitions or implementations, for the MCP tool. */
export async function answerReferences(context: SearchContext, params: Params): Promise<RelationsAnswer> {
  const { finder, contents } = openReferences(context);
  const [text, kind, direction] = [params.target![0]!, params.kind?.[0] ?? "", params.direction![0]];
  const depth = Number(params.depth![0]);
  const answer = async (count: number, notes: string[] = []) => {
    const state = freshness(context.meta, context.repo);
    const unread = count > 0 ? [] : await unreadNotesOfRepo(finder.reader.database, context.repo);
    return { notes, ...state, note: [state.note, ...unread].filter(Boolean).join(" ") };
  };
  const shown = async (references: readonly Reference[]) => {
    const sites = await referencesWithText(contents, references);
    return { sites, notes: sites.some((one) => !one.column) ? [NO_LINES_NOTE] : [] };
  };
  if (kind === "definition") {
    const { definitions, atLeast: at_least } = await findDefinitions(finder, text, lineReader(contents));
    return { definitions, at_least, ...(await answer(definitions.length)) };
  }
  const { target, name } = await resolveDefinition(finder, text, lineReader(contents));
  if (kind === "implementation") {
    const { definition, implementations } = await findImplementations(finder, target, name);
    const rest = await answer(implementations.length);
    return { definition, implementations, at_least: finder.reader.isCut, ...rest };
  }
  const requested = {
    kinds: kind ? [kind] : [],
    tests: params.tests?.[0] ?? null,
    limit: MAX_TOOL_REFERENCES,
    offset: Number(params.offset![0]),
  };
  if (direction === "out") {
    const uses = await findUses(finder, target, requested);
    const { sites, notes } = await shown(uses.uses.map(({ reference }) => reference));
    const withSites = uses.uses.map((use, at) => ({ ...use, reference: sites[at]! }));
    return { uses: { ...uses, uses: withSites }, ...(await answer(uses.total, notes)) };
  }
  if (depth > 1) {
    const tree = await findCallers(finder, target, name, requested, depth);
    return { tree, ...(await answer(tree.total)) };
  }
  const page = await findReferences(finder, target, name, requested);
  const { sites, notes } = await shown(page.references);
  return { page: { ...page, references: sites }, ...(await answer(page.total, notes)) };
}

async function referencesWithText(contents: FileContents, references: readonly Reference[]): Promise<Reference[]> {
  await contents.loadLines(references.map(linesOf));
  return withText(references, (path, line) => contents.line(path, line));
}

function lineReader(contents: FileContents) {
  return async (path: string, line: number) => {
    await contents.loadLines([[path, line]]);
    return contents.line(path, line) ?? (await contents.file(path, null))?.lines[line - 1] ?? null;
  };
}
