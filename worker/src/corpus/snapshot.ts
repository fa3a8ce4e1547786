/** A database whose batches all see one commit of the index; a change in between is an error. */

import { HttpError } from "../http_error.ts";
import type { Database, Row, Statement } from "../store/database.ts";
import { type IndexMeta, metaStatement, parseMeta, parseRepos, type RepoMeta, REPOSITORIES_STATEMENT } from "./index_status.ts";

const HEADS_STATEMENT: Statement = {
  sql: "SELECT m.key, m.value FROM json_each(?) r CROSS JOIN meta m ON m.key = r.value || ':head'",
  params: [],
  columns: 2,
};

/** The error that the index changed between two batches, so that their rows do not match. */
export class IndexChanged extends HttpError {
  constructor() {
    super(503, "The index changed during the query.", "Try again.");
  }
}

/** A database with the metadata that was read with its first batch; before that, the cached one. */
export interface MetaDatabase extends Database {
  readonly meta: IndexMeta;
  /** What an answer from it lacks, such as a database that failed. */
  readonly notes?: readonly string[];
  /** Reads the names of all repositories. */
  repoNames(): Promise<string[]>;
  /** Adds repositories whose metadata is read with the first batch, which must not have run. */
  addRepos(repos: readonly string[]): void;
}

/**
 * A database whose batches, each a transaction, all see one commit of each repository that they read.
 *
 * With `knownRepos` the names of its repositories are these, and none is read from the database.
 */
export class SnapshotDatabase implements MetaDatabase {
  #isPinned = false;
  #repos: readonly string[];
  #meta: IndexMeta;

  constructor(
    private readonly database: Database,
    private readonly cached: RepoMeta,
    private readonly onMeta: (known: RepoMeta) => void,
    private readonly knownRepos: readonly string[] | null = null,
  ) {
    this.#repos = cached.repo ? [cached.repo] : [];
    this.#meta = cached.meta;
  }

  /** The metadata read with the first batch; before that, the cached one. */
  get meta(): IndexMeta {
    return this.#meta;
  }

  async repoNames(): Promise<string[]> {
    if (this.knownRepos) return [...this.knownRepos];
    const [rows = []] = await this.database.run([REPOSITORIES_STATEMENT]);
    return parseRepos(rows);
  }

  addRepos(repos: readonly string[]): void {
    this.#repos = [...new Set([...this.#repos, ...repos])];
  }

  async run(statements: readonly Statement[]): Promise<Row[][]> {
    if (statements.length === 0) return [];
    const [metaRows = [], ...rows] = await this.database.run([this.#metaStatement(), ...statements]);
    if (this.#isPinned) this.#checkUnchanged(parseMeta(metaRows));
    else this.#pin(parseMeta(metaRows));
    return rows;
  }

  #metaStatement(): Statement {
    return this.#isPinned ? { ...HEADS_STATEMENT, params: [JSON.stringify(this.#repos)] } : metaStatement(this.#repos);
  }

  #pin(meta: IndexMeta): void {
    this.#isPinned = true;
    this.#meta = meta;
    this.onMeta({ repo: this.cached.repo, meta });
  }

  #checkUnchanged(current: IndexMeta): void {
    for (const [key, head] of current) if (this.#meta.get(key) !== head) throw new IndexChanged();
  }
}
