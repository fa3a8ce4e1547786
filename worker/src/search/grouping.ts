/** Which hits are one? The pieces of a node, a section with its code, and copies of a text. */

import shared from "../../build/shared.json";
import { alike, grouping, keyOf } from "../groups.ts";
import { split, strip } from "../letters.ts";
import type { Run } from "../store/pieces.ts";
import { dotted } from "../symbols.ts";
import type { Found, Hit } from "./found.ts";
import { last } from "./names.ts";

const { MAX_DEDUPLICATED: COMPARED, MIN_DUPLICATE_LINES: COPIED_LINES, MIN_DUPLICATE_WORDS: COPIED_WORDS } = shared.constants.grouping;
const DOCUMENT_TYPES = new Set(shared.constants.nodes.DOCUMENT_TYPES);

/** A node's lines, and where they are. */
export interface Lines {
  first: number;
  last: number;
  lines: readonly string[];
}

type Runs = ReadonlyMap<string, Run>;

/** The hits that may be one with another: of one name in a file, or of one form. */
export function akin(found: readonly Found[]): Hit[] {
  const hits = found.map((one) => one.hit);
  const named = alike(hits, nameOf, (hit) => nameKey(hit)).flat();
  const formed = alike(hits.slice(0, COMPARED + named.length), lastName, form).flat();
  return [...new Map([...named, ...formed].map((hit) => [hit.id, hit])).values()];
}

/**
 * Each group's best, with the rest of it as its `others`.
 *
 * What is named alike is one where it is of one run. `runs` has those of all that are `akin`, so
 * that groups are the same whichever of them are shown.
 */
export function grouped(found: readonly Found[], runs: Runs): Found[] {
  const same = new Map<Found, Found[]>();
  const name = (one: Found) => nameOf(one.hit);
  for (const group of alike(found, name, (one) => nameKey(one.hit, runs)))
    for (const one of group) same.set(one, group);
  const first = found.filter((one) => (same.get(one)?.[0] ?? one) === one);
  return first.map((one) => whole(one, same.get(one)?.slice(1) ?? [], runs.get(one.hit.id)));
}

/** The first with the others; a piece of a node becomes the node, with the lines of all. */
export function whole(first: Found, others: readonly Found[], run: Run | undefined): Found {
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
export function compared(nodes: readonly Found[]): Hit[] {
  const best = nodes.slice(0, COMPARED).map((one) => one.hit);
  const long = best.filter((hit) => isOfDocument(hit) || count(hit) >= COPIED_LINES);
  return alike(long, lastName, (hit) => keyOf(form(hit), isOfDocument(hit) ? 0 : count(hit))).flat();
}

/** The nodes with `copies`, told among the best by the lines of those that are `compared`. */
export function copied(nodes: readonly Found[], lines: ReadonlyMap<string, Lines>): Found[] {
  const best = nodes.slice(0, COMPARED);
  const groups = grouping(best, ({ hit }) => textOf(hit, lines.get(hit.id)) ?? hit.id);
  const once = Array.from(groups.values(), ([first, ...rest]) => {
    return { ...first!, copies: rest.map((one) => moved(one, lines.get(one.hit.id)!)) };
  });
  return [...once, ...nodes.slice(COMPARED)];
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
  if (hit.symbol) return last(dotted(hit.symbol));
  return isOfDocument(hit) ? "document" : hit.nodeType;
}

/** What nodes of one text have in common; what has no name is in no pieces. */
function form(hit: Hit): string {
  if (hit.symbol) return keyOf("named", hit.nodeType, hit.signature, last(dotted(hit.symbol)));
  if (isOfDocument(hit)) return "document";
  return keyOf(hit.nodeType, hit.language, hit.logicalPath ? null : count(hit));
}

function count(hit: Hit): number {
  return hit.endLine - hit.startLine + 1;
}

/** A copy is told where its lines are. */
function moved(one: Found, lines: Lines): Found {
  return { ...one, hit: { ...one.hit, startLine: lines.first, endLine: lines.last } };
}

function isOfDocument(hit: Hit): boolean {
  return DOCUMENT_TYPES.has(hit.nodeType);
}

/** A node's lines, of a document its words, where they are enough to be no chance. */
function textOf(hit: Hit, lines: Lines | undefined): string | null {
  const text = lines?.lines ?? [];
  if (isOfDocument(hit)) {
    const words = text.flatMap(split);
    return words.length >= COPIED_WORDS ? JSON.stringify(words) : null;
  }
  return text.length >= COPIED_LINES && text.some(strip) ? JSON.stringify(text) : null;
}
