/** How do the ways compare in which nodes are found? Each has scores up to 1, and a weight. */

import shared from "../../build/shared.json";

export const { STACK_FRAME, NAME, PATH, COMPOSED_NAME, RARE_WORD, SIMILAR_NAME, NAME_WORDS, WORD, DESCRIPTION } = shared.constants.fusion;
export const { NAME_WORDS_WEIGHT, DESCRIPTION_WEIGHT } = shared.constants.fusion;
const { NAME_WEIGHT, WORD_WEIGHT, RANK_CONSTANT, COSINE_FLOOR } = shared.constants.fusion;

export type Scores = ReadonlyMap<string, number>;

/**
 * The nodes that one thing finds, by id with their scores, the best first; and its weight.
 *
 * What `isFirm` comes before all that is not.
 */
export interface Ranking {
  name: string;
  weight: number;
  scores: Scores;
  isFirm: boolean;
}

/** Of nodes that are asked for by what they are called, in their order; they come first. */
export function rankByName(name: string, ids: readonly string[]): Ranking {
  const scores = new Map(ids.map((id, place) => [id, RANK_CONSTANT / (RANK_CONSTANT + place)]));
  return { name, weight: NAME_WEIGHT, scores, isFirm: true };
}

/** Of nodes that come first too, but by what else they gain. */
export function rankTogether(name: string, ids: readonly string[]): Ranking {
  return { name, weight: NAME_WEIGHT, scores: new Map(ids.map((id) => [id, 1])), isFirm: true };
}

/** Of nodes whose names have the question's words, by how well these agree. */
export function rankBySpelling(scores: Scores): Ranking {
  return { name: NAME_WORDS, weight: NAME_WORDS_WEIGHT, scores, isFirm: false };
}

/** Of bm25's scores, as shares of the best one. */
export function rankByWords(scores: Scores, name = WORD, weight = WORD_WEIGHT): Ranking {
  const best = maximum(scores.values()) || 1;
  return { name, weight, scores: each(scores, (one) => one / best), isFirm: false };
}

/** Of cosines: 1 for the nearest, 0 for what is below the floor. */
export function rankByCosine(name: string, weight: number, cosines: Scores): Ranking {
  const floor = COSINE_FLOOR * least(cosines.values());
  const span = maximum(cosines.values()) - floor || 1;
  return { name, weight, scores: each(cosines, (one) => (one - floor) / span), isFirm: false };
}

/** The greatest of numbers; 0 of none. */
export function maximum(numbers: Iterable<number>): number {
  const all = [...numbers];
  return all.length ? Math.max(...all) : 0;
}

function least(numbers: Iterable<number>): number {
  const all = [...numbers];
  return all.length ? Math.min(...all) : 0;
}

function each(scores: Scores, change: (score: number) => number): Scores {
  return new Map(Array.from(scores, ([id, score]) => [id, change(score)]));
}
