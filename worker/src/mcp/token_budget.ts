/** Chooses how much of each hit fits into the token budget, best hits first. */

import { constants } from "../../build/worker_data.json";

const { BYTES_PER_TOKEN, MIN_HIT_BYTES, MIN_HITS, SEPARATOR_BYTES } = constants.token_budget;
const { SMALL_BUDGET_BYTES, MAX_SMALL_HITS } = constants.token_budget;
const ENCODER = new TextEncoder();

/** A hit formatted at a detail level. */
export interface HitVariant {
  detail: string;
  text: string;
}

/** The byte budget for a token budget. */
export function budgetBytes(tokens: number): number {
  return Math.trunc(tokens * BYTES_PER_TOKEN);
}

/** The length of a text in UTF-8 bytes. */
export function byteSize(text: string): number {
  return ENCODER.encode(text).byteLength;
}

/** The bytes of a text and the blank line after it. */
export function bytesWithSeparator(text: string): number {
  return byteSize(text) + SEPARATOR_BYTES;
}

/**
 * Chooses a variant of each hit, so that all fit into `budget` bytes.
 *
 * `hits` are in the order of their ranks, the variants of each from the largest to the smallest. Every hit
 * gets its smallest variant; if even these do not fit, the last hits are dropped, but never the first.
 * Of hits with several variants, a small budget has fewer: MIN_HIT_BYTES for each, but at least MIN_HITS
 * and at most MAX_SMALL_HITS.
 * What is left of the budget goes to the best hits first, without a limit for each.
 */
export function fitToBudget(hits: HitVariant[][], budget: number): HitVariant[] {
  const mostOfBudget = budget < SMALL_BUDGET_BYTES ? MAX_SMALL_HITS : hits.length;
  const most = Math.max(MIN_HITS, Math.min(mostOfBudget, Math.floor(budget / MIN_HIT_BYTES)));
  const listed = hits.some((variants) => variants.length > 1) ? hits.slice(0, most) : hits;
  const fittingHits = listed.slice(0, countThatFit(listed, budget));
  const chosen = fittingHits.map((variants) => variants.at(-1)!);
  let left = budget - chosen.reduce((sum, variant) => sum + bytesWithSeparator(variant.text), 0);
  for (const [at, variants] of fittingHits.entries()) {
    const size = byteSize(chosen[at]!.text);
    const allowed = size + left;
    chosen[at] = variants.find((variant) => byteSize(variant.text) <= allowed) ?? chosen[at]!;
    left -= byteSize(chosen[at].text) - size;
  }
  return chosen;
}

/** The number of leading hits whose smallest variants fit; at least one. */
function countThatFit(hits: HitVariant[][], budget: number): number {
  let left = budget;
  for (const [at, variants] of hits.entries()) {
    left -= bytesWithSeparator(variants.at(-1)!.text);
    if (left < 0 && at) return at;
  }
  return hits.length;
}

/** The leading lines that fit into `budget` bytes; at least the beginning of the first line. */
export function truncateLines(lines: string[], budget: number): string[] {
  const fitting: string[] = [];
  let left = budget;
  for (const line of lines) {
    left -= byteSize(line) + 1;
    if (left < 0) break;
    fitting.push(line);
  }
  if (fitting.length || !lines.length) return fitting;
  return [truncateBytes(lines[0]!, Math.max(left + byteSize(lines[0]!) + 1, 1))];
}

/** The longest prefix of whole characters that fits into a number of bytes. */
function truncateBytes(text: string, bytes: number): string {
  const buffer = new Uint8Array(bytes);
  return text.slice(0, ENCODER.encodeInto(text, buffer).read);
}
