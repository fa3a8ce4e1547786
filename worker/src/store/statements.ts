/** Builds the program's SQL statements with their parameters. */

import data, { constants } from "../../build/worker_data.json";
import { rpartition } from "../python_strings.ts";
import { tokenStems } from "../query/term_matching.ts";
import { sortBy } from "../sorting.ts";
import { comparableScores } from "./bm25.ts";
import type { Row, Statement, Value } from "./database.ts";
import { allOf, anyOf, ftsPhrase, ftsPrefix, NOTHING, quoted } from "./fts_query.ts";
import {
  absentWords,
  EMPTY_SCOPE,
  narrowed,
  pathBounds,
  pathRows,
  pathWords,
  placeWords,
  requiredWords,
  hasBareGlob,
  scopeParams,
  type Scope,
  withRequiredWords,
} from "./scope.ts";

const sql = expandFragments(data.sql);
const { MAX_TRIGRAMS } = constants.name_search;
const { MAX_COMPARED_BY_PREFIX, MAX_COMPARED_NODES, MIN_TERMS_OF_GLOB } = constants.worker_limits;
const { MAX_NAMED_HITS } = constants.hits;

const columnsBySql = new Map(Object.entries(sql).map(([name, text]) => [text, data.columns[name as keyof typeof sql]]));

/** The number of columns of a statement's rows; null if it is not known. */
export function columnsOf({ sql: text, columns }: Statement): number | null {
  return columns ?? columnsBySql.get(text) ?? null;
}

const NO_ROWS: Statement = { sql: "SELECT NULL LIMIT 0", params: [], columns: 1 };

/**
 * Selects the nodes with any of the terms, words or phrases in quotes or other FTS5 queries, the best by BM25 first.
 *
 * It may select more nodes than `limit`, and a node twice: `scoresById` merges them.
 */
export function wordSearch(terms: readonly string[], scope: Scope, limit: number): Statement {
  if (hasFilters(scope)) return filteredWordSearch(terms, scope, limit);
  const params = [termsJson(terms), ...scopeParams(scope), limit];
  const across = { statement: { sql: sql.wordSearchAcross, params }, merge: comparableScores };
  return { sql: sql.wordSearch, params, across };
}

/** `wordSearch`, for many terms with a glob as two statements: one finds nodes if few are at the glob, the other if many are. */
export function wordSearches(terms: readonly string[], scope: Scope, limit: number): Statement[] {
  const search = wordSearch(terms, scope, limit);
  if (scope.hasFewNodes || terms.length < MIN_TERMS_OF_GLOB || !hasBareGlob(scope)) return [search];
  // in several databases the first one runs as `wordSearch` does there
  return [
    { ...search, sql: sql.globOfFewNodes },
    { ...search, sql: sql.globOfManyNodes, across: { statement: NO_ROWS } },
  ];
}

/**
 * Excluded words are a part of the FTS5 query, since they do not change BM25: listing their nodes costs more.
 *
 * So are required words, and those of the paths and languages, as each node that the scope refuses is billed. `AND` would add them
 * to the score; within `NOT`, they are at no node that is found.
 */
function filteredWordSearch(terms: readonly string[], scope: Scope, limit: number): Statement {
  const anyTerm = terms.join(" OR ") || NOTHING;
  const required = [placeWords(scope), requiredWords(scope)].filter(Boolean).join(" AND ");
  const words = required ? `(${anyTerm}) NOT ((${anyTerm}) NOT (${required}))` : anyTerm;
  const absent = absentWords(scope);
  const query = absent === null ? words : `(${words}) NOT (${absent})`;
  const params = [query, ...withRequiredWords(scopeParams({ ...scope, withoutWords: null }), null), limit];
  const statement = { sql: sql.filteredWordSearchAcross, params: [...params, termsJson(terms)] };
  return { sql: scope.hasFewNodes ? sql.fewFilteredNodes : sql.filteredWordSearch, params, across: { statement, merge: comparableScores } };
}

/** The terms with their numbers of nodes and stems. */
function termsJson(terms: readonly string[]): string {
  return JSON.stringify(terms.map((term) => [term, ...countAndTokens(term)]));
}

/** Selects the number of nodes with the rarest part of each word or phrase, in their order. */
export function termCounts(terms: readonly string[]): Statement {
  const params = [JSON.stringify(terms.map((term) => [term, null, tokenStems(term)]))];
  return { sql: sql.termCounts, params, across: { merge: sumCounts } };
}

/** The number of nodes, null if it must be counted, and the stems of a term; only words and phrases are counted. */
function countAndTokens(term: string): [number | null, string[]] {
  return /^(?:"[^"]*"|[\p{L}\p{N}_]+)$/u.test(term) ? [null, tokenStems(term)] : [1, []];
}

/** Returns true if the scope restricts more than the repositories. */
function hasFilters(scope: Scope): boolean {
  return scopeParams(scope)
    .slice(1)
    .some((value) => value !== null);
}

/** Selects the nodes whose description has any of the terms, the best by BM25 first. */
export function descriptionSearch(terms: readonly string[], scope: Scope, limit: number): Statement {
  return { sql: sql.descriptionSearch, params: [terms.join(" OR ") || NOTHING, ...scopeParams(scope), limit] };
}

/** Selects the ids of classes with a node in their lines that an FTS5 query finds. */
export function classesAround(ids: readonly string[], words: string): Statement {
  return ofIds(ids, (own) => ({ ...withIds("classesAround", own), params: [null, words] }));
}

/** Selects those words whose FTS5 query finds no node at all. */
export function missingWords(words: readonly (readonly [word: string, query: string])[]): Statement {
  return { sql: sql.missingWords, params: [JSON.stringify(words)], across: { merge: rowsOfAll } };
}

/** The highest scores by id in the rows of `wordSearch`, at most `limit`. */
export function scoresById(rows: readonly Row[], limit: number): Map<string, number> {
  const scores = new Map<string, number>();
  for (const [id, score] of sortBy(rows, ([, score]) => [-Number(score)])) {
    if (scores.size < limit && !scores.has(String(id))) scores.set(String(id), Number(score));
  }
  return scores;
}

/** Selects the nodes with these ids that lie in the scope, in the order of the ids. */
export function hitsById(ids: readonly string[], scope: Scope): Statement {
  return { sql: sql.hitsById, params: [JSON.stringify(ids), ...scopeParams(scope)] };
}

/** The parameters of a statement with an FTS5 query that is narrowed to the scope. */
function narrowedParams(expression: string, scope: Scope): Value[] {
  const [query, rest] = narrowed(expression, scope);
  const required = requiredWords(rest);
  return [required ? `(${query}) AND ${required}` : query, ...withRequiredWords(scopeParams(rest), null)];
}

/**
 * Selects the same, with the lines of all parts of each node that consists of parts.
 *
 * Those of `inScope`, which other statements have found in the scope, are not compared with it again.
 */
export function hitsWithParts(ids: readonly string[], inScope: ReadonlySet<string>, scope: Scope): Statement {
  const marked = (id: string) => `(${idLiteral(id)},${inScope.has(id) ? 1 : 0})`;
  return ofIds(ids, (own) => {
    const rows = own.map(marked).join() || "(NULL,NULL)";
    const most = scope.withWords?.includes("*") ? MAX_COMPARED_BY_PREFIX : MAX_COMPARED_NODES;
    const areFew = own.filter((id) => !inScope.has(id)).length <= most;
    const params = [Number(areFew), ...scopeParams(scope)];
    return { ...withText("hitsWithParts", sql.hitsWithParts.replace("@MARKED_IDS", rows)), params };
  });
}

/** Puts ids into a statement as rows of VALUES; throws an Error for one that is not hexadecimal. */
function withIds(name: keyof typeof sql, ids: readonly string[]): { sql: string; columns: number } {
  const rows = ids.map((id) => `(${idLiteral(id)})`);
  return withText(name, sql[name].replace("@IDS", rows.join() || "(NULL)"));
}

/** The text that was made of a statement's, with its number of columns. */
function withText(name: keyof typeof sql, text: string): { sql: string; columns: number } {
  return { sql: text, columns: data.columns[name] };
}

function idLiteral(id: string): string {
  if (!/^[0-9a-f]+$/.test(id)) throw new Error(`${id} is not the id of a node.`);
  return `'${id}'`;
}

/** A statement about nodes by id, of which several databases get their own. */
function ofIds(ids: readonly string[], make: (ids: readonly string[]) => Statement): Statement {
  return { ...make(ids), across: { forIds: (mayHave) => make(ids.filter(mayHave)) } };
}

/** Selects the first nodes of a scope, in line order. */
export function firstNodes(scope: Scope, limit: number): Statement {
  const merge = (rowSets: readonly (readonly Row[])[]) => firstRows(rowSets, limit);
  const params = [limit, ...scopeParams(scope)];
  if (scope.ids) return { sql: sql.firstNodesOfIds, params, across: { merge } };
  const across = { merge };
  if (scope.languageWords) return { sql: sql.firstNodesOfWords, params: [...params, scope.languageWords], across };
  const [first, last] = pathBounds(scope);
  if (first && scope.repos?.length === 1) return { sql: sql.firstNodesOfPaths, params: [...params, scope.repos[0]!, first, last], across };
  return { sql: sql.firstNodes, params, across };
}

/** Selects the nodes found by an FTS5 query whose name, or a member's, ends with `name`. */
export function nodesCalled(expression: string, name: string, scope: Scope): Statement {
  const suffix = lowercaseAscii(name);
  const [, last] = rpartition(suffix, ".");
  const letters = last.replaceAll("_", "");
  // a shorter name has no trigram
  const ownName = letters.length < 3 ? null : quoted(letters);
  return { sql: sql.nodesCalled, params: [...narrowedParams(expression, scope), suffix, last, ownName] };
}

/** Selects the nodes whose names contain all of these words. */
export function nodesSpelled(parts: readonly string[], scope: Scope): Statement {
  return spelled(`symbol : (${allOf(parts)})`, scope);
}

/** Selects the first nodes whose names contain one of these words. */
export function nodesSpelledWithAny(words: readonly string[], scope: Scope): Statement {
  return { sql: sql.nodesSpelledWithAny, params: narrowedParams(`symbol : (${anyOf(words)})`, scope) };
}

/** Selects the first node of each file whose path contains this part. */
export function filesByPath(part: string, scope: Scope): Statement {
  return { sql: sql.filesByPath, params: [null, ...scopeParams(scope), lowercaseAscii(part)] };
}

/** Selects the ids of up to `limit` nodes with a word, in any inflection. */
export function nodesHavingWord(word: string, limit: number, scope: Scope): Statement {
  return { sql: sql.nodesHavingWord, params: [...narrowedParams(ftsPhrase(word), scope), limit] };
}

/** Selects the nodes whose names have a word with this prefix. */
export function nodesByNamePrefix(name: string, scope: Scope): Statement {
  return spelled(`symbol : ${ftsPrefix(name)}`, scope);
}

function spelled(expression: string, scope: Scope): Statement {
  const text = scope.hasFewNodes ? sql.fewNodesSpelled : sql.nodesSpelled;
  return { sql: text, params: narrowedParams(expression, scope) };
}

/**
 * Selects the nodes whose names share most trigrams with a word.
 *
 * It finds nothing if one of the first nodes with the word `unless` is in the scope.
 */
export function nodesByTrigrams(word: string, unless: string | null, scope: Scope): Statement {
  const query = trigrams(lowercaseAscii(word)).map(quoted).join(" OR ") || NOTHING;
  const required = requiredWords(scope);
  // the fewer nodes are listed, the fewer rows D1 bills
  const listed = [required, required && placeWords(scope)].filter(Boolean).join(" AND ") || null;
  return { sql: sql.nodesByTrigrams, params: [query, ...withRequiredWords(scopeParams(scope), listed), guard(unless, scope)] };
}

/**
 * Selects the first nodes with a name or member among the spellings.
 *
 * It finds nothing if one of the first nodes with the word `unless` is in the scope.
 */
export function nodesBySpelling(spellings: readonly string[], unless: string | null, scope: Scope): Statement {
  const params = narrowedParams(`symbol : (${anyOf(spellings)})`, scope);
  return { sql: sql.nodesBySpelling, params: [...params, guard(unless, scope)] };
}

/** The FTS5 query for the nodes of the scope with a word; for none without a word. */
function guard(word: string | null, scope: Scope): Value {
  return word === null ? NOTHING : narrowedParams(ftsPhrase(word), scope)[0]!;
}

/** Selects the line ranges of the parts of these nodes. */
export function nodeParts(ids: readonly string[]): Statement {
  return { sql: sql.nodeParts, params: [JSON.stringify(ids)] };
}

/** Selects the nodes of files, by path and line, outer before inner nodes. */
export function nodesInFiles(repo: string, paths: readonly string[]): Statement {
  return { sql: sql.nodesInFiles, params: [repo, JSON.stringify(paths)] };
}

/** Selects the nodes whose ids (40 hex digits) have this prefix. */
export function nodesByIdPrefix(repo: string, prefix: string, limit: number): Statement {
  return { sql: sql.nodesByIdPrefix, params: [repo, prefix, limit] };
}

/** Selects each of these beginnings of ids with each of the repositories that has a node of it. */
export function reposOfIds(ids: readonly string[], repos: readonly string[]): Statement {
  return { sql: sql.reposOfIds, params: [JSON.stringify(ids), JSON.stringify(repos)] };
}

/** Selects nodes whose names match the FTS5 query, the shortest names first. */
export function nodesByNameWords(repo: string, expression: string): Statement {
  return { sql: sql.nodesByNameWords, params: [repo, `symbol : ${expression}`, MAX_NAMED_HITS] };
}

/** Selects the indexed files at a path of a repository; with `*` + `/` before it, at most two with that end. */
export function filesByPathSuffix(repo: string, path: string): Statement {
  const words = path.startsWith("*/") ? pathWords({ ...EMPTY_SCOPE, paths: [path] }) : null;
  if (words) return { sql: sql.filesWithEnd, params: [repo, words, path.slice(1)] };
  const at = { ...EMPTY_SCOPE, repos: [repo], paths: [path] };
  return { sql: sql.filesByPathSuffix, params: [null, ...scopeParams(at).slice(0, 4)] };
}

/** The files that follow a path in the order of paths, `count` at most. */
export interface FileRange {
  readonly after: string;
  readonly count: number;
}

/** All files; SQLite takes a negative limit for none. */
export const ALL_FILES: FileRange = { after: "", count: -1 };

/** Selects the files at or below a file or folder; those of the repository for an empty one. */
export function filesBelow(repo: string, folder: string, { after, count } = ALL_FILES): Statement {
  return { sql: sql.filesBelow, params: [repo, folder, after, count] };
}

/** Selects the skipped files at these paths, and those whose paths have one of these endings, with the reasons. */
export function filesSkipped(repo: string, paths: readonly string[], endings: readonly string[]): Statement {
  return { sql: sql.filesSkipped, params: [repo, JSON.stringify(paths), JSON.stringify(endings)] };
}

/** Counts the files of a scope that are not read, or not completely, by their reason. */
export function unreadInScope(scope: Scope): Statement {
  return { sql: sql.unreadInScope, params: [null, ...scopeParams(scope).slice(0, 6)] };
}

/** Selects the lines of files that their grammar could not parse. */
export function unparsedLines(repo: string, paths: readonly string[]): Statement {
  return { sql: sql.unparsedLines, params: [repo, JSON.stringify(paths)] };
}

/** Counts the files of a repository with unparsed lines, and these lines. */
export function unparsedTotal(repo: string): Statement {
  return { sql: sql.unparsedTotal, params: [repo] };
}

/** Selects the files of the manifest in a folder; those of the repository for an empty one. */
export function fileMap(repo: string, folder: string, { after, count }: FileRange): Statement {
  return { sql: sql.fileMap, params: [repo, folder, after, count] };
}

/** Counts the rows of a table by the values of a column. */
export function countBy(column: string, table: string, repo: string): Statement {
  const text = sql.countBy.replaceAll("{0}", column).replaceAll("{1}", table);
  return { ...withText("countBy", text.replace("repo = ?", "repo = ?1")), params: [repo] };
}

/** Counts the files that are not indexed, by skip reason. */
export function skippedFiles(repo: string): Statement {
  return { sql: sql.skippedFiles, params: [repo] };
}

/** Selects the number of rows and bytes of stored source. */
export function storedSourceSize(repo: string): Statement {
  return { sql: sql.storedSourceSize, params: [repo] };
}

/** Counts the nodes with a description, by model. */
export function descriptionModels(repo: string): Statement {
  return { sql: sql.descriptionModels, params: [repo] };
}

/** Selects the line ranges of the nodes within hits, given with their first and last lines, in any order. */
export function innerNodes(hits: readonly (readonly [string, number, number])[]): Statement {
  const rows = hits.map(([id, first, last]) => `(${idLiteral(id)},${Number(first)},${Number(last)})`);
  return { ...withText("innerNodes", sql.innerNodes.replace("@RANGES", rows.join() || "(NULL,NULL,NULL)")), params: [] };
}

/** Selects the line ranges of the nodes within nodes by id, in any order. */
export function innerNodesOfIds(ids: readonly string[]): Statement {
  return ofIds(ids, (own) => ({ ...withIds("innerNodesOfIds", own), params: [] }));
}

/** Ranges that take four parameters each, of the 100 that D1 allows; D1 bills no row of VALUES, and each of `json_each`. */
const MAX_BOUND_RANGES = 25;
const RANGES_OF_LIST =
  "SELECT value->>0 AS column1, value->>1 AS column2, value->>2 AS column3, value->>3 AS column4 FROM json_each(?1)";

/** Selects the stored source that covers line ranges of files. */
export function storedSourceLines(ranges: readonly (readonly [string, string, number, number])[]): Statement {
  const isBound = ranges.length > 0 && ranges.length <= MAX_BOUND_RANGES;
  const rows = isBound ? `VALUES ${ranges.map(() => "(?,?,?,?)").join()}` : RANGES_OF_LIST;
  const params = isBound ? ranges.flat() : [JSON.stringify(ranges)];
  return { ...withText("storedSourceLines", sql.storedSourceLines.replace("@RANGES", rows)), params };
}

/** Selects the stored source of nodes by id. */
export function storedSourceOfNodes(ids: readonly string[]): Statement {
  return ofIds(ids, (own) => ({ ...withIds("storedSourceOfNodes", own), params: [] }));
}

/** Selects the place of the first of these paths at which there is a file, with or without nodes. */
export function firstExistingPath(paths: readonly string[], scope: Scope): Statement {
  const rows = paths.map((path) => pathRows(path));
  const words = paths.map((path) => (path.startsWith("*/") ? pathWords({ ...EMPTY_SCOPE, paths: [path] }) : null));
  const across = { merge: leastRow };
  return { sql: sql.firstExistingPath, params: [JSON.stringify(rows), reposJson(scope), JSON.stringify(words)], across };
}

/** Checks that a node with one of these languages or node types exists. */
export function existingValues(column: Column, names: readonly string[], scope: Scope): Statement {
  return withColumn("existingValues", column, [JSON.stringify(names), reposJson(scope)]);
}

/** Selects the ids of nodes that an FTS5 query finds and whose relations have one of the texts. */
export function nodesWithRelation(query: string, needles: readonly string[], scope: Scope, limit: number): Statement {
  return { sql: sql.nodesWithRelation, params: [query, reposJson(scope), JSON.stringify(needles), limit] };
}

/** Selects the ids of nodes whose relations have one of the texts; reads all nodes. */
export function nodesWithVisibility(needles: readonly string[], scope: Scope, limit: number): Statement {
  return { sql: sql.nodesWithVisibility, params: [reposJson(scope), JSON.stringify(needles), limit] };
}

/** Checks that a node of a repository has relations. */
export function anyRelation(repo: string): Statement {
  return { sql: sql.anyRelation, params: [repo] };
}

/** Selects the distinct languages or node types. */
export function distinctValues(column: Column, scope: Scope): Statement {
  return withColumn("distinctValues", column, [reposJson(scope)]);
}

/** Selects the paths of all files. */
export function allPaths(scope: Scope): Statement {
  return { sql: sql.allPaths, params: [reposJson(scope)] };
}

/** The sums of counts by text, in the order of the first database's rows. */
function sumCounts(rowSets: readonly (readonly Row[])[]): Row[] {
  const [first = []] = rowSets;
  return first.map(([text], at) => [text, rowSets.reduce((sum, rows) => sum + Number(rows[at]?.[1] ?? 0), 0)]);
}

/** The rows that every database has, by their first column. */
function rowsOfAll(rowSets: readonly (readonly Row[])[]): Row[] {
  const [first = [], ...others] = rowSets;
  return first.filter(([text]) => others.every((rows) => rows.some(([other]) => other === text)));
}

/** The row with the least number. */
function leastRow(rowSets: readonly (readonly Row[])[]): Row[] {
  return sortBy(rowSets.flat(), ([number]) => [Number(number)]).slice(0, 1);
}

/** The first hits by repository, path and lines. */
function firstRows(rowSets: readonly (readonly Row[])[], limit: number): Row[] {
  const order = (row: Row) => [String(row[10]), String(row[1]), Number(row[7]), -Number(row[8])];
  return sortBy(rowSets.flat(), order).slice(0, limit);
}

/** Expands the shared fragments of the statements; later fragments may contain earlier ones. */
function expandFragments<Texts extends Record<string, string>>(statements: Texts): Texts {
  const fragments = Object.entries(data.sql_fragments).reverse();
  const entries = Object.entries(statements).map(([name, text]) => [
    name,
    fragments.reduce((expanded, [placeholder, fragment]) => expanded.replaceAll(placeholder, () => fragment), text),
  ]);
  return Object.fromEntries(entries) as Texts;
}

export type Column = "language" | "node_type";

/** The first distinct trigrams of a name's letters and digits. */
function trigrams(name: string): string[] {
  const letters = Array.from(name.replace(/[^\p{L}\p{N}]+/gu, ""));
  const grams = letters.slice(2).map((_, at) => letters.slice(at, at + 3).join(""));
  return [...new Set(grams)].slice(0, MAX_TRIGRAMS);
}

/** Lowercases ASCII letters, as SQL's `lower`. */
function lowercaseAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function withColumn(name: keyof typeof sql, column: Column, params: Value[]): Statement {
  return { ...withText(name, sql[name].replaceAll("{0}", column)), params };
}

function reposJson(scope: Scope): string | null {
  return scope.repos && JSON.stringify(scope.repos);
}
