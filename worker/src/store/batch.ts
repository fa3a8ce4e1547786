/** What has to be asked at once? Parts are added, one round trip answers them all. */

import type { Database, Row, Statement } from "./database.ts";

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
