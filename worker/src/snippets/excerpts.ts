/** Source lines of nodes: stored source from the index, else the file at GitHub. */

import { constants } from "../../build/worker_data.json";
import * as github from "../bindings/github.ts";
import { sortBy } from "../sorting.ts";
import { length, strip } from "../python_strings.ts";
import { Batch, type Row } from "../store/database.ts";
import type { Hit } from "../store/hits.ts";
import * as sql from "../store/statements.ts";
import { StoredSource, type NumberedLines } from "../store/stored_source.ts";
import type { SearchContext } from "../corpus/context.ts";
import { gitHubSlug, indexedCommit } from "../corpus/github_address.ts";

const { CONTEXT_LINES, MAX_CONTEXT_CHARS } = constants.excerpts;
/** The maximum number of requests to services for one answer; more files are not read from GitHub. */
export const MAX_SUBREQUESTS = 6;
const MAX_LINE_NUMBER = 1_000_000_000;
const EMPTY_HIT: Hit = {
  id: "",
  path: "",
  language: null,
  nodeType: "lines",
  symbol: null,
  signature: null,
  logicalPath: null,
  startLine: 1,
  endLine: 1,
  members: "",
  description: "",
  repo: "",
};
/** Languages whose files differ from the indexed text: a notebook is JSON. */
const CONVERTED_LANGUAGES = new Set(["notebook"]);

/** First and last lines of the nodes within a hit. */
export type InnerRanges = readonly (readonly [number, number])[];

/** The lines next to a node; null without any. */
export interface Context {
  readonly before: readonly string[] | null;
  readonly after: readonly string[] | null;
}

/** The lines of files, loaded as they are needed. */
export class FileContents {
  readonly #source = new StoredSource();
  readonly #inner = new Map<string, InnerRanges>();
  /** The ranges whose lines, and those next to them, were looked up. */
  readonly #loaded = new Set<string>();

  constructor(private readonly context: SearchContext) {}

  /** True if lines can be loaded from the database or from GitHub. */
  get areAvailable(): boolean {
    return this.isStored || this.#repos.some((repo) => gitHubSlug(this.context.env, repo) !== null);
  }

  /** True if the database has stored source. */
  get isStored(): boolean {
    return this.#repos.some((repo) => this.context.meta.has(`${repo}:texts`));
  }

  get #repos(): readonly string[] {
    return this.context.several?.repos ?? [this.context.repo];
  }

  /**
   * Adds statements to a batch that select what is not loaded yet: the stored lines of hits and the nodes within `shown`
   * ones. Returns a function that stores their rows after the batch ran.
   */
  addStatements(batch: Batch, shown: readonly Hit[], compared: readonly Hit[]): () => Promise<void> {
    if (!this.isStored) return async () => {};
    const isLacking = (hit: Hit) => !this.#loaded.has(rangeKey(hit));
    const lacking = [...new Set([...shown.filter(isLacking), ...compared.filter((hit) => this.lines(hit) === null)])];
    const unread = shown.filter((hit) => !this.#inner.has(rangeKey(hit)));
    const source = batch.add(lacking.length > 0 ? [sql.storedSourceLines(lacking.map(withContext))] : []);
    const inner = batch.add(unread.length > 0 ? [sql.innerNodes(unread.map(({ id, startLine, endLine }) => [id, startLine, endLine]))] : []);
    return async () => {
      await this.#source.add(source()[0] ?? []);
      for (const hit of lacking) this.#loaded.add(rangeKey(hit));
      this.#addInnerRanges(inner()[0] ?? [], unread);
    };
  }

  /** The same for nodes by id: `shown` ones, and those whose lines are compared. The function gets the hits that have been read. */
  addStatementsOfIds(batch: Batch, shown: readonly string[], compared: readonly string[]): (hits: readonly Hit[]) => Promise<void> {
    const ids = [...new Set([...shown, ...compared])];
    if (!this.isStored || ids.length === 0) return async () => {};
    const source = batch.add([sql.storedSourceOfNodes(ids)]);
    const inner = batch.add(shown.length > 0 ? [sql.innerNodesOfIds(shown)] : []);
    return async (hits) => {
      await this.#source.add(source()[0] ?? []);
      for (const hit of hits) if (ids.includes(hit.id)) this.#loaded.add(rangeKey(hit));
      this.#addInnerRanges(inner()[0] ?? [], hits.filter(({ id }) => shown.includes(id)));
    };
  }

  /**
   * Loads the lines of hits that are not loaded yet, in one request with what else is in the batch; for `compared` only
   * lines are needed.
   */
  async load(hits: readonly Hit[], compared: readonly Hit[] = [], batch = new Batch()): Promise<void> {
    const addRows = this.addStatements(batch, hits, compared);
    await batch.run(this.context.database);
    await addRows();
    await this.#loadFromGitHub(hits.filter((hit) => this.lines(hit) === null));
  }

  /** The lines of a hit; null if they are not loaded. */
  lines({ repo, path, startLine, endLine }: Hit): NumberedLines | null {
    return this.#source.between(repo, path, startLine, endLine);
  }

  /** The loaded lines above and below a hit; none of a notebook. */
  around({ repo, path, language, startLine, endLine }: Hit): Context {
    if (CONVERTED_LANGUAGES.has(language ?? "")) return { before: null, after: null };
    const nearest = (first: number, step: number): string[] | null => {
      const lines: string[] = [];
      for (let number = first; lines.length < CONTEXT_LINES; number += step) {
        const line = this.#source.between(repo, path, number, number)?.lines[0];
        if (line === undefined || length(line) > MAX_CONTEXT_CHARS) break;
        lines.push(line);
      }
      const shown = lines.slice(0, lines.findLastIndex((line) => strip(line) !== "") + 1);
      return shown.length ? shown : null;
    };
    return { before: nearest(startLine - 1, -1)?.reverse() ?? null, after: nearest(endLine + 1, 1) };
  }

  /** Loads all lines of a file; null if they are not available. */
  async file(path: string, language: string | null): Promise<NumberedLines | null> {
    const { repo, database } = this.context;
    if (this.isStored) {
      const [rows = []] = await database.run([sql.storedSourceLines([[repo, path, 1, MAX_LINE_NUMBER]])]);
      await this.#source.add(rows);
    }
    const loaded = this.#source.whole(repo, path);
    if (loaded) return loaded;
    await this.#loadFromGitHub([{ ...EMPTY_HIT, repo, path, language }]);
    return this.#source.whole(repo, path);
  }

  /** Loads lines of files from the stored source, given as paths and the first and last line. */
  async loadLines(places: Iterable<readonly [path: string, first: number, last?: number]>): Promise<void> {
    const { repo, database } = this.context;
    if (!this.isStored) return;
    const ranges = new Map<string, [string, string, number, number]>();
    for (const [path, first, last = first] of places) {
      if (last > first || !this.line(path, first)) ranges.set(`${path}\0${first}`, [repo, path, first, last]);
    }
    if (ranges.size === 0) return;
    const [rows = []] = await database.run([sql.storedSourceLines([...ranges.values()])]);
    await this.#source.add(rows);
  }

  /** A line of a file; null if it is not loaded. */
  line(path: string, line: number): string | null {
    return this.#source.between(this.context.repo, path, line, line)?.lines[0] ?? null;
  }

  /** The line ranges of the nodes within a hit, if they are loaded. */
  inner(hit: Hit): InnerRanges {
    const ranges = this.#inner.get(rangeKey(hit)) ?? [];
    return ranges.filter(([first, last]) => last - first < hit.endLine - hit.startLine);
  }

  /** Adds the ranges of nodes within hits; a row with a hash is a part of the hit itself. */
  #addInnerRanges(rows: readonly Row[], hits: readonly Hit[]): void {
    const ranges = new Map<string, [number, number][]>(hits.map(({ id }) => [id, []]));
    const sorted = sortBy(rows as [string, number, number, string | null][], ([, first, last]) => [first, last]);
    for (const [id, first, last, sha] of sorted) {
      if (sha === null) ranges.get(id)?.push([first, last]);
    }
    for (const hit of hits) this.#inner.set(rangeKey(hit), ranges.get(hit.id)!);
  }

  /** Loads files from GitHub within the limit of requests, those of the first hits first. */
  async #loadFromGitHub(hits: readonly Hit[]): Promise<void> {
    const { env, meta, onTiming } = this.context;
    if (hits.length === 0) return;
    const files = new Map<string, { file: github.GitHubFile; hit: Hit }>();
    for (const hit of hits) {
      const [slug, commit] = [gitHubSlug(env, hit.repo), indexedCommit(meta, hit.repo)];
      if (!slug || !commit || CONVERTED_LANGUAGES.has(hit.language ?? "")) continue;
      files.set(`${hit.repo}\0${hit.path}`, { file: { slug, commit, path: hit.path }, hit });
    }
    const cachedFirst = sortBy(files.values(), ({ file }) => [github.cachedLines(file) === null]);
    const selected = cachedFirst.filter(({ file }) => github.cachedLines(file) !== null || this.context.reserveRequest());
    await Promise.all(
      selected.map(async ({ file, hit }) => {
        const lines = github.cachedLines(file) ?? (await github.fetchLines(file, env.GITHUB_TOKEN, onTiming));
        if (lines) this.#source.put(hit.repo, hit.path, wholeFile(lines));
      }),
    );
  }
}

/** The place of a hit with the lines next to it. */
function withContext({ repo, path, startLine, endLine }: Hit): readonly [string, string, number, number] {
  return [repo, path, startLine - CONTEXT_LINES, endLine + CONTEXT_LINES];
}

function rangeKey({ id, startLine, endLine }: Hit): string {
  return `${id} ${startLine}-${endLine}`;
}

function wholeFile(lines: readonly string[]) {
  return { first: 1, last: lines.length, lines, numbers: null };
}
