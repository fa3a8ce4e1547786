/** Ranks candidates: fuses the rankings, then applies boosts and preferences. */

import { constants } from "../../build/worker_data.json";
import { groupBy } from "../collections.ts";
import { fsum } from "../fsum.ts";
import { memoize } from "../memoize.ts";
import { rpartition } from "../python_strings.ts";
import { sortBy } from "../sorting.ts";
import { lowercaseParts } from "../text.ts";
import { kindWeight } from "./file_kinds.ts";
import { findMember, normalizeName, wordOverlap } from "./name_matching.ts";
import { MIN_WORD_LETTERS, type QueryText } from "./query.ts";
import type { Hit, Result } from "./results.ts";

export const { STACK_FRAME, NAME, PATH, COMPOSED_NAME, RARE_WORD, SIMILAR_NAME, NAME_WORDS, WORD, DESCRIPTION } = constants.ranking;
export const { NAME_WORDS_WEIGHT, DESCRIPTION_WEIGHT } = constants.ranking;
const { NAME_WEIGHT, WORD_WEIGHT, RANK_CONSTANT, COSINE_FLOOR } = constants.ranking;
const { FILE_BOOST, PATH_BOOST, NAME_BOOST, PREFERENCE_BOOST } = constants.ranking;
const { MIN_SHARE_OF_BEST, MIN_PATH_SHARE } = constants.ranking;

/** A hit with its file kind, that kind's weight, and its scores by ranking or boost. */
interface Scored {
  hit: Hit;
  kind: string;
  share: number;
  gained: Map<string, number>;
  ranks: Map<string, number>;
}

type ById = ReadonlyMap<string, Scored>;

/** Ranks hits; those whose ids are `preferred` get a boost. */
export function rankHits(
  queryText: QueryText,
  rankings: readonly Ranking[],
  hits: readonly Hit[],
  preferred: Iterable<string> = [],
): Result[] {
  const byId = new Map(hits.map((hit) => [hit.id, scored(hit, queryText)]));
  for (const ranking of rankings) addRanking(ranking, byId);
  addBoosts(queryText, rankings, hits, byId);
  for (const id of new Set(preferred)) prefer(byId.get(id));
  const searchedName = normalizeName(queryText.text);
  const results = hits.map((hit) => toResult(byId.get(hit.id)!, searchedName));
  const places = firmPlaces(rankings);
  return sortBy(results, ({ hit, score }) => [
    ...(places.get(hit.id) ?? [rankings.length, 0]),
    -score,
    hit.path,
    hit.startLine,
  ]);
}

function scored(hit: Hit, queryText: QueryText): Scored {
  const [kind, share] = kindWeight(hit, queryText);
  return { hit, kind, share, gained: new Map(), ranks: new Map() };
}

/** Adds the scores and ranks of a ranking. */
function addRanking(ranking: Ranking, byId: ById): void {
  let rank = 0;
  for (const [id, score] of ranking.scores) {
    const one = byId.get(id);
    rank += 1;
    one?.gained.set(ranking.name, ranking.weight * score);
    one?.ranks.set(ranking.name, rank);
  }
}

/** Adds the boosts, as shares of the best score without name rankings. */
function addBoosts(queryText: QueryText, rankings: readonly Ranking[], hits: readonly Hit[], byId: ById): void {
  const firm = new Set(rankings.filter((one) => one.isFirm).map((one) => one.name));
  const scores = new Map(Array.from(byId, ([id, one]) => [id, withoutFirm(one.gained, firm)]));
  const asKinds = new Map(Array.from(byId, ([id, one]) => [id, scores.get(id)! * one.share]));
  const best = maximum(scores.values());
  addBoost("file", fileBoost(hits, asKinds), best, byId);
  addBoost("folder", pathBoost(hits, queryText), best, byId);
  addBoost("naming", nameBoost(hits, queryText), best, byId);
}

/** The score without that of firm rankings. */
function withoutFirm(gained: Scores, firm: ReadonlySet<string>): number {
  const own: number[] = [];
  for (const [name, score] of gained) if (!firm.has(name)) own.push(score);
  return fsum(own);
}

function addBoost(rule: string, shares: Scores, best: number, byId: ById): void {
  for (const [id, one] of shares) byId.get(id)?.gained.set(rule, one * best);
}

function prefer(one: Scored | undefined): void {
  one?.gained.set("preferred", (PREFERENCE_BOOST - 1) * fsum(one.gained.values()));
}

/** The sort positions of nodes in firm rankings, by id. */
function firmPlaces(rankings: readonly Ranking[]): Map<string, readonly [number, number]> {
  const places = new Map<string, readonly [number, number]>();
  rankings.forEach((ranking, place) => {
    for (const [id, score] of ranking.isFirm ? ranking.scores : [])
      if (!places.has(id)) places.set(id, [place, -score]);
  });
  return places;
}

function toResult({ hit, kind, share: weight, gained, ranks }: Scored, searchedName: string): Result {
  const score = fsum(gained.values());
  const parts = kind ? new Map([...gained, [kind, (weight - 1) * score]]) : gained;
  const named = findMember(hit.symbol, hit.members, searchedName);
  const alone = { others: [], copies: [], piece: null };
  return { hit, score: score * weight, ranks, member: named, parts, ...alone };
}

export type Scores = ReadonlyMap<string, number>;

/**
 * The scores of one retriever's candidates by id, the best first, and the retriever's weight.
 *
 * Candidates of a firm ranking come before all others.
 */
export interface Ranking {
  name: string;
  weight: number;
  scores: Scores;
  isFirm: boolean;
}

/** A firm ranking of nodes found by name, in their order. */
export function rankByName(name: string, ids: readonly string[]): Ranking {
  const scores = new Map(ids.map((id, place) => [id, RANK_CONSTANT / (RANK_CONSTANT + place)]));
  return { name, weight: NAME_WEIGHT, scores, isFirm: true };
}

/** A firm ranking of nodes with equal scores. */
export function rankTogether(name: string, ids: readonly string[]): Ranking {
  return { name, weight: NAME_WEIGHT, scores: new Map(ids.map((id) => [id, 1])), isFirm: true };
}

/** A ranking by the overlap of names with the query's words. */
export function rankBySpelling(scores: Scores): Ranking {
  return { name: NAME_WORDS, weight: NAME_WORDS_WEIGHT, scores, isFirm: false };
}

/** A ranking by BM25 scores, as shares of the best one. */
export function rankByWords(scores: Scores, name = WORD, weight = WORD_WEIGHT): Ranking {
  const best = maximum(scores.values()) || 1;
  return { name, weight, scores: each(scores, (one) => one / best), isFirm: false };
}

/** A ranking by cosine similarity, scaled from 0 at the floor to 1 for the nearest. */
export function rankByCosine(name: string, weight: number, cosines: Scores): Ranking {
  const floor = COSINE_FLOOR * least(cosines.values());
  const span = maximum(cosines.values()) - floor || 1;
  return { name, weight, scores: each(cosines, (one) => (one - floor) / span), isFirm: false };
}

/** The maximum; 0 without numbers. */
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

/** Boosts the best node of each file by the sum of the file's scores, relative to the highest sum. */
export function fileBoost(hits: readonly Hit[], scores: Scores): Map<string, number> {
  const least = MIN_SHARE_OF_BEST * maximum(scores.values());
  const files = groupBy(hits, (hit) => `${hit.repo}\0${hit.path}`);
  const sums = new Map(Array.from(files.values(), (file) => fileScore(file, scores, least)));
  const greatest = maximum(sums.values()) || 1;
  return new Map(Array.from(sums, ([id, one]) => [id, (FILE_BOOST * one) / greatest]));
}

/** The id of a file's best node, and the sum of scores of at least `least`. */
function fileScore(file: readonly Hit[], scores: Scores, least: number): [string, number] {
  const own = file.map((hit) => scores.get(hit.id)!);
  const best = file[own.indexOf(maximum(own))]!;
  return [best.id, fsum(own.filter((score) => score >= least))];
}

/** Boosts nodes by the share of query words that match the file name or folder. */
export function pathBoost(hits: readonly Hit[], queryText: QueryText): Map<string, number> {
  if (!queryText.keys.size) return new Map();
  const paths = new Set(hits.map((hit) => hit.path));
  const shares = new Map(Array.from(paths, (path) => [path, pathShare(path, queryText.keys)]));
  const rising = hits.filter((hit) => shares.get(hit.path)! >= MIN_PATH_SHARE);
  return new Map(rising.map((hit) => [hit.id, PATH_BOOST * shares.get(hit.path)!]));
}

function pathShare(path: string, keys: ReadonlySet<string>): number {
  const own = pathParts(path);
  const matching = [...keys].filter((key) => own.some((part) => isPrefix(key, part)));
  return matching.length / keys.size;
}

/** Returns true if one word is a prefix of the other: `route` of `router`. */
function isPrefix(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return one === other || (long.startsWith(short) && [...short].length >= MIN_WORD_LETTERS);
}

const pathParts = memoize((path) => {
  const [folder, name] = rpartition(path, "/");
  const [, above] = rpartition(folder, "/");
  return [...new Set([...lowercaseParts(stem(name)), ...lowercaseParts(above)])];
});

/** A file name without its extension. */
function stem(name: string): string {
  const at = name.lastIndexOf(".");
  return at > 0 && at < name.length - 1 ? name.slice(0, at) : name;
}

/** Boosts nodes by the overlap of the query's words with those of their names. */
export function nameBoost(hits: readonly Hit[], queryText: QueryText): Map<string, number> {
  if (queryText.name || !queryText.stems.size) return new Map();
  const shares = hits.map((hit): [string, number] => [hit.id, nameShare(hit.symbol ?? "", queryText)]);
  return new Map(shares.filter(([, one]) => one).map(([id, one]) => [id, NAME_BOOST * one]));
}

function nameShare(symbol: string, queryText: QueryText): number {
  const [, last] = rpartition(symbol, ".");
  return queryText.identifiers.has(last.toLowerCase()) ? 1 : wordOverlap(symbol, queryText.stems);
}
