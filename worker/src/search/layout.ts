/** Where may lines be cut? Between statements rather than in brackets or below a heading line. */

import { lexis } from "../../build/shared.json";
import { length, strip, stripStart } from "../python_strings.ts";
import { RegexVariants, matchAtStart } from "../python_regex.ts";

const { tab, inBrackets, underItsHeading, beforeItsEnd, deepest } = lexis.layout;
const QUOTED = new RegExp(lexis.layout.quoted.ascii, "g");
const GOES_ON = new RegexVariants(matchAtStart(lexis.layout.goesOn));

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
    return this.#cost(row) + (isDeeper ? underItsHeading : 0);
  }

  /** Worked out once: many windows are compared. */
  #cost(row: number): number {
    return (this.#costs[row] ??= this.#costOf(row));
  }

  #costOf(row: number): number {
    const cost = Math.min(deepest, at(this.#levels, row));
    const cut = at(this.#open, row) ? inBrackets : 0;
    const goesOn = GOES_ON.test(this.lines[row] ?? "") ? beforeItsEnd : 0;
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
    const step = blank === "\t" ? tab - (column % tab) : 1;
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
