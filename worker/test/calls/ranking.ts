/** The functions of ranking and grouping that the tests call. */

import { compareText, casefold, strip } from "../../src/python_strings.ts";
import { Pattern, type RegexSources } from "../../src/python_regex.ts";
import { QueryText } from "../../src/search/query.ts";
import {
  countFacets,
  duplicateCandidates,
  groupDuplicates,
  groupingCandidates,
  groupParts,
  hitFromRow,
  type NodeLines,
  type Result,
} from "../../src/search/results.ts";
import { stackFrames, nodesOfFrames } from "../../src/search/retrieval.ts";
import {
  fileBoost,
  nameBoost,
  pathBoost,
  rankByCosine,
  rankByName,
  rankByWords,
  rankHits,
  type Ranking,
  rankTogether,
} from "../../src/search/ranking.ts";
import { isDocument, kindWeight } from "../../src/search/file_kinds.ts";
import {
  findMember,
  fuzzyMatches,
  isNamed,
  namedCandidates,
  normalizeName,
  wordOverlap,
} from "../../src/search/name_matching.ts";
import { isTruncated, isVectorOnly, resultNotes } from "../../src/search/engine.ts";
import { partsOfHits, partRanges } from "../../src/store/node_parts.ts";
import { isTest } from "../../src/store/scope.ts";
import { fsum } from "../../src/fsum.ts";
import { dotted } from "../../src/text.ts";

type Row = readonly unknown[];
type Pairs = [string, number][];
/** A ranking as in Python, its scores as pairs, which keep their order in JSON. */
type Said = [name: string, weight: number, scores: Pairs, isFirm: boolean];

export const ranking = {
  casefold,
  strip,
  dotted,
  fsum,
  isTest,
  isDocument,
  matches,
  inOrder: (texts: string[]) => texts.sort(compareText),
  agreement: (symbol: string, words: string[]) => wordOverlap(symbol, new Set(words)),
  isCalled: (name: string, query: string) => isNamed(name, normalizeName(query)),
  member: (owner: string | null, members: string, query: string) =>
    findMember(owner, members, normalizeName(query)),
  share: (row: Row, text: string) => kindWeight(hitFromRow(row), new QueryText(text)),
  byWays: (ids: string[], scores: Pairs) => [
    said(rankByName("name", ids)),
    said(rankTogether("rare", ids)),
    said(rankByWords(new Map(scores))),
    said(rankByCosine("meaning", 1.5, new Map(scores))),
  ],
  rules: (text: string, rows: Row[], scores: Pairs) => rules(text, rows, new Map(scores)),
  names: (text: string, answers: Row[][]) => namesOf(new QueryText(text), answers),
  nearly: (text: string, answers: Row[][], asks: Row[][]) => {
    const asked = new QueryText(text);
    const { having, ids } = fuzzyMatches(asked, namedCandidates(asked, answers), asks);
    return [having, ids];
  },
  frames: (text: string) => stackFrames(new QueryText(text)),
  running: (text: string, answers: Row[][]) => nodesOfFrames(new QueryText(text), answers),
  ranked: (text: string, ways: Said[], rows: Row[], liked: string[]) =>
    rankHits(new QueryText(text), ways.map(rankingOf), rows.map(hitFromRow), liked).map(told),
  grouped: groupedOf,
  facets: (rows: Row[]) => countFacets(rows.map((row) => foundOf(hitFromRow(row)))),
  told: (text: string, ways: Said[], rows: Row[]) => toldOf(new QueryText(text), ways.map(rankingOf), rows),
};

/** The groups of a pattern's first match, or null. */
function matches(written: RegexSources, text: string, flags: string): unknown {
  const found = new Pattern(written, flags).for(text).exec(text);
  return found && [...found].map((group) => group ?? null);
}

function rankingOf([name, weight, scores, isFirm]: Said): Ranking {
  return { name, weight, scores: new Map(scores), isFirm };
}

function said({ name, weight, scores, isFirm }: Ranking): Said {
  return [name, weight, [...scores], isFirm];
}

function foundOf(hit: Result["hit"]): Result {
  const bare = { member: null, others: [], copies: [], piece: null };
  return { hit, score: 0, ranks: new Map(), parts: new Map(), ...bare };
}

/** The JSON of a result, without the columns that the tests passed in. */
function told(one: Result): unknown {
  const { hit, score, ranks, parts, member: named, piece } = one;
  const lines = [hit.startLine, hit.endLine];
  const [others, copies] = [one.others, one.copies].map((some) => some.map((of) => of.hit.id));
  const sums = { score, ranks: Object.fromEntries(ranks), parts: Object.fromEntries(parts) };
  return { id: hit.id, lines, ...sums, member: named, piece, others, copies };
}

function rules(text: string, rows: Row[], scores: ReadonlyMap<string, number>): unknown {
  const [asked, hits] = [new QueryText(text), rows.map(hitFromRow)];
  return [fileBoost(hits, scores), pathBoost(hits, asked), nameBoost(hits, asked)].map((one) => [...one]);
}

function namesOf(asked: QueryText, answers: Row[][]): unknown {
  const { called, written, ofPath, spelled } = namedCandidates(asked, answers);
  return [called, written, ofPath, [...spelled]];
}

function toldOf(asked: QueryText, ways: Ranking[], rows: Row[]): unknown {
  const found = rankHits(asked, ways, rows.map(hitFromRow));
  return [resultNotes(asked, ways, found), isVectorOnly(ways), isTruncated(ways)];
}

/** The grouping candidates, the groups and the deduplicated results; `lines` are the lines of nodes by id. */
function groupedOf(text: string, ways: Said[], rows: Row[], pieces: Row[], lines: [string, NodeLines][]): unknown {
  const found = rankHits(new QueryText(text), ways.map(rankingOf), rows.map(hitFromRow));
  const groups = groupParts(found, partsOfHits(found.map((one) => one.hit), partRanges(pieces)));
  const own = new Map(lines);
  const read = new Map(duplicateCandidates(groups).flatMap((hit) => (own.has(hit.id) ? [[hit.id, own.get(hit.id)!]] : [])));
  return [groupingCandidates(found).map((hit) => hit.id), groups.map(told), groupDuplicates(groups, read).map(told)];
}
