/** What has the one who asks to know of an answer? That nothing is called so, or that it is far. */

import shared from "../../build/shared.json";
import type { QueryText } from "./asked.ts";
import type { Result } from "./found.ts";
import { SIMILAR_NAME, NAME, WORD, type Ranking } from "./fusion.ts";

const { CANDIDATE_LIMITS, MAX_SUGGESTED_NAMES, NO_WORD_NOTE } = shared.constants.engine;
const { STATIC_VECTORS, MODEL_VECTORS } = shared.constants.models;

/** What the one who asks has to know: that nothing is called so, or has a word of it. */
export function resultNotes(asked: QueryText, rankings: readonly Ranking[], found: readonly Result[]): string[] {
  if (sizes(rankings).get(SIMILAR_NAME)) {
    const near = found.filter((one) => one.ranks.has(SIMILAR_NAME)).map((one) => String(one.hit.symbol));
    const nearest = [...new Set(near)].slice(0, MAX_SUGGESTED_NAMES).join(", ");
    return [`Nothing is called ${asked.name}. Names like it: ${nearest}`];
  }
  if (!rankings.length || !isVectorOnly(rankings)) return [];
  return [NO_WORD_NOTE + (found.length ? "; what follows is near in meaning alone." : ".")];
}

/** Whether models alone find nodes. */
export function isVectorOnly(rankings: readonly Ranking[]): boolean {
  const byModel = new Set([STATIC_VECTORS, MODEL_VECTORS]);
  return !rankings.some((ranking) => ranking.scores.size && !byModel.has(ranking.name));
}

/**
 * Whether more nodes may be called so or have a word of the question than were looked at.
 *
 * A word of most nodes finds none by itself, though some are called so.
 */
export function isTruncated(rankings: readonly Ranking[]): boolean {
  const found = sizes(rankings);
  const isFull = Object.entries(CANDIDATE_LIMITS).some(([name, most]) => (found.get(name) ?? 0) >= most);
  return isFull || Boolean(found.get(NAME) && !found.get(WORD));
}

/** How many nodes each has found. */
function sizes(rankings: readonly Ranking[]): Map<string, number> {
  return new Map(rankings.map((one) => [one.name, one.scores.size]));
}
