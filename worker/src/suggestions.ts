/** Suggests known names that are similar to an unknown one; mirrors difflib's ratio. */

import { constants } from "../build/worker_data.json";
import { casefold, compareText, rpartition } from "./python_strings.ts";
import { badRequest, type HttpError } from "./http_error.ts";

const { MAX_SUGGESTIONS, MIN_SIMILARITY, MAX_COMPARED, MAX_LISTED } = constants.suggestions;
/** The default cutoff of difflib's `get_close_matches`. */
const CUTOFF = 0.6;
/** From this length on, difflib ignores letters that make up more than 1% of a text. */
const LONG = 200;

/** The error for a name that the index does not have; `aliases` are compared too, but not listed. */
export function unknownNameError(
  kind: string,
  name: string,
  there: readonly string[],
  others: readonly string[] = [],
): HttpError {
  const known = new Map([...others, ...there].map((one) => [one.toLowerCase(), one]));
  const some = alike(name.toLowerCase(), new Map(Array.from(known.keys(), (one) => [one, one])));
  const close = closeMatches(name.toLowerCase(), some).map((one) => known.get(one)!);
  const near = close.length > 0 ? close : nearestNames(name, [...known.values()], "/");
  const more = there.length > MAX_LISTED ? ` and ${there.length - MAX_LISTED} more` : "";
  const all = there.length > 0 ? `There are: ${there.slice(0, MAX_LISTED).join(", ")}${more}.` : "";
  const told = near.length > 0 ? `The nearest: ${near.join(", ")}.` : all;
  return badRequest(`The index has no ${kind} ${name}. ${told}`.trim());
}

/** The names whose parts after the last separator are most similar to the target's. */
export function nearestNames(text: string, known: readonly string[], sign: string): string[] {
  const asked = last(text, sign);
  const lasts = new Map(known.map((name) => [name, last(name, sign)]));
  const some = alike(asked, lasts);
  const parts = [...new Set(some.map((name) => lasts.get(name)!))];
  const close = closeMatches(asked, parts, MIN_SIMILARITY);
  const named = close.flatMap((one) => some.filter((name) => lasts.get(name) === one));
  return named.slice(0, MAX_SUGGESTIONS);
}

/** The sentence "Did you mean …?" with the most similar name; empty if none is similar. */
export function didYouMean(name: string, known: readonly string[]): string {
  const [near] = closeMatches(name, known, CUTOFF, 1);
  return near ? `Did you mean \`${near}\`?` : "";
}

/** The keys of the texts that share most trigrams with the target, the best first. */
function alike(asked: string, texts: ReadonlyMap<string, string>): string[] {
  const wanted = groups(asked);
  const shares: [number, string][] = [];
  for (const [name, text] of texts) {
    let count = 0;
    for (const one of groups(text)) if (wanted.has(one)) count += 1;
    if (count > 0) shares.push([count, name]);
  }
  shares.sort((one, other) => other[0] - one[0] || compareText(other[1], one[1]));
  return shares.slice(0, MAX_COMPARED).map(([, name]) => name);
}

function last(name: string, sign: string): string {
  return casefold(rpartition(name, sign)[1]);
}

/** The trigrams of a name, with a space at each end. */
function groups(name: string): Set<string> {
  const framed = [...` ${name} `];
  return new Set(framed.slice(2).map((_, at) => framed.slice(at, at + 3).join("")));
}

/** Mirrors difflib's `get_close_matches`. */
export function closeMatches(
  word: string,
  possible: readonly string[],
  cutoff = CUTOFF,
  count = MAX_SUGGESTIONS,
): string[] {
  const letters = [...word];
  const found = possible
    .filter((one) => mostAlike([...one], letters) >= cutoff)
    .map((one): [number, string] => [ratio([...one], letters), one])
    .filter(([score]) => score >= cutoff);
  found.sort((one, other) => other[0] - one[0] || compareText(other[1], one[1]));
  return found.slice(0, count).map(([, one]) => one);
}

type Letters = readonly string[];

/** Mirrors difflib's `ratio`: twice the number of matching letters, divided by all letters. */
function ratio(one: Letters, other: Letters): number {
  const both = one.length + other.length;
  if (both === 0) return 1;
  return (2 * matching(one, [0, one.length], placesOf(other), [0, other.length])) / both;
}

/** Mirrors difflib's `real_quick_ratio`: the upper bound of `ratio` for texts of these lengths. */
function mostAlike(one: Letters, other: Letters): number {
  const both = one.length + other.length;
  return both === 0 ? 1 : (2 * Math.min(one.length, other.length)) / both;
}

/** The positions of each letter. */
function placesOf(text: Letters): Map<string, number[]> {
  const places = new Map<string, number[]>();
  text.forEach((letter, at) => {
    const known = places.get(letter);
    if (known) known.push(at);
    else places.set(letter, [at]);
  });
  if (text.length >= LONG) {
    const many = Math.floor(text.length / 100) + 1;
    for (const [letter, found] of places) if (found.length > many) places.delete(letter);
  }
  return places;
}

type Span = readonly [from: number, to: number];

/** The number of letters in the longest common run, and in those before and after it. */
function matching(one: Letters, a: Span, places: Map<string, number[]>, b: Span): number {
  const [at, there, size] = longest(one, a, places, b);
  if (size === 0) return 0;
  const before = matching(one, [a[0], at], places, [b[0], there]);
  const behind = matching(one, [at + size, a[1]], places, [there + size, b[1]]);
  return size + before + behind;
}

function longest(
  one: Letters,
  a: Span,
  places: Map<string, number[]>,
  b: Span,
): [number, number, number] {
  let best: [number, number, number] = [a[0], b[0], 0];
  let lengths = new Map<number, number>();
  for (let at = a[0]; at < a[1]; at += 1) {
    const next = new Map<number, number>();
    for (const there of places.get(one[at]!) ?? []) {
      if (there < b[0]) continue;
      if (there >= b[1]) break;
      const size = (lengths.get(there - 1) ?? 0) + 1;
      next.set(there, size);
      if (size > best[2]) best = [at - size + 1, there - size + 1, size];
    }
    lengths = next;
  }
  return best;
}
