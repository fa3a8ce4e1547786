/** The D1 client: runs statements in one batch and translates its errors. */

import { HttpError } from "../http_error.ts";
import type { Database, Row, Statement } from "../store/database.ts";
import { packStatements, unpackRows } from "../store/packed_queries.ts";
import { columnsOf } from "../store/statements.ts";
import type { OnTiming } from "../timing.ts";
import type { QueryBudget } from "./query_budget.ts";

/** Error messages of D1 with their remedies. */
const ERROR_RULES: readonly [RegExp, number, string, string][] = [
  [
    /no such (table|column|index|module)/i,
    503,
    "The database has no index, or one of an older version.",
    "Run `feeder init`, then `feeder sync`.",
  ],
  [
    /free tier daily row|daily (row )?(read )?limit/i,
    503,
    "D1's free quota of the day is used up.",
    "It resets at 00:00 UTC. Try again then, or upgrade to a paid plan.",
  ],
  [
    /overloaded|too many requests queued/i,
    503,
    "D1 is overloaded.",
    "Try again in a few seconds.",
  ],
  [
    /exceeded (timeout|its (memory|CPU time) limit)/i,
    503,
    "The query exceeded D1's time or memory limit.",
    "Narrow the query, for example with `path:` or `lang:`.",
  ],
  [
    /internal error|connection lost|caused object to be reset|reset because|Cannot resolve/i,
    502,
    "D1 failed with a temporary error.",
    "Try again.",
  ],
];
const MESSAGE_CHARS = 300;
/** The maximum number of statements in a request; more would block D1 for too long. */
const MAX_STATEMENTS = 200;

/** A database in D1, read from the nearest replica. */
export class D1 implements Database {
  readonly #session: D1DatabaseSession;

  constructor(
    database: D1Database,
    private readonly onTiming: OnTiming,
    private readonly budget: QueryBudget,
  ) {
    this.#session = database.withSession("first-unconstrained");
  }

  async run(statements: readonly Statement[]): Promise<Row[][]> {
    if (statements.length === 0) return [];
    if (statements.length > MAX_STATEMENTS) throw tooManyStatements();
    const startedAt = Date.now();
    const queries = packStatements(statements, columnsOf);
    this.budget.take(queries.length);
    const answers = await this.#runBatch(queries.map(({ statement }) => statement));
    const rows = answers.reduce((sum, { meta }) => sum + (meta.rows_read ?? 0), 0);
    this.onTiming("d1", Date.now() - startedAt, rows);
    const rowSets = answers.map(({ results }) => results.map((row) => Object.values(row)));
    return unpackRows(queries, rowSets, statements.map(columnsOf));
  }

  async #runBatch(statements: readonly Statement[]): Promise<D1Result<Record<string, unknown>>[]> {
    const prepared = statements.map(({ sql, params }) => {
      const statement = this.#session.prepare(sql);
      return params.length > 0 ? statement.bind(...params) : statement;
    });
    try {
      return await this.#session.batch(prepared);
    } catch (error) {
      throw errorFrom(error);
    }
  }
}

function tooManyStatements(): HttpError {
  return new HttpError(400, "The query has too many filters for one D1 request.", "Use fewer filters.");
}

/** Translates an error of D1 into an HttpError. */
export function errorFrom(error: unknown): HttpError {
  const message = error instanceof Error ? error.message : String(error);
  const rule = ERROR_RULES.find(([pattern]) => pattern.test(message));
  if (rule) return new HttpError(rule[1], rule[2], rule[3]);
  const text = message.replace(/^D1_ERROR: /, "").slice(0, MESSAGE_CHARS);
  const sentence = `D1 refused the query: ${text.replace(/[.\s]+$/, "")}.`;
  return new HttpError(502, sentence, "Try again. If the error persists, please report it.");
}
