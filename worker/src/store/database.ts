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
  #answers: Row[][] = [];

  /** Adds statements, and returns a function that returns their rows after the batch has run. */
  add(some: readonly Statement[]): () => Row[][] {
    const from = this.#statements.length;
    this.#statements.push(...some);
    return () => this.#answers.slice(from, from + some.length);
  }

  async run(database: Database): Promise<void> {
    this.#answers = await database.run(this.#statements);
  }
}
