/** Runs a search: parses the query, retrieves candidates, ranks, groups and pages them. */

import { constants } from "../../build/worker_data.json";
import { VectorIndex } from "../bindings/vectorize.ts";
import { Batch, type Row } from "../store/database.ts";
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
  withPathWords,
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
/** Hits beyond a page whose lines are read too if other nodes' lines are still to decide the order. */
const SPARE_HITS = 6;
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
  const { scope } = first;
  const absence = new AbsenceNotes(repos, scope);
  const ranked = first.words ? await rankCandidates(first, first.words, page, absence) : await listScope(first, page, absence);
  const { hasMatch, contents, answer } = ranked;
  const notes = [...filterNotes, ...first.notes, ...note, ...answer.notes, ...absence.notes()];
  const parsedSearch = { query, text: queryText(query), scope, notes, correctedWords };
  return { context: first.context, parsedSearch, answer: { ...answer, notes }, contents, hasMatch };
}

/** What a search could not see that found nothing, or only similar nodes. */
class AbsenceNotes {
  /** The notes, after the batch has run; none if nothing was added to one. */
  notes: () => string[] = () => [];

  constructor(
    private readonly repos: readonly string[],
    private readonly scope: Scope,
  ) {}

  /** Adds the statements to the batch that reads the lines of hits. */
  addTo(batch: Batch, hasHits: boolean): void {
    const searched = { ...this.scope, repos: this.repos };
    const skipped = batch.add(hasHits ? [] : skippedPathStatements(this.repos, this.scope));
    const unread = batch.add([sql.unreadInScope(searched)]);
    this.notes = () => {
      const paths = skippedPathNotes(skipped());
      return [...paths, ...unreadNotes(unread()[0] ?? [], searched, paths)];
    };
  }
}

/** Resolves filters without a query to a scope. */
export async function scopeFromFilters(context: SearchContext, filters: Filters): Promise<Scope> {
  const query = mergeFilters(EMPTY_QUERY, filters);
  const repos = await findRepos(context, query);
  const lookup = filterLookup(query, repos, await valuesToFilter(context, query, repos));
  const scope = await resolveScope(context.database, lookup, await context.database.run(lookupStatements(lookup)));
  return withPathWords(scope, currentCounts(context, repos, scope));
}

/** The counts in the metadata that was read last, if a filter of the scope is counted. */
function currentCounts({ meta }: SearchContext, repos: readonly string[], { languages, nodeTypes, tests }: Scope): CountedValues | null {
  return languages.length + nodeTypes.length > 0 || tests === "no" || tests === "only" ? countedValues(meta, repos) : null;
}

/** What statements have found: the nodes that they compared with the whole scope, and the rows of those that they read. */
type FoundNodes = Pick<WordSearch, "idsInScope" | "nodeRows">;

/** The nodes whose lines are read with the candidates, and the results on the page that the known candidates lead to. */
interface ExpectedLines {
  readonly ids: readonly string[];
  results(known: CandidateRows): readonly Result[];
  readonly page: Pagination;
}

/**
 * Reads the rows of those candidates that are not known, and the lines of the expected hits, in one request. Without unknown
 * ids and lines to read, none is sent.
 *
 * Those that are not `idsInScope` are left out unless the scope has them.
 */
export async function fetchCandidates(
  context: SearchContext,
  ids: readonly string[],
  scope: Scope,
  found: FoundNodes,
  expected: ExpectedLines | null = null,
): Promise<CandidateRows> {
  const batch = new Batch();
  const { nodeRows } = found;
  const contents = new FileContents(context);
  const unknown = ids.filter((id) => !nodeRows.has(id));
  const rows = batch.add(unknown.length > 0 ? [sql.hitsWithParts(unknown, found.idsInScope, scope)] : []);
  const excludedRows = batch.add(scope.withoutWords && ids.length > 0 ? [sql.classesAround(ids, scope.withoutWords)] : []);
  const isSent = contents.isStored && (batch.size > 0 || (expected?.ids.length ?? 0) > 0);
  const addLines = expected && isSent ? addExpected(batch, expected, candidateRows(ids, nodeRows, contents), ids) : null;
  await batch.run(context.database);
  const excluded = new Set((excludedRows()[0] ?? []).map(([id]) => String(id)));
  const read = (rows()[0] ?? []).map((row) => [String(row[0]), row] as const);
  const all = read.length > 0 ? new Map([...nodeRows, ...read]) : nodeRows;
  const candidates = candidateRows(ids.filter((id) => !excluded.has(id)), all, contents);
  await addLines?.(candidates.hits);
  return candidates;
}

/** The candidates whose rows are known, in the order of the ids. */
function candidateRows(ids: readonly string[], rows: ReadonlyMap<string, Row>, contents: FileContents): CandidateRows {
  const own = ids.flatMap((id) => {
    const row = rows.get(id);
    return row ? [row] : [];
  });
  const hits = own.map(hitFromRow);
  const hashes = new Map(own.map((row) => [String(row[0]), row.at(-2) as number | null]));
  return { hits, parts: partsFromHits(hits, own), hashes, contents };
}

/** Adds the statements for the lines of the expected hits, so that most pages need no request of their own. */
function addExpected(
  batch: Batch,
  { ids, results, page }: ExpectedLines,
  known: CandidateRows,
  candidates: readonly string[],
): (hits: readonly Hit[]) => Promise<void> {
  const hits = new Map(known.hits.map((hit) => [hit.id, hit]));
  const groups = groupedResults(results(known), known);
  const shown = deduplicated(groups, duplicateCandidates(groups), known).slice(page.offset, page.offset + page.limit + (ids.length > 0 ? SPARE_HITS : 0));
  const compared = ids.flatMap((id) => hits.get(id) ?? []);
  const isUnknown = (id: string) => !hits.has(id);
  const likely = candidates.slice(page.offset, page.offset + 3 * page.limit).filter(isUnknown);
  const addKnown = known.contents.addStatements(batch, shown.map(({ hit }) => hit), compared);
  const addOthers = known.contents.addStatementsOfIds(batch, likely, ids.filter(isUnknown));
  return async (read) => {
    await addKnown();
    await addOthers(read);
  };
}

/**
 * Groups results, and returns a page of them with the lines that are available, which are read in one request with what
 * else is in the batch.
 */
export async function paginate(
  results: readonly Result[],
  candidates: CandidateRows,
  { limit, offset }: Pagination,
  batch = new Batch(),
): Promise<Pick<ResultPage, "results" | "total" | "allResults">> {
  const { contents } = candidates;
  const groups = groupedResults(results, candidates);
  const end = offset + limit;
  const compared = contents.isStored ? duplicateCandidates(groups) : [];
  if (!areHashed(compared, candidates)) await contents.load([], compared);
  const allResults = deduplicated(groups, compared, candidates);
  const shown = allResults.slice(offset, end);
  await contents.load(contents.areAvailable ? shown.map((result) => result.hit) : [], [], batch);
  return { results: shown, total: allResults.length, allResults };
}

/** The results, the parts of a node as one. */
function groupedResults(results: readonly Result[], { parts }: CandidateRows): Result[] {
  return groupParts(results, partRanges(results.map((result) => result.hit), parts));
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
  const guess = mustMatch(query, withPathWords(likeliest, currentCounts(context, repos, likeliest))).scope;
  const before = cacheKey(context.meta, context.repo);
  const first = await runFirstBatch(context, query, filters, guess, usesVectors);
  if (cacheKey(context.meta, context.repo) !== before) {
    return retrieveCandidates(createContext(context), query, repos, usesVectors);
  }
  const resolved = await resolveScope(context.database, filters, first.checks);
  const current = withPathWords(resolved, currentCounts(context, repos, resolved));
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
async function rankCandidates(first: FirstBatch, words: WordSearch, page: Pagination, absence: AbsenceNotes): Promise<Ranked> {
  const { scope, vectorSearch, warnings, context } = first;
  const onWarning = (line: string) => warnings.push(line);
  const [nearest] = await Promise.all([
    vectorSearch && (first.nearest ?? nearestNodes(vectorSearch, words.queryText, scope, onWarning)),
    words.loadSimilar(context.database),
  ]);
  const retrieved = [...words.rankings(), ...(nearest ? [nearest] : [])];
  const literalIds = areLinesNeeded(queryLiterals(words.queryText)) ? words.literalIds : [];
  const rank = (rankings: readonly Ranking[], { hits }: CandidateRows) => {
    const all = rankHits(words.queryText, rankings, hits, [], words.resemblingIds);
    return isVectorOnly(rankings) ? all.slice(0, MAX_BY_VECTOR_ONLY) : all;
  };
  const expected = { ids: literalIds, results: (known: CandidateRows) => rank(retrieved, known), page };
  const candidates = await fetchCandidates(context, candidateOrder(retrieved), scope, words, expected);
  const rankings = confirmLiterals(retrieved, words.queryText, candidates);
  const results = rank(rankings, candidates);
  const problem = first.problem ? [`${WORDS_ONLY} ${first.problem}`] : [];
  const found = resultNotes(words.queryText, rankings, results);
  const hasMatch = results.length > 0 && !found.length;
  const batch = new Batch();
  if (!hasMatch) absence.addTo(batch, results.length > 0);
  const shown = await paginate(results, candidates, page, batch);
  const answer = { ...shown, notes: [...found, ...warnings, ...problem], atLeast: isTruncated(rankings) };
  return { answer, contents: candidates.contents, hasMatch };
}

/** Lists the first nodes of a scope, for a query of filters alone. */
async function listScope(first: FirstBatch, page: Pagination, absence: AbsenceNotes): Promise<Ranked> {
  const listedRows = first.listedRows.slice(0, MAX_LISTED);
  const hits = listedRows.map(hitFromRow);
  const ids = hits.map((hit) => hit.id);
  const found = { idsInScope: new Set(ids), nodeRows: new Map(listedRows.map((row) => [String(row[0]), row])) };
  const candidates = await fetchCandidates(first.context, ids, first.scope, found);
  const kept = new Set(candidates.hits.map((hit) => hit.id));
  const results = hits.filter((hit) => kept.has(hit.id)).map(resultOf);
  const batch = new Batch();
  if (results.length === 0) absence.addTo(batch, false);
  const shown = await paginate(results, candidates, page, batch);
  const atLeast = first.listedRows.length > MAX_LISTED;
  return { answer: { ...shown, notes: [], atLeast }, contents: candidates.contents, hasMatch: shown.total > 0 };
}

/** The query with the filters that are given beside it. */
function mergeFilters(query: Query, filters: Filters): Query {
  const lists = ["paths", "notPaths", "languages", "nodeTypes", "categories", "repos"] as const;
  const merged = lists.map((name) => [name, [...query[name], ...filters[name]]]);
  return { ...query, ...Object.fromEntries(merged), tests: filters.tests ?? query.tests };
}

/** Returns true if copies are found without reading their lines; rows of an earlier version have no hash. */
function areHashed(compared: readonly Hit[], { hashes }: CandidateRows): boolean {
  return compared.every((hit) => typeof hashes.get(hit.id) === "number");
}

/** Makes one result of nodes with the same text, by the hashes of their lines or, without them, by their loaded lines. */
function deduplicated(nodes: readonly Result[], compared: readonly Hit[], candidates: CandidateRows): Result[] {
  const { hashes, contents } = candidates;
  const byHash = areHashed(compared, candidates);
  const keyOf = (hit: Hit) => (byHash ? hashKey(hit, hashes.get(hit.id)!) : textKey(hit, contents.lines(hit)?.lines ?? []));
  return groupDuplicates(nodes, new Map(compared.map((hit) => [hit.id, keyOf(hit) ?? hit.id])));
}
