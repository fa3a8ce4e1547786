/** The functions of the snapshot database that the tests call. */

import { SnapshotDatabase } from "../../src/corpus/snapshot.ts";
import type { Row } from "../../src/store/database.ts";

export const snapshot = {
  /** The results of batches on an index whose commit is one of `heads` after another. */
  runBatches: async (heads: string[]) => {
    const remaining = [...heads];
    const run = async (): Promise<Row[][]> => [[["acme/shop:head", remaining.shift()]], [["a row"]]];
    const database = new SnapshotDatabase({ run }, { repo: "acme/shop", meta: new Map() }, () => undefined);
    const answers = [];
    for (const _ of heads) answers.push(await database.run([{ sql: "", params: [] }]).catch(String));
    return [answers, database.meta.get("acme/shop:head")];
  },
};
