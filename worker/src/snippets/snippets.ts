/**
 * Chooses the lines that are shown for a hit, and the ranges that are highlighted.
 *
 * All arithmetic is in integers, so that Python chooses the same lines.
 */

import { constants } from "../../build/worker_data.json";
import { length, split, strip, stripCharacters } from "../python_strings.ts";
import type { LiteralMatch } from "../query/literals.ts";
import { TermMatcher, type TermMatch } from "../query/term_matching.ts";
import { Layout } from "./layout.ts";

const { REPEAT_WEIGHTS, MAX_SHIFT, MAX_HEAD_LINES, HEAD_SEARCH_LINES } = constants.snippets;
const { MAX_COMPARED, CUT_PENALTY, ANCHOR_WEIGHT, LITERAL_WEIGHT, MAX_HIGHLIGHTS } = constants.snippets;
/** Characters that the index removes from the end of a signature. */
const SIGNATURE_TRIM = constants.snippets.SIGNATURE_TRIM;
export const DEFAULT_LINES = constants.query_plan.DEFAULT_LINES;
const TABLE_ROW = new RegExp(`^(?:${constants.snippets.TABLE_ROW.ascii})`);
const TABLE_RULE = new RegExp(`^(?:${constants.snippets.TABLE_RULE.ascii})$`);
/** Term matchers that are cached: one query has the same words for each hit. */
const MAX_CACHED_MATCHERS = 8;

/** A highlighted word: its line, and its characters from `start` up to `end`, counted from 0. */
export interface Highlight {
  line: number;
  start: number;
  end: number;
}

/** Consecutive lines and the number of the first. */
export interface SnippetPart {
  startLine: number;
  lines: readonly string[];
}

/**
 * The lines shown of a node; `head` is the signature if it is above and apart from them.
 *
 * `below` counts the node's lines after all that is shown. `more` are further lines with literals, apart
 * from the others.
 */
export interface Snippet extends SnippetPart {
  marks: Highlight[];
  head: SnippetPart | null;
  below: number;
  more: SnippetPart[];
}

/** The words to show and the limits of a snippet; rows are counted from 0 in the node. */
export interface SnippetRequest {
  words: readonly string[];
  /** The maximum number of lines. */
  size?: number;
  /** The indexed signature, on one line. */
  signature?: string | null;
  /** A row that must be shown. */
  anchor?: number | null;
  /** Ranges of rows (end exclusive) that belong to other nodes. */
  inner?: readonly (readonly [number, number])[];
  /** Rows with their characters from start up to end that match exactly: as many as fit are shown. */
  literals?: readonly LiteralMatch[];
}

/** A range of rows, end exclusive. */
type Range = readonly [start: number, end: number];

/** Rows with words of the query: the weight of each word in a row. */
type RowScores = ReadonlyMap<number, ReadonlyMap<string, number>>;

/** A range of rows that begins and ends with a matching row, and its score. */
interface ScoredRange {
  first: number;
  last: number;
  score: number;
}

/** A range of rows, end exclusive, and the cost of cutting it out of its node. */
interface Cut {
  cost: number;
  start: number;
  end: number;
}

/** A node's lines with their layout, the words in each row, and the rows of the signature. */
interface NodeText {
  readonly lines: readonly string[];
  readonly layout: Layout;
  readonly rows: RowScores;
  readonly head: Range;
}

/** The rows shown, and those of the signature if it is apart from them. */
interface ShownRows {
  readonly rows: Range;
  readonly head: Range | null;
}

/** Chooses the best lines of a node whose first line has the number `startLine`. */
export function makeSnippet(lines: readonly string[], startLine: number, request: SnippetRequest): Snippet {
  const matches = [...cachedMatcher(request.words).findMatches(lines)];
  const limit = request.size ?? DEFAULT_LINES;
  const rows = scoreRows(matches, lines.length, request);
  const layout = new Layout(rows.size && lines.length > limit ? lines : []);
  const text = { lines, layout, rows, head: findHead(lines, request.signature) };
  const required = literalRows(request);
  const size = Math.min(limit, lines.length);
  let shown = chooseLines(text, size, required);
  let hidden = hiddenRows(shown, required);
  const half = Math.floor(size / 2);
  let reserved = 0; // for hidden rows with literals: fewer lines may hide more of them
  while (hidden.length > size - lineCount(shown) && reserved < half) {
    reserved = Math.min(Math.max(hidden.length, reserved + 1), half);
    shown = chooseLines(text, size - reserved, required);
    hidden = hiddenRows(shown, required);
  }
  const more = hidden.slice(0, size - lineCount(shown));
  return cutSnippet(lines, startLine, highlights(matches, request.literals ?? []), shown, more);
}

/** At most `size` rows, with the signature if it fits. */
function chooseLines(text: NodeText, size: number, required: readonly number[]): ShownRows {
  const [first, end] = text.head;
  const shown = chooseRows(text, size, required);
  if (size >= 3 && first === end && findTableHeader(text.lines, shown[0])) {
    const below = chooseRows(text, size - 1, required);
    return { rows: below, head: findTableHeader(text.lines, below[0]) };
  }
  if (size < 3 || shown[0] <= first || first === end) return { rows: shown, head: null };
  const last = Math.min(end, first + size - 2);
  const rest = chooseRows(text, size - (last - first), required);
  if (rest[0] > last && rest[1] - first > size) {
    return { rows: rest, head: findTableHeader(text.lines, rest[0]) ?? [first, last] };
  }
  return { rows: [first, Math.max(rest[1], Math.min(text.lines.length, first + size))], head: null };
}

/** The rows with literals; those of inner nodes only if there are no others. */
function literalRows({ literals = [], inner = [] }: SnippetRequest): number[] {
  const rows = [...new Set(literals.map(([row]) => row))].sort((one, other) => one - other);
  const own = rows.filter((row) => !inner.some((range) => isInRange(row, range)));
  return own.length ? own : rows;
}

function hiddenRows({ rows, head }: ShownRows, required: readonly number[]): number[] {
  return required.filter((row) => !isInRange(row, rows) && !(head && isInRange(row, head)));
}

function lineCount({ rows, head }: ShownRows): number {
  return rows[1] - rows[0] + (head ? head[1] - head[0] : 0);
}

/** The literals, and the words that do not overlap them, in the order of the lines. */
function highlights(matches: readonly TermMatch[], literals: readonly LiteralMatch[]): LiteralMatch[] {
  const words = matches.map(({ row, start, end }): LiteralMatch => [row, start, end]);
  if (!literals.length) return words;
  const apart = words.filter(
    ([row, start, end]) => !literals.some(([other, from, to]) => other === row && from < end && start < to),
  );
  const unique = new Map([...literals, ...apart].map((one) => [one.join(), one]));
  return [...unique.values()].sort((one, other) => one[0] - other[0] || one[1] - other[1] || one[2] - other[2]);
}

/** The header row of the markdown table that a row is in, end exclusive; null for other rows. */
function findTableHeader(lines: readonly string[], row: number): Range | null {
  let top = row;
  while (top > 0 && TABLE_ROW.test(lines[top - 1]!) && TABLE_ROW.test(lines[row]!)) top -= 1;
  return top < row && TABLE_RULE.test(lines[top + 1]!) ? [top, top + 1] : null;
}

const matchers = new Map<string, TermMatcher>();

function cachedMatcher(words: readonly string[]): TermMatcher {
  const key = JSON.stringify(words);
  const matcher = matchers.get(key) ?? new TermMatcher(words);
  matchers.delete(key);
  matchers.set(key, matcher);
  const [oldest] = matchers.keys();
  if (matchers.size > MAX_CACHED_MATCHERS && oldest !== undefined) matchers.delete(oldest);
  return matcher;
}

/** Cuts the rows out; those of `more` that follow or precede the others are of one part. */
function cutSnippet(
  lines: readonly string[],
  startLine: number,
  places: readonly LiteralMatch[],
  shown: ShownRows,
  more: readonly number[],
): Snippet {
  const given = shown.head ? [shown.head, shown.rows] : [shown.rows];
  const rows = new Set([...given.flatMap(rangeRows), ...more]);
  const ranges = more.length ? consecutiveRanges([...rows].sort((one, other) => one - other)) : given;
  const rangeOf = (row: number) => ranges.find((range) => isInRange(row, range)) ?? null;
  const own = (more.length ? rangeOf(shown.rows[0]) : null) ?? shown.rows;
  const headRange = shown.head && rangeOf(shown.head[0]);
  const head = headRange === own ? null : headRange;
  const part = ([from, to]: Range) => ({ startLine: startLine + from, lines: lines.slice(from, to) });
  return {
    ...part(own),
    marks: places
      .filter(([row]) => rows.has(row))
      .slice(0, MAX_HIGHLIGHTS)
      .map(([row, start, end]) => ({ line: startLine + row, start, end })),
    head: head && part(head),
    below: lines.length - Math.max(...ranges.map(([, to]) => to)),
    more: ranges.filter((range) => range !== own && range !== head).map(part),
  };
}

function rangeRows([start, end]: Range): number[] {
  return Array.from({ length: end - start }, (_, at) => start + at);
}

function consecutiveRanges(rows: readonly number[]): Range[] {
  const ranges: [number, number][] = [];
  for (const row of rows) {
    const last = ranges.at(-1);
    if (last?.[1] === row) last[1] = row + 1;
    else ranges.push([row, row + 1]);
  }
  return ranges;
}

function isInRange(row: number, [start, end]: Range): boolean {
  return start <= row && row < end;
}

/** Weighs each word by how few of the lines have it. */
function scoreRows(matches: readonly TermMatch[], count: number, request: SnippetRequest): RowScores {
  const stemsByRow = new Map<number, Set<string>>();
  for (const { row, stems } of matches) {
    if (request.inner?.some((range) => isInRange(row, range))) continue;
    const rowStems = stemsByRow.get(row) ?? new Set();
    stemsByRow.set(row, rowStems);
    for (const stem of stems) rowStems.add(stem);
  }
  const lineCounts = tally([...stemsByRow.values()].flatMap((stems) => [...stems]));
  const weight = (stem: string) => bitLength(Math.floor(count / (lineCounts.get(stem) ?? 1)));
  const rows = Array.from(stemsByRow, ([row, stems]): [number, Map<string, number>] => [
    row,
    new Map(Array.from(stems, (stem) => [stem, weight(stem)])),
  ]);
  const scored = new Map(rows);
  for (const row of literalRows(request)) {
    scored.set(row, new Map([...(scored.get(row) ?? []), [`\0${row}`, LITERAL_WEIGHT]]));
  }
  return applyAnchor(scored, count, request.anchor ?? -1);
}

/** Gives the row that must be shown the highest weight, and sorts the rows. */
function applyAnchor(rows: Map<number, Map<string, number>>, count: number, row: number): RowScores {
  if (row >= 0 && row < count) rows.set(row, new Map([...(rows.get(row) ?? []), ["", ANCHOR_WEIGHT]]));
  return new Map([...rows].sort(([one], [other]) => one - other));
}

function tally(stems: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  return counts;
}

/** The number of binary digits, as `int.bit_length`. */
function bitLength(number: number): number {
  return 32 - Math.clz32(number);
}

/** The best range of rows, with a literal if a row has one; the first rows if none has a word. */
function chooseRows({ lines, layout, rows }: NodeText, size: number, required: readonly number[]): Range {
  if (lines.length <= size || !rows.size || !size) return [0, Math.min(size, lines.length)];
  const best = bestRanges(rows, size, new Set(required));
  const highest = best[0]?.score ?? 0;
  const ranges = best.map((range) => {
    const cut = cheapestCut(layout, range.first, range.last, size);
    return { ...range, cut, netScore: range.score * CUT_PENALTY - highest * cut.cost };
  });
  const chosen = ranges.reduce((one, other) => {
    const isBetter = other.netScore - one.netScore || one.first - other.first;
    return isBetter > 0 ? other : one;
  });
  return trimBlankRows(lines, chosen.cut, chosen);
}

/** The ranges with the highest scores, the best first. */
function bestRanges(rows: RowScores, size: number, required: ReadonlySet<number>): ScoredRange[] {
  const matching = [...rows.keys()];
  let end = 0;
  const ranges = matching.flatMap((first, at): ScoredRange[] => {
    while (end < matching.length && (matching[end] ?? 0) < first + size) end += 1;
    const inside = matching.slice(at, end);
    if (required.size && !inside.some((row) => required.has(row))) return [];
    return [{ first, last: inside.at(-1) ?? first, score: rangeScore(inside, rows) }];
  });
  ranges.sort((one, other) => other.score - one.score || one.first - other.first);
  return ranges.slice(0, MAX_COMPARED);
}

function rangeScore(inside: readonly number[], rows: RowScores): number {
  const words = inside.flatMap((row) => [...(rows.get(row) ?? [])]);
  const weights = new Map(words);
  const counts = tally(words.map(([stem]) => stem));
  const maxRepeats = REPEAT_WEIGHTS.length - 1;
  const share = (times: number) => REPEAT_WEIGHTS[Math.min(times, maxRepeats)] ?? 0;
  return [...counts].reduce((sum, [stem, times]) => sum + (weights.get(stem) ?? 0) * share(times), 0);
}

/** The cheapest cut around rows `first` to `last`; of equal cuts the first, and the longer one. */
function cheapestCut(layout: Layout, first: number, last: number, size: number): Cut {
  const earliest = Math.max(0, last + 1 - size, Math.min(first - MAX_SHIFT, layout.count - size));
  let best: Cut | undefined;
  for (let start = first; start >= earliest; start -= 1) {
    const lowest = Math.max(last, start + size - 1 - MAX_SHIFT);
    for (let end = Math.min(start + size, layout.count); end > lowest; end -= 1) {
      const cost = layout.startCost(start) + layout.endCost(end) + start + size - end;
      if (!best || isBefore({ cost, start, end }, best)) best = { cost, start, end };
    }
  }
  return best as Cut;
}

function isBefore(one: Cut, other: Cut): boolean {
  return (one.cost - other.cost || one.start - other.start || other.end - one.end) < 0;
}

/** Removes blank lines from both ends, up to the matching rows. */
function trimBlankRows(lines: readonly string[], cut: Cut, { first, last }: ScoredRange): Range {
  let { start, end } = cut;
  while (end - 1 > last && !strip(lines[end - 1] ?? "")) end -= 1;
  while (start < first && !strip(lines[start] ?? "")) start += 1;
  return [start, end];
}

/** The rows of the signature; the first row if it is not found, no rows without a signature. */
function findHead(lines: readonly string[], signature: string | null | undefined): Range {
  const expected = split(signature ?? "").join(" ");
  if (!expected) return [0, 0];
  const row = lines.slice(0, HEAD_SEARCH_LINES).findIndex((line) => {
    const text = stripCharacters(split(line).join(" "), SIGNATURE_TRIM);
    return text && (expected.startsWith(text) || text.startsWith(expected));
  });
  return row < 0 ? [0, Math.min(1, lines.length)] : [row, findHeadEnd(lines, row, expected)];
}

/** The end of a signature that begins in row `first`. */
function findHeadEnd(lines: readonly string[], first: number, expected: string): number {
  let text = split(lines[first] ?? "").join(" ");
  let row = first + 1;
  const end = Math.min(lines.length, first + MAX_HEAD_LINES);
  for (; row < end && length(text) < length(expected); row += 1) {
    text = `${text} ${split(lines[row] ?? "").join(" ")}`;
    if (!expected.startsWith(stripCharacters(text, SIGNATURE_TRIM)) && !text.startsWith(expected)) break;
  }
  return row;
}
