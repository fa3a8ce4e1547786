/** The functions of ranking and grouping that the tests call. */

import { fsum } from "../../src/fsum.ts";
import { Pattern, type RegexSources } from "../../src/python_regex.ts";
import { compareText, casefold, strip } from "../../src/python_strings.ts";
import { isTruncated, isVectorOnly, resultNotes } from "../../src/ranking/query_ranking.ts";
import { isDocument, kindWeights } from "../../src/query/file_kinds.ts";
import { matchSimilar, matchNames, nameOverlap, spellings } from "../../src/ranking/name_matching.ts";
import { findMember, isNamed, normalizeName } from "../../src/ranking/member_names.ts";
import { parseQuery } from "../../src/query/query.ts";
import { QueryText } from "../../src/query/query_text.ts";
import {
  fileBoosts,
  nameBoosts,
  pathBoosts,
  vectorRanking,
  nameRanking,
  wordRanking,
  rankHits,
  type Ranking,
  literalRanking,
  tiedRanking,
} from "../../src/ranking/ranking.ts";
import {
  countFacets,
  duplicateCandidates,
  groupDuplicates,
  groupingCandidates,
  textKey,
  groupParts,
  type Result,
} from "../../src/ranking/results.ts";
import { parseFrames, frameNodeIds } from "../../src/ranking/retrieval.ts";
import {
  correctText,
  nearestPart,
  oneEditVariants,
  spellingNote,
  wordsToCheck,
} from "../../src/query/spelling.ts";
import { hitFromRow } from "../../src/store/hits.ts";
import { partRanges, partsFromRows } from "../../src/store/node_parts.ts";
import { isTestPath } from "../../src/store/scope.ts";
import { isWithinOneEdit } from "../../src/suggestions.ts";
import { normalizeSymbol } from "../../src/text.ts";

type Row = readonly unknown[];
type Pairs = [string, number][];
/** A ranking as in Python, its scores as pairs, which keep their order in JSON. */
type RankingRow = [name: string, weight: number, scores: Pairs, isFirm: boolean];

export const ranking = {
  wordsToCheck: (text: string) => wordsToCheck(parseQuery(text)),
  nearestPart,
  isWithinOneEdit,
  oneEditVariants,
  spellings,
  correctText: (text: string, corrections: [string, string][]) => correctText(text, new Map(corrections)),
  spellingNote: (missing: string[], corrections: [string, string][]) => spellingNote(missing, new Map(corrections)),
  casefold,
  strip,
  normalizeSymbol,
  fsum,
  isTestPath,
  isDocument,
  matchGroups,
  sortTexts: (texts: string[]) => texts.sort(compareText),
  nameOverlap: (symbol: string, words: string[]) => nameOverlap(symbol, new Set(words)),
  isNamed: (name: string, query: string) => isNamed(name, normalizeName(query)),
  findMember,
  kindWeights: (rows: Row[], text: string) => [...kindWeights(rows.map(hitFromRow), new QueryText(text))],
  makeRankings: (ids: string[], scores: Pairs) => [
    rankingRow(nameRanking("name", ids)),
    rankingRow(tiedRanking("rare", ids)),
    rankingRow(literalRanking(ids.slice(1), new Set(ids.slice(0, 2)), ids.slice(-2))),
    rankingRow(literalRanking(ids, new Set())),
    rankingRow(literalRanking(ids, new Set(ids.slice(0, 1)), [], new Set(ids.slice(0, 2)))),
    rankingRow(wordRanking(new Map(scores))),
    rankingRow(vectorRanking("meaning", 1.5, new Map(scores))),
  ],
  boosts: (text: string, rows: Row[], scores: Pairs) => boosts(text, rows, new Map(scores)),
  matchNames: (text: string, answers: Row[][]) => nameMatches(new QueryText(text), answers),
  matchSimilar: (text: string, nameRows: Row[][], similarRows: Row[][]) => {
    const queryText = new QueryText(text);
    const { wordIds, ids } = matchSimilar(queryText, matchNames(queryText, nameRows), similarRows);
    return [wordIds, ids];
  },
  parseFrames: (text: string) => parseFrames(new QueryText(text)),
  frameNodeIds: (text: string, answers: Row[][]) => frameNodeIds(new QueryText(text), answers),
  rankHits: (text: string, rankings: RankingRow[], rows: Row[], preferredIds: string[], resemblingIds: string[] = []) => {
    const [queryText, hits] = [new QueryText(text), rows.map(hitFromRow)];
    const results = rankHits(queryText, rankings.map(rankingOf), hits, preferredIds, new Set(resemblingIds));
    return results.map(resultJson);
  },
  groupResults: groupedJson,
  countFacets: (rows: Row[]) => countFacets(rows.map((row) => resultOf(hitFromRow(row)))),
  resultNotes: (text: string, rankings: RankingRow[], rows: Row[]) =>
    notesAndFlags(new QueryText(text), rankings.map(rankingOf), rows),
};

/** The groups of a pattern's first match, or null. */
function matchGroups(sources: RegexSources, text: string, flags: string): unknown {
  const match = new Pattern(sources, flags).for(text).exec(text);
  return match && [...match].map((group) => group ?? null);
}

function rankingOf([name, weight, scores, isFirm]: RankingRow): Ranking {
  return { name, weight, scores: new Map(scores), isPriority: isFirm };
}

function rankingRow({ name, weight, scores, isPriority: isFirm }: Ranking): RankingRow {
  return [name, weight, [...scores], isFirm];
}

function resultOf(hit: Result["hit"]): Result {
  const ungrouped = { member: null, others: [], copies: [], partMatch: null };
  return { hit, score: 0, ranks: new Map(), scoreParts: new Map(), ...ungrouped };
}

/** The JSON of a result, without the columns that the tests passed in. */
function resultJson(one: Result): unknown {
  const { hit, score, ranks, scoreParts, member, partMatch } = one;
  const lines = [hit.startLine, hit.endLine];
  const [others, copies] = [one.others, one.copies].map((results) => results.map((result) => result.hit.id));
  const scores = { score, ranks: Object.fromEntries(ranks), parts: Object.fromEntries(scoreParts) };
  return { id: hit.id, lines, ...scores, member, piece: partMatch, others, copies };
}

function boosts(text: string, rows: Row[], scores: ReadonlyMap<string, number>): unknown {
  const [queryText, hits] = [new QueryText(text), rows.map(hitFromRow)];
  return [fileBoosts(hits, scores), pathBoosts(hits, queryText), nameBoosts(hits, queryText)].map((one) => [...one]);
}

function nameMatches(queryText: QueryText, answers: Row[][]): unknown {
  const { exactIds, composedIds, pathIds, overlapScores, resemblingIds } = matchNames(queryText, answers);
  return [exactIds, composedIds, pathIds, [...overlapScores], resemblingIds];
}

function notesAndFlags(queryText: QueryText, rankings: Ranking[], rows: Row[]): unknown {
  const results = rankHits(queryText, rankings, rows.map(hitFromRow));
  return [resultNotes(queryText, rankings, results), isVectorOnly(rankings), isTruncated(rankings)];
}

/** The grouping candidates, the groups and the deduplicated results; `lines` are the lines of nodes by id. */
function groupedJson(
  text: string,
  rankings: RankingRow[],
  rows: Row[],
  partRows: Row[],
  lines: [string, { lines: string[] }][],
): unknown {
  const results = rankHits(new QueryText(text), rankings.map(rankingOf), rows.map(hitFromRow));
  const groups = groupParts(results, partRanges(results.map((one) => one.hit), partsFromRows(partRows)));
  const linesById = new Map(lines);
  const compared = duplicateCandidates(groups).filter((hit) => linesById.has(hit.id));
  const keys = new Map(compared.map((hit) => [hit.id, textKey(hit, linesById.get(hit.id)!.lines) ?? hit.id]));
  const candidates = groupingCandidates(results).map((hit) => hit.id);
  return [candidates, groups.map(resultJson), groupDuplicates(groups, keys).map(resultJson)];
}
