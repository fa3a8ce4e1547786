/** Runs a search: parses the query, retrieves candidates, ranks, groups and pages them. */

import { constants } from "../../build/worker_data.json";
import { VectorIndex } from "../bindings/vectorize.ts";
import { Batch, type Database, type Row } from "../store/database.ts";
import { type Hit, hitFromRow } from "../store/hits.ts";
import { partsFromHits, partRanges, type PartsByNode } from "../store/node_parts.ts";
import { isRestricted, type Scope } from "../store/scope.ts";
import * as sql from "../store/statements.ts";
import { type SearchContext, createContext } from "../corpus/context.ts";
import { FileContents } from "../snippets/excerpts.ts";
import {
  filterLookup,
  type FilterLookup,
  likeliestScope,
  lookupStatements,
  overriddenFilters,
  relationRows,
  resolveScope,
  uncountedValues,
  unknownFilterNotes,
  withLanguageWords,
} from "../query/filters.ts";
import { cacheKey, countedValues, type CountedValues, metaStatement, parseMeta, resolveRepo } from "../corpus/index_status.ts";
import { limitQuery } from "../query/limits.ts";
import { mustMatch } from "../query/must_match.ts";
import { allPrefixes, EMPTY_QUERY, parseQuery, type Query, queryText } from "../query/query.ts";
import { areLinesNeeded, confirmLiterals, queryLiterals } from "../ranking/literal_nodes.ts";
import { isTruncated, isVectorOnly, resultNotes } from "../ranking/query_ranking.ts";
import { rankHits, type Ranking } from "../ranking/ranking.ts";
import { relationNotes } from "../query/relation_filters.ts";
import {
  duplicateCandidates,
  groupDuplicates,
  groupParts,
  hashKey,
  type Result,
  type ResultPage,
  textKey,
  resultOf,
} from "../ranking/results.ts";
import {
  candidateOrder,
  nearestNodes,
  queryModel,
  QueryVector,
  type VectorSearch,
  WordSearch,
} from "../ranking/retrieval.ts";
import { skippedPathNotes, skippedPathStatements } from "../corpus/skipped_files.ts";
import { unreadNotes } from "../corpus/unread_files.ts";
import {
  correctText,
  findCorrections,
  missingWords,
  missingWordsStatement,
  spellingNote,
  wordsToCheck,
} from "../query/spelling.ts";

const { MAX_LISTED } = constants.engine;
const { MAX_BY_VECTOR_ONLY } = constants.query_ranking;
const { WORDS_ONLY } = constants.notes;
const NO_FILTERS = filterLookup(EMPTY_QUERY, null);

/** The number of hits on a page, and of hits before it. */
export interface Pagination {
  readonly limit: number;
  readonly offset: number;
}

/** Filters given beside the query, with the same effect as those in it. */
export type Filters = Pick<
  Query,
  "paths" | "notPaths" | "languages" | "nodeTypes" | "categories" | "repos" | "tests"
>;

/** A parsed query with the text that ranks, the resolved scope and notes for the user. */
export interface ParsedSearch {
  readonly query: Query;
  readonly text: string;
  readonly scope: Scope;
  readonly notes: readonly string[];
  /** Words that were searched for in place of misspelt ones. */
  readonly correctedWords: readonly string[];
}

/** A page of results, and the contents of their files. */
interface Ranked {
  readonly answer: ResultPage;
  readonly contents: FileContents;
  /** False if no node has the name or a word of the query. */
  readonly hasMatch: boolean;
}

export interface SearchResult extends Ranked {
  readonly context: SearchContext;
  readonly parsedSearch: ParsedSearch;
}

/** The candidates, the parts of those that have some, and the lines of the likeliest ones. */
export interface CandidateRows {
  readonly hits: readonly Hit[];
  readonly parts: PartsByNode;
  /** Hashes of lines by id; null for rows that an earlier version has written. */
  readonly hashes: ReadonlyMap<string, number | null>;
  readonly contents: FileContents;
}

/** The candidates of the first batch, in the scope that the filters resolved to. */
interface FirstBatch {
  readonly context: SearchContext;
  readonly scope: Scope;
  readonly notes: readonly string[];
  readonly problem: string | null;
  readonly words: WordSearch | null;
  readonly listedRows: readonly Row[];
  readonly missingWords: readonly string[];
  readonly vectorSearch: VectorSearch | null;
  /** The ranking by vectors, if the scope was certain before the batch ran. */
  readonly nearest: Promise<Ranking> | null;
  readonly warnings: string[];
}

/** Runs a search and returns the parsed query with a page of results. */
export async function search(
  context: SearchContext,
  text: string,
  page: Pagination,
  filters: Filters,
  usesVectors: boolean,
): Promise<SearchResult> {
  const parsed = parseQuery(text);
  const { query, notes: limitNotes } = await limitQuery(context.database, mergeFilters(parsed, filters));
  const filterNotes = [...unknownFilterNotes(parsed), ...overriddenFilters(parsed, filters.tests), ...limitNotes];
  const repos = await findRepos(context, query);
  const { first, note, correctedWords } = await retrieveCorrected(context, query, repos, usesVectors);
  const ranked = first.words ? await rankCandidates(first, first.words, page) : await listScope(first, page);
  const { scope } = first;
  const { hasMatch, contents, answer } = ranked;
  const absent = hasMatch ? [] : await absenceNotes(context.database, repos, scope, answer.total);
  const notes = [...filterNotes, ...first.notes, ...note, ...answer.notes, ...absent];
  const parsedSearch = { query, text: queryText(query), scope, notes, correctedWords };
  return { context: first.context, parsedSearch, answer: { ...answer, notes }, contents, hasMatch };
}

/** What a search could not see that found nothing, or only similar nodes; with one request. */
async function absenceNotes(database: Database, repos: readonly string[], scope: Scope, total: number): Promise<string[]> {
  const batch = new Batch();
  const searched = { ...scope, repos };
  const skipped = batch.add(total ? [] : skippedPathStatements(repos, scope));
  const unread = batch.add([sql.unreadInScope(searched)]);
  await batch.run(database);
  const paths = skippedPathNotes(skipped());
  return [...paths, ...unreadNotes(unread()[0] ?? [], searched, paths)];
}

/** Resolves filters without a query to a scope. */
export async function scopeFromFilters(context: SearchContext, filters: Filters): Promise<Scope> {
  const query = mergeFilters(EMPTY_QUERY, filters);
  const repos = await findRepos(context, query);
  const lookup = filterLookup(query, repos, await valuesToFilter(context, query, repos));
  const scope = await resolveScope(context.database, lookup, await context.database.run(lookupStatements(lookup)));
  return withLanguageWords(scope, currentCounts(context, repos, scope));
}

/** The counts in the metadata that was read last, if the scope has languages or node types. */
function currentCounts({ meta }: SearchContext, repos: readonly string[], { languages, nodeTypes }: Scope): CountedValues | null {
  return languages.length + nodeTypes.length > 0 ? countedValues(meta, repos) : null;
}

/**
 * Reads the rows of candidates, and the lines of `linesOf`, in one request. Without ids, none is sent.
 *
 * Those that are not `inScope`, where statements have found them, are left out unless the scope has them.
 */
export async function fetchCandidates(
  context: SearchContext,
  ids: readonly string[],
  scope: Scope,
  inScope: ReadonlySet<string>,
  linesOf: readonly string[] = [],
): Promise<CandidateRows> {
  const batch = new Batch();
  const contents = new FileContents(context);
  const rows = batch.add([sql.hitsWithParts(ids, inScope, scope)]);
  const excludedRows = batch.add(scope.withoutWords ? [sql.classesAround(ids, scope.withoutWords)] : []);
  const addLines = contents.addStatements(batch, linesOf);
  if (ids.length > 0) await batch.run(context.database);
  await addLines();
  const excluded = new Set((excludedRows()[0] ?? []).map(([id]) => String(id)));
  const hitRows = (rows()[0] ?? []).filter(([id]) => !excluded.has(String(id)));
  const hits = hitRows.map(hitFromRow);
  const hashes = new Map(hitRows.map((row) => [String(row[0]), row.at(-2) as number | null]));
  return { hits, parts: partsFromHits(hits, hitRows), hashes, contents };
}

/** Groups results, and returns a page of them with the lines that are available. */
export async function paginate(
  results: readonly Result[],
  { parts, hashes, contents }: CandidateRows,
  { limit, offset }: Pagination,
): Promise<Pick<ResultPage, "results" | "total" | "allResults">> {
  const hits = results.map((result) => result.hit);
  const groups = groupParts(results, partRanges(hits, parts));
  const end = offset + limit;
  const allResults = contents.isStored ? await deduplicate(groups, hashes, contents) : groups;
  const shown = allResults.slice(offset, end);
  if (contents.areAvailable) await contents.load(shown.map((result) => result.hit));
  return { results: shown, total: allResults.length, allResults };
}

/** Runs the first batch, and once more with corrected words if misspelt ones are nowhere in the index. */
async function retrieveCorrected(
  context: SearchContext,
  query: Query,
  repos: readonly string[],
  usesVectors: boolean,
): Promise<{ first: FirstBatch; note: string[]; correctedWords: string[] }> {
  const first = await retrieveCandidates(context, query, repos, usesVectors);
  const { missingWords: missing, scope } = first;
  if (missing.length === 0) return { first, note: [], correctedWords: [] };
  const corrections = await findCorrections(first.context.database, missing, scope);
  const note = [spellingNote(missing, corrections)];
  if (corrections.size === 0) {
    const isNoted = missing.length < wordsToCheck(query).length;
    return { first, note: isNoted ? note : [], correctedWords: [] };
  }
  const words = correctText(query.words, corrections);
  const corrected = await retrieveCandidates(first.context, { ...query, words }, repos, usesVectors);
  return { first: corrected, note, correctedWords: [...corrections.values()] };
}

/**
 * Runs the first batch with the cached metadata and guessed scopes.
 *
 * Runs it again if the index has changed, or if no guess equals the resolved scope.
 */
async function retrieveCandidates(
  context: SearchContext,
  query: Query,
  repos: readonly string[],
  usesVectors: boolean,
): Promise<FirstBatch> {
  const filters = filterLookup(query, repos, await valuesToFilter(context, query, repos));
  const likeliest = likeliestScope(filters);
  const guess = mustMatch(query, withLanguageWords(likeliest, currentCounts(context, repos, likeliest))).scope;
  const before = cacheKey(context.meta, context.repo);
  const first = await runFirstBatch(context, query, filters, guess, usesVectors);
  if (cacheKey(context.meta, context.repo) !== before) {
    return retrieveCandidates(createContext(context), query, repos, usesVectors);
  }
  const resolved = await resolveScope(context.database, filters, first.checks);
  const current = withLanguageWords(resolved, currentCounts(context, repos, resolved));
  const { scope, notes } = mustMatch(query, current);
  const cutNotes = relationNotes(query.relations, relationRows(filters, first.checks));
  const isRight = JSON.stringify(guess) === JSON.stringify(scope);
  const batch = isRight ? first : await runFirstBatch(context, query, NO_FILTERS, scope, usesVectors);
  return { ...batch, context, scope, notes: [...cutNotes, ...notes] };
}

/**
 * The languages and node types of the index, as its last run counted them; null if they must be looked up.
 *
 * The counts are read again where they lack a filter's value: the isolate's may be old.
 */
async function valuesToFilter(context: SearchContext, query: Query, repos: readonly string[]): Promise<CountedValues | null> {
  if (query.languages.length + query.nodeTypes.length === 0) return null;
  const counted = countedValues(context.meta, repos);
  if (!counted || uncountedValues(query, counted).length === 0) return counted;
  const [rows = []] = await context.database.run([metaStatement(repos)]);
  return countedValues(parseMeta(rows), repos);
}

/**
 * Looks up the filters, and retrieves the candidates of the guessed scope, in one request.
 *
 * With filters by relations it only looks up: which nodes pass cannot be guessed.
 */
async function runFirstBatch(
  context: SearchContext,
  query: Query,
  filters: FilterLookup,
  scope: Scope,
  usesVectors: boolean,
) {
  const batch = new Batch();
  const isScopeKnown = filters.query.relations.length === 0;
  const [text, warnings] = [isScopeKnown ? queryText(query) : "", [] as string[]];
  const checks = batch.add(lookupStatements(filters));
  const checkedWords = context.hasHiddenRepos || !isScopeKnown ? [] : wordsToCheck(query);
  const missing = batch.add(checkedWords.length > 0 ? [missingWordsStatement(checkedWords)] : []);
  const words = text.trim() ? new WordSearch(text, allPrefixes(query), scope, batch) : null;
  const isListed = isScopeKnown && !text && isRestricted(scope) && !isEmpty(scope);
  const listed = batch.add(isListed ? [sql.firstNodes(scope, MAX_LISTED + 1)] : []);
  const { vectorSearch, problem } = createVectorSearch(context, usesVectors ? (words?.queryText.text ?? "") : "");
  const isCertain = [...filters.paths, ...filters.notPaths].every((candidates) => candidates.length === 1);
  const isAsked = words && vectorSearch && isCertain;
  const nearest = isAsked ? nearestNodes(vectorSearch, words.queryText, scope, (line) => warnings.push(line)) : null;
  await batch.run(context.database);
  const [listedRows = []] = listed();
  const rows = { checks: checks(), listedRows, missingWords: missingWords(missing()[0] ?? []) };
  return { ...rows, words, vectorSearch, problem, nearest, warnings };
}

/** Returns true if no node can be in the scope. */
function isEmpty({ ids }: Scope): boolean {
  return ids?.length === 0;
}

/** The repositories that the query names, else the one of the context; only named ones need a request. */
async function findRepos(context: SearchContext, query: Query): Promise<string[]> {
  if (context.several) return [...context.several.repos];
  if (query.repos.length === 0) return [context.repo];
  const indexed = await context.database.repoNames();
  const named = [...new Set(query.repos.map((name) => resolveRepo(name, indexed)))];
  context.database.addRepos(named);
  return named;
}

/** The search by vectors, or what the index or the Worker lacks for one. */
function createVectorSearch(context: SearchContext, text: string): { vectorSearch: VectorSearch | null; problem: string | null } {
  if (!text) return { vectorSearch: null, problem: null };
  const { env, onTiming, meta, several } = context;
  const { model, problem } = queryModel(meta, env);
  if (!model || !env.CODE_INDEX) return { vectorSearch: null, problem };
  const vector = new QueryVector(model, text, env, onTiming);
  return { vectorSearch: { vector, index: several?.vectors ?? new VectorIndex(env.CODE_INDEX, onTiming) }, problem };
}

/** Ranks the candidates and returns a page of them. */
async function rankCandidates(first: FirstBatch, words: WordSearch, page: Pagination): Promise<Ranked> {
  const { scope, vectorSearch, warnings, context } = first;
  const onWarning = (line: string) => warnings.push(line);
  const [nearest] = await Promise.all([
    vectorSearch && (first.nearest ?? nearestNodes(vectorSearch, words.queryText, scope, onWarning)),
    words.loadSimilar(context.database),
  ]);
  const retrieved = [...words.rankings(), ...(nearest ? [nearest] : [])];
  const literalIds = areLinesNeeded(queryLiterals(words.queryText)) ? words.literalIds : [];
  const candidates = await fetchCandidates(context, candidateOrder(retrieved), scope, words.idsInScope, literalIds);
  const rankings = confirmLiterals(retrieved, words.queryText, candidates);
  const all = rankHits(words.queryText, rankings, candidates.hits, [], words.resemblingIds);
  const results = isVectorOnly(rankings) ? all.slice(0, MAX_BY_VECTOR_ONLY) : all;
  const problem = first.problem ? [`${WORDS_ONLY} ${first.problem}`] : [];
  const found = resultNotes(words.queryText, rankings, results);
  const shown = await paginate(results, candidates, page);
  const answer = { ...shown, notes: [...found, ...warnings, ...problem], atLeast: isTruncated(rankings) };
  return { answer, contents: candidates.contents, hasMatch: results.length > 0 && !found.length };
}

/** Lists the first nodes of a scope, for a query of filters alone. */
async function listScope(first: FirstBatch, page: Pagination): Promise<Ranked> {
  const hits = first.listedRows.slice(0, MAX_LISTED).map(hitFromRow);
  const ids = hits.map((hit) => hit.id);
  const candidates = await fetchCandidates(first.context, ids, first.scope, new Set(ids));
  const kept = new Set(candidates.hits.map((hit) => hit.id));
  const shown = await paginate(hits.filter((hit) => kept.has(hit.id)).map(resultOf), candidates, page);
  const atLeast = first.listedRows.length > MAX_LISTED;
  return { answer: { ...shown, notes: [], atLeast }, contents: candidates.contents, hasMatch: shown.total > 0 };
}

/** The query with the filters that are given beside it. */
function mergeFilters(query: Query, filters: Filters): Query {
  const lists = ["paths", "notPaths", "languages", "nodeTypes", "categories", "repos"] as const;
  const merged = lists.map((name) => [name, [...query[name], ...filters[name]]]);
  return { ...query, ...Object.fromEntries(merged), tests: filters.tests ?? query.tests };
}

/** Makes one result of nodes with the same text; lines are read only where a hash lacks. */
async function deduplicate(
  nodes: readonly Result[],
  hashes: ReadonlyMap<string, number | null>,
  contents: FileContents,
): Promise<Result[]> {
  const compared = duplicateCandidates(nodes);
  const areHashed = compared.every((hit) => typeof hashes.get(hit.id) === "number");
  if (!areHashed) await contents.load([], compared);
  const keyOf = (hit: Hit) =>
    areHashed ? hashKey(hit, hashes.get(hit.id)!) : textKey(hit, contents.lines(hit)?.lines ?? []);
  return groupDuplicates(nodes, new Map(compared.map((hit) => [hit.id, keyOf(hit) ?? hit.id])));
}
