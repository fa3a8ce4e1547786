/** Chooses how much of each hit fits into the token budget, best hits first. */

import { constants } from "../../build/worker_data.json";

const { BYTES_PER_TOKEN, SEPARATOR_BYTES, SHARE_DIVISOR } = constants.token_budget;
const ENCODER = new TextEncoder();

/** A hit formatted at a detail level. */
export interface HitForm {
  detail: string;
  text: string;
}

/** The byte budget for a token budget. */
export function budgetBytes(tokens: number): number {
  return Math.trunc(tokens * BYTES_PER_TOKEN);
}

/** The length of a text in UTF-8 bytes. */
export function utf8Bytes(text: string): number {
  return ENCODER.encode(text).byteLength;
}

/** The bytes of a text and the blank line after it. */
export function bytesUsed(text: string): number {
  return utf8Bytes(text) + SEPARATOR_BYTES;
}

/**
 * Chooses a variant of each hit, so that all fit into `budget` bytes.
 *
 * `hits` are in the order of their ranks, the variants of each from the largest to the smallest. Every hit
 * gets its smallest variant; if even these do not fit, the last hits are dropped, but never the first.
 * What is left of the budget goes to the best hits first: unless `isGreedy`, at most a third of it to one
 * hit, or an equal share if that is more, and the rest without a limit.
 */
export function fitHits(hits: HitForm[][], budget: number, isGreedy = false): HitForm[] {
  const some = hits.slice(0, beginning(hits, budget));
  const chosen = some.map((forms) => forms.at(-1)!);
  let left = budget - chosen.reduce((sum, form) => sum + bytesUsed(form.text), 0);
  const first = Math.max(Math.floor(left / SHARE_DIVISOR), Math.floor(left / (some.length || 1)));
  for (const most of [isGreedy ? left : first, left]) {
    for (const [at, forms] of some.entries()) {
      const small = utf8Bytes(chosen[at]!.text);
      const roomForIt = small + Math.min(most, left);
      chosen[at] = forms.find((form) => utf8Bytes(form.text) <= roomForIt) ?? chosen[at]!;
      left -= utf8Bytes(chosen[at].text) - small;
    }
  }
  return chosen;
}

/** The number of leading hits whose smallest variants fit; at least one. */
function beginning(hits: HitForm[][], budget: number): number {
  let left = budget;
  for (const [at, forms] of hits.entries()) {
    left -= bytesUsed(forms.at(-1)!.text);
    if (left < 0 && at) return at;
  }
  return hits.length;
}

/** The leading lines that fit into `budget` bytes; at least the beginning of the first line. */
export function truncateLines(lines: string[], budget: number): string[] {
  const some: string[] = [];
  let left = budget;
  for (const line of lines) {
    left -= utf8Bytes(line) + 1;
    if (left < 0) break;
    some.push(line);
  }
  if (some.length || !lines.length) return some;
  return [beginningOf(lines[0]!, Math.max(left + utf8Bytes(lines[0]!) + 1, 1))];
}

/** The longest prefix of whole characters that fits into a number of bytes. */
function beginningOf(text: string, bytes: number): string {
  const some = new Uint8Array(bytes);
  return text.slice(0, ENCODER.encodeInto(text, some).read);
}
