/** Line ranges of the parts of long nodes. */

import { constants } from "../../build/worker_data.json";
import { groupBy, keyOf } from "../collections.ts";
import type { Hit } from "../search/results.ts";

const GAP = constants.node_parts.MAX_GAP_LINES;

/** The lines from `first` to `last` that a number of parts cover. */
export interface PartRange {
  first: number;
  last: number;
  pieces: number;
}

/** The part ranges, in order, by the key that nodes with equal names share. */
export type PartRanges = ReadonlyMap<string, readonly PartRange[]>;

/** The part ranges in the rows of the `nodeParts` statement. */
export function partRanges(rows: readonly (readonly unknown[])[]): PartRanges {
  const found = groupBy(rows, (row) => keyOf(...(row.slice(0, 6) as string[]))); // or null
  return new Map(Array.from(found, ([kind, pieces]) => [kind, pieces.map(span)]));
}

/**
 * Joins consecutive nodes of one name and file; returns the range around each hit, by id.
 *
 * Other nodes of that name, such as a function's second definition in an `#ifdef`, are ranges of their
 * own. Unnamed hits are left out.
 */
export function partsOfHits(hits: readonly Hit[], spans: PartRanges): Map<string, PartRange> {
  const found = new Map<string, PartRange>();
  for (const hit of hits) {
    const some = spans.get(kind(hit));
    if (some) found.set(hit.id, holding(hit.startLine, some));
  }
  return found;
}

function kind(hit: Hit): string {
  return keyOf(hit.repo, hit.path, hit.nodeType, hit.symbol, hit.signature, hit.logicalPath);
}

function span(row: readonly unknown[]): PartRange {
  return { first: row[6] as number, last: row[7] as number, pieces: 1 }; // as selected
}

function holding(line: number, pieces: readonly PartRange[]): PartRange {
  const joined: PartRange[] = [];
  for (const span of pieces) {
    const run = joined.at(-1);
    if (!run || span.first > run.last + GAP) joined.push({ ...span });
    else Object.assign(run, { last: Math.max(run.last, span.last), pieces: run.pieces + 1 });
  }
  const found = joined.find((run) => run.first <= line && line <= run.last);
  if (!found) throw new Error(`no piece of a node has line ${line}`);
  return found;
}
