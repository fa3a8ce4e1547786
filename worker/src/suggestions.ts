/** Suggests known names that are similar to an unknown one; mirrors difflib's ratio. */

import { constants } from "../build/worker_data.json";
import { casefold, compareText, isAscii, rpartition } from "./python_strings.ts";
import { HttpError } from "./http_error.ts";

const { MAX_SUGGESTIONS, MIN_SIMILARITY, MAX_COMPARED, MAX_LISTED, SHORT_NAME } = constants.suggestions;
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
  const listed = existing.slice(0, MAX_LISTED);
  const listing = listed.length > 0 ? `It has: ${listed.join(", ")}${more}.` : "";
  const remedy = near.length > 0 ? `The nearest: ${near.join(", ")}.` : listing;
  const known = near.length > 0 ? near : listed;
  const details = known.length > 0 ? { unknown: name, nearest: known } : {};
  return new HttpError(400, `The index has no ${kind} '${name}'.`, remedy, undefined, details);
}

/** The names whose parts after the last separator are most similar to the target's. */
export function nearestNames(target: string, names: readonly string[], separator: string): string[] {
  const targetPart = lastPart(target, separator);
  const parts = new Map(names.map((name) => [name, lastPart(name, separator)]));
  const candidates = mostSharedTrigrams(targetPart, parts);
  const distinct = [...new Set(candidates.map((name) => parts.get(name)!))];
  const similar = closeMatches(targetPart, distinct, MIN_SIMILARITY);
  const isShort = [...targetPart].length <= SHORT_NAME;
  const close = isShort ? similar.filter((one) => isWithinOneEdit(targetPart, one)) : similar;
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
  const least = Math.min(letters.length, others.length);
  let [start, end] = [0, 0];
  while (start < least && letters[start] === others[start]) start += 1;
  while (start + end < least && letters.at(-1 - end) === others.at(-1 - end)) end += 1;
  const [rest, otherRest] = [letters.length - start - end, others.length - start - end];
  const isSwapped = rest === 2 && otherRest === 2 && letters[start] === others[start + 1] && letters[start + 1] === others[start];
  return isSwapped || Math.max(rest, otherRest) <= 1;
}

/** The keys of the texts that share most trigrams with the target, the best first. */
function mostSharedTrigrams(target: string, texts: ReadonlyMap<string, string>): string[] {
  const places = new Map(Array.from(trigrams(target), (trigram, place) => [trigram, place]));
  const countedIn = new Int32Array(places.size).fill(-1);
  const counts: [number, string][] = [];
  let at = 0;
  for (const [name, text] of texts) {
    let count = 0;
    for (const trigram of trigrams(text)) {
      const place = places.get(trigram);
      if (place === undefined || countedIn[place] === at) continue;
      countedIn[place] = at;
      count += 1;
    }
    at += 1;
    if (count > 0) counts.push([count, name]);
  }
  counts.sort((one, other) => other[0] - one[0] || compareText(other[1], one[1]));
  return counts.slice(0, MAX_COMPARED).map(([, name]) => name);
}

function lastPart(name: string, separator: string): string {
  return casefold(rpartition(name, separator)[1]);
}

/** The trigrams of a name with a space at each end, in order; one may occur several times. */
function trigrams(name: string): string[] {
  const padded = ` ${name} `;
  const found: string[] = [];
  if (isAscii(padded)) {
    for (let at = 0; at < padded.length - 2; at += 1) found.push(padded.slice(at, at + 3));
    return found;
  }
  const characters = [...padded];
  return characters.slice(2).map((_, at) => characters.slice(at, at + 3).join(""));
}

/** Mirrors difflib's `get_close_matches`. */
export function closeMatches(
  word: string,
  candidates: readonly string[],
  cutoff = CUTOFF,
  count = MAX_SUGGESTIONS,
): string[] {
  const letters = [...word];
  const positions = letterPositions(letters);
  const matches: [number, string][] = [];
  for (const candidate of candidates) {
    const own = [...candidate];
    if (maxRatio(own, letters) < cutoff || maxRatioOfLetters(own, letters) < cutoff) continue;
    const score = ratio(own, letters, positions);
    if (score >= cutoff) matches.push([score, candidate]);
  }
  matches.sort((one, other) => other[0] - one[0] || compareText(other[1], one[1]));
  return matches.slice(0, count).map(([, one]) => one);
}

type Letters = readonly string[];

/** Mirrors difflib's `ratio`: twice the number of matching letters, divided by all letters. */
function ratio(one: Letters, other: Letters, positions: LetterPositions): number {
  const both = one.length + other.length;
  if (both === 0) return 1;
  return (2 * matchingLetters(one, [0, one.length], positions, [0, other.length])) / both;
}

/** Mirrors difflib's `real_quick_ratio`: the upper bound of `ratio` for texts of these lengths. */
function maxRatio(one: Letters, other: Letters): number {
  const both = one.length + other.length;
  return both === 0 ? 1 : (2 * Math.min(one.length, other.length)) / both;
}

/** Mirrors difflib's `quick_ratio`: the upper bound of `ratio` for texts of these letters in any order. */
function maxRatioOfLetters(one: Letters, other: Letters): number {
  const both = one.length + other.length;
  if (both === 0) return 1;
  const unmatched = new Map<string, number>();
  for (const letter of other) unmatched.set(letter, (unmatched.get(letter) ?? 0) + 1);
  let matching = 0;
  for (const letter of one) {
    const count = unmatched.get(letter) ?? 0;
    if (count > 0) matching += 1;
    unmatched.set(letter, count - 1);
  }
  return (2 * matching) / both;
}

type LetterPositions = ReadonlyMap<string, readonly number[]>;

/** The positions of each letter. */
function letterPositions(text: Letters): LetterPositions {
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
function matchingLetters(one: Letters, a: LetterRange, positions: LetterPositions, b: LetterRange): number {
  const [start, otherStart, size] = longestMatch(one, a, positions, b);
  if (size === 0) return 0;
  const before = matchingLetters(one, [a[0], start], positions, [b[0], otherStart]);
  const after = matchingLetters(one, [start + size, a[1]], positions, [otherStart + size, b[1]]);
  return size + before + after;
}

/** The first longest common run: its start in both texts, and its length. */
function longestMatch(
  one: Letters,
  a: LetterRange,
  positions: LetterPositions,
  b: LetterRange,
): [number, number, number] {
  let best: [number, number, number] = [a[0], b[0], 0];
  // the length of the run that ends at a letter of the other text, moved by one
  let lengths = Array<number>(b[1] - b[0] + 1).fill(0);
  let next = lengths.slice();
  for (let at = a[0]; at < a[1]; at += 1) {
    next.fill(0);
    for (const otherAt of positions.get(one[at]!) ?? []) {
      if (otherAt < b[0]) continue;
      if (otherAt >= b[1]) break;
      const size = lengths[otherAt - b[0]]! + 1;
      next[otherAt - b[0] + 1] = size;
      if (size > best[2]) best = [at - size + 1, otherAt - size + 1, size];
    }
    [lengths, next] = [next, lengths];
  }
  return best;
}
