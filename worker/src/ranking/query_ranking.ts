/** Says what the rankings of a query found: notes for the user, and whether more nodes may match. */

import { constants } from "../../build/worker_data.json";
import type { QueryText } from "../query/query_text.ts";
import { LITERAL, NAME, type Ranking, SIMILAR_NAME, WORD } from "./ranking.ts";
import type { Result } from "./results.ts";

const { CANDIDATE_LIMITS, MAX_SUGGESTED_NAMES, NO_WORD_TEXT } = constants.query_ranking;
const { STATIC_VECTORS, MODEL_VECTORS } = constants.retrieval;

/** Notes that no node has the name, or a word of the query; none without results. */
export function resultNotes(queryText: QueryText, rankings: readonly Ranking[], results: readonly Result[]): string[] {
  const counts = candidateCounts(rankings);
  if (counts.get(SIMILAR_NAME) && !counts.get(LITERAL)) {
    const similar = results
      .filter((one) => one.ranks.has(SIMILAR_NAME))
      .map((one) => one.member?.name ?? String(one.hit.symbol));
    const nearest = [...new Set(similar)].slice(0, MAX_SUGGESTED_NAMES).join(", ");
    return [`No symbol is named ${queryText.name}. Similar names: ${nearest}`];
  }
  return rankings.length && results.length && isVectorOnly(rankings) ? [NO_WORD_TEXT] : [];
}

/** Returns true if only embedding models found nodes. */
export function isVectorOnly(rankings: readonly Ranking[]): boolean {
  const byModel = new Set([STATIC_VECTORS, MODEL_VECTORS]);
  return !rankings.some((ranking) => ranking.scores.size && !byModel.has(ranking.name));
}

/**
 * Returns true if more nodes may match than were retrieved.
 *
 * A word of most nodes is not searched for, even where a node has it as its name.
 */
export function isTruncated(rankings: readonly Ranking[]): boolean {
  const counts = candidateCounts(rankings);
  const isFull = Object.entries(CANDIDATE_LIMITS).some(([name, limit]) => (counts.get(name) ?? 0) >= limit);
  return isFull || Boolean(counts.get(NAME) && !counts.get(WORD));
}

/** The number of candidates of each ranking. */
function candidateCounts(rankings: readonly Ranking[]): Map<string, number> {
  return new Map(rankings.map((one) => [one.name, one.scores.size]));
}
