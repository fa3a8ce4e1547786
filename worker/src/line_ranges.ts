/** Ranges of lines of a file, 1-based and inclusive, and their stored form `12-40,55`. Mirrors `feeder.line_ranges`. */

import { sortBy } from "./sorting.ts";

/** The first and the last line. */
export type LineRange = readonly [first: number, last: number];

export function decodeRanges(text: string): LineRange[] {
  return text.split(",").filter(Boolean).map((part) => {
    const [first, last = first] = part.split("-").map(Number);
    return [first!, last!];
  });
}

/** Sorts ranges, and joins those that overlap or follow each other without a gap. */
export function mergeRanges(ranges: readonly LineRange[]): LineRange[] {
  const merged: LineRange[] = [];
  for (const [first, last] of sortBy(ranges, (range) => [...range])) {
    const before = merged.at(-1);
    if (before && first <= before[1] + 1) merged.splice(-1, 1, [before[0], Math.max(last, before[1])]);
    else merged.push([first, last]);
  }
  return merged;
}

/** The parts of ranges that are on the lines `first` to `last`. */
export function rangesWithin(ranges: readonly LineRange[], first: number, last: number): LineRange[] {
  const cut = ranges.map(([one, other]): LineRange => [Math.max(one, first), Math.min(other, last)]);
  return cut.filter(([one, other]) => one <= other);
}

/** Counts the lines of ranges that do not overlap. */
export function countLines(ranges: readonly LineRange[]): number {
  return ranges.reduce((total, [first, last]) => total + last - first + 1, 0);
}
