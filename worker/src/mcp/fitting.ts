/** How much of each hit fits into an answer? The budget is spent by rank; nothing goes unsaid. */

import shared from "../../build/shared.json";

const { bytes_a_token, blank, share } = shared.serve.fitting;
const ENCODER = new TextEncoder();

/** One of the ways to show a hit: how it is called, and its text. */
export interface Form {
  detail: string;
  text: string;
}

/** The bytes that an answer may have. */
export function room(tokens: number): number {
  return Math.trunc(tokens * bytes_a_token);
}

/** The bytes of a text. */
export function size(text: string): number {
  return ENCODER.encode(text).byteLength;
}

/** What a text takes with the blank line before the next. */
export function taken(text: string): number {
  return size(text) + blank;
}

/**
 * The form of each hit, whose forms are given from the largest to the smallest.
 *
 * The first hits are chosen first. Unless it is greedy, a hit takes at most a third of the budget,
 * or its equal part where that is more; what is left then goes to the first as well. Where even the
 * smallest forms do not fit, the last hits are left out, but never the first.
 */
export function fitted(hits: Form[][], budget: number, isGreedy = false): Form[] {
  const some = hits.slice(0, beginning(hits, budget));
  const chosen = some.map((forms) => forms.at(-1)!);
  let left = budget - chosen.reduce((sum, form) => sum + taken(form.text), 0);
  const first = Math.max(Math.floor(left / share), Math.floor(left / (some.length || 1)));
  for (const most of [isGreedy ? left : first, left]) {
    for (const [at, forms] of some.entries()) {
      const small = size(chosen[at]!.text);
      const roomForIt = small + Math.min(most, left);
      chosen[at] = forms.find((form) => size(form.text) <= roomForIt) ?? chosen[at]!;
      left -= size(chosen[at].text) - small;
    }
  }
  return chosen;
}

/** How many of the first fit in their smallest form; one at least. */
function beginning(hits: Form[][], budget: number): number {
  let left = budget;
  for (const [at, forms] of hits.entries()) {
    left -= taken(forms.at(-1)!.text);
    if (left < 0 && at) return at;
  }
  return hits.length;
}

/** The first lines that fit; of a first one that does not, its beginning. */
export function cutLines(lines: string[], budget: number): string[] {
  const some: string[] = [];
  let left = budget;
  for (const line of lines) {
    left -= size(line) + 1;
    if (left < 0) break;
    some.push(line);
  }
  if (some.length || !lines.length) return some;
  return [beginningOf(lines[0]!, Math.max(left + size(lines[0]!) + 1, 1))];
}

/** As many whole characters as fit into so many bytes. */
function beginningOf(text: string, bytes: number): string {
  const some = new Uint8Array(bytes);
  return text.slice(0, ENCODER.encodeInto(text, some).read);
}
