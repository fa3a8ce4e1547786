/** The interface to the database, and a batch of statements that run in one round trip. */

export type Value = string | number | null;
export type Row = readonly unknown[];

/** One SQL statement with its parameters; lists are passed as one JSON parameter. */
export interface Statement {
  readonly sql: string;
  readonly params: readonly Value[];
  /** The number of columns, of a text that `columnsOf` does not know. */
  readonly columns?: number;
  /** What differs where several databases are searched; by default their rows are concatenated. */
  readonly across?: Across;
}

/** How a statement runs in several databases. */
export interface Across {
  /** The statement that runs in place of the other one. */
  readonly statement?: Statement;
  /** Makes one list of the rows of each database. */
  readonly merge?: (rowSets: readonly (readonly Row[])[]) => Row[];
  /** The statement for those of its node ids that a database may have. */
  readonly forIds?: (mayHave: (id: string) => boolean) => Statement;
  /** True if every database has the same rows: one of them is read. */
  readonly isShared?: boolean;
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

  get size(): number {
    return this.#statements.length;
  }

  /** Runs the statements in one request; none is sent without any. */
  async run(database: Database): Promise<void> {
    if (this.#statements.length > 0) this.#results = await database.run(this.#statements);
  }
}
