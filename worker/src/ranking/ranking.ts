/** Ranks candidates: fuses the rankings, then applies boosts and preferences. */

import { constants } from "../../build/worker_data.json";
import { groupBy } from "../collections.ts";
import { fsum } from "../fsum.ts";
import { memoize } from "../memoize.ts";
import { rpartition } from "../python_strings.ts";
import { sortBy } from "../sorting.ts";
import type { Hit } from "../store/hits.ts";
import { lowercaseParts } from "../text.ts";
import { kindWeights } from "../query/file_kinds.ts";
import { nameOverlap, type Scores } from "./name_matching.ts";
import { findMember, findNearMember, ownNames } from "./member_names.ts";
import { MIN_WORD_LETTERS } from "../query/query.ts";
import type { QueryText } from "../query/query_text.ts";
import type { Result } from "./results.ts";

export const { STACK_FRAME, NAME, PATH, COMPOSED_NAME, LITERAL, RARE_WORD, SIMILAR_NAME } = constants.ranking;
export const { TITLE, TITLE_WEIGHT } = constants.ranking;
const { ANCHOR, ANCHOR_BOOST, FLAG_SHARE, LITERAL_SHARE, UNREAD_SHARE } = constants.ranking;
export const { NAME_WORDS, WORD, DESCRIPTION } = constants.ranking;
export const { NAME_WORDS_WEIGHT, DESCRIPTION_WEIGHT } = constants.ranking;
const { NAME_WEIGHT, WORD_WEIGHT, RANK_CONSTANT, COSINE_FLOOR } = constants.ranking;
const { FILE_BOOST, PATH_BOOST, NAME_BOOST, PREFERENCE_BOOST } = constants.ranking;
const { LEADING_FILES, MEMBER_SHARE, MIN_SHARE_OF_BEST, MIN_PATH_SHARE } = constants.ranking;

/** A hit with its file kind, that kind's weight, and its scores by ranking or boost. */
interface Scored {
  hit: Hit;
  kind: string;
  weight: number;
  scoreParts: Map<string, number>;
  ranks: Map<string, number>;
}

type ById = ReadonlyMap<string, Scored>;

/**
 * Fuses the rankings and sorts the hits by score; nodes of `preferredIds` get a boost.
 *
 * Nodes of `resemblingIds`, which only resemble a token of the query, come after those that have it
 * literally.
 */
export function rankHits(
  queryText: QueryText,
  rankings: readonly Ranking[],
  hits: readonly Hit[],
  preferredIds: Iterable<string> = [],
  resemblingIds: ReadonlySet<string> = new Set(),
): Result[] {
  const kinds = kindWeights(hits, queryText);
  const byId = new Map(hits.map((hit) => [hit.id, newScored(hit, kinds.get(hit.id)!)]));
  for (const ranking of rankings) addRanking(ranking, byId);
  addBoosts(queryText, rankings, hits, byId);
  for (const id of new Set(preferredIds)) addPreference(byId.get(id));
  const results = hits.map((hit) => makeResult(byId.get(hit.id)!, queryText));
  const priorities = priorityOrder(rankings, resemblingIds);
  return sortBy(results, ({ hit, score }) => [
    ...(priorities.get(hit.id) ?? [rankings.length, 0]),
    -score,
    hit.path,
    hit.startLine,
  ]);
}

function newScored(hit: Hit, [kind, weight]: [string, number]): Scored {
  return { hit, kind, weight, scoreParts: new Map(), ranks: new Map() };
}

/** Adds the scores and ranks of a ranking. */
function addRanking(ranking: Ranking, byId: ById): void {
  let rank = 0;
  for (const [id, score] of ranking.scores) {
    const scored = byId.get(id);
    rank += 1;
    scored?.scoreParts.set(ranking.name, ranking.weight * score);
    scored?.ranks.set(ranking.name, rank);
  }
}

/** Adds the boosts, as shares of the best score without name rankings. */
function addBoosts(queryText: QueryText, rankings: readonly Ranking[], hits: readonly Hit[], byId: ById): void {
  const priorityNames = new Set(rankings.filter((one) => one.isPriority).map((one) => one.name));
  const scores = new Map(Array.from(byId, ([id, one]) => [id, scoreWithoutPriority(one.scoreParts, priorityNames)]));
  const weighted = new Map(Array.from(byId, ([id, one]) => [id, scores.get(id)! * one.weight]));
  const best = maximum(scores.values());
  addBoost("file", fileBoosts(hits, weighted), best, byId);
  addBoost("folder", pathBoosts(hits, queryText), best, byId);
  addBoost("naming", nameBoosts(hits, queryText), best, byId);
  const anchors = rankings.find(({ name }) => name === ANCHOR)?.scores ?? new Map<string, number>();
  addBoost(ANCHOR, anchorBoosts(hits, anchors, queryText.namedFiles, weighted), best, byId);
}

/** The score without that of priority rankings. */
function scoreWithoutPriority(scoreParts: Scores, priorityNames: ReadonlySet<string>): number {
  const scores: number[] = [];
  for (const [name, score] of scoreParts) if (!priorityNames.has(name)) scores.push(score);
  return fsum(scores);
}

function addBoost(rule: string, shares: Scores, best: number, byId: ById): void {
  for (const [id, share] of shares) byId.get(id)?.scoreParts.set(rule, share * best);
}

function addPreference(scored: Scored | undefined): void {
  scored?.scoreParts.set("preferred", (PREFERENCE_BOOST - 1) * fsum(scored.scoreParts.values()));
}

/** The sort keys of the nodes in priority rankings, by id; equal scores have equal keys. */
function priorityOrder(
  rankings: readonly Ranking[],
  resemblingIds: ReadonlySet<string>,
): Map<string, readonly [number, number]> {
  const order = new Map<string, readonly [number, number]>();
  const afterLiterals = rankings.findLastIndex(({ name, scores }) => name === LITERAL && scores.size > 0) + 0.5;
  rankings.forEach((ranking, place) => {
    for (const [id, score] of ranking.isPriority ? ranking.scores : []) {
      if (!order.has(id)) order.set(id, [resemblingIds.has(id) ? Math.max(place, afterLiterals) : place, -score]);
    }
  });
  return order;
}

function makeResult({ hit, kind, weight, scoreParts, ranks }: Scored, query: QueryText): Result {
  const score = fsum(scoreParts.values());
  const parts = kind ? new Map([...scoreParts, [kind, (weight - 1) * score]]) : scoreParts;
  const named = findMember(hit.symbol, hit.members, query.text, hit.path);
  const member = named ?? (ranks.has(SIMILAR_NAME) ? findNearMember(hit.symbol, hit.members, query.name) : null);
  const ungrouped = { others: [], copies: [], partMatch: null };
  return { hit, score: score * weight, ranks, member, scoreParts: parts, ...ungrouped };
}


/**
 * The scores of one retriever's candidates by id, the best first, and the retriever's weight.
 *
 * Candidates of a priority ranking come before all others.
 */
export interface Ranking {
  name: string;
  weight: number;
  scores: Scores;
  isPriority: boolean;
}

/** A priority ranking of nodes found by name, in their order. */
export function nameRanking(name: string, ids: readonly string[]): Ranking {
  const scores = new Map(ids.map((id, place) => [id, RANK_CONSTANT / (RANK_CONSTANT + place)]));
  return { name, weight: NAME_WEIGHT, scores, isPriority: true };
}

/** A priority ranking of nodes with equal scores. */
export function tiedRanking(name: string, ids: readonly string[]): Ranking {
  return { name, weight: NAME_WEIGHT, scores: new Map(ids.map((id) => [id, 1])), isPriority: true };
}

/**
 * A priority ranking of nodes that have a token of code, `firstIds` before `secondIds`, these before the others,
 * and then the nodes that may have it.
 */
export function literalRanking(
  ids: readonly string[],
  firstIds: ReadonlySet<string>,
  unreadIds: readonly string[] = [],
  secondIds: ReadonlySet<string> = new Set(),
): Ranking {
  const least = firstIds.size || secondIds.size ? LITERAL_SHARE : 1;
  const scores = new Map(unreadIds.map((id) => [id, UNREAD_SHARE]));
  for (const id of ids) scores.set(id, firstIds.has(id) ? 1 : secondIds.has(id) ? FLAG_SHARE : least);
  return { name: LITERAL, weight: NAME_WEIGHT, scores, isPriority: true };
}

/** Candidates that define a name in a text of several lines; `anchorBoosts` scores them. */
export function anchorRanking(ids: readonly string[]): Ranking {
  return { name: ANCHOR, weight: 0, scores: new Map(ids.map((id) => [id, 1])), isPriority: false };
}

/** A ranking by the overlap of names with the query's words. */
export function nameWordsRanking(scores: Scores): Ranking {
  return { name: NAME_WORDS, weight: NAME_WORDS_WEIGHT, scores, isPriority: false };
}

/** A ranking by BM25 scores, as shares of the best one. */
export function wordRanking(scores: Scores, name = WORD, weight = WORD_WEIGHT): Ranking {
  const best = maximum(scores.values()) || 1;
  return { name, weight, scores: mapScores(scores, (one) => one / best), isPriority: false };
}

/** A ranking by cosine similarity, scaled from 0 at the floor to 1 for the nearest. */
export function vectorRanking(name: string, weight: number, cosines: Scores): Ranking {
  const floor = COSINE_FLOOR * minimum(cosines.values());
  const span = maximum(cosines.values()) - floor || 1;
  return { name, weight, scores: mapScores(cosines, (one) => (one - floor) / span), isPriority: false };
}

/** The maximum; 0 without numbers. */
export function maximum(numbers: Iterable<number>): number {
  const all = [...numbers];
  return all.length ? Math.max(...all) : 0;
}

function minimum(numbers: Iterable<number>): number {
  const all = [...numbers];
  return all.length ? Math.min(...all) : 0;
}

function mapScores(scores: Scores, change: (score: number) => number): Scores {
  return new Map(Array.from(scores, ([id, score]) => [id, change(score)]));
}

/**
 * Boosts the best node of each file by the share that the sum of the file's scores is of the highest sum; for the
 * files that lead by it, by the root of the share.
 */
export function fileBoosts(hits: readonly Hit[], scores: Scores): Map<string, number> {
  const best = maximum(scores.values());
  const minScore = MIN_SHARE_OF_BEST * best;
  const files = groupBy(hits, (hit) => `${hit.repo}\0${hit.path}`);
  const sums = new Map(Array.from(files.values(), (file) => fileScore(file, scores, minScore)));
  const maxSum = maximum(sums.values()) || 1;
  const shares = Array.from(sums, ([id, sum]): [string, number] => [id, sum / maxSum]);
  const byScore = sortBy(shares, ([id, share]) => [-(scores.get(id)! + FILE_BOOST * share * best)]);
  const leading = new Set(byScore.slice(0, LEADING_FILES).map(([id]) => id));
  return new Map(shares.map(([id, share]) => [id, FILE_BOOST * (leading.has(id) ? Math.sqrt(share) : share)]));
}

/** The id of a file's best node, and the sum of scores of at least `least`. */
function fileScore(file: readonly Hit[], scores: Scores, minScore: number): [string, number] {
  const nodeScores = file.map((hit) => scores.get(hit.id)!);
  const best = file[nodeScores.indexOf(maximum(nodeScores))]!;
  return [best.id, fsum(nodeScores.filter((score) => score >= minScore))];
}

/** Boosts the best node of each file that defines a name in the query's text, or that the text names. */
export function anchorBoosts(
  hits: readonly Hit[],
  anchors: Scores,
  namedFiles: ReadonlySet<string>,
  scores: Scores,
): Map<string, number> {
  if (!anchors.size && !namedFiles.size) return new Map();
  const files = [...groupBy(hits, (hit) => `${hit.repo}\0${hit.path}`).values()];
  const isAnchor = (hit: Hit) => anchors.has(hit.id) || namedFiles.has(folderAndStem(hit.path));
  const anchored = files.filter((file) => file.some(isAnchor));
  return new Map(anchored.map((file) => [fileScore(file, scores, 0)[0], ANCHOR_BOOST]));
}

/** `app/base` for `shop/app/base.py`. */
const folderAndStem = memoize((path) => {
  const [folder, name] = rpartition(path, "/");
  return `${rpartition(folder, "/")[1]}/${fileStem(name)}`;
});

/** Boosts nodes by the share of query words that match the file name or folder. */
export function pathBoosts(hits: readonly Hit[], queryText: QueryText): Map<string, number> {
  if (!queryText.pathWords.size) return new Map();
  const paths = new Set(hits.map((hit) => hit.path));
  const shares = new Map(Array.from(paths, (path) => [path, pathOverlap(path, queryText.pathWords)]));
  const boosted = hits.filter((hit) => shares.get(hit.path)! >= MIN_PATH_SHARE);
  return new Map(boosted.map((hit) => [hit.id, PATH_BOOST * shares.get(hit.path)!]));
}

function pathOverlap(path: string, words: ReadonlySet<string>): number {
  const parts = pathWords(path);
  const matching = [...words].filter((word) => parts.some((part) => hasCommonPrefix(word, part)));
  return matching.length / words.size;
}

/** Returns true if one word is a prefix of the other: `route` of `router`. */
function hasCommonPrefix(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return one === other || (long.startsWith(short) && [...short].length >= MIN_WORD_LETTERS);
}

const pathWords = memoize((path) => {
  const [folder, name] = rpartition(path, "/");
  const [, parentName] = rpartition(folder, "/");
  return [...new Set([...lowercaseParts(fileStem(name)), ...lowercaseParts(parentName)])];
});

/** A file name without its extension. */
function fileStem(name: string): string {
  const at = name.lastIndexOf(".");
  return at > 0 && at < name.length - 1 ? name.slice(0, at) : name;
}

/** Boosts nodes by the overlap of the query's words with those of their names. */
export function nameBoosts(hits: readonly Hit[], queryText: QueryText): Map<string, number> {
  if (queryText.name || !queryText.stems.size) return new Map();
  const shares = hits.map((hit): [string, number] => [hit.id, bestNameScore(hit, queryText)]);
  return new Map(shares.filter(([, one]) => one).map(([id, one]) => [id, NAME_BOOST * one]));
}

/** The score of the node's best name; of a chunk's constants, those with a stem are compared. */
function bestNameScore({ symbol, members }: Hit, queryText: QueryText): number {
  if (symbol) return nameScore(symbol, queryText);
  if (!members || !hasStem(members, queryText)) return 0;
  const names = ownNames(null, members).filter((name) => hasStem(name, queryText));
  return Math.max(0, ...names.map((name) => nameScore(name, queryText)));
}

function hasStem(text: string, { stems }: QueryText): boolean {
  const lowercase = text.toLowerCase();
  for (const stem of stems) if (lowercase.includes(stem)) return true;
  return false;
}

function nameScore(symbol: string, queryText: QueryText): number {
  const [owner, last] = rpartition(symbol, ".");
  if (queryText.identifiers.has(last.toLowerCase()) || queryText.capitalizedWords.has(last)) return 1;
  const isMember = queryText.capitalizedWords.has(rpartition(owner, ".")[1]);
  return Math.max(isMember ? MEMBER_SHARE : 0, nameOverlap(symbol, queryText.stems));
}

/** Counts results that have the name that is searched for, or whose file has the path. */
export function countNamed(results: readonly Result[]): number {
  return results.filter(({ ranks }) => ranks.has(NAME) || ranks.has(PATH)).length;
}
