/** Line ranges of the parts of long nodes. */

import { constants } from "../../build/worker_data.json";
import { groupBy, keyOf } from "../collections.ts";
import type { Hit } from "./hits.ts";

const MAX_GAP_LINES = constants.node_parts.MAX_GAP_LINES;

/** The lines that consecutive parts of a node cover, and the number of parts. */
export interface PartRange {
  firstLine: number;
  lastLine: number;
  partCount: number;
}

/** The part ranges, in order, by the key that nodes with equal names share. */
export type PartsByNode = ReadonlyMap<string, readonly PartRange[]>;

/** The part ranges in the rows of the `nodeParts` statement. */
export function partsFromRows(rows: readonly (readonly unknown[])[]): PartsByNode {
  const rowsByNode = groupBy(rows, (row) => keyOf(...(row.slice(0, 6) as string[]))); // or null
  return new Map(Array.from(rowsByNode, ([identity, nodeRows]) => [identity, nodeRows.map(partFromRow)]));
}

/** The part ranges in the rows of the `hitsWithParts` statement, of which `hits` were made. */
export function partsFromHits(hits: readonly Hit[], rows: readonly (readonly unknown[])[]): PartsByNode {
  const parts = new Map<string, readonly PartRange[]>();
  hits.forEach((hit, at) => {
    const lines = rows[at]!.at(-1) as string | null;
    if (lines === null) return;
    const identity = nodeIdentity(hit);
    const [first, ...rest] = JSON.parse(lines) as [number, number][] | [number, number, number];
    if (typeof first === "number") {
      const [lastLine, partCount] = rest as [number, number];
      const run = { firstLine: first, lastLine, partCount };
      const runs = parts.get(identity) ?? [];
      const isKnown = runs.some(({ firstLine }) => firstLine === first);
      if (!isKnown) parts.set(identity, [...runs, run].sort((one, other) => one.firstLine - other.firstLine));
      return;
    }
    const ranges = [first!, ...(rest as [number, number][])];
    parts.set(identity, ranges.map(([firstLine, lastLine]) => ({ firstLine, lastLine, partCount: 1 })));
  });
  return parts;
}

/**
 * Joins consecutive nodes of one name and file; returns the range around each hit, by id.
 *
 * Other nodes of that name, such as a function's second definition in an `#ifdef`, are ranges of their
 * own. Unnamed hits are left out.
 */
export function partRanges(hits: readonly Hit[], parts: PartsByNode): Map<string, PartRange> {
  const ranges = new Map<string, PartRange>();
  for (const hit of hits) {
    const nodeParts = parts.get(nodeIdentity(hit));
    if (nodeParts) ranges.set(hit.id, rangeContaining(hit.startLine, nodeParts));
  }
  return ranges;
}

function nodeIdentity(hit: Hit): string {
  return keyOf(hit.repo, hit.path, hit.nodeType, hit.symbol, hit.signature, hit.logicalPath);
}

function partFromRow(row: readonly unknown[]): PartRange {
  return { firstLine: row[6] as number, lastLine: row[7] as number, partCount: 1 }; // as selected
}

function rangeContaining(line: number, parts: readonly PartRange[]): PartRange {
  const ranges: PartRange[] = [];
  for (const part of parts) {
    const range = ranges.at(-1);
    if (!range || part.firstLine > range.lastLine + MAX_GAP_LINES) ranges.push({ ...part });
    else {
      range.lastLine = Math.max(range.lastLine, part.lastLine);
      range.partCount += 1;
    }
  }
  const containing = ranges.find((range) => range.firstLine <= line && line <= range.lastLine);
  if (!containing) throw new Error(`no part of a node contains line ${line}`);
  return containing;
}
