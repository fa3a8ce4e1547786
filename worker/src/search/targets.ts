/** Resolves a target to nodes: `PATH:LINE`, `PATH#Symbol`, an id, a path or a symbol. */

import { constants } from "../../build/worker_data.json";
import { casefold, rpartition } from "../python_strings.ts";
import { nearestNames } from "../suggestions.ts";
import { badRequest, type HttpError } from "../http_error.ts";
import { Batch, type Database, type Row } from "../store/database.ts";
import * as sql from "../store/statements.ts";
import { dotted, endsWith, withCompoundParts } from "../text.ts";
import { pathReadings } from "./filters.ts";
import { hitFromRow, type Hit } from "./results.ts";
import { normalizeName, findMember, parseMembers } from "./name_matching.ts";

const { MAX_LISTED, MAX_SEPARATORS, EMPTY_TARGET_ERROR } = constants.targets;
const LINES = /^(.+?):(\d+)(?:-(\d+)|:\d+)?$/s;
const ID = /^[0-9a-f]{7,40}$/;
const NAMED = /#(?=.)/gs;
const ENDING = /\.[\p{L}\p{N}_]{1,5}$/u;
const ALNUM = /^[\p{L}\p{N}]+$/u;

/** The nodes with one name in a file, or those of a whole file, with the lines of the target if it has some. */
export interface Target {
  readonly path: string;
  readonly hits: readonly Hit[];
  readonly lines: readonly [number, number] | null;
  readonly isFile: boolean;
}

/** The database and the repository in which targets are resolved. */
export interface TargetContext {
  readonly database: Database;
  readonly repo: string;
}

/** A possible reading of a target: a file with lines or a name. */
interface Reading {
  readonly path: string;
  readonly lines: readonly [number, number] | null;
  readonly name: string | null;
  readonly places: readonly string[];
}

/**
 * Resolves a target with two batches; a path is from the root, else a bare file name.
 *
 * Throws an HttpError with the nearest names for an unknown target, and with a list for an ambiguous one.
 */
export async function resolveTarget(corpus: TargetContext, text: string): Promise<Target> {
  if (!text.trim()) throw badRequest(EMPTY_TARGET_ERROR, 404);
  const readings = readingsOf(text);
  const batch = new Batch();
  const files = readings.map(({ places }) =>
    batch.add(places.map((path) => sql.filesByPathSuffix(corpus.repo, path))),
  );
  const ids = batch.add(ID.test(text) ? [sql.nodesByIdPrefix(corpus.repo, text, MAX_LISTED + 1)] : []);
  const names = batch.add(namesOf(text).map((name) => sql.nodesByNameWords(corpus.repo, name)));
  await batch.run(corpus.database);
  for (const [at, reading] of readings.entries()) {
    const file = fileOf(reading, files[at]!());
    if (file) return inFile(await nodes(corpus, file), file, reading);
  }
  const found = anywhere(text, ids(), names());
  if (found) return found;
  const [first] = text.split("#", 1);
  throw await unknown(corpus, LINES.exec(text)?.[1] ?? (first || text));
}

/** The one node of a target; for lines, the smallest node that contains the first of them. */
export function nodeOfTarget(target: Target): Hit {
  const { hits, lines, path } = target;
  if (hits.length === 0) {
    throw badRequest(`${path} has no nodes: it has no text. Give another file.`);
  }
  if (!lines) {
    const named = new Set(hits.map((hit) => JSON.stringify([hit.symbol, hit.logicalPath])));
    if (named.size > 1) throw badRequest(`${path} has several nodes. Give a line, for example ${path}:1`);
    return hits[0]!;
  }
  const [line] = lines;
  const holding = hits.filter((hit) => hit.startLine <= line && line <= hit.endLine);
  if (holding.length === 0) {
    throw badRequest(
      `${path} has no node at line ${line}. List its nodes: feeder outline ${path}`,
    );
  }
  return holding.reduce((least, hit) => (size(hit) < size(least) ? hit : least));
}

/** The files at or below a path; throws an HttpError with the nearest paths if there are none. */
export async function filesBelow({ database, repo }: TargetContext, text: string): Promise<string[]> {
  const places = pathReadings(text || ".").map((path) => (path === "." ? "" : path));
  const answers = await database.run(places.map((path) => sql.filesBelow(repo, path)));
  const found = answers.find((rows) => rows.length > 0);
  if (found) return found.map(([path]) => String(path));
  const [all = []] = await database.run([sql.filesBelow(repo, "")]);
  if (all.length === 0) throw badRequest(`The index has no files of ${repo}. Index them: feeder sync`, 404);
  throw notFoundError(text, nearestPaths(text, all));
}

/** The possible readings of a text: a file, with lines, or with a name after one of its `#`. */
function readingsOf(text: string): Reading[] {
  const readings: Reading[] = [];
  const add = (path: string, lines: Reading["lines"], name: string | null) => {
    const isPlace = (place: string) => !place.startsWith("*/") || isPath(path);
    if (path) readings.push({ path, lines, name, places: pathReadings(path).filter(isPlace) });
  };
  const lines = LINES.exec(text);
  if (lines) add(lines[1]!, [Number(lines[2]), Number(lines[3] ?? lines[2])], null);
  add(text, null, null);
  for (const { index: at } of [...text.matchAll(NAMED)].slice(0, MAX_SEPARATORS)) {
    add(text.slice(0, at), null, text.slice(at + 1));
  }
  return readings;
}

/** The one file of a reading; a bare file name must be unique. */
function fileOf({ places }: Reading, answers: readonly (readonly Row[])[]): string | null {
  for (const [at, place] of places.entries()) {
    const paths = (answers[at] ?? []).map(([path]) => String(path));
    const isMatch = (path: string) =>
      path === place || (place.startsWith("*/") && `/${path}`.endsWith(place.slice(1)));
    const matches = paths.filter(isMatch);
    if (matches.length === 1) return matches[0]!;
  }
  return null;
}

async function nodes({ database, repo }: TargetContext, path: string): Promise<Hit[]> {
  const [rows = []] = await database.run([sql.nodesInFiles(repo, [path])]);
  return rows.map(hitFromRow);
}

function inFile(hits: readonly Hit[], path: string, { lines, name }: Reading): Target {
  if (name === null) return { path, hits, lines, isFile: lines === null };
  const found = oneOf(called(hits, name), `${path}#${name}`);
  if (found) return found;
  const names = hits.flatMap(namesIn);
  throw notFoundError(`${path}#${name}`, nearestNames(dotted(name), names, "."), path);
}

/** The FTS5 queries for nodes with this name; an owner and its member need not be adjacent. */
function namesOf(text: string): string[] {
  const names = dotted(text);
  const each = [...new Set([names, rpartition(names, ".")[1]])];
  return each.filter((one) => /[\p{L}\p{N}]/u.test(one)).map(phrase);
}

function phrase(name: string): string {
  return `"${name.replaceAll('"', '""').replaceAll("\0", " ")}"`;
}

/** Resolves the beginning of an id, else a symbol. */
function anywhere(text: string, ids: readonly Row[][], names: readonly Row[][]): Target | null {
  const byId = (ids[0] ?? []).map(hitFromRow);
  if (byId.length > 0) return oneOf(byId, text);
  for (const rows of names) {
    const found = called(rows.map(hitFromRow), text);
    if (found.length > 0) return oneOf(found, text);
  }
  return null;
}

/**
 * The nodes with this full name, else with these last parts; in this case, else in any case.
 *
 * Otherwise the nodes with a member of this name, such as an enum member or a constant.
 */
function called(hits: readonly Hit[], name: string): Hit[] {
  const own = hits.map((hit): [Hit, string] => [hit, dotted(hit.symbol || hit.logicalPath || "")]);
  for (const fold of [(text: string) => text, casefold]) {
    const folded = fold(dotted(name));
    for (const matches of [(one: string, other: string) => one === other, endsWith]) {
      const named = own.filter(([, symbol]) => matches(fold(symbol), folded));
      if (named.length > 0) return named.map(([hit]) => hit);
    }
  }
  return own.filter(([hit, symbol]) => findMember(symbol, hit.members, normalizeName(name))).map(([hit]) => hit);
}

/** The names of a node and of its members. */
function namesIn(hit: Hit): string[] {
  return [...(hit.symbol ? [hit.symbol] : []), ...parseMembers(hit.members).map(({ name }) => name)];
}

/** The name of a node; for a chunk, the requested name. */
function label(hit: Hit, asked: string): string {
  const named = findMember("", hit.members, normalizeName(rpartition(asked, "#")[1]));
  return hit.symbol || hit.logicalPath || named?.name || hit.id;
}

/** The target of hits with one name in one file; throws an HttpError for several. */
function oneOf(hits: readonly Hit[], text: string): Target | null {
  const [first] = hits;
  if (!first) return null;
  const labels = [...new Set(hits.map((hit) => `${hit.path}#${label(hit, text)}`))];
  if (labels.length === 1) return { path: first.path, hits, lines: null, isFile: false };
  const more = labels.length > MAX_LISTED ? ` and ${labels.length - MAX_LISTED} more` : "";
  const listed = labels.slice(0, MAX_LISTED).join(", ");
  throw badRequest(`${text} matches ${labels.length} targets: ${listed}${more}. Give one of them.`, 404);
}

/** The error for an unknown target, with the nearest paths or symbols. */
async function unknown({ database, repo }: TargetContext, text: string): Promise<HttpError> {
  const parts = [...new Set(withCompoundParts(text).split(/\s+/))].filter((part) => ALNUM.test(part));
  const query = parts.map((part) => `"${part}"`).join(" OR symbol : ");
  const batch = new Batch();
  const paths = batch.add(isPath(text) ? [sql.filesBelow(repo, "")] : []);
  const named = batch.add(query ? [sql.nodesByNameWords(repo, query)] : []);
  await batch.run(database);
  const near = nearestPaths(text, paths()[0] ?? []);
  if (near.length > 0) return notFoundError(text, near);
  const symbols = (named()[0] ?? []).map(hitFromRow).flatMap(({ symbol }) => symbol || []);
  return notFoundError(text, nearestNames(dotted(text), symbols, "."));
}

/** Returns true for a text that looks like a path. */
function isPath(text: string): boolean {
  return text.includes("/") || ENDING.test(text);
}

function nearestPaths(text: string, rows: readonly Row[]): string[] {
  return nearestNames(
    text,
    rows.map(([path]) => String(path)),
    "/",
  );
}

function notFoundError(text: string, near: readonly string[], within = "."): HttpError {
  const advice =
    near.length > 0
      ? `Did you mean ${near.join(" or ")}?`
      : `List what it has: feeder outline ${within}`;
  return badRequest(`The index has no ${text}. ${advice}`, 404);
}

function size(hit: Hit): number {
  return hit.endLine - hit.startLine;
}
