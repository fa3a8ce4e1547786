/** The interface to the database, and a batch of statements that run in one round trip. */

export type Value = string | number | null;
export type Row = readonly unknown[];

/** One SQL statement with its parameters; lists are passed as one JSON parameter. */
export interface Statement {
  readonly sql: string;
  readonly params: readonly Value[];
}

export interface Database {
  /** Runs the statements in one request and returns the rows of each. */
  run(statements: readonly Statement[]): Promise<Row[][]>;
}

export class Batch {
  readonly #statements: Statement[] = [];
  #results: Row[][] = [];

  /** Adds statements, and returns a function that returns their rows after the batch has run. */
  add(statements: readonly Statement[]): () => Row[][] {
    const start = this.#statements.length;
    this.#statements.push(...statements);
    return () => this.#results.slice(start, start + statements.length);
  }

  async run(database: Database): Promise<void> {
    this.#results = await database.run(this.#statements);
  }
}
