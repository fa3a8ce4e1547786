/** Where nodes are kept: a SQLite, as the Worker asks it. */

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
