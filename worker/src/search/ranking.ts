/**
 * In which order do nodes answer? By name, word and meaning together, then by a few rules.
 *
 * docs/explanation/ranking.md tells them in words, with what each gains.
 */

import shared from "../../build/shared.json";
import { sortBy } from "../sorting.ts";
import { fsum } from "../fsum.ts";
import type { QueryText } from "./asked.ts";
import type { Result, Hit } from "./found.ts";
import { maximum, type Ranking, type Scores } from "./fusion.ts";
import { kindWeight } from "./file_kinds.ts";
import { normalizeName, findMember } from "./name_matching.ts";
import { fileBoost, nameBoost, pathBoost } from "./rules.ts";

const { PREFERENCE_BOOST } = shared.constants.ranking;

/** A hit with what its kind is and how much that counts, and what it has gained by what. */
interface Gaining {
  hit: Hit;
  kind: string;
  share: number;
  gained: Map<string, number>;
  ranks: Map<string, number>;
}

type ById = ReadonlyMap<string, Gaining>;

/** The hits in their order; those that are `preferred`, by their ids, count more. */
export function rankHits(
  asked: QueryText,
  rankings: readonly Ranking[],
  hits: readonly Hit[],
  preferred: Iterable<string> = [],
): Result[] {
  const byId = new Map(hits.map((hit) => [hit.id, gaining(hit, asked)]));
  for (const ranking of rankings) byRanking(ranking, byId);
  byRules(asked, rankings, hits, byId);
  for (const id of new Set(preferred)) prefer(byId.get(id));
  const wanted = normalizeName(asked.text);
  const found = hits.map((hit) => foundOf(byId.get(hit.id)!, wanted));
  const places = placesOf(rankings);
  return sortBy(found, ({ hit, score }) => [
    ...(places.get(hit.id) ?? [rankings.length, 0]),
    -score,
    hit.path,
    hit.startLine,
  ]);
}

function gaining(hit: Hit, asked: QueryText): Gaining {
  const [kind, counts] = kindWeight(hit, asked);
  return { hit, kind, share: counts, gained: new Map(), ranks: new Map() };
}

/** What a ranking gives the hits, and at which place it has them. */
function byRanking(ranking: Ranking, byId: ById): void {
  let rank = 0;
  for (const [id, score] of ranking.scores) {
    const one = byId.get(id);
    rank += 1;
    one?.gained.set(ranking.name, ranking.weight * score);
    one?.ranks.set(ranking.name, rank);
  }
}

/** What each rule gives them, of the best score that is not a name's. */
function byRules(asked: QueryText, rankings: readonly Ranking[], hits: readonly Hit[], byId: ById): void {
  const firm = new Set(rankings.filter((one) => one.isFirm).map((one) => one.name));
  const scores = new Map(Array.from(byId, ([id, one]) => [id, apart(one.gained, firm)]));
  const asKinds = new Map(Array.from(byId, ([id, one]) => [id, scores.get(id)! * one.share]));
  const best = maximum(scores.values());
  give("file", fileBoost(hits, asKinds), best, byId);
  give("folder", pathBoost(hits, asked), best, byId);
  give("naming", nameBoost(hits, asked), best, byId);
}

/** What is gained apart from firm rankings. */
function apart(gained: Scores, firm: ReadonlySet<string>): number {
  const own: number[] = [];
  for (const [name, score] of gained) if (!firm.has(name)) own.push(score);
  return fsum(own);
}

function give(rule: string, shares: Scores, best: number, byId: ById): void {
  for (const [id, one] of shares) byId.get(id)?.gained.set(rule, one * best);
}

function prefer(one: Gaining | undefined): void {
  one?.gained.set("preferred", (PREFERENCE_BOOST - 1) * fsum(one.gained.values()));
}

/** Where the nodes come that are called so, or whose path is asked for; equal ones together. */
function placesOf(rankings: readonly Ranking[]): Map<string, readonly [number, number]> {
  const places = new Map<string, readonly [number, number]>();
  rankings.forEach((ranking, place) => {
    for (const [id, score] of ranking.isFirm ? ranking.scores : [])
      if (!places.has(id)) places.set(id, [place, -score]);
  });
  return places;
}

function foundOf({ hit, kind, share: counts, gained, ranks }: Gaining, wanted: string): Result {
  const score = fsum(gained.values());
  const parts = kind ? new Map([...gained, [kind, (counts - 1) * score]]) : gained;
  const named = findMember(hit.symbol, hit.members, wanted);
  const alone = { others: [], copies: [], piece: null };
  return { hit, score: score * counts, ranks, member: named, parts, ...alone };
}
