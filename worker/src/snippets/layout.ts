/** The nesting of lines, and what it costs to cut between two of them. */

import { constants } from "../../build/worker_data.json";
import { matchAtStart, RegexVariants } from "../python_regex.ts";
import { length, strip, stripStart } from "../python_strings.ts";

const { TAB_WIDTH, BRACKET_COST, HEADING_COST, END_COST, MAX_DEPTH_COST } = constants.layout;
const QUOTED = new RegExp(constants.layout.QUOTED_PATTERN.ascii, "g");
const CONTINUATION = new RegexVariants(matchAtStart(constants.layout.CONTINUATION));
const BRACKET = /[()[\]]/;

/** The nesting of lines, by indentation and open brackets, and the cost of a cut. */
export class Layout {
  readonly count: number;
  readonly #indents: readonly number[];
  readonly #depths: readonly number[];
  readonly #openBrackets: readonly number[];
  readonly #costs: number[] = [];

  constructor(private readonly lines: readonly string[]) {
    this.count = lines.length;
    this.#indents = indents(lines);
    this.#depths = nestingDepths(this.#indents);
    this.#openBrackets = openBracketCounts(lines);
  }

  /** The cost of leaving out the lines above a row. */
  startCost(row: number): number {
    return row ? this.#cost(row) : 0;
  }

  /** The cost of leaving out a row and all below. */
  endCost(row: number): number {
    if (row >= this.count) return 0;
    const isDeeper = valueAt(this.#indents, row) > valueAt(this.#indents, row - 1);
    return this.#cost(row) + (isDeeper ? HEADING_COST : 0);
  }

  /** Cached, since many ranges are compared. */
  #cost(row: number): number {
    return (this.#costs[row] ??= this.#costOf(row));
  }

  #costOf(row: number): number {
    const depthCost = Math.min(MAX_DEPTH_COST, valueAt(this.#depths, row));
    const bracketCost = valueAt(this.#openBrackets, row) ? BRACKET_COST : 0;
    const continuationCost = CONTINUATION.test(this.lines[row] ?? "") ? END_COST : 0;
    return depthCost + bracketCost + continuationCost - (strip(this.lines[row - 1] ?? "") ? 0 : 1);
  }
}

function valueAt(numbers: readonly number[], row: number): number {
  return numbers[row] ?? 0;
}

/** The indentation of each line in columns; a blank line is indented like the next one. */
function indents(lines: readonly string[]): number[] {
  let following = 0;
  const reversed = lines.toReversed().map((line) => {
    const text = stripStart(line);
    if (text) following = columns(line.slice(0, line.length - text.length));
    return following;
  });
  return reversed.reverse();
}

/** The width of blanks with tabs expanded, as `str.expandtabs`. */
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

/** The number of lines above that each line is nested in. */
function nestingDepths(indents: readonly number[]): number[] {
  const outer: number[] = [];
  return indents.map((indent) => {
    while (outer.length && valueAt(outer, outer.length - 1) >= indent) outer.pop();
    return outer.push(indent) - 1;
  });
}

/** The number of round and square brackets that are open before each line. */
function openBracketCounts(lines: readonly string[]): number[] {
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
  for (const character of line.replace(QUOTED, "")) {
    if (character === "(" || character === "[") sum += 1;
    else if (character === ")" || character === "]") sum -= 1;
  }
  return sum;
}
