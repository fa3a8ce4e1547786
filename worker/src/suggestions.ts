/** Suggests known names that are similar to an unknown one; mirrors difflib's ratio. */

import { constants } from "../build/worker_data.json";
import { casefold, compareText, rpartition } from "./python_strings.ts";
import { HttpError } from "./http_error.ts";

const { MAX_SUGGESTIONS, MIN_SIMILARITY, MAX_COMPARED, MAX_LISTED } = constants.suggestions;
/** The default cutoff of difflib's `get_close_matches`. */
const CUTOFF = 0.6;
/** From this length on, difflib ignores letters that make up more than 1% of a text. */
const LONG_TEXT_LETTERS = 200;

/** The error for a name that the index does not have; `aliases` are compared too, but not listed. */
export function unknownNameError(
  kind: string,
  name: string,
  existing: readonly string[],
  aliases: readonly string[] = [],
): HttpError {
  const byLowercase = new Map([...aliases, ...existing].map((one) => [one.toLowerCase(), one]));
  const texts = new Map(Array.from(byLowercase.keys(), (one) => [one, one]));
  const candidates = mostSharedTrigrams(name.toLowerCase(), texts);
  const close = closeMatches(name.toLowerCase(), candidates).map((one) => byLowercase.get(one)!);
  const near = close.length > 0 ? close : nearestNames(name, [...byLowercase.values()], "/");
  const more = existing.length > MAX_LISTED ? ` and ${existing.length - MAX_LISTED} more` : "";
  const listing = existing.length > 0 ? `There are: ${existing.slice(0, MAX_LISTED).join(", ")}${more}.` : "";
  const remedy = near.length > 0 ? `The nearest: ${near.join(", ")}.` : listing;
  return new HttpError(400, `The index has no ${kind} ${name}.`, remedy);
}

/** The names whose parts after the last separator are most similar to the target's. */
export function nearestNames(target: string, names: readonly string[], separator: string): string[] {
  const targetPart = lastPart(target, separator);
  const parts = new Map(names.map((name) => [name, lastPart(name, separator)]));
  const candidates = mostSharedTrigrams(targetPart, parts);
  const distinct = [...new Set(candidates.map((name) => parts.get(name)!))];
  const close = closeMatches(targetPart, distinct, MIN_SIMILARITY);
  const nearest = close.flatMap((one) => candidates.filter((name) => parts.get(name) === one));
  return nearest.slice(0, MAX_SUGGESTIONS);
}

/** The sentence "Did you mean …?" with the most similar name; empty if none is similar. */
export function didYouMean(name: string, names: readonly string[]): string {
  const [nearest] = closeMatches(name, names, CUTOFF, 1);
  return nearest ? `Did you mean \`${nearest}\`?` : "";
}

/** Returns true for equal words, and if a letter is left out, added, replaced or swapped with the next one. */
export function isWithinOneEdit(one: string, other: string): boolean {
  const [letters, others] = [[...one], [...other]];
  while (letters.length > 0 && letters[0] === others[0]) [letters, others].forEach((rest) => rest.shift());
  while (letters.length > 0 && letters.at(-1) === others.at(-1)) [letters, others].forEach((rest) => rest.pop());
  const isSwapped = letters.length === 2 && others.length === 2 && letters[0] === others[1] && letters[1] === others[0];
  return isSwapped || Math.max(letters.length, others.length) <= 1;
}

/** The keys of the texts that share most trigrams with the target, the best first. */
function mostSharedTrigrams(target: string, texts: ReadonlyMap<string, string>): string[] {
  const targetTrigrams = trigrams(target);
  const counts: [number, string][] = [];
  for (const [name, text] of texts) {
    let count = 0;
    for (const trigram of trigrams(text)) if (targetTrigrams.has(trigram)) count += 1;
    if (count > 0) counts.push([count, name]);
  }
  counts.sort((one, other) => other[0] - one[0] || compareText(other[1], one[1]));
  return counts.slice(0, MAX_COMPARED).map(([, name]) => name);
}

function lastPart(name: string, separator: string): string {
  return casefold(rpartition(name, separator)[1]);
}

/** The trigrams of a name, with a space at each end. */
function trigrams(name: string): Set<string> {
  const padded = [...` ${name} `];
  return new Set(padded.slice(2).map((_, at) => padded.slice(at, at + 3).join("")));
}

/** Mirrors difflib's `get_close_matches`. */
export function closeMatches(
  word: string,
  candidates: readonly string[],
  cutoff = CUTOFF,
  count = MAX_SUGGESTIONS,
): string[] {
  const letters = [...word];
  const matches = candidates
    .filter((one) => maxRatio([...one], letters) >= cutoff)
    .map((one): [number, string] => [ratio([...one], letters), one])
    .filter(([score]) => score >= cutoff);
  matches.sort((one, other) => other[0] - one[0] || compareText(other[1], one[1]));
  return matches.slice(0, count).map(([, one]) => one);
}

type Letters = readonly string[];

/** Mirrors difflib's `ratio`: twice the number of matching letters, divided by all letters. */
function ratio(one: Letters, other: Letters): number {
  const both = one.length + other.length;
  if (both === 0) return 1;
  return (2 * matchingLetters(one, [0, one.length], letterPositions(other), [0, other.length])) / both;
}

/** Mirrors difflib's `real_quick_ratio`: the upper bound of `ratio` for texts of these lengths. */
function maxRatio(one: Letters, other: Letters): number {
  const both = one.length + other.length;
  return both === 0 ? 1 : (2 * Math.min(one.length, other.length)) / both;
}

/** The positions of each letter. */
function letterPositions(text: Letters): Map<string, number[]> {
  const positions = new Map<string, number[]>();
  text.forEach((letter, at) => {
    const own = positions.get(letter);
    if (own) own.push(at);
    else positions.set(letter, [at]);
  });
  if (text.length >= LONG_TEXT_LETTERS) {
    const maxPositions = Math.floor(text.length / 100) + 1;
    for (const [letter, own] of positions) if (own.length > maxPositions) positions.delete(letter);
  }
  return positions;
}

type LetterRange = readonly [from: number, to: number];

/** The number of letters in the longest common run, and in those before and after it. */
function matchingLetters(one: Letters, a: LetterRange, positions: Map<string, number[]>, b: LetterRange): number {
  const [start, otherStart, size] = longestMatch(one, a, positions, b);
  if (size === 0) return 0;
  const before = matchingLetters(one, [a[0], start], positions, [b[0], otherStart]);
  const after = matchingLetters(one, [start + size, a[1]], positions, [otherStart + size, b[1]]);
  return size + before + after;
}

function longestMatch(
  one: Letters,
  a: LetterRange,
  positions: Map<string, number[]>,
  b: LetterRange,
): [number, number, number] {
  let best: [number, number, number] = [a[0], b[0], 0];
  let lengths = new Map<number, number>();
  for (let at = a[0]; at < a[1]; at += 1) {
    const next = new Map<number, number>();
    for (const otherAt of positions.get(one[at]!) ?? []) {
      if (otherAt < b[0]) continue;
      if (otherAt >= b[1]) break;
      const size = (lengths.get(otherAt - 1) ?? 0) + 1;
      next.set(otherAt, size);
      if (size > best[2]) best = [at - size + 1, otherAt - size + 1, size];
    }
    lengths = next;
  }
  return best;
}
