/** The interface to the database, and a batch of statements that run in one round trip. */



export type Value = string | number | null;
export type Row = readonly unknown[];

/** One SQL statement with its parameters; bulk travels as one JSON parameter. */
export interface Statement {
  readonly sql: string;
  readonly params: readonly Value[];
}

export interface Database {
  /** Runs the statements as one round trip; the rows of each. */
  run(statements: readonly Statement[]): Promise<Row[][]>;
}

export class Batch {
  readonly #statements: Statement[] = [];
  #answers: Row[][] = [];

  /** Takes statements in; what is given back answers with the rows of each, once it has run. */
  add(some: readonly Statement[]): () => Row[][] {
    const from = this.#statements.length;
    this.#statements.push(...some);
    return () => this.#answers.slice(from, from + some.length);
  }

  async run(database: Database): Promise<void> {
    this.#answers = await database.run(this.#statements);
  }
}
