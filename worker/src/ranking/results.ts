/** The hits of a page: parts of a node become one hit, duplicates are grouped, facets counted. */

import { constants } from "../../build/worker_data.json";
import { groupBy, groupsWithDuplicates, keyOf } from "../collections.ts";
import { rpartition, split, strip } from "../python_strings.ts";
import { sortBy } from "../sorting.ts";
import type { Hit } from "../store/hits.ts";
import type { PartRange } from "../store/node_parts.ts";
import { isTestPath } from "../store/scope.ts";
import { lastName, normalizeSymbol } from "../text.ts";
import type { Member } from "./member_names.ts";

const { MAX_DEDUPLICATED, MAX_FACET_VALUES } = constants.results;
const { MIN_DUPLICATE_LINES, MIN_DUPLICATE_WORDS } = constants.nodes;
const DOCUMENT_TYPES = new Set(constants.nodes.DOCUMENT_TYPES);

/** The matching part of a node that is indexed in parts: its lines, and `matching` parts `of` all. */
export interface PartMatch {
  startLine: number;
  endLine: number;
  matching: number;
  of: number;
}

/**
 * A scored node.
 *
 * `ranks` are its ranks from 1 by ranking; `parts` add up to the score. `member` is the name in the
 * node that the query matches. `others` are further parts of the node, `copies` nodes with the same
 * text.
 */
export interface Result {
  hit: Hit;
  score: number;
  ranks: ReadonlyMap<string, number>;
  member: Member | null;
  scoreParts: ReadonlyMap<string, number>;
  others: readonly Result[];
  copies: readonly Result[];
  partMatch: PartMatch | null;
}

/**
 * A page of results out of `total`, or more than `total` where `atLeast`.
 *
 * `results` are those of the page, `allResults` those of all pages.
 */
export interface ResultPage {
  results: readonly Result[];
  total: number;
  notes: readonly string[];
  atLeast: boolean;
  allResults: readonly Result[];
}

type PartRanges = ReadonlyMap<string, PartRange>;

export type Facets = Record<"language" | "path" | "node_type" | "tests", Record<string, number>>;

/** A result without a score. */
export function resultOf(hit: Hit): Result {
  return { hit, score: 0, ranks: new Map(), scoreParts: new Map(), others: [], copies: [], partMatch: null, member: null };
}

/** The hits that may be grouped or deduplicated: with an equal name or of an equal kind. */
export function groupingCandidates(results: readonly Result[]): Hit[] {
  const hits = results.map((result) => result.hit);
  const named = groupsWithDuplicates(hits, groupPrefilter, (hit) => groupKey(hit)).flat();
  const duplicates = groupsWithDuplicates(hits.slice(0, MAX_DEDUPLICATED + named.length), duplicatePrefilter, duplicateKey).flat();
  return [...new Map([...named, ...duplicates].map((hit) => [hit.id, hit])).values()];
}

/**
 * Groups the parts of each node under the best one.
 *
 * `ranges` are the part ranges of all `groupingCandidates`, so that groups do not depend on the page.
 */
export function groupParts(results: readonly Result[], ranges: PartRanges): Result[] {
  const groupOf = new Map<Result, Result[]>();
  const prefilter = (result: Result) => groupPrefilter(result.hit);
  for (const group of groupsWithDuplicates(results, prefilter, (result) => groupKey(result.hit, ranges)))
    for (const result of group) groupOf.set(result, group);
  const best = results.filter((result) => (groupOf.get(result)?.[0] ?? result) === result);
  return best.map((result) => {
    return mergeParts(result, groupOf.get(result)?.slice(1) ?? [], ranges.get(result.hit.id));
  });
}

/** The first result with the others grouped under it; a part gets the lines of the whole node. */
export function mergeParts(first: Result, others: readonly Result[], range: PartRange | undefined): Result {
  const merged = { ...first, others };
  if (!range || range.partCount < 2) return merged;
  const { hit } = merged;
  // a section's code block or a Pascal declaration is grouped here, but is no part of the node
  const parts = others.filter((other) => isSamePart(other.hit, hit));
  const partLines = { startLine: hit.startLine, endLine: hit.endLine };
  return {
    ...merged,
    hit: { ...hit, startLine: range.firstLine, endLine: range.lastLine },
    partMatch: { ...partLines, matching: 1 + parts.length, of: range.partCount },
  };
}

/** The hits whose lines must be compared to find nodes with the same text. */
export function duplicateCandidates(nodes: readonly Result[]): Hit[] {
  const best = nodes.slice(0, MAX_DEDUPLICATED).map((node) => node.hit);
  const long = best.filter((hit) => isOfDocument(hit) || lineCount(hit) >= MIN_DUPLICATE_LINES);
  const sizedKey = (hit: Hit) => keyOf(duplicateKey(hit), isOfDocument(hit) ? 0 : lineCount(hit));
  return groupsWithDuplicates(long, duplicatePrefilter, sizedKey).flat();
}

/** Makes one result of the best nodes with the same key; a node without one is unique. */
export function groupDuplicates(nodes: readonly Result[], keys: ReadonlyMap<string, string>): Result[] {
  const best = nodes.slice(0, MAX_DEDUPLICATED);
  const groups = groupBy(best, ({ hit }) => keys.get(hit.id) ?? hit.id);
  const unique = Array.from(groups.values(), ([first, ...copies]) => ({ ...first!, copies }));
  return [...unique, ...nodes.slice(MAX_DEDUPLICATED)];
}

/** Counts results by the values of each filter, the most frequent first. */
export function countFacets(results: readonly Result[]): Facets {
  const hits = results.map((result) => result.hit);
  return {
    language: topCounts(hits.flatMap((hit) => hit.language || [])),
    path: topCounts(divergingFolders(hits.map((hit) => hit.path))),
    node_type: topCounts(hits.map((hit) => hit.nodeType)),
    tests: topCounts(hits.map((hit) => (isTestPath(hit.path) ? "only" : "no"))),
  };
}

function isSamePart(one: Hit, other: Hit): boolean {
  return one.nodeType === other.nodeType && one.signature === other.signature;
}

/**
 * The key of results that are one hit: the name in a file; the line for parts of a long line.
 *
 * Overloads differ in their signatures. In Pascal a declaration is grouped with its definition.
 */
function groupKey(hit: Hit, ranges?: PartRanges): string {
  const { repo, path, startLine } = hit;
  if (hit.symbol && hit.language !== "pascal") {
    const range = ranges?.get(hit.id);
    const lines = range ? `${range.firstLine}-${range.lastLine} ${range.partCount}` : null;
    return keyOf(repo, path, hit.symbol, hit.nodeType, hit.signature, lines);
  }
  const name = hit.symbol || hit.logicalPath;
  if (!name && startLine === hit.endLine) return keyOf("line", repo, path, startLine);
  return name ? keyOf(repo, path, name) : hit.id;
}

/** A cheap key that hits with the same group key share, and others seldom. */
function groupPrefilter(hit: Hit): string {
  return hit.symbol || hit.logicalPath || hit.path;
}

/** A cheap key that hits with the same duplicate key share, and others seldom. */
function duplicatePrefilter(hit: Hit): string {
  if (hit.symbol) return lastName(normalizeSymbol(hit.symbol));
  return isOfDocument(hit) ? "document" : hit.nodeType;
}

/** The key that nodes with the same text share. */
function duplicateKey(hit: Hit): string {
  if (hit.symbol) return keyOf("named", hit.nodeType, hit.signature, lastName(normalizeSymbol(hit.symbol)));
  if (isOfDocument(hit)) return "document";
  return keyOf(hit.nodeType, hit.language, hit.logicalPath ? null : lineCount(hit));
}

function lineCount(hit: Hit): number {
  return hit.endLine - hit.startLine + 1;
}

function isOfDocument(hit: Hit): boolean {
  return DOCUMENT_TYPES.has(hit.nodeType);
}

/** The key of hits with the same text, given the hash of their lines, or words of a document; null if it is 0. */
export function hashKey(hit: Hit, hash: number): string | null {
  return hash ? `${isOfDocument(hit) ? "words" : "lines"} ${hash}` : null;
}

/** The lines of a node, or the words of a document, as a key; null for a text too short to compare. */
export function textKey(hit: Hit, text: readonly string[]): string | null {
  if (isOfDocument(hit)) {
    const words = text.flatMap(split);
    return words.length >= MIN_DUPLICATE_WORDS ? JSON.stringify(words) : null;
  }
  return text.length >= MIN_DUPLICATE_LINES && text.some(strip) ? JSON.stringify(text) : null;
}

function topCounts(values: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Object.fromEntries(sortBy(counts, ([, count]) => [-count]).slice(0, MAX_FACET_VALUES));
}

/** The folders below the common one, from the root: `/src/a` and `/src/b`. */
function divergingFolders(paths: readonly string[]): string[] {
  const parts = paths.map((path) => rpartition(path, "/")[0].split("/").filter(Boolean));
  const [first = []] = parts;
  const diverging = first.findIndex((part, at) => parts.some((folder) => folder[at] !== part));
  const depth = diverging < 0 ? first.length : diverging;
  const below = parts.filter((folder) => folder.length > depth);
  return below.map((folder) => `/${folder.slice(0, depth + 1).join("/")}`);
}
