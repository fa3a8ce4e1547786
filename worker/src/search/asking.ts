/** How is the index asked? What a question says of itself is read, then words and models answer. */

import shared from "../../build/shared.json";
import { Neighbours } from "../bindings/vectorize.ts";
import { Batch } from "../store/batch.ts";
import type { Row } from "../store/database.ts";
import { isNarrowed, type Scope } from "../store/scope.ts";
import * as sql from "../store/statements.ts";
import type { Asker, Paging } from "./asker.ts";
import { overruled } from "./contrary.ts";
import { likeliest, nearest, Words, type Side } from "./engine.ts";
import { guesses, looked, meantRepo, scopeOf, statements, type Looked } from "./filters.ts";
import { hitOf, type Answer, type Found, type Hit } from "./found.ts";
import type { Ranking } from "./fusion.ts";
import { isCut, isFar, notes } from "./notes.ts";
import { paged, second } from "./paging.ts";
import { EMPTY, parse, textOf, type Query } from "./query.ts";
import { ranked } from "./ranking.ts";
import { required } from "./required.ts";
import { Sources } from "./sources.ts";
import { fed, ownRepo, state } from "./standing.ts";
import { modelOf, QuestionVector } from "./vectors.ts";

const { MAX_LISTED: LISTED } = shared.constants.asking;
const { MAX_BY_VECTOR_ONLY: BY_MEANING_ALONE, WORDS_ONLY_PREFIX: WORDS_ALONE } = shared.constants.engine;

/** What is said beside the question; the same as if it stood in it. */
export type Filters = Pick<
  Query,
  "paths" | "notPaths" | "languages" | "nodeTypes" | "categories" | "repos" | "tests"
>;

/** A question as it is put to an index: its parts, the words that rank, where it looks, what to say. */
export interface Narrowed {
  readonly query: Query;
  readonly text: string;
  readonly scope: Scope;
  readonly notes: readonly string[];
}

/** A page of what answers, and where its lines are. */
interface Ranked {
  readonly answer: Answer;
  readonly sources: Sources;
}

export interface Answered extends Ranked {
  readonly asker: Asker;
  readonly asked: Narrowed;
}

/** Somebody who asks by what the index said of itself when it was last asked. */
export function askerOf(
  given: Pick<Asker, "env" | "database" | "clock" | "left">,
): Asker {
  const { database, env } = given;
  return {
    ...given,
    get meta() {
      return database.meta;
    },
    repo: ownRepo(database.meta, env.REPO),
  };
}

/** What the question was understood to be, and a page of what answers it. */
export async function ask(
  asker: Asker,
  question: string,
  page: Paging,
  filters: Filters,
  meaning: boolean,
): Promise<Answered> {
  const typed = parse(question);
  const query = joined(typed, filters);
  const said = overruled(typed, filters.tests);
  const first = await asOf(asker, query, meaning);
  const found = await ranking(first, page);
  const { scope } = first;
  const all = { ...found.answer, notes: [...said, ...first.notes, ...found.answer.notes] };
  const asked = { query, text: textOf(query), scope, notes: all.notes };
  return { asker: first.asker, asked, answer: all, sources: found.sources };
}

/** What the first round trip answered, in the scope that it has shown to be meant. */
interface First {
  readonly asker: Asker;
  readonly scope: Scope;
  readonly notes: readonly string[];
  readonly lacks: string | null;
  readonly words: Words | null;
  readonly listed: readonly Row[];
  readonly side: Side | null;
  readonly codes: readonly (readonly Row[])[];
  /** Of a model that needed nothing of the database. */
  readonly near: Promise<Ranking> | null;
  readonly told: string[];
}

/** Asks with what is known of the index; once more where that was wrong. */
async function asOf(asker: Asker, query: Query, meaning: boolean): Promise<First> {
  const filters = looked(query, reposOf(asker, query));
  const guessed = guesses(filters).map((scope) => required(query, scope).scope);
  const before = state(asker.meta);
  const first = await batched(asker, query, filters, guessed, meaning);
  if (state(asker.meta) !== before) return asOf(askerOf(asker), query, meaning);
  const { scope, notes } = required(query, await scopeOf(asker.database, filters, first.checks));
  const meant = JSON.stringify(scope);
  const at = guessed.findIndex((one) => JSON.stringify(one) === meant);
  const known = at < 0 ? await batched(asker, query, NO_FILTERS, [scope], meaning) : first;
  const { words, listed } = known.guesses[Math.max(at, 0)]!;
  return { ...known, words, listed, asker, scope, notes };
}

/** Where a question of filters alone looks. */
export async function scopeOnly(asker: Asker, filters: Filters): Promise<Scope> {
  const query = joined(EMPTY, filters);
  const asked = looked(query, reposOf(asker, query));
  return scopeOf(asker.database, asked, await asker.database.run(statements(asked)));
}

const NO_FILTERS = looked(EMPTY, null);

/** The first round trip: what the filters name, and what the question finds where it may look. */
async function batched(
  asker: Asker,
  query: Query,
  filters: Looked,
  scopes: readonly Scope[],
  meaning: boolean,
) {
  const batch = new Batch();
  const [text, told] = [textOf(query), [] as string[]];
  const checks = batch.add(statements(filters));
  const guessed = scopes.map((scope) => ({
    words: text.trim() ? new Words(text, scope, batch) : null,
    listed: batch.add(!text && isNarrowed(scope) ? [sql.first(scope, LISTED + 1)] : []),
  }));
  const { side, lacks } = sideOf(asker, meaning ? (guessed[0]?.words?.asked.text ?? "") : "");
  const codes = batch.add(side?.vector.statements ?? []);
  const [scope] = scopes.length === 1 ? scopes : [];
  const near = side?.vector.isFree && scope ? nearest(side, [], scope, (line) => told.push(line)) : null;
  await batch.run(asker.database);
  const found = guessed.map(({ words, listed }) => ({ words, listed: listed()[0] ?? [] }));
  return { checks: checks(), guesses: found, side, lacks, codes: codes(), near, told };
}

function reposOf(asker: Asker, query: Query): string[] {
  const there = fed(asker.meta);
  const named = query.repos.map((name) => meantRepo(name, there));
  return named.length > 0 ? [...new Set(named)] : [asker.repo];
}

/** The model that is asked, with what the index or the Worker lacks for one. */
function sideOf(asker: Asker, text: string): { side: Side | null; lacks: string | null } {
  if (!text) return { side: null, lacks: null };
  const { env, clock, meta } = asker;
  const { model, lacks } = modelOf(meta, env);
  if (!model || !env.CODE_INDEX) return { side: null, lacks };
  const vector = new QuestionVector(model, text, env, clock);
  return { side: { vector, near: new Neighbours(env.CODE_INDEX, clock) }, lacks };
}

async function ranking(first: First, page: Paging): Promise<Ranked> {
  if (!first.words) return listing(first, page);
  const { words, scope, side, told, asker } = first;
  const tell = (line: string) => told.push(line);
  const near = side && (await (first.near ?? nearest(side, first.codes, scope, tell)));
  const rankings = [...words.rankings(), ...(near ? [near] : [])];
  const known = await second(asker, likeliest(rankings), scope, page);
  const all = ranked(words.asked, rankings, known.hits);
  const found = isFar(rankings) ? all.slice(0, BY_MEANING_ALONE) : all;
  const lacks = first.lacks ? [`${WORDS_ALONE} ${first.lacks}`] : [];
  const said = [...notes(words.asked, rankings, found), ...told, ...lacks];
  const some = await paged(found, known, page);
  return { answer: { ...some, notes: said, atLeast: isCut(rankings) }, sources: known.sources };
}

/** The first nodes of a scope, for who asks by filters alone. */
async function listing(first: First, page: Paging): Promise<Ranked> {
  const hits = first.listed.slice(0, LISTED).map(hitOf);
  const ids = hits.map((hit) => hit.id);
  const known = await second(first.asker, ids, first.scope, page);
  const some = await paged(hits.map(foundAs), known, page);
  const atLeast = first.listed.length > LISTED;
  return { answer: { ...some, notes: [], atLeast }, sources: known.sources };
}

/** A node without anything that it is found by. */
export function foundAs(hit: Hit): Found {
  const nothing = { others: [], copies: [], piece: null, member: null };
  return { hit, score: 0, ranks: new Map(), parts: new Map(), ...nothing };
}

function joined(query: Query, filters: Filters): Query {
  const lists = ["paths", "notPaths", "languages", "nodeTypes", "categories", "repos"] as const;
  const both = lists.map((name) => [name, [...query[name], ...filters[name]]]);
  return { ...query, ...Object.fromEntries(both), tests: filters.tests ?? query.tests };
}

