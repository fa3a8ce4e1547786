/** Joins the batches of concurrent callers to few requests. */

import { keyOf } from "../collections.ts";
import type { IndexMeta } from "../corpus/index_status.ts";
import type { MetaDatabase } from "../corpus/snapshot.ts";
import type { Row, Statement } from "./database.ts";

/** The maximum number of statements in a request. */
const MAX_STATEMENTS = 150;

interface Caller {
  readonly statements: readonly Statement[];
  readonly resolve: (rowSets: Row[][]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A database for several callers at once, such as the targets of one call.
 *
 * Their batches are sent together, and a statement that several of them need is run once.
 */
export class JoinedBatches implements MetaDatabase {
  #callers: Caller[] = [];

  constructor(private readonly database: MetaDatabase) {}

  get meta(): IndexMeta {
    return this.database.meta;
  }

  repoNames(): Promise<string[]> {
    return this.database.repoNames();
  }

  addRepos(repos: readonly string[]): void {
    this.database.addRepos(repos);
  }

  run(statements: readonly Statement[]): Promise<Row[][]> {
    if (statements.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      if (this.#callers.length === 0) setTimeout(() => void this.#send(), 0);
      this.#callers.push({ statements, resolve, reject });
    });
  }

  async #send(): Promise<void> {
    const callers = this.#callers;
    this.#callers = [];
    try {
      const rowsOf = await this.#runOnce(callers.flatMap(({ statements }) => statements));
      for (const { statements, resolve } of callers) resolve(statements.map((one) => rowsOf.get(keyOfStatement(one))!));
    } catch (error) {
      for (const { reject } of callers) reject(error);
    }
  }

  /** Runs each distinct statement, and returns the rows by statement. */
  async #runOnce(statements: readonly Statement[]): Promise<Map<string, Row[]>> {
    const distinct = [...new Map(statements.map((one) => [keyOfStatement(one), one]))];
    const rowsOf = new Map<string, Row[]>();
    for (let start = 0; start < distinct.length; start += MAX_STATEMENTS) {
      const part = distinct.slice(start, start + MAX_STATEMENTS);
      const rowSets = await this.database.run(part.map(([, statement]) => statement));
      part.forEach(([key], at) => rowsOf.set(key, rowSets[at]!));
    }
    return rowsOf;
  }
}

function keyOfStatement({ sql, params }: Statement): string {
  return keyOf(sql, ...params.map((param) => JSON.stringify(param)));
}
