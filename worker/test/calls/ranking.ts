/** What the tests may call of the ranking. */

import { compareText, casefold, strip } from "../../src/letters.ts";
import { Pattern, type Written } from "../../src/patterns.ts";
import { Asked } from "../../src/search/asked.ts";
import { facets } from "../../src/search/facets.ts";
import { hitOf, type Found } from "../../src/search/found.ts";
import { frames, running } from "../../src/search/frames.ts";
import { byName, byNearness, byWords, together, type Ranking } from "../../src/search/fusion.ts";
import { akin, compared, copied, grouped, type Lines } from "../../src/search/grouping.ts";
import { isDocument, share } from "../../src/search/kinds.ts";
import { nearly } from "../../src/search/likeness.ts";
import { agreement, isCalled, meant, member, names } from "../../src/search/names.ts";
import { isCut, isFar, notes } from "../../src/search/notes.ts";
import { ranked } from "../../src/search/ranking.ts";
import { ofFile, ofName, ofPath } from "../../src/search/rules.ts";
import { runsAmong, spans } from "../../src/store/pieces.ts";
import { isTest } from "../../src/store/tests_by_path.ts";
import { fsum } from "../../src/sums.ts";
import { dotted } from "../../src/symbols.ts";

type Row = readonly unknown[];
type Pairs = [string, number][];
/** A ranking as Python has it, its scores in pairs, which keep their order in JSON. */
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
  agreement: (symbol: string, words: string[]) => agreement(symbol, new Set(words)),
  isCalled: (name: string, query: string) => isCalled(name, meant(query)),
  member: (owner: string | null, members: string, query: string) =>
    member(owner, members, meant(query)),
  share: (row: Row, text: string) => share(hitOf(row), new Asked(text)),
  byWays: (ids: string[], scores: Pairs) => [
    said(byName("name", ids)),
    said(together("rare", ids)),
    said(byWords(new Map(scores))),
    said(byNearness("meaning", 1.5, new Map(scores))),
  ],
  rules: (text: string, rows: Row[], scores: Pairs) => rules(text, rows, new Map(scores)),
  names: (text: string, answers: Row[][]) => namesOf(new Asked(text), answers),
  nearly: (text: string, answers: Row[][], asks: Row[][]) => {
    const asked = new Asked(text);
    const { having, ids } = nearly(asked, names(asked, answers), asks);
    return [having, ids];
  },
  frames: (text: string) => frames(new Asked(text)),
  running: (text: string, answers: Row[][]) => running(new Asked(text), answers),
  ranked: (text: string, ways: Said[], rows: Row[], liked: string[]) =>
    ranked(new Asked(text), ways.map(rankingOf), rows.map(hitOf), liked).map(told),
  grouped: groupedOf,
  facets: (rows: Row[]) => facets(rows.map((row) => foundOf(hitOf(row)))),
  told: (text: string, ways: Said[], rows: Row[]) => toldOf(new Asked(text), ways.map(rankingOf), rows),
};

/** Where a pattern is found from a place on, or there alone, with its groups. */
function matches(written: Written, text: string, flags: string): unknown {
  const found = new Pattern(written, flags).for(text).exec(text);
  return found && [...found].map((group) => group ?? null);
}

function rankingOf([name, weight, scores, isFirm]: Said): Ranking {
  return { name, weight, scores: new Map(scores), isFirm };
}

function said({ name, weight, scores, isFirm }: Ranking): Said {
  return [name, weight, [...scores], isFirm];
}

function foundOf(hit: Found["hit"]): Found {
  const bare = { member: null, others: [], copies: [], piece: null };
  return { hit, score: 0, ranks: new Map(), parts: new Map(), ...bare };
}

/** A hit that answers, without what the tests have given. */
function told(one: Found): unknown {
  const { hit, score, ranks, parts, member: named, piece } = one;
  const lines = [hit.startLine, hit.endLine];
  const [others, copies] = [one.others, one.copies].map((some) => some.map((of) => of.hit.id));
  const sums = { score, ranks: Object.fromEntries(ranks), parts: Object.fromEntries(parts) };
  return { id: hit.id, lines, ...sums, member: named, piece, others, copies };
}

function rules(text: string, rows: Row[], scores: ReadonlyMap<string, number>): unknown {
  const [asked, hits] = [new Asked(text), rows.map(hitOf)];
  return [ofFile(hits, scores), ofPath(hits, asked), ofName(hits, asked)].map((one) => [...one]);
}

function namesOf(asked: Asked, answers: Row[][]): unknown {
  const { called, written, ofPath, spelled } = names(asked, answers);
  return [called, written, ofPath, [...spelled]];
}

function toldOf(asked: Asked, ways: Ranking[], rows: Row[]): unknown {
  const found = ranked(asked, ways, rows.map(hitOf));
  return [notes(asked, ways, found), isFar(ways), isCut(ways)];
}

/** What is akin, and the groups with their runs and copies; `lines` are the texts by id. */
function groupedOf(text: string, ways: Said[], rows: Row[], pieces: Row[], lines: [string, Lines][]): unknown {
  const found = ranked(new Asked(text), ways.map(rankingOf), rows.map(hitOf));
  const groups = grouped(found, runsAmong(found.map((one) => one.hit), spans(pieces)));
  const own = new Map(lines);
  const read = new Map(compared(groups).flatMap((hit) => (own.has(hit.id) ? [[hit.id, own.get(hit.id)!]] : [])));
  return [akin(found).map((hit) => hit.id), groups.map(told), copied(groups, read).map(told)];
}
