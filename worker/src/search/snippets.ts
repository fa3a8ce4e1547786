/**
 * Chooses the lines that are shown for a hit, and the ranges that are highlighted.
 *
 * All arithmetic is in integers, so that Python chooses the same lines.
 */

import { constants } from "../../build/worker_data.json";
import { matchAtStart, RegexVariants } from "../python_regex.ts";
import { length, split, strip, stripCharacters, stripStart } from "../python_strings.ts";
import { QueryTerms, type WordOccurrence } from "./term_matching.ts";

const { REPEAT_WEIGHTS, MAX_SHIFT, MAX_HEAD_LINES, HEAD_SEARCH_LINES } = constants.snippets;
const { MAX_COMPARED, CUT_PENALTY, ANCHOR_WEIGHT, MAX_HIGHLIGHTS } = constants.snippets;
/** What a signature in the index leaves out at its end. */
const SIGNATURE_TRIM = constants.snippets.SIGNATURE_TRIM;
export const DEFAULT_LINES = constants.snippets.DEFAULT_LINES;

/** Where a word stands: its line, and its characters from `start` up to `end`, counted from 0. */
export interface Highlight {
  line: number;
  start: number;
  end: number;
}

/** Lines in a row; the first one's number. */
export interface LineRange {
  startLine: number;
  lines: readonly string[];
}

/**
 * Lines that answer; `head` is the signature where it stands above and apart from them.
 *
 * `below` counts the node's lines that follow, and are not shown.
 */
export interface Snippet extends LineRange {
  marks: Highlight[];
  head: LineRange | null;
  below: number;
}

/** What is asked of a node's lines: rows are counted from the node's first, which is 0. */
export interface SnippetRequest {
  words: readonly string[];
  /** So many lines at most. */
  size?: number;
  /** As the index has it, on one line. */
  signature?: string | null;
  /** The row that must be shown. */
  anchor?: number | null;
  /** Rows, from and up to, that are others' to show. */
  inner?: readonly (readonly [number, number])[];
}

/** Rows, from and up to. */
type Range = readonly [start: number, end: number];

/** Rows that have words of the question: each word with what it is worth. */
type Rows = ReadonlyMap<number, ReadonlyMap<string, number>>;

/** The lines of a node, the first of which is `startLine` of its file, that answer best. */
export function chooseSnippet(lines: readonly string[], startLine: number, wanted: SnippetRequest): Snippet {
  const places = [...terms(wanted.words).places(lines)];
  const most = wanted.size ?? DEFAULT_LINES;
  const rows = scored(places, lines.length, wanted);
  const layout = new LineLayout(rows.size && lines.length > most ? lines : []);
  const size = Math.min(most, lines.length);
  const [shown, head] = framed(layout, lines, rows, size, headOf(lines, wanted.signature));
  return made(lines, startLine, places, shown, head);
}

/** The rows that are shown, and those of the signature where it stands apart from them. */
function framed(
  layout: LineLayout,
  lines: readonly string[],
  rows: Rows,
  size: number,
  [first, end]: Range,
): [shown: Range, head: Range | null] {
  const shown = chosen(layout, lines, rows, size);
  if (size < 3 || shown[0] <= first || first === end) return [shown, null];
  const last = Math.min(end, first + size - 2);
  const rest = chosen(layout, lines, rows, size - (last - first));
  if (rest[0] > last && rest[1] - first > size) return [rest, [first, last]];
  return [[first, Math.max(rest[1], Math.min(lines.length, first + size))], null];
}

const REMEMBERED = 8;
const questions = new Map<string, QueryTerms>();

/** Of a question, which is asked of each hit. */
function terms(words: readonly string[]): QueryTerms {
  const key = JSON.stringify(words);
  const found = questions.get(key) ?? new QueryTerms(words);
  questions.delete(key);
  questions.set(key, found);
  const [oldest] = questions.keys();
  if (questions.size > REMEMBERED && oldest !== undefined) questions.delete(oldest);
  return found;
}

function made(
  lines: readonly string[],
  startLine: number,
  places: readonly WordOccurrence[],
  rows: Range,
  head: Range | null,
): Snippet {
  const shown = places.filter(({ row }) => isIn(row, rows) || (head && isIn(row, head)));
  return {
    startLine: startLine + rows[0],
    lines: lines.slice(...rows),
    marks: shown.slice(0, MAX_HIGHLIGHTS).map(({ row, start, end }) => ({
      line: startLine + row,
      start,
      end,
    })),
    head: head && { startLine: startLine + head[0], lines: lines.slice(...head) },
    below: lines.length - rows[1],
  };
}

function isIn(row: number, [start, end]: Range): boolean {
  return start <= row && row < end;
}

/** A word in few of the lines is worth more than one in many. */
function scored(places: readonly WordOccurrence[], count: number, wanted: SnippetRequest): Rows {
  const found = new Map<number, Set<string>>();
  for (const { row, stems } of places) {
    if (wanted.inner?.some((range) => isIn(row, range))) continue;
    const known = found.get(row) ?? new Set();
    found.set(row, known);
    for (const stem of stems) known.add(stem);
  }
  const lines = tally([...found.values()].flatMap((stems) => [...stems]));
  const worth = (stem: string) => bits(Math.floor(count / (lines.get(stem) ?? 1)));
  const rows = Array.from(found, ([row, stems]): [number, Map<string, number>] => [
    row,
    new Map(Array.from(stems, (stem) => [stem, worth(stem)])),
  ]);
  return anchored(new Map(rows), count, wanted.anchor ?? -1);
}

/** With the row that must be shown worth most, in the order of the rows. */
function anchored(rows: Rows, count: number, row: number): Rows {
  if (row < 0 || row >= count) return rows;
  const worth = new Map([...(rows.get(row) ?? []), ["", ANCHOR_WEIGHT]] as [string, number][]);
  return new Map([...rows, [row, worth] as const].sort(([one], [other]) => one - other));
}

function tally(stems: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  return counts;
}

/** Binary digits of a number. */
function bits(number: number): number {
  return 32 - Math.clz32(number);
}

/** The rows from and up to; the first ones where no word is found. */
function chosen(layout: LineLayout, lines: readonly string[], rows: Rows, size: number): Range {
  if (lines.length <= size || !rows.size || !size) return [0, Math.min(size, lines.length)];
  const best = densest(rows, size);
  const highest = best[0]?.score ?? 0;
  const wholes = best.map((some) => {
    const cut = whole(layout, some.first, some.last, size);
    return { ...some, cut, worth: some.score * CUT_PENALTY - highest * cut.cost };
  });
  const found = wholes.reduce((one, other) => {
    const isBetter = other.worth - one.worth || one.first - other.first;
    return isBetter > 0 ? other : one;
  });
  return withoutBlanks(lines, found.cut, found);
}

/** Rows with words, from one to another, that one window has. */
interface Some {
  first: number;
  last: number;
  score: number;
}

/** The windows with most words, the best first. */
function densest(rows: Rows, size: number): Some[] {
  const found = [...rows.keys()];
  let end = 0;
  const windows = found.map((first, at): Some => {
    while (end < found.length && (found[end] ?? 0) < first + size) end += 1;
    const inside = found.slice(at, end);
    return { first, last: inside.at(-1) ?? first, score: score(inside, rows) };
  });
  windows.sort((one, other) => other.score - one.score || one.first - other.first);
  return windows.slice(0, MAX_COMPARED);
}

function score(inside: readonly number[], rows: Rows): number {
  const words = inside.flatMap((row) => [...(rows.get(row) ?? [])]);
  const worth = new Map(words);
  const counts = tally(words.map(([stem]) => stem));
  const most = REPEAT_WEIGHTS.length - 1;
  const share = (times: number) => REPEAT_WEIGHTS[Math.min(times, most)] ?? 0;
  return [...counts].reduce((sum, [stem, times]) => sum + (worth.get(stem) ?? 0) * share(times), 0);
}

/** What it costs to cut where it costs least, and from and up to where. */
interface Cut {
  cost: number;
  start: number;
  end: number;
}

/** Around these rows; of equal ones the first, and more rows rather than fewer. */
function whole(layout: LineLayout, first: number, last: number, size: number): Cut {
  const earliest = Math.max(0, last + 1 - size, first - MAX_SHIFT);
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

/** Blank lines at the ends are left out, up to the rows that have words. */
function withoutBlanks(lines: readonly string[], cut: Cut, { first, last }: Some): Range {
  let { start, end } = cut;
  while (end - 1 > last && !strip(lines[end - 1] ?? "")) end -= 1;
  while (start < first && !strip(lines[start] ?? "")) start += 1;
  return [start, end];
}

/** The rows of the signature; the first row where it is not found, none where there is none. */
function headOf(lines: readonly string[], signature: string | null | undefined): Range {
  const sought = split(signature ?? "").join(" ");
  if (!sought) return [0, 0];
  const row = lines.slice(0, HEAD_SEARCH_LINES).findIndex((line) => {
    const said = stripCharacters(split(line).join(" "), SIGNATURE_TRIM);
    return said && (sought.startsWith(said) || said.startsWith(sought));
  });
  return row < 0 ? [0, Math.min(1, lines.length)] : [row, headEnd(lines, row, sought)];
}

/** Where a signature that begins in a row is over. */
function headEnd(lines: readonly string[], first: number, sought: string): number {
  let said = split(lines[first] ?? "").join(" ");
  let row = first + 1;
  const end = Math.min(lines.length, first + MAX_HEAD_LINES);
  for (; row < end && length(said) < length(sought); row += 1) {
    said = `${said} ${split(lines[row] ?? "").join(" ")}`;
    if (!sought.startsWith(stripCharacters(said, SIGNATURE_TRIM)) && !said.startsWith(sought)) break;
  }
  return row;
}

const { TAB_WIDTH, BRACKET_COST, HEADING_COST, END_COST, MAX_DEPTH_COST } = constants.snippets;
const QUOTED = new RegExp(constants.snippets.QUOTED_PATTERN.ascii, "g");
const GOES_ON = new RegexVariants(matchAtStart(constants.snippets.CONTINUATION));

const BRACKET = /[()[\]]/;

/** How lines are nested, by their indentation and by brackets that are open. */
export class LineLayout {
  readonly count: number;
  readonly #indents: readonly number[];
  readonly #levels: readonly number[];
  readonly #open: readonly number[];
  readonly #costs: number[] = [];

  constructor(private readonly lines: readonly string[]) {
    this.count = lines.length;
    this.#indents = indents(lines);
    this.#levels = levels(this.#indents);
    this.#open = open(lines);
  }

  /** What it costs to leave out the lines above this one. */
  startCost(row: number): number {
    return row ? this.#cost(row) : 0;
  }

  /** What it costs to leave out this line and all below. */
  endCost(row: number): number {
    if (row >= this.count) return 0;
    const isDeeper = at(this.#indents, row) > at(this.#indents, row - 1);
    return this.#cost(row) + (isDeeper ? HEADING_COST : 0);
  }

  /** Worked out once: many windows are compared. */
  #cost(row: number): number {
    return (this.#costs[row] ??= this.#costOf(row));
  }

  #costOf(row: number): number {
    const cost = Math.min(MAX_DEPTH_COST, at(this.#levels, row));
    const cut = at(this.#open, row) ? BRACKET_COST : 0;
    const goesOn = GOES_ON.test(this.lines[row] ?? "") ? END_COST : 0;
    return cost + cut + goesOn - (strip(this.lines[row - 1] ?? "") ? 0 : 1);
  }
}

function at(numbers: readonly number[], row: number): number {
  return numbers[row] ?? 0;
}

/** Columns before the first letter; a blank line is as its next one. */
function indents(lines: readonly string[]): number[] {
  let following = 0;
  const found = lines.toReversed().map((line) => {
    const text = stripStart(line);
    if (text) following = columns(line.slice(0, line.length - text.length));
    return following;
  });
  return found.reverse();
}

/** How wide blanks are, where a tab goes on to the next stop. */
function columns(blanks: string): number {
  if (!/[\t\r\n]/.test(blanks)) return length(blanks);
  let [column, width] = [0, 0];
  for (const blank of blanks) {
    const step = blank === "\t" ? TAB_WIDTH - (column % TAB_WIDTH) : 1;
    column = blank === "\r" || blank === "\n" ? 0 : column + step;
    width += step;
  }
  return width;
}

/** In how many others each line lies. */
function levels(indents: readonly number[]): number[] {
  const outer: number[] = [];
  return indents.map((indent) => {
    while (outer.length && at(outer, outer.length - 1) >= indent) outer.pop();
    return outer.push(indent) - 1;
  });
}

/** How many round and square brackets are open before each line. */
function open(lines: readonly string[]): number[] {
  let depth = 0;
  return lines.map((line) => {
    const before = depth;
    depth = Math.max(0, depth + balance(line));
    return before;
  });
}

function balance(line: string): number {
  if (!BRACKET.test(line)) return 0;
  let sum = 0;
  for (const sign of line.replace(QUOTED, "")) {
    if (sign === "(" || sign === "[") sum += 1;
    else if (sign === ")" || sign === "]") sum -= 1;
  }
  return sum;
}
