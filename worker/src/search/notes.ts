/** What has the one who asks to know of an answer? That nothing is called so, or that it is far. */

import shared from "../../build/shared.json";
import type { Asked } from "./asked.ts";
import type { Found } from "./found.ts";
import { ALIKE, NAME, WORD, type Ranking } from "./fusion.ts";

const { CANDIDATE_LIMITS: MOST, MAX_SUGGESTED_NAMES: NEAR_NAMES, NO_WORD_NOTE: NO_WORD } = shared.constants.engine;
const { STATIC_VECTORS: MEANING, MODEL_VECTORS: VECTOR } = shared.constants.models;

/** What the one who asks has to know: that nothing is called so, or has a word of it. */
export function notes(asked: Asked, rankings: readonly Ranking[], found: readonly Found[]): string[] {
  if (sizes(rankings).get(ALIKE)) {
    const near = found.filter((one) => one.ranks.has(ALIKE)).map((one) => String(one.hit.symbol));
    const nearest = [...new Set(near)].slice(0, NEAR_NAMES).join(", ");
    return [`Nothing is called ${asked.name}. Names like it: ${nearest}`];
  }
  if (!rankings.length || !isFar(rankings)) return [];
  return [NO_WORD + (found.length ? "; what follows is near in meaning alone." : ".")];
}

/** Whether models alone find nodes. */
export function isFar(rankings: readonly Ranking[]): boolean {
  const byModel = new Set([MEANING, VECTOR]);
  return !rankings.some((ranking) => ranking.scores.size && !byModel.has(ranking.name));
}

/**
 * Whether more nodes may be called so or have a word of the question than were looked at.
 *
 * A word of most nodes finds none by itself, though some are called so.
 */
export function isCut(rankings: readonly Ranking[]): boolean {
  const found = sizes(rankings);
  const isFull = Object.entries(MOST).some(([name, most]) => (found.get(name) ?? 0) >= most);
  return isFull || Boolean(found.get(NAME) && !found.get(WORD));
}

/** How many nodes each has found. */
function sizes(rankings: readonly Ranking[]): Map<string, number> {
  return new Map(rankings.map((one) => [one.name, one.scores.size]));
}
