/** The endpoints of the JSON API; docs/reference/http-api.md describes them. */

import { D1 } from "../bindings/d1.ts";
import type { Env } from "../bindings/env.ts";
import { HttpError, badRequest } from "../http_error.ts";
import {
  hitJson,
  hitSnippet,
  NO_SOURCE,
  readTarget,
  type SnippetOptions,
} from "../search/answers.ts";
import { createContext, scopeFromFilters, search, type SearchContext } from "../search/engine.ts";
import { countFacets, hitFromRow, type Result } from "../search/results.ts";
import { outlineFiles } from "../search/outline.ts";
import { sourceLinks, gitHubUrl } from "../search/permalinks.ts";
import type { Query } from "../search/query.ts";
import { findSimilar } from "../search/similar.ts";
import { FileContents, MAX_SUBREQUESTS } from "../search/excerpts.ts";
import { freshness, loadMeta, cacheMeta } from "../search/index_status.ts";
import { IndexChanged, SnapshotDatabase } from "../search/snapshot.ts";
import { filesBelow, nodeOfTarget, resolveTarget } from "../search/targets.ts";
import * as sql from "../store/statements.ts";
import type { OnTiming, Params } from "./types.ts";
import { filters, usesVectors, requiredParameter, pagination, snippetLines } from "./parameters.ts";
import { constants } from "../../build/worker_data.json";

type Question = (context: SearchContext, params: Params) => Promise<object>;

/** The prefix of the `meta` keys of costs; the kind of run follows. */
const COST: string = constants.dry_run.COST_KEY;
const ID = /^[0-9a-f]{8,40}$/;

/**
 * Answers a request to an endpoint; throws an HttpError for invalid ones. Retries once if the index
 * changed.
 */
export async function answerRequest(name: string, params: Params, env: Env, onTiming: OnTiming): Promise<object> {
  const question = QUESTIONS[name];
  if (!question) throw new HttpError(404, `/api/${name} does not exist.`);
  try {
    return await put(question, params, env, onTiming);
  } catch (error) {
    if (!(error instanceof IndexChanged)) throw error;
    return put(question, params, env, onTiming);
  }
}

/** Runs an endpoint on a snapshot; throws IndexChanged if the index changes meanwhile. */
async function put(question: Question, params: Params, env: Env, onTiming: OnTiming): Promise<object> {
  let asked = 0;
  const counting: OnTiming = (...said) => {
    asked += 1;
    onTiming(...said);
  };
  const database = new D1(env.CODE_DB, counting);
  const before = await loadMeta(env.CODE_DB, database);
  const steady = new SnapshotDatabase(database, before, (meta) => cacheMeta(env.CODE_DB, meta));
  return question(createContext({ env, database: steady, onTiming: counting, left: () => MAX_SUBREQUESTS - asked }), params);
}

/** A page of hits. */
async function answerSearch(given: SearchContext, params: Params): Promise<object> {
  const page = pagination(params);
  const said = await search(given, requiredParameter(params, "q"), page, filters(params), usesVectors(params));
  const { context, asked, answer: found, contents } = said;
  const shaped = { words: sought(asked.query), lines: snippetLines(params) };
  return {
    hits: hitsOf(context, contents, found.found, shaped),
    total: found.total,
    at_least: found.atLeast,
    offset: page.offset,
    notes: found.notes,
    ...freshness(context.meta, context.repo),
    facets: countFacets(found.every),
  };
}

/** A page of nodes similar to a node. */
async function similar(context: SearchContext, params: Params): Promise<object> {
  const page = pagination(params);
  const node = nodeOfTarget(await resolveTarget(context, requiredParameter(params, "target")));
  const scope = await scopeFromFilters(context, filters(params));
  const { answer: found, contents } = await findSimilar(context, node, scope, page);
  const shaped = { words: [node.symbol || node.logicalPath || ""], lines: snippetLines(params) };
  return {
    hits: hitsOf(context, contents, found.found, shaped),
    total: found.total,
    at_least: false,
    offset: page.offset,
    notes: found.notes,
    ...freshness(context.meta, context.repo),
    facets: countFacets(found.every),
  };
}

/** One node with all of its lines. */
async function node(context: SearchContext, params: Params): Promise<object> {
  const id = requiredParameter(params, "id");
  if (!ID.test(id)) throw badRequest("`id` must be 8 to 40 hex digits. Use the id of a hit.");
  const hits = await passageOf(context, id);
  const rest = { total: hits.length, at_least: false, offset: 0, notes: [] };
  return { hits, ...rest, ...freshness(context.meta, context.repo) };
}

/** The lines of each target; an unknown target has an error and does not affect the others. */
async function read(context: SearchContext, params: Params): Promise<object> {
  const targets = [];
  for (const target of params.target ?? []) {
    try {
      targets.push({ target, hits: await passageOf(context, target), error: "" });
    } catch (error) {
      if (!(error instanceof HttpError) || error.status >= 500) throw error;
      targets.push({ target, hits: [], error: error.message });
    }
  }
  return { targets, ...freshness(context.meta, context.repo) };
}

/** A file with its lines and its outline. */
async function file(context: SearchContext, params: Params): Promise<object> {
  const path = requiredParameter(params, "path");
  const there = await filesBelow(context, path);
  if (!there.includes(path)) {
    throw badRequest(`${path} is not a file of the index. Give a path from the root, as hits have it.`, 404);
  }
  const [rows = []] = await context.database.run([sql.nodesInFiles(context.repo, [path])]);
  const nodes = rows.map(hitFromRow);
  const found = await new FileContents(context).file(path, nodes[0]?.language ?? null);
  if (!found) throw badRequest(`${path} ${NO_SOURCE}`, 404);
  const [entry] = outlineFiles([path], nodes) as { nodes: object[] }[];
  const textOf = sourceLinks(context.env, context.meta, context.repo).commitOf(context.repo);
  const content = { path, lines: filled(found), text_of: textOf, nodes: entry?.nodes ?? [] };
  return { ...content, ...freshness(context.meta, context.repo) };
}

/** The outline of a file or folder. */
async function outline(context: SearchContext, params: Params): Promise<object> {
  const paths = await filesBelow(context, requiredParameter(params, "path"));
  const [rows = []] = await context.database.run([sql.nodesInFiles(context.repo, paths)]);
  return { files: outlineFiles(paths, rows.map(hitFromRow)), ...freshness(context.meta, context.repo) };
}

/** All files, indexed or not, with the skip reason. */
async function map(context: SearchContext): Promise<object> {
  const [rows = []] = await context.database.run([sql.fileMap(context.repo)]);
  const files = rows.map(([path, language, lines, nodes, state, reason]) => {
    return { path, language, lines, nodes, state, reason };
  });
  return { files, history: false, ...freshness(context.meta, context.repo) };
}

/** The counts and freshness of the index, and the features that the Worker has. */
async function status(context: SearchContext): Promise<object> {
  const { repo, env } = context;
  const contents = new FileContents(context);
  const [files = [], types = [], languages = [], skipped = [], lines = [], sizes] = await context.database.run([
    sql.countBy("state", "files", repo),
    sql.countBy("node_type", "docs", repo),
    sql.countBy("language", "docs", repo),
    sql.skippedFiles(repo),
    sql.descriptionModels(repo),
    ...(contents.isKept ? [sql.storedSourceSize(repo)] : []),
  ]);
  const [size = [0, 0]] = sizes ?? [];
  const { meta } = context;
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
    places: { folder: null, web: gitHubUrl(env, meta, repo) },
    has: { texts: contents.areThere, patterns: false, proof: false, history: false },
    ...freshness(meta, repo),
  };
}

/** The costs of the last run of each kind. */
function costs(own: Record<string, string>): Record<string, unknown> {
  const kept = Object.entries(own).filter(([key]) => key.startsWith(COST));
  return Object.fromEntries(kept.map(([key, value]) => [key.slice(COST.length), JSON.parse(value)]));
}

const QUESTIONS: Record<string, Question> = {
  search: answerSearch,
  similar,
  node,
  read,
  file,
  outline,
  map,
  status,
};

/** The JSON of a target's nodes or lines, with all of their text. */
async function passageOf(context: SearchContext, text: string): Promise<object[]> {
  const contents = new FileContents(context);
  const found = await readTarget(context, contents, await resolveTarget(context, text));
  return hitsOf(context, contents, found, { words: [], lines: null });
}

function hitsOf(context: SearchContext, contents: FileContents, found: readonly Result[], shaped: SnippetOptions): object[] {
  const place = sourceLinks(context.env, context.meta, context.repo);
  return found.map((hit) => {
    const lines = contents.lines(hit.hit);
    return hitJson(hit, place, lines && hitSnippet(hit, lines, contents.inner(hit.hit), shaped));
  });
}

/** The words of a query to highlight. */
function sought(query: Query): string[] {
  const prefixes = query.prefixes.map((prefix) => `${prefix}*`);
  const words = query.words.split(/\s+/).filter(Boolean);
  return [...words, ...query.phrases, ...prefixes, ...query.symbols];
}

/** The lines of a file; missing ones are empty. */
function filled({ lines, numbers }: { lines: readonly string[]; numbers: readonly number[] }) {
  const found: string[] = Array.from({ length: numbers.at(-1) ?? 0 }, () => "");
  numbers.forEach((number, at) => (found[number - 1] = lines[at]!));
  return found;
}
