/** A database whose batches all see one commit of the index; a change in between is an error. */

import { HttpError } from "../http_error.ts";
import type { Database, Row, Statement } from "../store/database.ts";
import { META_STATEMENT, parseMeta, type IndexMeta } from "./index_status.ts";

const HEADS: Statement = {
  sql: "SELECT key, value FROM meta WHERE key IN (SELECT value || ':head' FROM json_each(?))",
  params: [],
};

/** The error that the index changed between two batches, so that their rows do not match. */
export class IndexChanged extends HttpError {
  constructor() {
    super(503, "The index changed during the query.", "Try again.");
  }
}

/** A database whose batches, each a transaction, all see one commit. */
export class SnapshotDatabase implements Database {
  #isAsked = false;

  constructor(
    private readonly database: Database,
    private known: IndexMeta,
    private readonly remember: (meta: IndexMeta) => void,
  ) {}

  /** The metadata read with the first batch; before that, the cached one. */
  get meta(): IndexMeta {
    return this.known;
  }

  async run(statements: readonly Statement[]): Promise<Row[][]> {
    if (statements.length === 0) return [];
    const [said = [], ...rows] = await this.database.run([this.#own(), ...statements]);
    if (this.#isAsked) this.#compare(parseMeta(said));
    else this.#take(parseMeta(said));
    return rows;
  }

  #own(): Statement {
    return this.#isAsked ? { ...HEADS, params: [JSON.stringify(this.#repos)] } : META_STATEMENT;
  }

  get #repos(): string[] {
    const heads = [...this.known.keys()].filter((key) => key.endsWith(":head"));
    return heads.map((key) => key.slice(0, -":head".length));
  }

  #take(meta: IndexMeta): void {
    this.#isAsked = true;
    this.known = meta;
    this.remember(meta);
  }

  #compare(now: IndexMeta): void {
    for (const [key, head] of now) if (this.known.get(key) !== head) throw new IndexChanged();
  }
}
