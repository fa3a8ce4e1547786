/** The index's metadata: its repositories, its commit and its freshness. */

import data, { constants } from "../../build/worker_data.json";
import { HttpError } from "../http_error.ts";
import { compareText } from "../python_strings.ts";
import { sortBy } from "../sorting.ts";
import type { Database, Row, Statement } from "../store/database.ts";
import { unknownNameError } from "../suggestions.ts";

const { SHORT_COMMIT, UNFINISHED } = constants.index_status;
/** The `meta` key of a repository's counts. */
const COUNTS_KEY: string = constants.index_counts.COUNTS_KEY;

/** The metadata of a database and of some of its repositories, by key. */
export type IndexMeta = ReadonlyMap<string, string>;

/** Selects the metadata of the database and of these repositories. */
export function metaStatement(repos: readonly string[]): Statement {
  return { sql: data.sql.meta, params: [JSON.stringify(repos)] };
}

/** Selects the names of all repositories. */
export const REPOSITORIES_STATEMENT: Statement = { sql: data.sql.repositories, params: [] };

export function parseMeta(rows: readonly Row[]): IndexMeta {
  return new Map(rows.map(([key, value]) => [String(key), String(value)]));
}

/** The names of repositories in rows, sorted. */
export function parseRepos(rows: readonly Row[]): string[] {
  return rows.map(([name]) => String(name)).sort(compareText);
}

/**
 * Resolves a repository by its full name, else by its last part; throws an HttpError if none or
 * several match.
 */
export function resolveRepo(name: string, repos: readonly string[]): string {
  const ends = repos.filter((repo) => repo.endsWith(`/${name}`));
  const matches = repos.includes(name) ? [name] : ends;
  if (matches.length > 1) {
    throw new HttpError(400, `The name ${name} matches several repositories: ${matches.join(", ")}.`, "Use a full name.");
  }
  if (!matches[0]) throw unknownNameError("repository", name, repos);
  return matches[0];
}

/** The repository to search: the configured one, else the only one; throws an HttpError otherwise. */
export function defaultRepo(repos: readonly string[], configured: string | undefined): string {
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
export function cacheKey(meta: IndexMeta, repo: string): string {
  return JSON.stringify([modelKey(meta), meta.has(`${repo}:run`)]);
}

/** What the vectors of a database are made with, as a text. */
export function modelKey(meta: IndexMeta): string {
  return JSON.stringify(["model", "dimensions", "header"].map((key) => meta.get(key) ?? null));
}

/** The metadata of the database and of the repository that is searched by default. */
export interface RepoMeta {
  readonly repo: string;
  readonly meta: IndexMeta;
}

const metaCache = new WeakMap<object, RepoMeta>();

/**
 * The metadata from the isolate's cache, else from the database.
 *
 * The names of all repositories are read only if the configured one is none of them, or none is configured.
 */
export async function loadMeta(binding: object, database: Database, configured: string | undefined): Promise<RepoMeta> {
  const cached = metaCache.get(binding);
  if (configured && cached?.meta.has(`${cached.repo}:run`)) return cached;
  const named = configured ? [configured] : [];
  const [rows = []] = await database.run([metaStatement(named)]);
  const loaded = { repo: configured ?? "", meta: parseMeta(rows) };
  const isFound = configured && loaded.meta.has(`${configured}:run`);
  const known = isFound ? loaded : await loadNamedMeta(database, configured);
  cacheMeta(binding, known);
  return known;
}

const metaCacheOfRepos = new WeakMap<object, Map<string, IndexMeta>>();

/** The metadata of these repositories of a database, from the isolate's cache, else from the database. */
export async function loadMetaOf(binding: object, database: Database, repos: readonly string[]): Promise<IndexMeta> {
  const cached = metaCacheOfRepos.get(binding)?.get(repos.join("\n"));
  if (cached) return cached;
  const [rows = []] = await database.run([metaStatement(repos)]);
  const meta = parseMeta(rows);
  cacheMetaOf(binding, repos, meta);
  return meta;
}

export function cacheMetaOf(binding: object, repos: readonly string[], meta: IndexMeta): void {
  const cache = metaCacheOfRepos.get(binding) ?? new Map<string, IndexMeta>();
  metaCacheOfRepos.set(binding, cache.set(repos.join("\n"), meta));
}

/** Reads the metadata of a database again with the next request. */
export function forgetMetaOf(binding: object): void {
  metaCacheOfRepos.delete(binding);
}

/** The metadata of the repository that the configured name stands for, else of the only one. */
async function loadNamedMeta(database: Database, configured: string | undefined): Promise<RepoMeta> {
  const [names = []] = await database.run([REPOSITORIES_STATEMENT]);
  const repo = defaultRepo(parseRepos(names), configured);
  const [rows = []] = await database.run([metaStatement([repo])]);
  return { repo, meta: parseMeta(rows) };
}

export function cacheMeta(binding: object, known: RepoMeta): void {
  metaCache.set(binding, known);
}

/** Counts by file state, node type, language and skip reason; rows and bytes of stored source. */
export interface IndexCounts {
  readonly files: readonly Row[];
  readonly node_types: readonly Row[];
  readonly languages: readonly Row[];
  /** Node types with their languages and numbers of nodes; not in counts of earlier versions. */
  readonly kinds?: readonly (readonly [nodeType: string, language: string | null, nodes: number])[];
  /** The endings of the paths of each language; not in counts of earlier versions. */
  readonly endings?: Readonly<Record<string, readonly string[]>>;
  /** The paths outside tests that have a word of tests' paths, null if they are many; not in counts of earlier versions. */
  readonly like_tests?: readonly string[] | null;
  readonly skipped: readonly Row[];
  readonly texts: readonly [rows: number, bytes: number];
  /** Files with lines that their grammar does not know; not in counts of earlier versions. */
  readonly unparsed?: readonly [files: number, lines: number];
}

/** The counts that the last run has left in the metadata; null if a later one has not finished. */
export function keptCounts(meta: IndexMeta, repo: string): IndexCounts | null {
  const kept = JSON.parse(meta.get(`${repo}:${COUNTS_KEY}`) ?? "null") as (IndexCounts & { run: string }) | null;
  return kept?.run === meta.get(`${repo}:run`) ? kept : null;
}

/**
 * The numbers of nodes by language and by node type, the largest first; the endings of a language's paths if they are few;
 * the languages of each node type, null if they were not counted.
 */
export interface CountedValues {
  readonly language: ReadonlyMap<string, number>;
  readonly node_type: ReadonlyMap<string, number>;
  readonly endings: ReadonlyMap<string, readonly string[]>;
  /** The paths outside tests that have a word of tests' paths; null if they are many, undefined if they were not counted. */
  readonly likeTests: readonly string[] | null | undefined;
  languagesOf(nodeTypes: readonly string[]): readonly (string | null)[] | null;
}

/** The languages and node types of repositories; null if those of one were not counted by its last run. */
export function countedValues(meta: IndexMeta, repos: readonly string[]): CountedValues | null {
  const counts = repos.flatMap((repo) => keptCounts(meta, repo) ?? []);
  if (counts.length < repos.length) return null;
  const values = (rows: readonly Row[]) => {
    const sums = new Map<string, number>();
    for (const [value, number] of rows) {
      if (typeof value === "string") sums.set(value, (sums.get(value) ?? 0) + Number(number));
    }
    return new Map(sortBy(sums, ([, number]) => [-number]));
  };
  const endingsOf = (language: string) => {
    const own = counts.filter(({ languages }) => languages.some(([name]) => name === language));
    const lists = own.map(({ endings }) => endings?.[language]);
    return lists.every((list) => list !== undefined) ? [[language, [...new Set(lists.flat())]] as const] : [];
  };
  const languages = values(counts.flatMap((one) => one.languages));
  const languagesOf = (nodeTypes: readonly string[]) => {
    if (counts.some(({ kinds }) => !kinds)) return null;
    const kinds = counts.flatMap((one) => one.kinds!).filter(([nodeType]) => nodeTypes.includes(nodeType));
    return [...new Set(kinds.map(([, language]) => language))];
  };
  const likeTests = counts.map(({ like_tests: paths }) => paths);
  return {
    languagesOf,
    likeTests: likeTests.includes(undefined) ? undefined : likeTests.includes(null) ? null : likeTests.flatMap((paths) => paths!),
    endings: new Map([...languages.keys()].flatMap(endingsOf)),
    language: languages,
    node_type: values(counts.flatMap((one) => one.node_types)),
  };
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

/** The repositories that a note on freshness names. */
const MAX_NAMED_REPOS = 6;

/** The same for several repositories, each by its name. */
export function freshnessOfSeveral(meta: IndexMeta, repos: readonly string[]) {
  const states = repos.map((repo) => freshness(meta, repo));
  const named = repos.slice(0, MAX_NAMED_REPOS).map((repo, at) => `${repo}: ${states[at]!.note || "not indexed."}`);
  const rest = repos.length - named.length;
  const note = [...named, ...(rest > 0 ? [`And ${rest} more.`] : [])].join(" ");
  return { index: { ...freshness(new Map(), "").index, repos: states.map(({ index }) => index) }, note };
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
  if (!commit) return unfinished ? UNFINISHED.join(" ") : "";
  const index = below ? `The index of the folder ${below}` : "The index";
  if (unfinished) return `${index} matched ${commit}; a later sync is running or was stopped.`;
  if (partial) {
    return `${index} matches ${commit} except for files that were indexed one by one, or are to be read again.`;
  }
  return working ? `${index} matches a working tree on ${commit}.` : `${index} matches ${commit}.`;
}
