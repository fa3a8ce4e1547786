/** A database whose batches all see one commit of the index; a change in between is an error. */

import { HttpError } from "../http_error.ts";
import type { Database, Row, Statement } from "../store/database.ts";
import { META_STATEMENT, parseMeta, type IndexMeta } from "./index_status.ts";

const HEADS_STATEMENT: Statement = {
  sql: "SELECT key, value FROM meta WHERE key IN (SELECT value || ':head' FROM json_each(?))",
  params: [],
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
}

/** A database whose batches, each a transaction, all see one commit. */
export class SnapshotDatabase implements MetaDatabase {
  #isPinned = false;

  constructor(
    private readonly database: Database,
    private currentMeta: IndexMeta,
    private readonly onMeta: (meta: IndexMeta) => void,
  ) {}

  /** The metadata read with the first batch; before that, the cached one. */
  get meta(): IndexMeta {
    return this.currentMeta;
  }

  async run(statements: readonly Statement[]): Promise<Row[][]> {
    if (statements.length === 0) return [];
    const [metaRows = [], ...rows] = await this.database.run([this.#metaStatement(), ...statements]);
    if (this.#isPinned) this.#checkUnchanged(parseMeta(metaRows));
    else this.#pin(parseMeta(metaRows));
    return rows;
  }

  #metaStatement(): Statement {
    return this.#isPinned ? { ...HEADS_STATEMENT, params: [JSON.stringify(this.#repos)] } : META_STATEMENT;
  }

  get #repos(): string[] {
    const heads = [...this.currentMeta.keys()].filter((key) => key.endsWith(":head"));
    return heads.map((key) => key.slice(0, -":head".length));
  }

  #pin(meta: IndexMeta): void {
    this.#isPinned = true;
    this.currentMeta = meta;
    this.onMeta(meta);
  }

  #checkUnchanged(current: IndexMeta): void {
    for (const [key, head] of current) if (this.currentMeta.get(key) !== head) throw new IndexChanged();
  }
}
