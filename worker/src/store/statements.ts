/** Builds the program's SQL statements with their parameters. */

import data, { constants } from "../../build/worker_data.json";
import { rpartition } from "../python_strings.ts";
import type { Row, Statement, Value } from "./database.ts";
import { EMPTY_SCOPE, scopeParams, type Scope } from "./scope.ts";

const sql = whole(data.sql);
const { MAX_TRIGRAMS, MIN_TRIGRAM_SHARE } = constants.name_search;
const { MAX_NAMED_HITS } = constants.hits;

/** Asks for the nodes with any of the terms, FTS5 queries each, the best by bm25 first. */
export function wordSearch(terms: readonly string[], scope: Scope, limit: number): Statement {
  const counted = JSON.stringify(terms.map((term) => [term, null]));
  return { sql: sql.wordSearch, params: [counted, ...scopeParams(scope), limit] };
}

/** Asks for the nodes whose line of description has any of the terms, the best by bm25 first. */
export function descriptionSearch(terms: readonly string[], scope: Scope, limit: number): Statement {
  return { sql: sql.descriptionSearch, params: [terms.join(" OR ") || '""', ...scopeParams(scope), limit] };
}

/** Scores by id, of what that answers. */
export function scoresById(rows: readonly Row[]): Map<string, number> {
  return new Map(rows.map(([id, score]) => [String(id), Number(score)]));
}

/** Asks for the nodes of these ids that lie in the scope, in the order of the ids. */
export function hitsById(ids: readonly string[], scope: Scope): Statement {
  return { sql: sql.hitsById, params: [JSON.stringify(ids), ...scopeParams(scope)] };
}

/** Asks for a scope's nodes, in the order of their lines. */
export function firstNodes(scope: Scope, limit: number): Statement {
  return { sql: sql.firstNodes, params: [limit, ...scopeParams(scope)] };
}

/** Asks for the nodes that an FTS5 query finds and whose name, or a member's, ends as asked. */
export function nodesCalled(expression: string, asked: string, scope: Scope): Statement {
  const ending = small(asked);
  const [, last] = rpartition(ending, ".");
  return { sql: sql.nodesCalled, params: [expression, ...scopeParams(scope), ending, last] };
}

/** Asks for the nodes whose names are made of these words and perhaps of others. */
export function nodesSpelled(parts: readonly string[], scope: Scope): Statement {
  const expression = parts.map((part) => `"${part}"`).join(" AND ") || '""';
  return { sql: sql.nodesSpelled, params: [`symbol : (${expression})`, ...scopeParams(scope)] };
}

/** Asks for the first node of each file with this part in its path. */
export function filesByPath(part: string, scope: Scope): Statement {
  return { sql: sql.filesByPath, params: [null, ...scopeParams(scope), small(part)] };
}

/**
 * Asks for the ids of so many nodes that have a word, in whatever form.
 *
 * So too `nodesByNamePrefix`, it finds nothing where what `named` asks for has the name itself.
 */
export function nodesHavingWord(word: string, limit: number, named: Statement): Statement {
  return { sql: sql.nodesHavingWord, params: unless(named, `"${word}"`, limit) };
}

/** Asks for the nodes whose names have a word that begins so. */
export function nodesByNamePrefix(name: string, named: Statement): Statement {
  return { sql: sql.nodesByNamePrefix, params: unless(named, `symbol : "${name}" *`) };
}

/** What is asked for, unless what `nodesCalled` finds is there. */
function unless({ params: given }: Statement, expression: string, ...more: Value[]): Value[] {
  const [known = null, ...scope] = given.slice(0, -1);
  return [expression, ...scope, known, ...more];
}

/** Asks for the nodes whose names share most with this one, unless a node has the word. */
export function nodesByTrigrams(word: string, scope: Scope): Statement {
  const grams = trigrams(small(word));
  const least = Math.max(1, roundHalfToEven(MIN_TRIGRAM_SHARE * grams.length));
  return { sql: sql.nodesByTrigrams, params: [JSON.stringify(grams), ...scopeParams(scope), least, `"${word}"`] };
}

/** Asks where the pieces lie of the nodes of these ids. */
export function nodeParts(ids: readonly string[]): Statement {
  return { sql: sql.nodeParts, params: [JSON.stringify(ids)] };
}

/** Asks for the nodes of these files, in the order of paths and lines, the outer before the inner. */
export function nodesInFiles(repo: string, paths: readonly string[]): Statement {
  return { sql: sql.nodesInFiles, params: [repo, JSON.stringify(paths)] };
}

/** Asks for the nodes whose ids, which are 40 hex digits, begin so. */
export function nodesByIdPrefix(repo: string, beginning: string, limit: number): Statement {
  return { sql: sql.nodesByIdPrefix, params: [repo, beginning, limit] };
}

/** Asks for nodes in whose names these words stand in a row, the shortest names first. */
export function nodesByNameWords(repo: string, expression: string): Statement {
  return { sql: sql.nodesByNameWords, params: [repo, `symbol : ${expression}`, MAX_NAMED_HITS] };
}

/** Asks for the files, not kept out of the index, at a place of a repository. */
export function filesByPathSuffix(repo: string, path: string): Statement {
  const at = { ...EMPTY_SCOPE, repos: [repo], paths: [path] };
  return { sql: sql.filesByPathSuffix, params: [null, ...scopeParams(at).slice(0, 4)] };
}

/** Asks for the files at or below a file or folder; of the whole repository where it is empty. */
export function filesBelow(repo: string, folder: string): Statement {
  return { sql: sql.filesBelow, params: [repo, folder] };
}

/** Asks for every file that the index knows of. */
export function fileMap(repo: string): Statement {
  return { sql: sql.fileMap, params: [repo] };
}

/** Asks how many rows of a table there are by a column's values. */
export function countBy(column: string, table: string, repo: string): Statement {
  const filled = sql.countBy.replaceAll("{0}", column).replaceAll("{1}", table);
  return { sql: filled.replace("repo = ?", "repo = ?1"), params: [repo] };
}

/** Asks for the reasons why files are not indexed, each with its number. */
export function skippedFiles(repo: string): Statement {
  return { sql: sql.skippedFiles, params: [repo] };
}

/** Asks how many rows and bytes the texts of files are. */
export function storedSourceSize(repo: string): Statement {
  return { sql: sql.storedSourceSize, params: [repo] };
}

/** Asks how many nodes have a line, by the model that wrote it. */
export function descriptionModels(repo: string): Statement {
  return { sql: sql.descriptionModels, params: [repo] };
}

/** Asks for the lines of nodes that lie in hits of these ids, first lines and last ones. */
export function innerNodes(hits: readonly (readonly [string, number, number])[]): Statement {
  return { sql: sql.innerNodes, params: [JSON.stringify(hits)] };
}

/** Asks the same of nodes by their ids, with the lines that they have. */
export function innerNodesOf(ids: readonly string[]): Statement {
  return { sql: sql.innerNodesOf, params: [JSON.stringify(ids)] };
}

/** Asks for the texts that have lines, first ones and last ones, of files of repositories. */
export function storedSourceLines(ranges: readonly (readonly [string, string, number, number])[]): Statement {
  return { sql: sql.storedSourceLines, params: [JSON.stringify(ranges)] };
}

/** Asks for those of nodes by their ids, and of others where these may have one text. */
export function storedSourceOfNodes(ids: readonly string[], others: readonly string[]): Statement {
  return { sql: sql.storedSourceOfNodes, params: [JSON.stringify(ids), JSON.stringify(others)] };
}

/** Asks whether there is a file, be it of no nodes, at the places of a scope. */
export function anyFile(scope: Scope): Statement {
  return { sql: sql.anyFile, params: [null, ...scopeParams(scope).slice(0, 4)] };
}

/** Asks whether any node is of one of these languages, or types. */
export function existingValues(column: Column, names: readonly string[], scope: Scope): Statement {
  return filled(sql.existingValues, column, [JSON.stringify(names), reposOf(scope)]);
}

/** Asks which languages, or types, there are. */
export function distinctValues(column: Column, scope: Scope): Statement {
  return filled(sql.distinctValues, column, [reposOf(scope)]);
}

/** Asks for all files' paths. */
export function allPaths(scope: Scope): Statement {
  return { sql: sql.allPaths, params: [reposOf(scope)] };
}

/** What many statements have in common is sent once; the later parts may hold the earlier ones. */
function whole<Known extends Record<string, string>>(texts: Known): Known {
  const common = Object.entries(data.sql_fragments).reverse();
  const found = Object.entries(texts).map(([name, text]) => [
    name,
    common.reduce((all, [sign, part]) => all.replaceAll(sign, () => part), text),
  ]);
  return Object.fromEntries(found) as Known;
}

export type Column = "language" | "node_type";

/** Each three letters in a row, once, of the first ones; other signs are left out. */
function trigrams(name: string): string[] {
  const letters = Array.from(name.replace(/[^\p{L}\p{N}]+/gu, ""));
  const found = letters.slice(2).map((_, at) => letters.slice(at, at + 3).join(""));
  return [...new Set(found)].slice(0, MAX_TRIGRAMS);
}

/** In small letters, as SQL's `lower` makes them. */
function small(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function filled(text: string, column: Column, given: Value[]): Statement {
  return { sql: text.replaceAll("{0}", column), params: given };
}

function reposOf(scope: Scope): string | null {
  return scope.repos && JSON.stringify(scope.repos);
}

/** As Python rounds. */
function roundHalfToEven(number: number): number {
  const below = Math.floor(number);
  const rest = number - below;
  if (rest !== 0.5) return Math.round(number);
  return below % 2 === 0 ? below : below + 1;
}
