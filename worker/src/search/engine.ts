/** How is the index asked? What a question says of itself is read, then words and models answer. */

import shared from "../../build/shared.json";
import { VectorIndex } from "../bindings/vectorize.ts";
import { Batch } from "../store/batch.ts";
import type { Row } from "../store/database.ts";
import { isNarrowed, type Scope } from "../store/scope.ts";
import * as sql from "../store/statements.ts";
import type { SearchContext, Pagination } from "./asker.ts";
import { overriddenFilters } from "./contrary.ts";
import { candidateOrder, nearestNodes, WordSearch, type VectorSearch } from "./retrieval.ts";
import { candidateScopes, filterLookup, resolveRepo, resolveScope, lookupStatements, type FilterLookup } from "./filters.ts";
import { hitFromRow, type ResultPage, type Result, type Hit } from "./found.ts";
import type { Ranking } from "./fusion.ts";
import { isTruncated, isVectorOnly, resultNotes } from "./notes.ts";
import { pageOf, fetchCandidates } from "./paging.ts";
import { EMPTY_QUERY, parseQuery, queryText, type Query } from "./query.ts";
import { rankHits } from "./ranking.ts";
import { mustMatch } from "./must_match.ts";
import { FileContents } from "./excerpts.ts";
import { indexedRepos, defaultRepo, cacheKey } from "./index_status.ts";
import { queryModel, QueryVector } from "./vectors.ts";

const { MAX_LISTED } = shared.constants.asking;
const { MAX_BY_VECTOR_ONLY, WORDS_ONLY_PREFIX } = shared.constants.engine;

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
  readonly sources: FileContents;
}

export interface SearchResult extends Ranked {
  readonly asker: SearchContext;
  readonly asked: ParsedSearch;
}

/** Somebody who asks by what the index said of itself when it was last asked. */
export function createContext(
  given: Pick<SearchContext, "env" | "database" | "clock" | "left">,
): SearchContext {
  const { database, env } = given;
  return {
    ...given,
    get meta() {
      return database.meta;
    },
    repo: defaultRepo(database.meta, env.REPO),
  };
}

/** What the question was understood to be, and a page of what answers it. */
export async function search(
  asker: SearchContext,
  question: string,
  page: Pagination,
  filters: Filters,
  meaning: boolean,
): Promise<SearchResult> {
  const typed = parseQuery(question);
  const query = joined(typed, filters);
  const said = overriddenFilters(typed, filters.tests);
  const first = await asOf(asker, query, meaning);
  const found = await ranking(first, page);
  const { scope } = first;
  const all = { ...found.answer, notes: [...said, ...first.notes, ...found.answer.notes] };
  const asked = { query, text: queryText(query), scope, notes: all.notes };
  return { asker: first.asker, asked, answer: all, sources: found.sources };
}

/** What the first round trip answered, in the scope that it has shown to be meant. */
interface First {
  readonly asker: SearchContext;
  readonly scope: Scope;
  readonly notes: readonly string[];
  readonly lacks: string | null;
  readonly words: WordSearch | null;
  readonly listed: readonly Row[];
  readonly side: VectorSearch | null;
  readonly codes: readonly (readonly Row[])[];
  /** Of a model that needed nothing of the database. */
  readonly near: Promise<Ranking> | null;
  readonly told: string[];
}

/** Asks with what is known of the index; once more where that was wrong. */
async function asOf(asker: SearchContext, query: Query, meaning: boolean): Promise<First> {
  const filters = filterLookup(query, reposOf(asker, query));
  const guessed = candidateScopes(filters).map((scope) => mustMatch(query, scope).scope);
  const before = cacheKey(asker.meta);
  const first = await batched(asker, query, filters, guessed, meaning);
  if (cacheKey(asker.meta) !== before) return asOf(createContext(asker), query, meaning);
  const { scope, notes } = mustMatch(query, await resolveScope(asker.database, filters, first.checks));
  const meant = JSON.stringify(scope);
  const at = guessed.findIndex((one) => JSON.stringify(one) === meant);
  const known = at < 0 ? await batched(asker, query, NO_FILTERS, [scope], meaning) : first;
  const { words, listed } = known.guesses[Math.max(at, 0)]!;
  return { ...known, words, listed, asker, scope, notes };
}

/** Where a question of filters alone looks. */
export async function scopeFromFilters(asker: SearchContext, filters: Filters): Promise<Scope> {
  const query = joined(EMPTY_QUERY, filters);
  const asked = filterLookup(query, reposOf(asker, query));
  return resolveScope(asker.database, asked, await asker.database.run(lookupStatements(asked)));
}

const NO_FILTERS = filterLookup(EMPTY_QUERY, null);

/** The first round trip: what the filters name, and what the question finds where it may look. */
async function batched(
  asker: SearchContext,
  query: Query,
  filters: FilterLookup,
  scopes: readonly Scope[],
  meaning: boolean,
) {
  const batch = new Batch();
  const [text, told] = [queryText(query), [] as string[]];
  const checks = batch.add(lookupStatements(filters));
  const guessed = scopes.map((scope) => ({
    words: text.trim() ? new WordSearch(text, scope, batch) : null,
    listed: batch.add(!text && isNarrowed(scope) ? [sql.firstNodes(scope, MAX_LISTED + 1)] : []),
  }));
  const { side, lacks } = sideOf(asker, meaning ? (guessed[0]?.words?.asked.text ?? "") : "");
  const codes = batch.add(side?.vector.statements ?? []);
  const [scope] = scopes.length === 1 ? scopes : [];
  const near = side?.vector.isFree && scope ? nearestNodes(side, [], scope, (line) => told.push(line)) : null;
  await batch.run(asker.database);
  const found = guessed.map(({ words, listed }) => ({ words, listed: listed()[0] ?? [] }));
  return { checks: checks(), guesses: found, side, lacks, codes: codes(), near, told };
}

function reposOf(asker: SearchContext, query: Query): string[] {
  const there = indexedRepos(asker.meta);
  const named = query.repos.map((name) => resolveRepo(name, there));
  return named.length > 0 ? [...new Set(named)] : [asker.repo];
}

/** The model that is asked, with what the index or the Worker lacks for one. */
function sideOf(asker: SearchContext, text: string): { side: VectorSearch | null; lacks: string | null } {
  if (!text) return { side: null, lacks: null };
  const { env, clock, meta } = asker;
  const { model, lacks } = queryModel(meta, env);
  if (!model || !env.CODE_INDEX) return { side: null, lacks };
  const vector = new QueryVector(model, text, env, clock);
  return { side: { vector, near: new VectorIndex(env.CODE_INDEX, clock) }, lacks };
}

async function ranking(first: First, page: Pagination): Promise<Ranked> {
  if (!first.words) return listing(first, page);
  const { words, scope, side, told, asker } = first;
  const tell = (line: string) => told.push(line);
  const near = side && (await (first.near ?? nearestNodes(side, first.codes, scope, tell)));
  const rankings = [...words.rankings(), ...(near ? [near] : [])];
  const known = await fetchCandidates(asker, candidateOrder(rankings), scope, page);
  const all = rankHits(words.asked, rankings, known.hits);
  const found = isVectorOnly(rankings) ? all.slice(0, MAX_BY_VECTOR_ONLY) : all;
  const lacks = first.lacks ? [`${WORDS_ONLY_PREFIX} ${first.lacks}`] : [];
  const said = [...resultNotes(words.asked, rankings, found), ...told, ...lacks];
  const some = await pageOf(found, known, page);
  return { answer: { ...some, notes: said, atLeast: isTruncated(rankings) }, sources: known.sources };
}

/** The first nodes of a scope, for who asks by filters alone. */
async function listing(first: First, page: Pagination): Promise<Ranked> {
  const hits = first.listed.slice(0, MAX_LISTED).map(hitFromRow);
  const ids = hits.map((hit) => hit.id);
  const known = await fetchCandidates(first.asker, ids, first.scope, page);
  const some = await pageOf(hits.map(resultOf), known, page);
  const atLeast = first.listed.length > MAX_LISTED;
  return { answer: { ...some, notes: [], atLeast }, sources: known.sources };
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

