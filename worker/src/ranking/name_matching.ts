/** Matches a query with names of nodes: exact, by words, and similar names. */

import { constants } from "../../build/worker_data.json";
import { memoize } from "../memoize.ts";
import { rpartition, strip } from "../python_strings.ts";
import { sortBy, type SortKey } from "../sorting.ts";
import { type NameMatch, nameMatches } from "../store/name_search.ts";
import { isTestPath } from "../store/scope.ts";
import { isWithinOneEdit } from "../suggestions.ts";
import { lastName, normalizeSymbol } from "../text.ts";
import { isDocument, TEST_KIND } from "../query/file_kinds.ts";
import { tokenLiteral } from "../query/literals.ts";
import { namePartStems, type QueryText } from "../query/query_text.ts";
import { oneEditVariants } from "../query/spelling.ts";
import { findMember, findNearMember, isNamed, normalizeName, ownNames } from "./member_names.ts";

const { MIN_SIMILAR_LETTERS, RARE_COMPOUND_NODES, RARE_WORD_NODES, MAX_NAME_WORDS, MAX_SPELLING_WORDS } =
  constants.name_matching;
const { DEFINITION_TYPES, DECLARATION_SUFFIXES } = constants.name_matching;
const { MAX_SIMILAR, CONTAINS_BONUS, MIN_SIMILARITY } = constants.name_matching;
const { MAX_CORRECTED_LETTERS } = constants.spelling;

type Rows = readonly (readonly unknown[])[];
type Grams = ReadonlyMap<string, number>;

/** The score of each node by its id. */
export type Scores = ReadonlyMap<string, number>;

/**
 * Ids of the nodes whose names or paths match a query, the best first.
 *
 * `overlapScores` are by how well the words of name and query agree; `composedIds` are names made of
 * exactly the query's words.
 */
export interface NameMatches {
  exactIds: readonly string[];
  composedIds: readonly string[];
  pathIds: readonly string[];
  overlapScores: Scores;
  /** Those of all whose name or path is not exactly the query's token. */
  resemblingIds: readonly string[];
}

/** Returns true if a node or a file has exactly the name in the query. */
export function hasExactMatch(matches: NameMatches): boolean {
  return matches.exactIds.length > 0 || matches.pathIds.length > 0;
}

/** Matches the rows of the name statements; types come before members, definitions before declarations. */
export function matchNames(queryText: QueryText, rowSets: readonly Rows[]): NameMatches {
  const [byName = [], withWords = [], ...byPath] = rowSets.map(nameMatches);
  // a constant that is called like a token is found by its exact name
  const byWords = withWords.filter((node) => node.name || !queryText.isOneToken);
  const text = queryText.name || strip(queryText.text);
  const searchedName = normalizeName(text);
  const exact = byName.filter((node) => isNodeNamed(node, searchedName));
  const overlaps = new Map(byWords.map((node) => [node.id, nodeOverlap(node, queryText)]));
  const exactIds = new Set(exact.map((node) => node.id));
  const namesTests = queryText.matches(TEST_KIND.queryPattern);
  const composed = byWords.filter(
    (node) => overlaps.get(node.id) === 1 && !exactIds.has(node.id) && (namesTests || !isTestPath(node.path)),
  );
  return {
    exactIds: nodeIds(sortNodes(exact, text)),
    composedIds: nodeIds(sortNodes(composed, text)),
    pathIds: nodeIds(byPath.flat()),
    overlapScores: new Map(sortBy(overlaps, ([, score]) => [-score])),
    resemblingIds: resemblingIds(queryText, [...exact, ...composed], byPath.flat()),
  };
}

/** The nodes whose name has other letters than the token, or whose path goes on after it; of a flag, all without its dashes. */
function resemblingIds(queryText: QueryText, named: readonly NameMatch[], byPath: readonly NameMatch[]): string[] {
  const [token] = queryText.codeTokens;
  if (!queryText.isOneToken || token === undefined) return [];
  if (queryText.flagTokens.has(token)) {
    const flags = [`-${token}`, `--${token}`];
    return nodeIds([...named.filter(({ name }) => !flags.includes(name)), ...byPath]);
  }
  const ending = `/${queryText.path.toLowerCase()}`;
  const isExact = tokenLiteral(token).caseSensitive;
  const [wanted] = [lastName(normalizeSymbol(token.replace(/\(+$/, "")))];
  return nodeIds([
    ...named.filter((node) => isExact && lastName(normalizeSymbol(node.name)) !== wanted && !memberNames(node).includes(wanted)),
    ...byPath.filter((node) => !`/${node.path.toLowerCase()}`.endsWith(ending)),
  ]);
}

/** The last parts of the names of a node's members. */
function memberNames(node: NameMatch): string[] {
  const members = node.members.split(" ").filter(Boolean).map((member) => member.slice(0, member.lastIndexOf(":")));
  return members.map((name) => lastName(normalizeSymbol(name)));
}

/** Returns true if the query is short enough to be the words of a name. */
export function isShortQuery(queryText: QueryText): boolean {
  return queryText.wordParts.length > 0 && queryText.wordParts.length <= MAX_NAME_WORDS;
}

/** The overlap of the query's words with those of a name's last part, up to 1. */
export function nameOverlap(symbol: string, stems: ReadonlySet<string>): number {
  return diceCoefficient(nameStems(lastName(symbol)), stems);
}

/** The overlap with the node's name, or with the best of a chunk's constants. */
function nodeOverlap({ name, members }: NameMatch, queryText: QueryText): number {
  return Math.max(...ownNames(name, members).map((one) => queryOverlap(one, queryText)));
}

/** The overlap with the last part, or with owner and last part if that is higher: `request finalize`. */
function queryOverlap(symbol: string, { stems, stemsWithStopWords }: QueryText): number {
  const [owner, last] = rpartition(symbol, ".");
  const lastStems = nameStems(last);
  const overlaps = (words: ReadonlySet<string>) => Math.max(diceCoefficient(words, stems), diceCoefficient(words, stemsWithStopWords));
  if (!owner) return overlaps(lastStems);
  return Math.max(overlaps(lastStems), overlaps(new Set([...lastStems, ...nameStems(lastName(owner))])));
}

/** The Dice coefficient of two sets of words. */
function diceCoefficient(nameWords: ReadonlySet<string>, queryWords: ReadonlySet<string>): number {
  let both = 0;
  for (const stem of nameWords) if (queryWords.has(stem)) both++;
  return (2 * both) / (nameWords.size + queryWords.size || 1);
}

/** The stems of a name's words. */
const nameStems = memoize((name) => namePartStems([name]));

/** The highest number of nodes with a word for which the word counts as rare. */
export function rareLimit(queryText: QueryText): number {
  return queryText.wordParts.length > 1 ? RARE_COMPOUND_NODES : RARE_WORD_NODES;
}

/** Returns true if the query is a name that can be matched with similar names. */
export function canMatchSimilar(queryText: QueryText): boolean {
  return [...lastName(queryText.name)].length >= MIN_SIMILAR_LETTERS;
}

/** Sorts nodes: exact case before other case, sources before tests, types before members. */
function sortNodes(nodes: Iterable<NameMatch>, text: string): NameMatch[] {
  return sortBy(nodes, (node) => sortKey(node, text));
}

/**
 * The sort key of a node found by name; of equal ones the longest comes first.
 *
 * For a lowercase query functions of the name and types of it in any case come before members: `Cache` before
 * `Client.cache` for `cache`.
 */
export function sortKey(node: NameMatch, text: string): SortKey {
  const kind = DEFINITION_TYPES.indexOf(node.nodeType);
  const isType = kind === 0 && !isLowercase(lastName(node.name)) && isLowercase(text);
  const isFunction = kind === 1 && isLowercase(text) && isFunctionNamed(node.name, text);
  return [
    isDocument(node.path),
    kind < 0,
    !((isType || isFunction) && !isTestPath(node.path) && isNamed(node.name, normalizeName(text))),
    !node.name.endsWith(text),
    isTestPath(node.path),
    kind < 0 ? DEFINITION_TYPES.length : kind,
    Boolean(node.isExtension),
    isDeclarationFile(node.path),
    -node.lines,
    node.path,
    node.startLine,
  ];
}

/** Returns true for a function with the query's letters, and not a member of a type, which has a capital. */
function isFunctionNamed(name: string, text: string): boolean {
  const owner = lastName(rpartition(name, ".")[0]);
  return name.endsWith(text) && !/^\p{Uppercase}/u.test(owner);
}

function isLowercase(text: string): boolean {
  return text === text.toLowerCase() && text !== text.toUpperCase();
}

/** The ids of nodes. */
export function nodeIds(nodes: readonly NameMatch[]): string[] {
  return nodes.map((node) => node.id);
}

function isNodeNamed(node: NameMatch, searchedName: string): boolean {
  return isNamed(node.name, searchedName) || findMember(node.name, node.members, searchedName, node.path) !== null;
}

/**
 * Ids for a name that no node has exactly.
 *
 * `wordIds` are the nodes with the name as a rare word; `ids` those with the name as a prefix or, if no
 * node has the word, with a similar name.
 */
export interface SimilarNames {
  wordIds: readonly string[];
  ids: readonly string[];
}

/** The ids of the definitions of the names in the text that only one source file defines. */
export function matchAnchors(queryText: QueryText, rowSets: readonly Rows[]): string[] {
  const ids = queryText.anchorNames.flatMap((name, at) => {
    const definitions = nameMatches(rowSets[at] ?? []).filter(
      (node) => DEFINITION_TYPES.includes(node.nodeType) && !isTestPath(node.path) && !isDocument(node.path) &&
        isNamed(node.name, normalizeName(name)),
    );
    return new Set(definitions.map(({ path }) => path)).size === 1 ? nodeIds(definitions) : [];
  });
  return [...new Set(ids)];
}

/**
 * Matches the rows of the similarity statements; nothing if a node has the exact name, or if the
 * word is frequent.
 */
export function matchSimilar(queryText: QueryText, matches: NameMatches, rowSets: readonly Rows[]): SimilarNames {
  const [withWord, withPrefix, similar, spelled] = rowSets;
  if (hasExactMatch(matches) || !withWord || !withPrefix || !similar || !spelled) return { wordIds: [], ids: [] };
  if (!withWord.length) return { wordIds: [], ids: similarNames(queryText, similar, spelled) };
  const ids = withWord.map(([id]) => String(id));
  return {
    wordIds: ids.length <= rareLimit(queryText) ? ids : [],
    ids: matches.overlapScores.size ? [] : prefixMatches(nameMatches(withPrefix), queryText.name),
  };
}

/** The words of the names one edit away that begin with the same letter; none for a name that is too long or has too many words. */
export function spellings(name: string): string[] {
  if (!/^[\x00-\x7f]*$/.test(name) || name.length > MAX_CORRECTED_LETTERS) return [];
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  if (words.length > MAX_SPELLING_WORDS) return [];
  const inPlace = (at: number) => (variant: string) => words.toSpliced(at, 1, variant).join(" ");
  return words.flatMap((word, at) => oneEditVariants(word, at ? 0 : 1).map(inPlace(at)));
}

/** Returns true if a node with a similar name shows what the query means: nodes one edit away are not compared then. */
export function hasMeantName(queryText: QueryText, similarRows: Rows): boolean {
  const name = lastName(queryText.name);
  return nameMatches(similarRows).some((node) => containsName(node.name, name) || meantName(name, node));
}

/** The nodes with names similar to one that no node has, and those with a member one edit away. */
function similarNames(queryText: QueryText, similarRows: Rows, spelledRows: Rows): string[] {
  const name = lastName(queryText.name);
  const grams = trigrams(name);
  const similarNodes = nameMatches(similarRows);
  const isPart = similarNodes.some((node) => containsName(node.name, name)); // a part of a name, no typo
  const spelled = hasMeantName(queryText, similarRows) ? [] : nameMatches(spelledRows);
  const nodes = [...new Map([...similarNodes, ...spelled].map((node) => [node.id, node])).values()];
  const meant = new Map(nodes.map((node) => [node.id, !isPart || containsName(node.name, name) ? meantName(name, node) : ""]));
  const members = new Map<string, string>();
  for (const node of spelled) {
    const member = meant.get(node.id) ? null : findNearMember(node.name, node.members, name);
    if (member) members.set(node.id, member.name);
  }
  const scored = nodes.map((node) => ({
    node,
    meant: meant.get(node.id) || members.get(node.id) || "",
    score: similarity(name, grams, members.get(node.id) ?? lastName(node.name)),
  }));
  const similar = sortBy(
    scored.filter((one) => one.meant || one.score > MIN_SIMILARITY),
    ({ node, meant: own, score }) => [
      Number(!own),
      Number(members.has(node.id)),
      -score,
      -ownerSimilarity(node, queryText.name),
      ...sortKey(node, own || name),
    ],
  );
  return nodeIds(similar.map(({ node }) => node)).slice(0, MAX_SIMILAR);
}

/**
 * The node's own name if the searched one may be a misspelling of it, else empty.
 *
 * In lower case for a lowercase query, so that the nodes are sorted as for the right spelling.
 */
function meantName(name: string, node: NameMatch): string {
  const own = lastName(node.name);
  const meant = isLowercase(name) ? own.toLowerCase() : own;
  return isWithinOneEdit(name, meant) ? meant : "";
}

/**
 * The nodes whose last part begins with that of the name: `RealCal` may become `RealCall`.
 *
 * Those with a similar owner come first.
 */
function prefixMatches(nodes: readonly NameMatch[], name: string): string[] {
  const last = lastName(name);
  const prefixed = nodes.filter((node) => lowercaseLetters(lastName(node.name)).startsWith(lowercaseLetters(last)));
  return nodeIds(sortBy(prefixed, (node) => [-ownerSimilarity(node, name), ...sortKey(node, last)])).slice(0, MAX_SIMILAR);
}

function similarity(name: string, grams: Grams, other: string): number {
  return trigramSimilarity(grams, trigrams(other)) + CONTAINS_BONUS * Number(containsName(other, name));
}

function containsName(symbol: string, name: string): boolean {
  return lowercaseLetters(lastName(symbol)).includes(lowercaseLetters(name));
}

/** The trigram similarity of the owners of node and name, up to 1; 0 without an owner. */
function ownerSimilarity(node: NameMatch, name: string): number {
  const [owner, own] = [name, node.name].map((one) => lastName(rpartition(one, ".")[0]));
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

/** True for a header or a file of stubs, which declare what other files define. */
export function isDeclarationFile(path: string): boolean {
  return DECLARATION_SUFFIXES.some((suffix) => path.endsWith(suffix));
}
