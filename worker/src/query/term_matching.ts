/** Finds the query's words in a text, tokenized and stemmed as in the index. */

import { constants } from "../../build/worker_data.json";
import { hasRun, runsAndRest, splitWords } from "../bigrams.ts";
import { casefold, characterColumns, isAscii, split } from "../python_strings.ts";
import { porter } from "./porter.ts";
import { foldWord, tokenize } from "./unicode61.ts";
import { splitCompound } from "../text.ts";

/** Stop words of highlighting: they are matched only if the query has no other words. */
const STOP_WORDS: ReadonlySet<string> = new Set(constants.stopwords.HIGHLIGHT_STOP_WORDS);
/** The maximum number of entries in the caches of stems and of matched words. */
const MAX_CACHED = 10_000;

/** A word of the query in a line: the line's index, and code points from `start` to `end`. */
export interface TermMatch {
  row: number;
  start: number;
  end: number;
  stems: ReadonlySet<string>;
}

/** The matching range of a word, in UTF-16 units, and the stems that match. */
type TokenMatch = readonly [start: number, end: number, stems: ReadonlySet<string>];

const NO_MATCHES: readonly TokenMatch[] = [];

/** Matches the words of a query, stop words only if there are no others; `*` ends a prefix. */
export class TermMatcher {
  readonly #stems: ReadonlySet<string>;
  readonly #prefixes: readonly string[];
  readonly #prefilter: RegExp;
  readonly #tokenMatches = new Map<string, readonly TokenMatch[]>();
  /** The matches of the last line: parts of one long line are matched one after another. */
  #lastLine: [line: string, matches: TermMatch[]] = ["", []];

  constructor(words: Iterable<string>) {
    const nonEmpty = [...words].filter((word) => /[^*]/.test(word));
    const meaningful = nonEmpty.filter((word) => !STOP_WORDS.has(casefold(word)));
    const terms = meaningful.length ? meaningful : nonEmpty;
    this.#stems = new Set(terms.flatMap(wordStems));
    this.#prefixes = terms.filter((word) => word.endsWith("*")).map(trimStars);
    this.#prefilter = prefilterPattern(this.#stems);
  }

  /** Yields matches in line order: a whole compound word, or its matching parts. */
  *findMatches(lines: readonly string[]): Generator<TermMatch> {
    for (const [row, line] of lines.entries()) {
      if (!this.#mayMatch(line)) continue;
      if (this.#lastLine[0] !== line) this.#lastLine = [line, this.#matchLine(line)];
      for (const match of this.#lastLine[1]) yield { ...match, row };
    }
  }

  /** A cheap prefilter; text beyond ASCII always passes, because of its accents and cases. */
  #mayMatch(text: string): boolean {
    return this.#stems.size > 0 && (this.#prefilter.test(text) || !isAscii(text));
  }

  #matchLine(line: string): TermMatch[] {
    const column = characterColumns(line);
    const matches: TermMatch[] = [];
    for (const [at, end] of tokenize(line)) {
      for (const [from, to, stems] of this.#matchToken(line.slice(at, end))) {
        matches.push({ row: 0, start: column(at + from), end: column(at + to), stems });
      }
    }
    return matches;
  }

  #matchToken(word: string): readonly TokenMatch[] {
    const cached = this.#tokenMatches.get(word);
    if (cached) return cached;
    const matches = this.#mayMatch(word) ? this.#matchParts(word) : NO_MATCHES;
    if (this.#tokenMatches.size >= MAX_CACHED) this.#tokenMatches.clear();
    this.#tokenMatches.set(word, matches);
    return matches;
  }

  /** Matches the whole word, else its parts. */
  #matchParts(word: string): TokenMatch[] {
    if (hasRun(word)) return runsAndRest(word).flatMap((part) => this.#matchPart(...part));
    const parts = splitCompound(word).flatMap(([at, part]): TokenMatch[] => {
      const matchingStem = this.#matchingStem(part, stem(part));
      return matchingStem ? [[at, at + part.length, new Set([matchingStem])]] : [];
    });
    const whole = this.#matchingStem(word, cachedStem(foldWord(word)));
    if (!whole) return parts;
    return [[0, word.length, new Set([whole, ...parts.flatMap(([, , stems]) => [...stems])])]];
  }

  #matchPart(at: number, text: string, isRun: boolean): TokenMatch[] {
    const matches = isRun ? this.#matchRun(text) : this.#matchParts(text);
    return matches.map(([start, end, stems]) => [at + start, at + end, stems]);
  }

  /** The pairs and characters of the query in a run; those that overlap are one match. */
  #matchRun(run: string): TokenMatch[] {
    const matches: TokenMatch[] = [];
    const characters = [...run];
    let at = 0;
    for (const [index, character] of characters.entries()) {
      const texts = [character, character + (characters[index + 1] ?? "")];
      const stems = new Set(texts.filter((text) => this.#stems.has(text)));
      const last = matches.at(-1);
      const end = at + Math.max(0, ...Array.from(stems, (one) => one.length));
      if (last && stems.size > 0 && at < last[1]) {
        matches.splice(-1, 1, [last[0], Math.max(end, last[1]), new Set([...last[2], ...stems])]);
      } else if (stems.size > 0) matches.push([at, end, stems]);
      at += character.length;
    }
    return matches;
  }

  /** The stem or prefix of the query that matches a word; empty if there is none. */
  #matchingStem(word: string, stem: string): string {
    if (this.#stems.has(stem)) return stem;
    if (!this.#prefixes.length) return "";
    const folded = casefold(word);
    return this.#prefixes.find((one) => folded.startsWith(one)) ?? "";
  }
}

function trimStars(word: string): string {
  return casefold(word.replace(/^\*+|(?<!\*)\*+$/g, ""));
}

/**
 * A pattern that matches every ASCII line with one of the stems, and few others.
 *
 * A stem may differ from its words in its last letters.
 */
function prefilterPattern(stems: ReadonlySet<string>): RegExp {
  const prefixes = new Set([...stems].filter(isAscii).map((stem) => stem.slice(0, -2) || stem[0]));
  return new RegExp([...prefixes].join("|") || "(?!)", "i");
}

/** The stems of a text's words and of their parts, without stop words. */
export function textStems(text: string): ReadonlySet<string> {
  return new Set(split(text).filter((word) => !STOP_WORDS.has(casefold(word))).flatMap(wordStems));
}

/** The stem of each token of a text, as in the index. */
export function tokenStems(text: string): string[] {
  return tokenize(text).map(([start, end]) => cachedStem(foldWord(text.slice(start, end))));
}

/** The stems of the tokens of a word, and of their parts, without stop words unless there are no others. */
function wordStems(word: string): string[] {
  const text = splitWords(word);
  const stems = tokenize(text)
    .map(([start, end]) => text.slice(start, end))
    .flatMap((token): [string, string][] => [
      [token, cachedStem(foldWord(token))],
      ...splitCompound(token).map(([, part]): [string, string] => [part, stem(part)]),
    ]);
  const meaningful = stems.filter(([part]) => !STOP_WORDS.has(casefold(part)));
  return (meaningful.length ? meaningful : stems).map(([, one]) => one);
}

/** The stem of the first token; empty if there is none. */
function stem(word: string): string {
  const [first] = tokenize(word);
  return first ? cachedStem(foldWord(word.slice(...first))) : "";
}

const stemCache = new Map<string, string>();

function cachedStem(folded: string): string {
  let result = stemCache.get(folded);
  if (result === undefined) {
    result = porter(folded);
    if (stemCache.size >= MAX_CACHED) stemCache.clear();
    stemCache.set(folded, result);
  }
  return result;
}
