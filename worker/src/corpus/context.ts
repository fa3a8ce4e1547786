/** What an answer needs of its request: the bindings, the database, and the repositories. */

import type { Env } from "../bindings/env.ts";
import type { NeighbourIndex } from "../bindings/vectorize.ts";
import type { OnTiming } from "../timing.ts";
import type { IndexMeta } from "./index_status.ts";
import type { MetaDatabase } from "./snapshot.ts";

/** The bindings and the database of one request, with the metadata of the index. */
export interface SearchContext {
  readonly env: Env;
  readonly database: MetaDatabase;
  readonly onTiming: OnTiming;
  /** The metadata that was read with the last rows. */
  readonly meta: IndexMeta;
  readonly repo: string;
  /** Reserves a request to another service than D1; false if this answer may send no more. */
  readonly reserveRequest: () => boolean;
  /** What several repositories have in place of one; `repo` is empty then. */
  readonly several?: SeveralRepositories;
  /** True if the database has repositories that the client may not search: which words it lacks is not said then. */
  readonly hasHiddenRepos?: boolean;
}

/** The repositories that a search asks, resolved from its filters, and their vector indexes. */
export interface SeveralRepositories {
  readonly repos: readonly string[];
  readonly vectors: NeighbourIndex | null;
}

/** Creates a context with the metadata of the index that was read last. */
export function createContext(
  parts: Pick<SearchContext, "env" | "database" | "onTiming" | "repo" | "reserveRequest" | "several" | "hasHiddenRepos">,
): SearchContext {
  const { database } = parts;
  return {
    ...parts,
    get meta() {
      return database.meta;
    },
  };
}
