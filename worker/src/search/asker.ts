/** Who asks: of which index, through which bindings, and for which page. */

import type { Clock } from "../api/facts.ts";
import type { Env } from "../bindings/env.ts";
import type { Meta } from "./standing.ts";
import type { Steady } from "./steady.ts";

/** Who is asked, with what, and what the index said of itself. */
export interface Asker {
  readonly env: Env;
  readonly database: Steady;
  readonly clock: Clock;
  /** What the index says of itself beside the last rows. */
  readonly meta: Meta;
  readonly repo: string;
  /** Requests that this answer may still take. */
  readonly left: () => number;
}

/** How many hits are wanted, after how many others. */
export interface Paging {
  readonly limit: number;
  readonly offset: number;
}
