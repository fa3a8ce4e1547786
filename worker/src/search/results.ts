/** The hits of a page: parts of a node become one hit, duplicates are grouped, facets counted. */

import { constants } from "../../build/worker_data.json";
import { groupBy, groupsWithDuplicates, keyOf } from "../collections.ts";
import { rpartition, split, strip } from "../python_strings.ts";
import { sortBy } from "../sorting.ts";
import type { PartRange } from "../store/node_parts.ts";
import { isTest } from "../store/scope.ts";
import { dotted } from "../text.ts";
import { lastNamePart } from "./name_matching.ts";

/** A node as a search shows it. */
export interface Hit {
  id: string;
  path: string;
  language: string | null;
  nodeType: string;
  symbol: string | null;
  signature: string | null;
  logicalPath: string | null;
  startLine: number;
  endLine: number;
  members: string;
  repo: string;
  /** A model's line on it; empty where it has none. */
  description: string;
}

/** A name in a node that is no node itself: an enum's member, a field, a constant. */
export interface Member {
  name: string;
  line: number;
}

/** The lines of a node that answer, where it is kept in pieces; and how many of them do. */
export interface MatchingPart {
  startLine: number;
  endLine: number;
  matching: number;
  of: number;
}

/**
 * A node that answers: its score and what that is made of, its ranks from 1 by what found it.
 *
 * `parts` are the rules' shares, which add up to the score; `member` is what the query names, where
 * that is a part of the node. `others` are one hit with it, `copies` have the same text.
 */
export interface Result {
  hit: Hit;
  score: number;
  ranks: ReadonlyMap<string, number>;
  member: Member | null;
  parts: ReadonlyMap<string, number>;
  others: readonly Result[];
  copies: readonly Result[];
  piece: MatchingPart | null;
}

/**
 * Nodes from a place on, the number of all that were found, and what has to be said.
 *
 * Where `atLeast`, there may be more of them than `total`, which were not looked at. `every` has
 * those before and after, too.
 */
export interface ResultPage {
  found: readonly Result[];
  total: number;
  notes: readonly string[];
  atLeast: boolean;
  every: readonly Result[];
}

/** The hit of a row of SQL's, whose columns are Python's `Hit`. */
export function hitFromRow(row: readonly unknown[]): Hit {
  const [id, path, language, nodeType, symbol, signature, logicalPath, startLine, endLine] = row;
  const [members, repo, description] = row.slice(9);
  const facts = { id, path, language, nodeType, symbol, signature, logicalPath, startLine, endLine };
  return { ...facts, members, repo, description } as Hit; // as selected
}

const { MAX_DEDUPLICATED, MIN_DUPLICATE_LINES, MIN_DUPLICATE_WORDS } = constants.results;
const DOCUMENT_TYPES = new Set(constants.nodes.DOCUMENT_TYPES);

/** A node's lines, and where they are. */
export interface NodeLines {
  first: number;
  last: number;
  lines: readonly string[];
}

type Runs = ReadonlyMap<string, PartRange>;

/** The hits that may be one with another: of one name in a file, or of one form. */
export function groupingCandidates(found: readonly Result[]): Hit[] {
  const hits = found.map((one) => one.hit);
  const named = groupsWithDuplicates(hits, nameOf, (hit) => nameKey(hit)).flat();
  const formed = groupsWithDuplicates(hits.slice(0, MAX_DEDUPLICATED + named.length), lastName, form).flat();
  return [...new Map([...named, ...formed].map((hit) => [hit.id, hit])).values()];
}

/**
 * Each group's best, with the rest of it as its `others`.
 *
 * What is named alike is one where it is of one run. `runs` has those of all that are `akin`, so
 * that groups are the same whichever of them are shown.
 */
export function groupParts(found: readonly Result[], runs: Runs): Result[] {
  const same = new Map<Result, Result[]>();
  const name = (one: Result) => nameOf(one.hit);
  for (const group of groupsWithDuplicates(found, name, (one) => nameKey(one.hit, runs)))
    for (const one of group) same.set(one, group);
  const first = found.filter((one) => (same.get(one)?.[0] ?? one) === one);
  return first.map((one) => mergeParts(one, same.get(one)?.slice(1) ?? [], runs.get(one.hit.id)));
}

/** The first with the others; a piece of a node becomes the node, with the lines of all. */
export function mergeParts(first: Result, others: readonly Result[], run: PartRange | undefined): Result {
  const one = { ...first, others };
  if (!run || run.pieces < 2) return one;
  const { hit } = one;
  // a section's code block, a Pascal declaration are of the group, and no pieces of it
  const pieces = others.filter((of) => isAlike(of.hit, hit));
  const piece = { startLine: hit.startLine, endLine: hit.endLine };
  return {
    ...one,
    hit: { ...hit, startLine: run.first, endLine: run.last },
    piece: { ...piece, matching: 1 + pieces.length, of: run.pieces },
  };
}

/** The hits whose lines tell which of the grouped nodes are copies. */
export function duplicateCandidates(nodes: readonly Result[]): Hit[] {
  const best = nodes.slice(0, MAX_DEDUPLICATED).map((one) => one.hit);
  const long = best.filter((hit) => isOfDocument(hit) || count(hit) >= MIN_DUPLICATE_LINES);
  return groupsWithDuplicates(long, lastName, (hit) => keyOf(form(hit), isOfDocument(hit) ? 0 : count(hit))).flat();
}

/** The nodes with `copies`, told among the best by the lines of those that are `compared`. */
export function groupDuplicates(nodes: readonly Result[], lines: ReadonlyMap<string, NodeLines>): Result[] {
  const best = nodes.slice(0, MAX_DEDUPLICATED);
  const groups = groupBy(best, ({ hit }) => textOf(hit, lines.get(hit.id)) ?? hit.id);
  const once = Array.from(groups.values(), ([first, ...rest]) => {
    return { ...first!, copies: rest.map((one) => moved(one, lines.get(one.hit.id)!)) };
  });
  return [...once, ...nodes.slice(MAX_DEDUPLICATED)];
}

function isAlike(one: Hit, other: Hit): boolean {
  return one.nodeType === other.nodeType && one.signature === other.signature;
}

/**
 * Overloads differ in their signatures; a Pascal declaration stands with what it declares.
 *
 * Pieces of one long line without a name are shown alike: that line.
 */
function nameKey(hit: Hit, runs?: Runs): string {
  const { repo, path, startLine } = hit;
  if (hit.symbol && hit.language !== "pascal") {
    const run = runs?.get(hit.id);
    const lines = run ? `${run.first}-${run.last} ${run.pieces}` : null;
    return keyOf(repo, path, hit.symbol, hit.nodeType, hit.signature, lines);
  }
  const name = hit.symbol || hit.logicalPath;
  if (!name && startLine === hit.endLine) return keyOf("line", repo, path, startLine);
  return name ? keyOf(repo, path, name) : hit.id;
}

/** What hits that are one have in common at least, and others seldom. */
function nameOf(hit: Hit): string {
  return hit.symbol || hit.logicalPath || hit.path;
}

/** The same of nodes of one text. */
function lastName(hit: Hit): string {
  if (hit.symbol) return lastNamePart(dotted(hit.symbol));
  return isOfDocument(hit) ? "document" : hit.nodeType;
}

/** What nodes of one text have in common; what has no name is in no pieces. */
function form(hit: Hit): string {
  if (hit.symbol) return keyOf("named", hit.nodeType, hit.signature, lastNamePart(dotted(hit.symbol)));
  if (isOfDocument(hit)) return "document";
  return keyOf(hit.nodeType, hit.language, hit.logicalPath ? null : count(hit));
}

function count(hit: Hit): number {
  return hit.endLine - hit.startLine + 1;
}

/** A copy is told where its lines are. */
function moved(one: Result, lines: NodeLines): Result {
  return { ...one, hit: { ...one.hit, startLine: lines.first, endLine: lines.last } };
}

function isOfDocument(hit: Hit): boolean {
  return DOCUMENT_TYPES.has(hit.nodeType);
}

/** A node's lines, of a document its words, where they are enough to be no chance. */
function textOf(hit: Hit, lines: NodeLines | undefined): string | null {
  const text = lines?.lines ?? [];
  if (isOfDocument(hit)) {
    const words = text.flatMap(split);
    return words.length >= MIN_DUPLICATE_WORDS ? JSON.stringify(words) : null;
  }
  return text.length >= MIN_DUPLICATE_LINES && text.some(strip) ? JSON.stringify(text) : null;
}

const { MAX_FACET_VALUES } = constants.results;

export type Facets = Record<"language" | "path" | "node_type" | "tests", Record<string, number>>;

/** Hits by each value of the filter that it is called after, the most first. */
export function countFacets(found: readonly Result[]): Facets {
  const hits = found.map((one) => one.hit);
  return {
    language: counts(hits.flatMap((hit) => hit.language || [])),
    path: counts(folders(hits.map((hit) => hit.path))),
    node_type: counts(hits.map((hit) => hit.nodeType)),
    tests: counts(hits.map((hit) => (isTest(hit.path) ? "only" : "no"))),
  };
}

function counts(values: readonly string[]): Record<string, number> {
  const counted = new Map<string, number>();
  for (const value of values) counted.set(value, (counted.get(value) ?? 0) + 1);
  return Object.fromEntries(sortBy(counted, ([, count]) => [-count]).slice(0, MAX_FACET_VALUES));
}

/** Where the folders of paths part: `/src/a` and `/src/b`, from the root. */
function folders(paths: readonly string[]): string[] {
  const parts = paths.map((path) => rpartition(path, "/")[0].split("/").filter(Boolean));
  const [first = []] = parts;
  const apart = first.findIndex((part, at) => parts.some((own) => own[at] !== part));
  const depth = apart < 0 ? first.length : apart;
  const below = parts.filter((own) => own.length > depth);
  return below.map((own) => `/${own.slice(0, depth + 1).join("/")}`);
}
