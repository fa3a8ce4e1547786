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
 * The ids of the nodes that a question names, the best first, and of nodes of a path.
 *
 * `spelled` are nodes whose names are made of its words, by how well these agree; `written` those
 * of them that are made of no others.
 */
export interface NamedCandidates {
  called: readonly string[];
  written: readonly string[];
  ofPath: readonly string[];
  spelled: Scores;
}

/** Returns true if a node or a file has exactly the name in the query. */
export function hasExactMatch(known: NamedCandidates): boolean {
  return known.called.length > 0 || known.ofPath.length > 0;
}

/** Matches the rows of the name statements; types come before members, definitions before declarations. */
export function namedCandidates(queryText: QueryText, answers: readonly Rows[]): NamedCandidates {
  const [byName = [], byWords = [], ...byPath] = answers.map(namedNodes);
  const text = queryText.name || strip(queryText.text);
  const wanted = normalizeName(text);
  const found = byName.filter((node) => isNodeNamed(node, wanted));
  const agreeing = new Map(byWords.map((node) => [node.id, bestSpelling(node.name, queryText)]));
  const known = new Set(found.map((node) => node.id));
  const written = byWords.filter((node) => agreeing.get(node.id) === 1 && !known.has(node.id));
  const asksTests = queryText.says(TEST_KIND.askedBy);
  return {
    called: nodeIds(inOrder(found, text)),
    written: nodeIds(inOrder(written.filter((node) => asksTests || !isTest(node.path)), text)),
    ofPath: nodeIds(byPath.flat()),
    spelled: new Map(sortBy(agreeing, ([, score]) => [-score])),
  };
}

/** Returns true if the query is short enough to be the words of a name. */
export function canSpellNames(queryText: QueryText): boolean {
  return queryText.parts.length > 0 && queryText.parts.length <= MAX_NAME_WORDS;
}

/** The overlap of the query's words with those of a name's last part, up to 1. */
export function wordOverlap(symbol: string, asked: ReadonlySet<string>): number {
  return common(stemsOfName(lastNamePart(symbol)), asked);
}

function bestSpelling(name: string, queryText: QueryText): number {
  return Math.max(spelling(name, queryText.stems), spelling(name, queryText.allStems));
}

/** The overlap with the last part, or with owner and last part if that is higher: `request finalize`. */
function spelling(symbol: string, asked: ReadonlySet<string>): number {
  const [owner, own] = rpartition(symbol, ".");
  const both = new Set([...stemsOfName(own), ...stemsOfName(lastNamePart(owner))]);
  return Math.max(wordOverlap(symbol, asked), common(both, asked));
}

/** The Dice coefficient of two sets of words. */
function common(own: ReadonlySet<string>, asked: ReadonlySet<string>): number {
  let both = 0;
  for (const stem of own) if (asked.has(stem)) both++;
  return (2 * both) / (own.size + asked.size || 1);
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
export function findMember(owner: string | null, members: string, wanted: string): Member | null {
  if (!members) return null;
  const name = normalizeName(owner ?? "");
  if (name && endsWith(name, wanted)) return null;
  return parseMembers(members).find((one) => endsWith(`${name}.${casefold(one.name)}`, wanted)) ?? null;
}

/** Normalizes a name or query for comparison: parts joined by dots, case folded. */
export const normalizeName = memoize((text) => casefold(dotted(text)));

/** Returns true if a normalized query equals the name or its last parts. */
export function isNamed(name: string, wanted: string): boolean {
  return endsWith(normalizeName(name), wanted);
}

/** Parses the members of a node, stored as `4f5e RED:3 GREEN:4`. */
export function parseMembers(text: string): Member[] {
  const said = text.split(" ").slice(1).map((one) => rpartition(one, ":"));
  return said.map(([name, line]) => ({ name, line: Number(line) }));
}

/** Sorts nodes: exact case before other case, sources before tests, types before members. */
function inOrder(nodes: Iterable<NamedNode>, text: string): NamedNode[] {
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

function isNodeNamed(node: NamedNode, wanted: string): boolean {
  return isNamed(node.name, wanted) || findMember(node.name, node.members, wanted) !== null;
}

/**
 * The ids of the few nodes that have the word asked for, and of those whose name begins so; of
 * those whose name is like it, where it is in none.
 */
export interface FuzzyMatches {
  having: readonly string[];
  ids: readonly string[];
}

/**
 * Matches the rows of the similarity statements; nothing if a node has the exact name, or if the
 * word is frequent.
 */
export function fuzzyMatches(queryText: QueryText, known: NamedCandidates, answers: readonly Rows[]): FuzzyMatches {
  const [there, beginning, like] = answers;
  if (hasExactMatch(known) || !there || !beginning || !like) return { having: [], ids: [] };
  if (!there.length) return { having: [], ids: alike(queryText, like) };
  const ids = there.map(([id]) => String(id));
  return {
    having: ids.length <= maxNodesWithWord(queryText) ? ids : [],
    ids: known.spelled.size ? [] : begun(namedNodes(beginning), queryText.name),
  };
}

/** The nodes with names similar to one that no node has. */
function alike(queryText: QueryText, rows: Rows): string[] {
  const name = lastNamePart(queryText.name);
  const grams = gramsOf(name);
  const scored = namedNodes(rows).map((node) => ({ node, score: likeness(name, grams, node) }));
  const near = sortBy(
    scored.filter(({ score }) => score > MIN_SIMILARITY),
    ({ node, score }) => [-score, -owned(node, queryText.name), ...nameOrder(node, name)],
  );
  return nodeIds(near.map(({ node }) => node)).slice(0, MAX_SIMILAR);
}

/**
 * Those whose last part begins with a name's: `RealCal` is in the middle of typing `RealCall`.
 *
 * Those of an owner like its own come first.
 */
function begun(nodes: readonly NamedNode[], name: string): string[] {
  const own = lastNamePart(name);
  const begins = nodes.filter((node) => letters(lastNamePart(node.name)).startsWith(letters(own)));
  return nodeIds(sortBy(begins, (node) => [-owned(node, name), ...nameOrder(node, own)])).slice(0, MAX_SIMILAR);
}

function likeness(name: string, grams: Grams, node: NamedNode): number {
  const own = letters(lastNamePart(node.name));
  return sharedBy(grams, gramsOf(own)) + CONTAINS_BONUS * Number(own.includes(letters(name)));
}

/** The trigram similarity of the owners of node and name, up to 1; 0 without an owner. */
function owned(node: NamedNode, name: string): number {
  const [owner, own] = [name, node.name].map((one) => lastNamePart(rpartition(one, ".")[0]));
  return owner && own ? sharedBy(gramsOf(owner), gramsOf(own)) : 0;
}

/** The Dice coefficient of two names' trigrams. */
function sharedBy(grams: Grams, others: Grams): number {
  let both = 0;
  for (const [gram, count] of grams) both += Math.min(count, others.get(gram) ?? 0);
  return (2 * both) / (total(grams) + total(others));
}

function total(grams: Grams): number {
  return [...grams.values()].reduce((sum, count) => sum + count, 0);
}

function letters(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}

function gramsOf(name: string): Grams {
  const padded = [..."  ", ...letters(name), " "];
  const counts = new Map<string, number>();
  for (let at = 0; at < padded.length - 2; at++) {
    const gram = padded.slice(at, at + 3).join("");
    counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  return counts;
}
