/** Finds the query's words in a text, tokenized and stemmed as in the index. */

import { constants } from "../../build/worker_data.json";
import { casefold, characterColumns, isAscii, split } from "../python_strings.ts";
import { porter } from "./porter.ts";
import { foldWord, tokenize } from "./unicode61.ts";
import { compoundParts } from "../text.ts";

/** Stop words of highlighting: they are matched only if the query has no other words. */
const SMALL: ReadonlySet<string> = new Set(constants.stopwords.HIGHLIGHT_STOP_WORDS);
/** The maximum number of entries in the caches of stems and of matched words. */
const REMEMBERED = 10_000;

/** A word of the query in a line: the line's index, and code points from `start` to `end`. */
export interface WordOccurrence {
  row: number;
  start: number;
  end: number;
  stems: ReadonlySet<string>;
}

/** The matching range of a word, in UTF-16 units, and the stems that match. */
type Found = readonly [start: number, end: number, stems: ReadonlySet<string>];

const NOTHING: readonly Found[] = [];

/** Matches the words of a query, stop words only if there are no others; `*` ends a prefix. */
export class QueryTerms {
  readonly #stems: ReadonlySet<string>;
  readonly #beginnings: readonly string[];
  readonly #near: RegExp;
  readonly #known = new Map<string, readonly Found[]>();
  /** The matches of the last line: parts of one long line are matched one after another. */
  #last: [line: string, places: WordOccurrence[]] = ["", []];

  constructor(words: Iterable<string>) {
    const given = [...words].filter((word) => /[^*]/.test(word));
    const telling = given.filter((word) => !SMALL.has(casefold(word)));
    const asked = telling.length ? telling : given;
    this.#stems = new Set(asked.flatMap(stemsOf));
    this.#beginnings = asked.filter((word) => word.endsWith("*")).map(beginningOf);
    this.#near = near(this.#stems);
  }

  /** Yields matches in line order: a whole compound word, or its matching parts. */
  *places(lines: readonly string[]): Generator<WordOccurrence> {
    for (const [row, line] of lines.entries()) {
      if (!this.#mayBeIn(line)) continue;
      if (this.#last[0] !== line) this.#last = [line, this.#inLine(line)];
      for (const place of this.#last[1]) yield { ...place, row };
    }
  }

  /** A cheap prefilter; text beyond ASCII always passes, because of its accents and cases. */
  #mayBeIn(text: string): boolean {
    return this.#stems.size > 0 && (this.#near.test(text) || !isAscii(text));
  }

  #inLine(line: string): WordOccurrence[] {
    const column = characterColumns(line);
    const places: WordOccurrence[] = [];
    for (const [at, end] of tokenize(line)) {
      for (const [from, to, stems] of this.#inToken(line.slice(at, end))) {
        places.push({ row: 0, start: column(at + from), end: column(at + to), stems });
      }
    }
    return places;
  }

  #inToken(word: string): readonly Found[] {
    const known = this.#known.get(word);
    if (known) return known;
    const found = this.#mayBeIn(word) ? this.#found(word) : NOTHING;
    if (this.#known.size >= REMEMBERED) this.#known.clear();
    this.#known.set(word, found);
    return found;
  }

  /** Matches the whole word, else its parts. */
  #found(word: string): Found[] {
    const own = compoundParts(word).flatMap(([at, part]): Found[] => {
      const name = this.#asked(part, stem(part));
      return name ? [[at, at + part.length, new Set([name])]] : [];
    });
    const whole = this.#asked(word, stemmed(foldWord(word)));
    if (!whole) return own;
    return [[0, word.length, new Set([whole, ...own.flatMap(([, , stems]) => [...stems])])]];
  }

  /** The stem or prefix of the query that matches a word; empty if there is none. */
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
 * A pattern that matches every ASCII line with one of the stems, and few others.
 *
 * A stem may differ from its words in its last letters.
 */
function near(stems: ReadonlySet<string>): RegExp {
  const beginnings = new Set([...stems].filter(isAscii).map((stem) => stem.slice(0, -2) || stem[0]));
  return new RegExp([...beginnings].join("|") || "(?!)", "i");
}

/** The stems of a text's words and of their parts, without stop words. */
export function stemsOfText(text: string): ReadonlySet<string> {
  return new Set(split(text).filter((word) => !SMALL.has(casefold(word))).flatMap(stemsOf));
}

/** The stems of the tokens of a word, and of their parts. */
function stemsOf(word: string): string[] {
  return tokenize(word)
    .map(([start, end]) => word.slice(start, end))
    .flatMap((token) => [stemmed(foldWord(token)), ...compoundParts(token).map(([, part]) => stem(part))]);
}

/** The stem of the first token; empty if there is none. */
function stem(word: string): string {
  const [first] = tokenize(word);
  return first ? stemmed(foldWord(word.slice(...first))) : "";
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
