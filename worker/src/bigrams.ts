/**
 * Splits runs of Chinese, Japanese and Korean characters into overlapping pairs, as the index has them.
 *
 * `适者生存` is indexed as `适者 者生 生存 存`: a word at each character. A part of the run is then a phrase, and a
 * single character is the beginning of a word.
 */

import { constants } from "../build/worker_data.json";
import { isAscii } from "./python_strings.ts";

let compiled: RegExp | undefined;
const WORD_CHARACTER = /[\p{L}\p{N}_]/u;

/** The expression for a run, which is compiled for the first text beyond ASCII. */
function run(): RegExp {
  return (compiled ??= new RegExp(constants.bigrams.RUN, "gu"));
}

/** A part of a word: its offset, its text, and whether it is a run. */
export type RunOrRest = readonly [at: number, text: string, isRun: boolean];

/** Returns true if a text has a character that begins a word of its own. */
export function hasRun(text: string): boolean {
  return !isAscii(text) && text.search(run()) >= 0;
}

/** A phrase as it is searched for, and whether its last word is only a beginning: the run at its end may go on. */
export function splitPhrase(phrase: string): [words: string, isBeginning: boolean] {
  const last = runsAndRest(phrase).at(-1);
  if (!last?.[2]) return [splitText(phrase), false];
  const [at, found] = last;
  const words = [splitText(phrase.slice(0, at)), ...wordsOf(found)];
  return [words.filter(Boolean).join(" "), pairs(found).length === 0];
}

/** A text with the words that any of its parts may have: pairs, and single characters of runs of one. */
export function splitWords(text: string): string {
  return isAscii(text) ? text : text.replace(run(), (found) => ` ${wordsOf(found).join(" ")} `);
}

/** The runs of a word, and what is between them. */
export function runsAndRest(word: string): RunOrRest[] {
  if (isAscii(word)) return word ? [[0, word, false]] : [];
  const parts: RunOrRest[] = [];
  let end = 0;
  for (const { 0: found, index } of word.matchAll(run())) {
    if (index > end) parts.push([end, word.slice(end, index), false]);
    parts.push([index, found, true]);
    end = index + found.length;
  }
  if (end < word.length) parts.push([end, word.slice(end), false]);
  return parts;
}

/** Returns true if a letter, digit or `_` beside a text makes both one word. */
export function isPartOfWord(character: string): boolean {
  return WORD_CHARACTER.test(character) && !hasRun(character);
}

/** The beginning of a text with at most so many words, in which each character of a run is one. */
export function firstWords(text: string, limit: number): string {
  const words = Array.from(text.matchAll(/\S+/g), ({ 0: word, index }) =>
    runsAndRest(word).flatMap(([at, part, isRun]) => ends(part, isRun).map((end) => index + at + end)),
  ).flat();
  return words.length > limit ? text.slice(0, words[limit - 1]) : text;
}

/** Where the words of a part end: each character of a run, or the whole. */
function ends(part: string, isRun: boolean): number[] {
  if (!isRun) return [part.length];
  let end = 0;
  return Array.from(part, (character) => (end += character.length));
}

/** A text as it is indexed: with a word for each character of a run, pairs and its last character. */
function splitText(text: string): string {
  if (isAscii(text)) return text;
  return text.replace(run(), (found) => ` ${[...pairs(found), [...found].at(-1)].join(" ")} `);
}

function wordsOf(text: string): string[] {
  const found = pairs(text);
  return found.length > 0 ? found : [text];
}

/** The pairs of a run, none of a single character. */
function pairs(text: string): string[] {
  const characters = [...text];
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}
