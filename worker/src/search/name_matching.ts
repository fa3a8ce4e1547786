/** Matches a query with names of nodes: exact, by words, and similar names. */

import { constants } from "../../build/worker_data.json";
import { memoize } from "../memoize.ts";
import { casefold, rpartition, strip } from "../python_strings.ts";
import { sortBy, type SortKey } from "../sorting.ts";
import { type NamedNode, namedNodes } from "../store/name_search.ts";
import { isTest } from "../store/scope.ts";
import { dotted, endsWith } from "../text.ts";
import { isDocument, TEST_KIND } from "./file_kinds.ts";
import { nameStems, type QueryText } from "./query.ts";
import type { Scores } from "./ranking.ts";
import type { Member } from "./results.ts";

const { MIN_SIMILAR_LETTERS, RARE_COMPOUND_NODES, RARE_WORD_NODES, MAX_NAME_WORDS } = constants.name_matching;
const { DEFINITION_TYPES, DECLARATION_SUFFIXES } = constants.name_matching;
const { MAX_SIMILAR, CONTAINS_BONUS, MIN_SIMILARITY } = constants.name_matching;

type Rows = readonly (readonly unknown[])[];
type Grams = ReadonlyMap<string, number>;

/**
 * The nodes that a query names, by id, the best first.
 *
 * `called` have the name, `ofPath` the path. `spelled` are the overlap scores of nodes whose names
 * contain all words of the query; `written` are those whose names consist of just these words.
 */
export interface NamedCandidates {
  called: readonly string[];
  written: readonly string[];
  ofPath: readonly string[];
  spelled: Scores;
}

/** Returns true if a node or a file has exactly the name in the query. */
export function hasExactMatch(named: NamedCandidates): boolean {
  return named.called.length > 0 || named.ofPath.length > 0;
}

/** Matches the rows of the name statements; types come before members, definitions before declarations. */
export function namedCandidates(queryText: QueryText, answers: readonly Rows[]): NamedCandidates {
  const [byName = [], byWords = [], ...byPath] = answers.map(namedNodes);
  const text = queryText.name || strip(queryText.text);
  const searchedName = normalizeName(text);
  const exact = byName.filter((node) => isNodeNamed(node, searchedName));
  const overlaps = new Map(byWords.map((node) => [node.id, queryOverlap(node.name, queryText)]));
  const exactIds = new Set(exact.map((node) => node.id));
  const written = byWords.filter((node) => overlaps.get(node.id) === 1 && !exactIds.has(node.id));
  const asksTests = queryText.says(TEST_KIND.askedBy);
  return {
    called: nodeIds(sortNodes(exact, text)),
    written: nodeIds(sortNodes(written.filter((node) => asksTests || !isTest(node.path)), text)),
    ofPath: nodeIds(byPath.flat()),
    spelled: new Map(sortBy(overlaps, ([, score]) => [-score])),
  };
}

/** Returns true if the query is short enough to be the words of a name. */
export function canSpellNames(queryText: QueryText): boolean {
  return queryText.parts.length > 0 && queryText.parts.length <= MAX_NAME_WORDS;
}

/** The overlap of the query's words with those of a name's last part, up to 1. */
export function wordOverlap(symbol: string, stems: ReadonlySet<string>): number {
  return diceCoefficient(stemsOfName(lastNamePart(symbol)), stems);
}

function queryOverlap(name: string, queryText: QueryText): number {
  return Math.max(bestOverlap(name, queryText.stems), bestOverlap(name, queryText.allStems));
}

/** The overlap with the last part, or with owner and last part if that is higher: `request finalize`. */
function bestOverlap(symbol: string, stems: ReadonlySet<string>): number {
  const [owner, own] = rpartition(symbol, ".");
  const both = new Set([...stemsOfName(own), ...stemsOfName(lastNamePart(owner))]);
  return Math.max(wordOverlap(symbol, stems), diceCoefficient(both, stems));
}

/** The Dice coefficient of two sets of words. */
function diceCoefficient(own: ReadonlySet<string>, stems: ReadonlySet<string>): number {
  let both = 0;
  for (const stem of own) if (stems.has(stem)) both++;
  return (2 * both) / (own.size + stems.size || 1);
}

/** The stems of a name's words. */
const stemsOfName = memoize((name) => nameStems([name]));

/** The highest number of nodes with a word for which the word counts as rare. */
export function maxNodesWithWord(queryText: QueryText): number {
  return queryText.parts.length > 1 ? RARE_COMPOUND_NODES : RARE_WORD_NODES;
}

/** Returns true if the query is a name that can be matched with similar names. */
export function canMatchFuzzily(queryText: QueryText): boolean {
  return [...lastNamePart(queryText.name)].length >= MIN_SIMILAR_LETTERS;
}

/** The member that a normalized query names, alone (`RED`) or with its owner; null if there is none. */
export function findMember(owner: string | null, members: string, searchedName: string): Member | null {
  if (!members) return null;
  const name = normalizeName(owner ?? "");
  if (name && endsWith(name, searchedName)) return null;
  return parseMembers(members).find((one) => endsWith(`${name}.${casefold(one.name)}`, searchedName)) ?? null;
}

/** Normalizes a name or query for comparison: parts joined by dots, case folded. */
export const normalizeName = memoize((text) => casefold(dotted(text)));

/** Returns true if a normalized query equals the name or its last parts. */
export function isNamed(name: string, searchedName: string): boolean {
  return endsWith(normalizeName(name), searchedName);
}

/** Parses the members of a node, stored as `4f5e RED:3 GREEN:4`. */
export function parseMembers(text: string): Member[] {
  const members = text.split(" ").slice(1).map((one) => rpartition(one, ":"));
  return members.map(([name, line]) => ({ name, line: Number(line) }));
}

/** Sorts nodes: exact case before other case, sources before tests, types before members. */
function sortNodes(nodes: Iterable<NamedNode>, text: string): NamedNode[] {
  return sortBy(nodes, (node) => nameOrder(node, text));
}

/** The sort key of a node found by name; of equal ones the longest comes first. */
export function nameOrder(node: NamedNode, text: string): SortKey {
  const at = DEFINITION_TYPES.indexOf(node.nodeType);
  return [
    isDocument(node.path),
    at < 0,
    !node.name.endsWith(text),
    isTest(node.path),
    at < 0 ? DEFINITION_TYPES.length : at,
    DECLARATION_SUFFIXES.some((ending) => node.path.endsWith(ending)),
    -node.lines,
    node.path,
    node.startLine,
  ];
}

/** The ids of nodes. */
export function nodeIds(nodes: readonly NamedNode[]): string[] {
  return nodes.map((node) => node.id);
}

/** The part of a name after the last dot. */
export function lastNamePart(name: string): string {
  return rpartition(name, ".")[1];
}

function isNodeNamed(node: NamedNode, searchedName: string): boolean {
  return isNamed(node.name, searchedName) || findMember(node.name, node.members, searchedName) !== null;
}

/**
 * Nodes for a name that no node has exactly, by id.
 *
 * `having` are the nodes with the rare word; `ids` those with the name as a prefix or, if no node
 * has the word, with a similar name.
 */
export interface FuzzyMatches {
  having: readonly string[];
  ids: readonly string[];
}

/**
 * Matches the rows of the similarity statements; nothing if a node has the exact name, or if the
 * word is frequent.
 */
export function fuzzyMatches(queryText: QueryText, named: NamedCandidates, answers: readonly Rows[]): FuzzyMatches {
  const [withWord, withPrefix, similar] = answers;
  if (hasExactMatch(named) || !withWord || !withPrefix || !similar) return { having: [], ids: [] };
  if (!withWord.length) return { having: [], ids: similarNames(queryText, similar) };
  const ids = withWord.map(([id]) => String(id));
  return {
    having: ids.length <= maxNodesWithWord(queryText) ? ids : [],
    ids: named.spelled.size ? [] : prefixMatches(namedNodes(withPrefix), queryText.name),
  };
}

/** The nodes with names similar to one that no node has. */
function similarNames(queryText: QueryText, rows: Rows): string[] {
  const name = lastNamePart(queryText.name);
  const grams = trigrams(name);
  const scored = namedNodes(rows).map((node) => ({ node, score: similarity(name, grams, node) }));
  const near = sortBy(
    scored.filter(({ score }) => score > MIN_SIMILARITY),
    ({ node, score }) => [-score, -ownerSimilarity(node, queryText.name), ...nameOrder(node, name)],
  );
  return nodeIds(near.map(({ node }) => node)).slice(0, MAX_SIMILAR);
}

/**
 * The nodes whose last part begins with that of the name: `RealCal` may become `RealCall`.
 *
 * Those with a similar owner come first.
 */
function prefixMatches(nodes: readonly NamedNode[], name: string): string[] {
  const own = lastNamePart(name);
  const begins = nodes.filter((node) => lowercaseLetters(lastNamePart(node.name)).startsWith(lowercaseLetters(own)));
  return nodeIds(sortBy(begins, (node) => [-ownerSimilarity(node, name), ...nameOrder(node, own)])).slice(0, MAX_SIMILAR);
}

function similarity(name: string, grams: Grams, node: NamedNode): number {
  const own = lowercaseLetters(lastNamePart(node.name));
  return trigramSimilarity(grams, trigrams(own)) + CONTAINS_BONUS * Number(own.includes(lowercaseLetters(name)));
}

/** The trigram similarity of the owners of node and name, up to 1; 0 without an owner. */
function ownerSimilarity(node: NamedNode, name: string): number {
  const [owner, own] = [name, node.name].map((one) => lastNamePart(rpartition(one, ".")[0]));
  return owner && own ? trigramSimilarity(trigrams(owner), trigrams(own)) : 0;
}

/** The Dice coefficient of two names' trigrams. */
function trigramSimilarity(grams: Grams, others: Grams): number {
  let both = 0;
  for (const [gram, count] of grams) both += Math.min(count, others.get(gram) ?? 0);
  return (2 * both) / (total(grams) + total(others));
}

function total(grams: Grams): number {
  return [...grams.values()].reduce((sum, count) => sum + count, 0);
}

function lowercaseLetters(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}

function trigrams(name: string): Grams {
  const padded = [..."  ", ...lowercaseLetters(name), " "];
  const counts = new Map<string, number>();
  for (let at = 0; at < padded.length - 2; at++) {
    const gram = padded.slice(at, at + 3).join("");
    counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  return counts;
}
