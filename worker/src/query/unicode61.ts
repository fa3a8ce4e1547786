/** SQLite's `unicode61` tokenizer: splits a text into words and folds them. */

import data from "../../build/worker_data.json";
import { isAscii } from "../python_strings.ts";

/** The range of a token in UTF-16 units, end exclusive. */
export type TokenSpan = readonly [start: number, end: number];

const { runs, marks, from, to } = data.unicode61;
const ASCII = /[A-Za-z0-9]+/g;

/** The alternating starts and ends of the ranges of token characters, sorted. */
const boundaries = new Uint32Array(runs.length);
runs.reduce((last, distance, at) => (boundaries[at] = last + distance), 0);
const MARKS = new Set(marks);
const replacements = [...to];
const FOLDED = new Map(Array.from(from, (character, at) => [character, replacements[at] ?? ""]));

/** The tokens of a text, in order. */
export function tokenize(text: string): TokenSpan[] {
  return isAscii(text) ? asciiTokens(text) : [...unicodeTokens(text)];
}

function asciiTokens(text: string): TokenSpan[] {
  const tokens: TokenSpan[] = [];
  for (const { 0: word, index } of text.matchAll(ASCII)) tokens.push([index, index + word.length]);
  return tokens;
}

function* unicodeTokens(text: string): Generator<TokenSpan> {
  let [at, start] = [0, -1];
  for (const character of text) {
    const isInToken = isTokenCharacter(character) || (start >= 0 && MARKS.has(character));
    if (isInToken && start < 0) start = at;
    if (!isInToken && start >= 0) {
      yield [start, at];
      start = -1;
    }
    at += character.length;
  }
  if (start >= 0) yield [start, at];
}

/** Folds a token: lower case, without accents. */
export function foldWord(word: string): string {
  return isAscii(word) ? word.toLowerCase() : Array.from(word, foldCharacter).join("");
}

/** Returns true for a token character: the number of boundaries up to its code point is odd. */
function isTokenCharacter(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  let [low, high] = [0, boundaries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((boundaries[middle] ?? 0) <= code) low = middle + 1;
    else high = middle;
  }
  return low % 2 === 1;
}

function foldCharacter(character: string): string {
  if (character < "\x80") return character.toLowerCase();
  return MARKS.has(character) ? "" : (FOLDED.get(character) ?? character);
}
