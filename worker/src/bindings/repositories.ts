/** The repositories of a Worker over several databases, from its configuration. */

import { groupBy } from "../collections.ts";
import { HttpError } from "../http_error.ts";
import { compareText } from "../python_strings.ts";
import type { Env } from "./env.ts";

/** The binding of a database is `CODE_DB`, or begins with that and `_`; that of its index with `CODE_INDEX`. */
const [DATABASE, INDEX] = ["CODE_DB", "CODE_INDEX"] as const;

/** A repository with the bindings of its database and of its vector index, if that is not the common one. */
export interface Repository {
  readonly name: string;
  readonly database: D1Database;
  readonly index: Vectorize | undefined;
}

/** The repositories that REPOSITORIES names, sorted by name; null where it is not set: a Worker of one repository. */
export function configuredRepositories(env: Env): Repository[] | null {
  if (!env.REPOSITORIES) return null;
  const bindings = env as unknown as Record<string, unknown>;
  const names = Object.keys(env.REPOSITORIES).sort(compareText);
  return names.map((name) => {
    const binding = String(env.REPOSITORIES![name]);
    const database = binding.startsWith(DATABASE) ? (bindings[binding] as D1Database | undefined) : undefined;
    if (!database) {
      const error = `REPOSITORIES names the database ${binding}, and the Worker has no such binding.`;
      throw new HttpError(503, error, "Write the configuration again with feeder worker, and deploy it.");
    }
    const own = bindings[binding.replace(DATABASE, INDEX)] as Vectorize | undefined;
    return { name, database, index: own ?? env.CODE_INDEX };
  });
}

/** The repositories by their database, in the order of the first repository of each. */
export function groupByDatabase(repositories: readonly Repository[]): Map<D1Database, Repository[]> {
  return groupBy(repositories, (one) => one.database);
}
