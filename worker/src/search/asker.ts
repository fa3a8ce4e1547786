/** Who asks: of which index, through which bindings, and for which page. */

import type { OnTiming } from "../api/types.ts";
import type { Env } from "../bindings/env.ts";
import type { IndexMeta } from "./index_status.ts";
import type { SnapshotDatabase } from "./snapshot.ts";

/** Who is asked, with what, and what the index said of itself. */
export interface SearchContext {
  readonly env: Env;
  readonly database: SnapshotDatabase;
  readonly clock: OnTiming;
  /** What the index says of itself beside the last rows. */
  readonly meta: IndexMeta;
  readonly repo: string;
  /** Requests that this answer may still take. */
  readonly left: () => number;
}

/** How many hits are wanted, after how many others. */
export interface Pagination {
  readonly limit: number;
  readonly offset: number;
}
