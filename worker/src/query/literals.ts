/** Finds texts that a query wants literally: phrases, words in their case and tokens of code. */

import { constants } from "../../build/worker_data.json";
import { isPartOfWord } from "../bigrams.ts";
import { fullMatch, matchAtStart, RegexVariants } from "../python_regex.ts";
import { casefold, isAscii, length, split } from "../python_strings.ts";
import { unicodeForms } from "../text.ts";
import { eitherTexts, type Query } from "./query.ts";

/**
 * A text to find; spaces and line ends in it are equivalent.
 *
 * A whole word is not part of a longer one, at those of its ends that are letters or digits.
 */
export interface Literal {
  readonly text: string;
  readonly caseSensitive: boolean;
  readonly wholeWord: boolean;
}

/** A token of code as a literal; a plain word in lower case matches in any case. */
export function tokenLiteral(token: string): Literal {
  const isPlain = /^\p{L}+$/u.test(token) && token === token.toLowerCase() && token !== token.toUpperCase();
  return { text: token, caseSensitive: !isPlain, wholeWord: true };
}

/** The index of a line, and its characters (code points) from `start` up to `end`. */
export type LiteralMatch = readonly [row: number, start: number, end: number];

const SPECIAL = /[()[\]{}?*+\-|^$\\.&~#/]/g;

/** The phrases, the alternatives and, with `case`, the words that a hit must have; one of the words is enough. */
export function requiredLiterals(query: Query): Literal[] {
  const words = query.case ? split(query.words) : [];
  return [
    ...[...query.phrases, ...eitherTexts(query).map((text) => text.replace(/\*$/, ""))].map((text) => ({
      text,
      caseSensitive: query.case,
      wholeWord: false,
    })),
    ...words.map((text) => ({ text, caseSensitive: true, wholeWord: true })),
  ];
}

/** All matches in the order of the lines; one that spans lines is a match in each of them. */
export function findLiterals(lines: readonly string[], literals: readonly Literal[]): LiteralMatch[] {
  if (!literals.length) return [];
  const text = lines.join("\n");
  const starts: number[] = [];
  let at = 0;
  for (const line of lines) {
    starts.push(at);
    at += line.length + 1;
  }
  const unique = new Map<string, LiteralMatch>();
  for (const literal of literals) {
    for (const [start, end] of findSpans(text, literal)) {
      for (const match of splitAtLines(start, end, starts, lines)) unique.set(match.join(), match);
    }
  }
  return [...unique.values()].sort((one, other) => one[0] - other[0] || one[1] - other[1] || one[2] - other[2]);
}

const { MAX_DEFINITION_CHARS } = constants.literals;
const KEY_BEFORE = new RegexVariants(fullMatch(constants.literals.KEY_BEFORE));
const KEY_AFTER = new RegexVariants(matchAtStart(constants.literals.KEY_AFTER));
const CALL_BEFORE = new RegexVariants(constants.literals.CALL_BEFORE);
const CALL_AFTER = new RegexVariants(matchAtStart(constants.literals.CALL_AFTER));
const NAME_BEFORE = new RegexVariants(constants.literals.NAME_BEFORE);
const NAME_AFTER = new RegexVariants(matchAtStart(constants.literals.NAME_AFTER));

/** Returns true if the line of a literal makes it a key, or the name of a flag or setting. */
export function definesLiteral(text: string, start: number, end: number): boolean {
  const [first, last] = [text.lastIndexOf("\n", start - 1) + 1, text.indexOf("\n", end)];
  const before = [...text.slice(first, start)].slice(-MAX_DEFINITION_CHARS).join("");
  const after = [...text.slice(end, last < 0 ? undefined : last)].slice(0, MAX_DEFINITION_CHARS).join("");
  if (KEY_BEFORE.test(before) && KEY_AFTER.test(after)) return true;
  if (CALL_AFTER.test(after) && CALL_BEFORE.test(before)) return true;
  return NAME_AFTER.test(after) && NAME_BEFORE.test(before);
}

/** The ranges of a text, in UTF-16 units, that match, in their order; in any Unicode form. */
export function* findSpans(text: string, literal: Literal): Generator<[number, number]> {
  if (isAscii(literal.text) || isAscii(text)) {
    yield* findForm(text, literal);
    return;
  }
  const forms = unicodeForms(literal.text).map((form) => ({ ...literal, text: form }));
  const spans = new Map(forms.flatMap((form) => [...findForm(text, form)]).map((span) => [span.join(), span]));
  yield* [...spans.values()].sort(([start, end], [other, otherEnd]) => start - other || end - otherEnd);
}

function* findForm(text: string, literal: Literal): Generator<[number, number]> {
  const { caseSensitive, wholeWord } = literal;
  const wanted = caseSensitive ? literal.text : casefold(literal.text);
  const parts = split(wanted);
  if (!parts.length) return;
  const folded = caseSensitive ? text : casefold(text);
  const origins = folded.length === text.length ? null : foldedOrigins(text);
  const pattern = new RegExp(parts.map((part) => part.replace(SPECIAL, "\\$&")).join(BLANKS), "g");
  for (let match = pattern.exec(folded); match; match = pattern.exec(folded)) {
    const [start, end] = [match.index, match.index + match[0].length];
    if (wholeWord && isInsideWord(folded, start, end)) {
      pattern.lastIndex = start + 1;
      continue;
    }
    yield origins ? [origins[start]!, origins[end - 1]! + 1] : [start, end];
  }
}

/** What Python's `\s` matches. */
const BLANKS = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+";

/** The offset in a text of each unit of the text without upper case. */
function foldedOrigins(text: string): number[] {
  const origins: number[] = [];
  let at = 0;
  for (const character of text) {
    for (let unit = 0; unit < casefold(character).length; unit += 1) {
      origins.push(at + Math.min(unit, character.length - 1));
    }
    at += character.length;
  }
  return origins;
}

/** Returns true if a letter or digit continues the range at an end that is one too. */
function isInsideWord(text: string, start: number, end: number): boolean {
  const [before, first] = [characterBefore(text, start), characterAt(text, start)];
  const [last, after] = [characterBefore(text, end), characterAt(text, end)];
  return (isPartOfWord(first) && isPartOfWord(before)) || (isPartOfWord(last) && isPartOfWord(after));
}

function characterAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? "" : String.fromCodePoint(code);
}

function characterBefore(text: string, at: number): string {
  const pair = text.slice(Math.max(0, at - 2), at);
  return [...pair].at(-1) ?? "";
}

function* splitAtLines(
  start: number,
  end: number,
  starts: readonly number[],
  lines: readonly string[],
): Generator<LiteralMatch> {
  let row = lowerRow(starts, start);
  for (; row < lines.length && starts[row]! < end; row += 1) {
    const [line, origin] = [lines[row]!, starts[row]!];
    const [first, last] = [Math.max(start - origin, 0), Math.min(end - origin, line.length)];
    if (first < last) yield [row, length(line.slice(0, first)), length(line.slice(0, last))];
  }
}

/** The last row that starts at or before an offset. */
function lowerRow(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle;
  }
  return low;
}
