/**
 * The outcome of resolving a site: it refers to a definition, it may, or it means something else.
 *
 * Only `ELSEWHERE` leaves a site out of an answer, and it names its evidence. Mirrors `feeder.relations.outcomes`.
 */

import type { Definition } from "./modules.ts";

/** What a site has to do with a definition; in the order in which `surest` prefers them. */
const OUTCOMES = ["RESOLVED", "POSSIBLE", "ELSEWHERE"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Why a site is only possible. */
export type Reason = "COMPETING" | "RECEIVER" | "BASE" | "INTERFACE" | "MODULE" | "OUTER_SCOPE";

/** What a site means instead of the definition. */
export type Evidence =
  | "ANOTHER_DEFINITION"
  | "ANOTHER_LANGUAGE"
  | "ANOTHER_MODULE"
  | "ANOTHER_NAME"
  | "ANOTHER_TYPE"
  | "BASE_MEMBER"
  | "BUILT_IN"
  | "FIELD"
  | "DEPENDENCY"
  | "LOCAL"
  | "NO_MEMBER"
  | "NOT_FUNCTION"
  | "NOT_VISIBLE";

/** The outcome for a site; `definition` is the one that it refers to instead, where the index has it. */
export interface Resolution {
  readonly outcome: Outcome;
  readonly because?: Reason | Evidence;
  readonly definition?: Definition;
}

export const RESOLVED: Resolution = { outcome: "RESOLVED" };

export function possible(reason: Reason): Resolution {
  return { outcome: "POSSIBLE", because: reason };
}

export function elsewhere(evidence: Evidence, definition?: Definition): Resolution {
  return definition
    ? { outcome: "ELSEWHERE", because: evidence, definition }
    : { outcome: "ELSEWHERE", because: evidence };
}

/** RESOLVED if a condition holds, otherwise possible. */
export function resolvedIf(condition: boolean, reason: Reason): Resolution {
  return condition ? RESOLVED : possible(reason);
}

export function isResolved({ outcome }: Resolution): boolean {
  return outcome === "RESOLVED";
}

export function isElsewhere({ outcome }: Resolution): boolean {
  return outcome === "ELSEWHERE";
}

/** The first resolution that says most for the definition: resolved, then possible, then elsewhere. */
export function surest(resolutions: readonly [Resolution, ...Resolution[]]): Resolution {
  return resolutions.reduce((best, one) =>
    OUTCOMES.indexOf(one.outcome) < OUTCOMES.indexOf(best.outcome) ? one : best,
  );
}
