/** Runs a search: parses the query, retrieves candidates, ranks, groups and pages them. */

import { constants } from "../../build/worker_data.json";
import type { OnTiming } from "../api/types.ts";
import type { Env } from "../bindings/env.ts";
import { VectorIndex } from "../bindings/vectorize.ts";
import { Batch, type Row } from "../store/database.ts";
import { partRanges, partsOfHits } from "../store/node_parts.ts";
import { isNarrowed, type Scope } from "../store/scope.ts";
import * as sql from "../store/statements.ts";
import { FileContents } from "./excerpts.ts";
import {
  candidateScopes,
  filterLookup,
  type FilterLookup,
  lookupStatements,
  overriddenFilters,
  resolveRepo,
  resolveScope,
} from "./filters.ts";
import { cacheKey, defaultRepo, indexedRepos, type IndexMeta } from "./index_status.ts";
import { mustMatch } from "./must_match.ts";
import { EMPTY_QUERY, parseQuery, type Query, queryText, type QueryText } from "./query.ts";
import { NAME, rankHits, type Ranking, SIMILAR_NAME, WORD } from "./ranking.ts";
import {
  duplicateCandidates,
  groupDuplicates,
  groupParts,
  type Hit,
  hitFromRow,
  type NodeLines,
  type Result,
  type ResultPage,
} from "./results.ts";
import {
  candidateOrder,
  nearestNodes,
  queryModel,
  QueryVector,
  type VectorSearch,
  WordSearch,
} from "./retrieval.ts";
import type { SnapshotDatabase } from "./snapshot.ts";

/** Who is asked, with what, and what the index said of itself. */
export interface SearchContext {
  readonly env: Env;
  readonly database: SnapshotDatabase;
  readonly onTiming: OnTiming;
  /** What the index says of itself beside the last rows. */
  readonly meta: IndexMeta;
  readonly repo: string;
  /** Requests that this answer may still take. */
  readonly left: () => number;
}

/** How many hits are wanted, after how many others. */
export interface Pagination {
  readonly limit: number;
  readonly offset: number;
}

const { MAX_LISTED } = constants.engine;
const { MAX_BY_VECTOR_ONLY, WORDS_ONLY_PREFIX } = constants.engine;

/** What is said beside the question; the same as if it stood in it. */
export type Filters = Pick<
  Query,
  "paths" | "notPaths" | "languages" | "nodeTypes" | "categories" | "repos" | "tests"
>;

/** A question as it is put to an index: its parts, the words that rank, where it looks, what to say. */
export interface ParsedSearch {
  readonly query: Query;
  readonly text: string;
  readonly scope: Scope;
  readonly notes: readonly string[];
}

/** A page of what answers, and where its lines are. */
interface Ranked {
  readonly answer: ResultPage;
  readonly contents: FileContents;
}

export interface SearchResult extends Ranked {
  readonly context: SearchContext;
  readonly asked: ParsedSearch;
}

/** Somebody who asks by what the index said of itself when it was last asked. */
export function createContext(
  parts: Pick<SearchContext, "env" | "database" | "onTiming" | "left">,
): SearchContext {
  const { database, env } = parts;
  return {
    ...parts,
    get meta() {
      return database.meta;
    },
    repo: defaultRepo(database.meta, env.REPO),
  };
}

/** What the question was understood to be, and a page of what answers it. */
export async function search(
  context: SearchContext,
  question: string,
  page: Pagination,
  filters: Filters,
  meaning: boolean,
): Promise<SearchResult> {
  const typed = parseQuery(question);
  const query = joined(typed, filters);
  const said = overriddenFilters(typed, filters.tests);
  const first = await asOf(context, query, meaning);
  const found = await ranking(first, page);
  const { scope } = first;
  const all = { ...found.answer, notes: [...said, ...first.notes, ...found.answer.notes] };
  const asked = { query, text: queryText(query), scope, notes: all.notes };
  return { context: first.context, asked, answer: all, contents: found.contents };
}

/** What the first round trip answered, in the scope that it has shown to be meant. */
interface First {
  readonly context: SearchContext;
  readonly scope: Scope;
  readonly notes: readonly string[];
  readonly problem: string | null;
  readonly words: WordSearch | null;
  readonly listed: readonly Row[];
  readonly vectorSearch: VectorSearch | null;
  readonly codes: readonly (readonly Row[])[];
  /** Of a model that needed nothing of the database. */
  readonly near: Promise<Ranking> | null;
  readonly warnings: string[];
}

/** Asks with what is known of the index; once more where that was wrong. */
async function asOf(context: SearchContext, query: Query, meaning: boolean): Promise<First> {
  const filters = filterLookup(query, reposOf(context, query));
  const guessed = candidateScopes(filters).map((scope) => mustMatch(query, scope).scope);
  const before = cacheKey(context.meta);
  const first = await batched(context, query, filters, guessed, meaning);
  if (cacheKey(context.meta) !== before) return asOf(createContext(context), query, meaning);
  const { scope, notes } = mustMatch(query, await resolveScope(context.database, filters, first.checks));
  const meant = JSON.stringify(scope);
  const at = guessed.findIndex((one) => JSON.stringify(one) === meant);
  const known = at < 0 ? await batched(context, query, NO_FILTERS, [scope], meaning) : first;
  const { words, listed } = known.guesses[Math.max(at, 0)]!;
  return { ...known, words, listed, context, scope, notes };
}

/** Where a question of filters alone looks. */
export async function scopeFromFilters(context: SearchContext, filters: Filters): Promise<Scope> {
  const query = joined(EMPTY_QUERY, filters);
  const asked = filterLookup(query, reposOf(context, query));
  return resolveScope(context.database, asked, await context.database.run(lookupStatements(asked)));
}

const NO_FILTERS = filterLookup(EMPTY_QUERY, null);

/** The first round trip: what the filters name, and what the question finds where it may look. */
async function batched(
  context: SearchContext,
  query: Query,
  filters: FilterLookup,
  scopes: readonly Scope[],
  meaning: boolean,
) {
  const batch = new Batch();
  const [text, warnings] = [queryText(query), [] as string[]];
  const checks = batch.add(lookupStatements(filters));
  const guessed = scopes.map((scope) => ({
    words: text.trim() ? new WordSearch(text, scope, batch) : null,
    listed: batch.add(!text && isNarrowed(scope) ? [sql.firstNodes(scope, MAX_LISTED + 1)] : []),
  }));
  const { vectorSearch, problem } = sideOf(context, meaning ? (guessed[0]?.words?.queryText.text ?? "") : "");
  const codes = batch.add(vectorSearch?.vector.statements ?? []);
  const [scope] = scopes.length === 1 ? scopes : [];
  const near = vectorSearch?.vector.isFree && scope ? nearestNodes(vectorSearch, [], scope, (line) => warnings.push(line)) : null;
  await batch.run(context.database);
  const found = guessed.map(({ words, listed }) => ({ words, listed: listed()[0] ?? [] }));
  return { checks: checks(), guesses: found, vectorSearch, problem, codes: codes(), near, warnings };
}

function reposOf(context: SearchContext, query: Query): string[] {
  const there = indexedRepos(context.meta);
  const named = query.repos.map((name) => resolveRepo(name, there));
  return named.length > 0 ? [...new Set(named)] : [context.repo];
}

/** The model that is asked, with what the index or the Worker lacks for one. */
function sideOf(context: SearchContext, text: string): { vectorSearch: VectorSearch | null; problem: string | null } {
  if (!text) return { vectorSearch: null, problem: null };
  const { env, onTiming, meta } = context;
  const { model, problem } = queryModel(meta, env);
  if (!model || !env.CODE_INDEX) return { vectorSearch: null, problem };
  const vector = new QueryVector(model, text, env, onTiming);
  return { vectorSearch: { vector, index: new VectorIndex(env.CODE_INDEX, onTiming) }, problem };
}

async function ranking(first: First, page: Pagination): Promise<Ranked> {
  if (!first.words) return listing(first, page);
  const { words, scope, vectorSearch, warnings, context } = first;
  const onWarning = (line: string) => warnings.push(line);
  const near = vectorSearch && (await (first.near ?? nearestNodes(vectorSearch, first.codes, scope, onWarning)));
  const rankings = [...words.rankings(), ...(near ? [near] : [])];
  const known = await fetchCandidates(context, candidateOrder(rankings), scope, page);
  const all = rankHits(words.queryText, rankings, known.hits);
  const found = isVectorOnly(rankings) ? all.slice(0, MAX_BY_VECTOR_ONLY) : all;
  const problem = first.problem ? [`${WORDS_ONLY_PREFIX} ${first.problem}`] : [];
  const said = [...resultNotes(words.queryText, rankings, found), ...warnings, ...problem];
  const some = await pageOf(found, known, page);
  return { answer: { ...some, notes: said, atLeast: isTruncated(rankings) }, contents: known.contents };
}

/** The first nodes of a scope, for who asks by filters alone. */
async function listing(first: First, page: Pagination): Promise<Ranked> {
  const hits = first.listed.slice(0, MAX_LISTED).map(hitFromRow);
  const ids = hits.map((hit) => hit.id);
  const known = await fetchCandidates(first.context, ids, first.scope, page);
  const some = await pageOf(hits.map(resultOf), known, page);
  const atLeast = first.listed.length > MAX_LISTED;
  return { answer: { ...some, notes: [], atLeast }, contents: known.contents };
}

/** A node without anything that it is found by. */
export function resultOf(hit: Hit): Result {
  const nothing = { others: [], copies: [], piece: null, member: null };
  return { hit, score: 0, ranks: new Map(), parts: new Map(), ...nothing };
}

function joined(query: Query, filters: Filters): Query {
  const lists = ["paths", "notPaths", "languages", "nodeTypes", "categories", "repos"] as const;
  const both = lists.map((name) => [name, [...query[name], ...filters[name]]]);
  return { ...query, ...Object.fromEntries(both), tests: filters.tests ?? query.tests };
}

const { MAX_DEDUPLICATED } = constants.results;
/** Nodes beyond those that are compared whose texts are asked for with theirs: rules move some up. */
const MORE_LOOKED_AT = 30;
/** Nodes beyond the page whose lines are asked for with the rows of all: rules move some up. */
const MORE_LINES = 30;

/** What the index knows of the nodes that were found, and the lines of the likeliest. */
export interface CandidateRows {
  readonly hits: readonly Hit[];
  readonly pieces: readonly Row[];
  readonly contents: FileContents;
}

/** Asks for the rows of the nodes of these ids, the likeliest first; one round trip, none for none. */
export async function fetchCandidates(
  context: SearchContext,
  ids: readonly string[],
  scope: Scope,
  { offset, limit }: Pagination,
): Promise<CandidateRows> {
  const batch = new Batch();
  const contents = new FileContents(context);
  const end = offset + limit;
  const rows = batch.add([sql.hitsById(ids, scope)]);
  const pieces = batch.add([sql.nodeParts(ids)]);
  const early = contents.early(
    batch,
    ids.slice(offset, end + MORE_LINES),
    ids.slice(0, MAX_DEDUPLICATED + MORE_LOOKED_AT),
  );
  if (ids.length > 0) await batch.run(context.database);
  await early();
  return { hits: (rows()[0] ?? []).map(hitFromRow), pieces: pieces()[0] ?? [], contents };
}

/** A page of what was found, with the lines of its hits where they are there. */
export async function pageOf(
  found: readonly Result[],
  { pieces, contents }: CandidateRows,
  { limit, offset }: Pagination,
): Promise<Pick<ResultPage, "found" | "total" | "every">> {
  const known = partsOfHits(
    found.map((one) => one.hit),
    partRanges(pieces),
  );
  const groups = groupParts(found, known);
  const end = offset + limit;
  const every = contents.isKept ? await once(groups, contents, offset, end) : groups;
  const some = every.slice(offset, end);
  if (contents.areThere) await contents.bring(some.map((one) => one.hit));
  return { found: some, total: every.length, every };
}

/** The nodes with those among the best that have the same text as one of them. */
async function once(
  nodes: readonly Result[],
  contents: FileContents,
  offset: number,
  end: number,
): Promise<Result[]> {
  const some = duplicateCandidates(nodes);
  const hits = nodes.slice(offset, end + MORE_LINES).map((one) => one.hit);
  const page = end - offset;
  await contents.bring(hits.slice(0, page), some, hits.slice(page));
  const lines = new Map<string, NodeLines>();
  for (const hit of some) {
    const found = contents.lines(hit);
    if (found) lines.set(hit.id, { first: hit.startLine, last: hit.endLine, lines: found.lines });
  }
  return groupDuplicates(nodes, lines);
}

const { CANDIDATE_LIMITS, MAX_SUGGESTED_NAMES, NO_WORD_NOTE } = constants.engine;
const { STATIC_VECTORS, MODEL_VECTORS } = constants.retrieval;

/** What the one who asks has to know: that nothing is called so, or has a word of it. */
export function resultNotes(queryText: QueryText, rankings: readonly Ranking[], found: readonly Result[]): string[] {
  if (sizes(rankings).get(SIMILAR_NAME)) {
    const near = found.filter((one) => one.ranks.has(SIMILAR_NAME)).map((one) => String(one.hit.symbol));
    const nearest = [...new Set(near)].slice(0, MAX_SUGGESTED_NAMES).join(", ");
    return [`No symbol is named ${queryText.name}. Similar names: ${nearest}`];
  }
  if (!rankings.length || !isVectorOnly(rankings)) return [];
  return [NO_WORD_NOTE + (found.length ? "; the hits are similar in meaning only." : ".")];
}

/** Whether models alone find nodes. */
export function isVectorOnly(rankings: readonly Ranking[]): boolean {
  const byModel = new Set([STATIC_VECTORS, MODEL_VECTORS]);
  return !rankings.some((ranking) => ranking.scores.size && !byModel.has(ranking.name));
}

/**
 * Whether more nodes may be called so or have a word of the question than were looked at.
 *
 * A word of most nodes finds none by itself, though some are called so.
 */
export function isTruncated(rankings: readonly Ranking[]): boolean {
  const found = sizes(rankings);
  const isFull = Object.entries(CANDIDATE_LIMITS).some(([name, most]) => (found.get(name) ?? 0) >= most);
  return isFull || Boolean(found.get(NAME) && !found.get(WORD));
}

/** How many nodes each has found. */
function sizes(rankings: readonly Ranking[]): Map<string, number> {
  return new Map(rankings.map((one) => [one.name, one.scores.size]));
}
