/** Where in a text do a question's words stand? As the index parts and stems them. */

import { lexis } from "../../build/shared.json";
import { casefold, columns, isAscii, split } from "../letters.ts";
import { porter } from "./porter.ts";
import { tokens } from "./unicode61.ts";
import { parts } from "./words.ts";

/** Words of questions that tell little of what is sought: looked for where there are no others. */
const SMALL: ReadonlySet<string> = new Set(lexis.terms.small);
/** Of stems and of words that are remembered. */
const REMEMBERED = 10_000;

/** A word of the question in a line: the line's index, characters from `start` to `end`. */
export interface Place {
  row: number;
  start: number;
  end: number;
  stems: ReadonlySet<string>;
}

/** What of a word the question has: from and up to, in halves of characters. */
type Found = readonly [start: number, end: number, stems: ReadonlySet<string>];

/** A question's words, small ones only where there are no others; `*` ends a beginning. */
export class Terms {
  readonly #stems: ReadonlySet<string>;
  readonly #beginnings: readonly string[];
  readonly #near: RegExp;
  readonly #known = new Map<string, readonly Found[]>();
  /** Pieces of one long line are looked at one after another. */
  #last: [line: string, places: Place[]] = ["", []];

  constructor(words: Iterable<string>) {
    const given = [...words].filter((word) => /[^*]/.test(word));
    const telling = given.filter((word) => !SMALL.has(casefold(word)));
    const asked = telling.length ? telling : given;
    this.#stems = new Set(asked.flatMap(stemsOf));
    this.#beginnings = asked.filter((word) => word.endsWith("*")).map(beginningOf);
    this.#near = near(this.#stems);
  }

  /** In the order of the lines; a compound word whole, or those of its parts. */
  *places(lines: readonly string[]): Generator<Place> {
    for (const [row, line] of lines.entries()) {
      if (!this.#near.test(line)) continue;
      if (this.#last[0] !== line) this.#last = [line, this.#inLine(line)];
      for (const place of this.#last[1]) yield { ...place, row };
    }
  }

  #inLine(line: string): Place[] {
    const column = columns(line);
    return tokens(line).flatMap(({ start, end, folded }) =>
      this.#inToken(line.slice(start, end), folded).map(([from, to, stems]) => ({
        row: 0,
        start: column(start + from),
        end: column(start + to),
        stems,
      })),
    );
  }

  #inToken(word: string, folded: string): readonly Found[] {
    let found = this.#known.get(word);
    if (!found) {
      found = this.#found(word, folded);
      if (this.#known.size >= REMEMBERED) this.#known.clear();
      this.#known.set(word, found);
    }
    return found;
  }

  /** The word, where the question has it, else what of it the question has. */
  #found(word: string, folded: string): Found[] {
    const own = parts(word).flatMap(([at, part]): Found[] => {
      const name = this.#asked(part, stem(part));
      return name ? [[at, at + part.length, new Set([name])]] : [];
    });
    const whole = this.#asked(word, stemmed(folded));
    if (!whole) return own;
    return [[0, word.length, new Set([whole, ...own.flatMap(([, , stems]) => [...stems])])]];
  }

  /** The stem by which the question has this word; empty where it has it not. */
  #asked(word: string, stem: string): string {
    if (this.#stems.has(stem)) return stem;
    if (!this.#beginnings.length) return "";
    const folded = casefold(word);
    return this.#beginnings.find((one) => folded.startsWith(one)) ?? "";
  }
}

function beginningOf(word: string): string {
  return casefold(word.replace(/^\*+|(?<!\*)\*+$/g, ""));
}

/**
 * What every line has that may have one of these: most of a text is passed over by it.
 *
 * A stem may differ from its words in its last letters, and in accents.
 */
function near(stems: ReadonlySet<string>): RegExp {
  const beginnings = new Set([...stems].filter(isAscii).map((stem) => stem.slice(0, -2) || stem[0]));
  return new RegExp(stems.size ? [...beginnings, "[^\\0-\\x7f]"].join("|") : "(?!)", "i");
}

/** The stems of a text's words and of their parts, small words apart. */
export function stems(text: string): ReadonlySet<string> {
  return new Set(split(text).filter((word) => !SMALL.has(casefold(word))).flatMap(stemsOf));
}

/** What is looked for: each token of a word, and each part of it. */
function stemsOf(word: string): string[] {
  return tokens(word).flatMap(({ start, end, folded }) => [
    stemmed(folded),
    ...parts(word.slice(start, end)).map(([, part]) => stem(part)),
  ]);
}

/** Of the first word; empty where there is none. */
function stem(word: string): string {
  const [first] = tokens(word);
  return first ? stemmed(first.folded) : "";
}

const known = new Map<string, string>();

function stemmed(folded: string): string {
  let found = known.get(folded);
  if (found === undefined) {
    found = porter(folded);
    if (known.size >= REMEMBERED) known.clear();
    known.set(folded, found);
  }
  return found;
}
