/** Runs each batch in several databases at once, and joins their rows as if they were one. */

import { HttpError } from "../http_error.ts";
import type { IndexMeta } from "../corpus/index_status.ts";
import { IndexChanged, type MetaDatabase } from "../corpus/snapshot.ts";
import type { Row, Statement } from "./database.ts";

/** Requests of a Worker that wait for an answer at a time: Cloudflare queues more. */
export const MAX_AT_ONCE = 6;
const NODE_ID = /^[0-9a-f]{40}$/;

/** A database and those of its repositories that are searched. */
export interface DatabaseOfRepos {
  readonly repos: readonly string[];
  readonly database: MetaDatabase;
}

/** Repositories whose database did not answer. */
export interface FailedDatabase {
  readonly repos: readonly string[];
  readonly error: HttpError;
}

/** Says which databases did not answer, and why. */
export function failureNotes(failed: readonly FailedDatabase[]): string[] {
  return failed.map(({ repos, error }) => `${repos.join(", ")} did not answer: ${error.error} Its hits are missing.`);
}

/** Runs a function for each value, at most six at a time; the results are in the order of the values. */
export async function mapAtOnce<Value, Result>(
  values: readonly Value[],
  run: (value: Value) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = [...values.entries()];
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) results[next[0]] = await run(next[1]);
  };
  await Promise.all(Array.from({ length: Math.min(MAX_AT_ONCE, values.length) }, work));
  return results;
}

/**
 * Several databases as one.
 *
 * A database that fails is left out of this answer, and `notes` says so; if all fail, the error is thrown.
 */
export class SeveralDatabases implements MetaDatabase {
  readonly #failed = new Map<DatabaseOfRepos, HttpError>();
  /** The database of each node id that a row began with. */
  readonly #owners = new Map<string, DatabaseOfRepos>();
  readonly #allRepos: string;

  constructor(
    private readonly databases: readonly DatabaseOfRepos[],
    private readonly earlierNotes: readonly string[],
    private readonly knownRepos: readonly string[],
    repos: readonly string[],
  ) {
    this.#allRepos = JSON.stringify(repos);
  }

  /** The metadata of all repositories; that of vectors is the first database's. */
  get meta(): IndexMeta {
    return new Map([...this.databases].reverse().flatMap(({ database }) => [...database.meta]));
  }

  /** Which databases were not asked or did not answer, and why. */
  get notes(): string[] {
    const failed = Array.from(this.#failed, ([{ repos }, error]) => ({ repos, error }));
    return [...this.earlierNotes, ...failureNotes(failed)];
  }

  async repoNames(): Promise<string[]> {
    return [...this.knownRepos];
  }

  /** The databases have them already. */
  addRepos(): void {}

  async run(statements: readonly Statement[]): Promise<Row[][]> {
    if (statements.length === 0) return [];
    const asked = this.databases.filter((one) => !this.#failed.has(one));
    const rowSets = await mapAtOnce(asked, (one) => this.#runIn(one, one === asked[0], statements));
    const answered = rowSets.filter((rows) => rows !== null);
    if (answered.length === 0) throw [...this.#failed.values()][0]!;
    return statements.map(({ across }, at) => {
      const rowsOf = answered.map((rows) => rows[at] ?? []);
      return across?.merge && this.databases.length > 1 ? across.merge(rowsOf) : rowsOf.flat();
    });
  }

  /** The rows of one database; null if it failed. */
  async #runIn(one: DatabaseOfRepos, isFirst: boolean, statements: readonly Statement[]): Promise<Row[][] | null> {
    const own = statements.map((statement) => {
      return statement.across?.isShared && !isFirst ? null : this.#narrowed(statement, one);
    });
    try {
      const rowSets = await one.database.run(own.filter((statement) => statement !== null));
      for (const [id] of rowSets.flat()) if (typeof id === "string" && NODE_ID.test(id)) this.#owners.set(id, one);
      return own.map((statement) => (statement === null ? [] : rowSets.shift()!));
    } catch (error) {
      if (!(error instanceof HttpError) || error.status < 500 || error instanceof IndexChanged) throw error;
      this.#failed.set(one, error);
      return null;
    }
  }

  /** The statement for the repositories and node ids of one database. */
  #narrowed(statement: Statement, one: DatabaseOfRepos): Statement {
    const mayHave = (id: string) => (this.#owners.get(id) ?? one) === one;
    const { forIds } = statement.across ?? {};
    const replaced = forIds ? forIds(mayHave) : this.databases.length > 1 ? (statement.across?.statement ?? statement) : statement;
    const repos = JSON.stringify(one.repos);
    return { ...replaced, params: replaced.params.map((value) => (value === this.#allRepos ? repos : value)) };
  }
}
