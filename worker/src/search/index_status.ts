/** The index's metadata: its repositories, its commit and its freshness. */

import data, { constants } from "../../build/worker_data.json";
import { compareText } from "../python_strings.ts";
import { HttpError } from "../http_error.ts";
import type { Database, Row, Statement } from "../store/database.ts";
import { resolveRepo } from "./filters.ts";

const { SHORT_COMMIT, UNFINISHED_NOTE } = constants.index_status;

export type IndexMeta = ReadonlyMap<string, string>;

export const META_STATEMENT: Statement = { sql: data.sql.meta, params: [] };

export function parseMeta(rows: readonly Row[]): IndexMeta {
  return new Map(rows.map(([key, value]) => [String(key), String(value)]));
}

/** The names of the indexed repositories, sorted. */
export function indexedRepos(meta: IndexMeta): string[] {
  const runs = [...meta.keys()].filter((key) => key.endsWith(":run"));
  return runs.map((key) => key.slice(0, -":run".length)).sort(compareText);
}

/** The repository to search: the configured one, else the only one; throws an HttpError otherwise. */
export function defaultRepo(meta: IndexMeta, configured: string | undefined): string {
  const repos = indexedRepos(meta);
  if (configured) return repos.length > 0 ? resolveRepo(configured, repos) : configured;
  if (repos.length === 1) return repos[0]!;
  if (repos.length === 0) throw new HttpError(503, "The index is empty.", "Index a repository: feeder sync");
  const names = repos.slice(0, 10).join(", ");
  throw new HttpError(
    503,
    `The database has ${repos.length} repositories, and REPO names none of them.`,
    `Set the variable REPO to one of them: ${names}`,
  );
}

/** The metadata on which the first batch depends, as a text. */
export function cacheKey(meta: IndexMeta): string {
  const keys = ["model", "dimensions", "header", "lookup"].map((key) => meta.get(key) ?? null);
  return JSON.stringify([...keys, indexedRepos(meta)]);
}

const metaCache = new WeakMap<object, IndexMeta>();

/** The metadata from the isolate's cache, else from the database. */
export async function loadMeta(binding: object, database: Database): Promise<IndexMeta> {
  const cached = metaCache.get(binding);
  if (cached) return cached;
  const [rows = []] = await database.run([META_STATEMENT]);
  const meta = parseMeta(rows);
  cacheMeta(binding, meta);
  return meta;
}

export function cacheMeta(binding: object, meta: IndexMeta): void {
  metaCache.set(binding, meta);
}

/** The commit that the index equals, as JSON and as a sentence. */
export function freshness(meta: IndexMeta, repo: string) {
  const metaValue = (key: string) => meta.get(`${repo}:${key}`) ?? "";
  const equals = metaValue("head");
  const isComplete = meta.has(`${repo}:tree`);
  const unfinished = !isComplete && metaValue("run") !== metaValue("done");
  const index = {
    repo,
    equals,
    head: equals,
    behind: null,
    ahead: null,
    edited: 0,
    unfinished,
    working: Boolean(metaValue("working")),
    below: metaValue("below"),
    partial: Boolean(equals) && !isComplete && !unfinished,
    seen: false,
  };
  return { index, note: freshnessNote(index) };
}

interface IndexState {
  equals: string;
  below: string;
  unfinished: boolean;
  partial: boolean;
  working: boolean;
}

function freshnessNote({ equals, below, unfinished, partial, working }: IndexState): string {
  const commit = equals.slice(0, SHORT_COMMIT);
  if (!commit) return unfinished ? UNFINISHED_NOTE : "";
  const index = below ? `The index of the folder ${below}` : "The index";
  if (unfinished) return `${index} equalled ${commit}; a later sync is running or was stopped.`;
  if (partial) return `${index} equals ${commit} except for files that were indexed one by one.`;
  return working ? `${index} equals a working tree on ${commit}.` : `${index} equals ${commit}.`;
}
