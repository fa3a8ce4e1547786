/** The answers of the JSON interface, as docs/reference/http-api.md describes them. */

import { D1 } from "../bindings/d1.ts";
import type { Env } from "../bindings/env.ts";
import { Refusal, wrong } from "../refusal.ts";
import { hitJson } from "../search/answers.ts";
import type { Asker } from "../search/asker.ts";
import { ask, askerOf, scopeOnly } from "../search/asking.ts";
import { facets } from "../search/facets.ts";
import { hitOf, type Found } from "../search/found.ts";
import { outline as outlined } from "../search/outline.ts";
import { NO_TEXT, passage } from "../search/passages.ts";
import { placeOf, web } from "../search/places.ts";
import type { Query } from "../search/query.ts";
import { shown, type Shaped } from "../search/shown.ts";
import { similar as mostSimilar } from "../search/similar.ts";
import { Sources, SUBREQUESTS } from "../search/sources.ts";
import { age, known, remember } from "../search/standing.ts";
import { Moved, Steady } from "../search/steady.ts";
import { folder, nodeAt, resolve } from "../search/targets.ts";
import * as sql from "../store/statements.ts";
import type { Clock, Params } from "./facts.ts";
import { filters, meaning, one, paging, windowLines } from "./said.ts";
import shared from "../../build/shared.json";

type Question = (asker: Asker, params: Params) => Promise<object>;

/** What the keys of costs begin with, before the kind of run. */
const COST: string = shared.serve.cost;
const ID = /^[0-9a-f]{8,40}$/;

/** The answer to a question by its name; refuses what is wrong, with its status. */
export async function answer(name: string, params: Params, env: Env, clock: Clock): Promise<object> {
  const question = QUESTIONS[name];
  if (!question) throw new Refusal(404, `There is no /api/${name}.`);
  try {
    return await put(question, params, env, clock);
  } catch (error) {
    if (!(error instanceof Moved)) throw error;
    return put(question, params, env, clock);
  }
}

/** Asks at one commit; throws `Moved` where the index comes to another one in between. */
async function put(question: Question, params: Params, env: Env, clock: Clock): Promise<object> {
  let asked = 0;
  const counting: Clock = (...said) => {
    asked += 1;
    clock(...said);
  };
  const database = new D1(env.CODE_DB, counting);
  const before = await known(env.CODE_DB, database);
  const steady = new Steady(database, before, (meta) => remember(env.CODE_DB, meta));
  return question(askerOf({ env, database: steady, clock: counting, left: () => SUBREQUESTS - asked }), params);
}

/** A page of hits. */
async function search(given: Asker, params: Params): Promise<object> {
  const page = paging(params);
  const said = await ask(given, one(params, "q"), page, filters(params), meaning(params));
  const { asker, asked, answer: found, sources } = said;
  const shaped = { words: sought(asked.query), lines: windowLines(params) };
  return {
    hits: hitsOf(asker, sources, found.found, shaped),
    total: found.total,
    at_least: found.atLeast,
    offset: page.offset,
    notes: found.notes,
    ...age(asker.meta, asker.repo),
    facets: facets(found.every),
  };
}

/** A page of what is most like a node. */
async function similar(asker: Asker, params: Params): Promise<object> {
  const page = paging(params);
  const node = nodeAt(await resolve(asker, one(params, "target")));
  const scope = await scopeOnly(asker, filters(params));
  const { answer: found, sources } = await mostSimilar(asker, node, scope, page);
  const shaped = { words: [node.symbol || node.logicalPath || ""], lines: windowLines(params) };
  return {
    hits: hitsOf(asker, sources, found.found, shaped),
    total: found.total,
    at_least: false,
    offset: page.offset,
    notes: found.notes,
    ...age(asker.meta, asker.repo),
    facets: facets(found.every),
  };
}

/** One node with all of its lines. */
async function node(asker: Asker, params: Params): Promise<object> {
  const id = one(params, "id");
  if (!ID.test(id)) throw wrong("`id` is 8 to 40 hex digits. Take the one of a hit.");
  const hits = await passageOf(asker, id);
  const rest = { total: hits.length, at_least: false, offset: 0, notes: [] };
  return { hits, ...rest, ...age(asker.meta, asker.repo) };
}

/** The lines of each target; one that there is not hinders no other. */
async function read(asker: Asker, params: Params): Promise<object> {
  const targets = [];
  for (const target of params.target ?? []) {
    try {
      targets.push({ target, hits: await passageOf(asker, target), error: "" });
    } catch (error) {
      if (!(error instanceof Refusal) || error.status >= 500) throw error;
      targets.push({ target, hits: [], error: error.message });
    }
  }
  return { targets, ...age(asker.meta, asker.repo) };
}

/** A file of the index with its lines, and what is in it. */
async function file(asker: Asker, params: Params): Promise<object> {
  const path = one(params, "path");
  const there = await folder(asker, path);
  if (!there.includes(path)) {
    throw wrong(`${path} is no file of the index. Name one by its path from the root.`, 404);
  }
  const [rows = []] = await asker.database.run([sql.inFiles(asker.repo, [path])]);
  const nodes = rows.map(hitOf);
  const found = await new Sources(asker).file(path, nodes[0]?.language ?? null);
  if (!found) throw wrong(`${path} ${NO_TEXT}`, 404);
  const [entry] = outlined([path], nodes) as { nodes: object[] }[];
  const textOf = placeOf(asker.env, asker.meta, asker.repo).commitOf(asker.repo);
  const content = { path, lines: filled(found), text_of: textOf, nodes: entry?.nodes ?? [] };
  return { ...content, ...age(asker.meta, asker.repo) };
}

/** What a file or folder holds, without its text. */
async function outline(asker: Asker, params: Params): Promise<object> {
  const paths = await folder(asker, one(params, "path"));
  const [rows = []] = await asker.database.run([sql.inFiles(asker.repo, paths)]);
  return { files: outlined(paths, rows.map(hitOf)), ...age(asker.meta, asker.repo) };
}

/** Every file that is indexed, and every one that is not, with the reason. */
async function map(asker: Asker): Promise<object> {
  const [rows = []] = await asker.database.run([sql.map(asker.repo)]);
  const files = rows.map(([path, language, lines, nodes, state, reason]) => {
    return { path, language, lines, nodes, state, reason };
  });
  return { files, history: false, ...age(asker.meta, asker.repo) };
}

/** What the index holds, by counts, what it equals, and what is not to be had here. */
async function status(asker: Asker): Promise<object> {
  const { repo, env } = asker;
  const sources = new Sources(asker);
  const [files = [], types = [], languages = [], skipped = [], lines = [], sizes] = await asker.database.run([
    sql.countedBy("state", "files", repo),
    sql.countedBy("node_type", "docs", repo),
    sql.countedBy("language", "docs", repo),
    sql.skipped(repo),
    sql.describedBy(repo),
    ...(sources.isKept ? [sql.sizeOfTexts(repo)] : []),
  ]);
  const [size = [0, 0]] = sizes ?? [];
  const { meta } = asker;
  const own = Object.fromEntries(
    Array.from(meta, ([key, value]) => [key.replace(`${repo}:`, ""), value]),
  );
  const counts = [files, types, languages, skipped].map((rows) => Object.fromEntries(rows));
  const [byState, node_types, byLanguage, reasons] = counts;
  const descriptions = Object.fromEntries(lines);
  const holds = { repo, meta: own, files: byState, node_types, languages: byLanguage, descriptions };
  return {
    repo,
    holds: { ...holds, skipped: reasons, texts: { rows: size[0], bytes: size[1] } },
    costs: costs(own),
    places: { folder: null, web: web(env, meta, repo) },
    has: { texts: sources.areThere, patterns: false, proof: false, history: false },
    ...age(meta, repo),
  };
}

/** By kind what the last run of it took. */
function costs(own: Record<string, string>): Record<string, unknown> {
  const kept = Object.entries(own).filter(([key]) => key.startsWith(COST));
  return Object.fromEntries(kept.map(([key, value]) => [key.slice(COST.length), JSON.parse(value)]));
}

const QUESTIONS: Record<string, Question> = {
  search,
  similar,
  node,
  read,
  file,
  outline,
  map,
  status,
};

/** The nodes of a target, or its lines, with all of their text. */
async function passageOf(asker: Asker, text: string): Promise<object[]> {
  const sources = new Sources(asker);
  const found = await passage(asker, sources, await resolve(asker, text));
  return hitsOf(asker, sources, found, { words: [], lines: null });
}

function hitsOf(asker: Asker, sources: Sources, found: readonly Found[], shaped: Shaped): object[] {
  const place = placeOf(asker.env, asker.meta, asker.repo);
  return found.map((hit) => {
    const lines = sources.lines(hit.hit);
    return hitJson(hit, place, lines && shown(hit, lines, sources.inner(hit.hit), shaped));
  });
}

/** The words of a question that are marked where they stand. */
function sought(query: Query): string[] {
  const prefixes = query.prefixes.map((prefix) => `${prefix}*`);
  const words = query.words.split(/\s+/).filter(Boolean);
  return [...words, ...query.phrases, ...prefixes, ...query.symbols];
}

/** Lines by their places in the file, where some are left out empty. */
function filled({ lines, numbers }: { lines: readonly string[]; numbers: readonly number[] }) {
  const found: string[] = Array.from({ length: numbers.at(-1) ?? 0 }, () => "");
  numbers.forEach((number, at) => (found[number - 1] = lines[at]!));
  return found;
}
