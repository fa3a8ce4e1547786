/** The repositories that a client may search. */

import type { Env } from "./bindings/env.ts";
import { HttpError } from "./http_error.ts";

/** The beginning of the names of secrets that are tokens. */
export const TOKEN_NAME = "FEEDER_TOKEN";
const EVERYTHING = "*";

/** An authenticated client: the key of its rate limit, and its repositories; null for all. */
export interface Client {
  readonly key: string;
  readonly repos: ReadonlySet<string> | null;
}

/** The tokens of the Worker's secrets by name: `FEEDER_TOKEN`, and those that RIGHTS names. */
export function tokensOf(env: Env): Map<string, string> {
  const secrets = env as unknown as Record<string, unknown>;
  const names = [TOKEN_NAME, ...Object.keys(env.RIGHTS ?? {}).filter((name) => name.startsWith(`${TOKEN_NAME}_`))];
  const tokens = names.map((name): [string, unknown] => [name, secrets[name]]);
  return new Map(tokens.filter((token): token is [string, string] => typeof token[1] === "string" && token[1] !== ""));
}

/** The repositories of these names of RIGHTS together; null for all. `FEEDER_TOKEN` has all unless it is named. */
export function reposOf(names: readonly string[], env: Env): ReadonlySet<string> | null {
  const { RIGHTS: rights } = env;
  if (!rights || (names.includes(TOKEN_NAME) && !rights[TOKEN_NAME])) return null;
  const repos = new Set(names.flatMap((name) => rights[name] ?? []));
  return repos.has(EVERYTHING) ? null : repos;
}

/** Throws an HttpError for rights that could not be kept. */
export function checkRights({ RIGHTS, REPOSITORIES, PUBLIC }: Env): void {
  if (!RIGHTS) return;
  if (PUBLIC === "true") {
    throw new HttpError(503, 'RIGHTS is set, and PUBLIC = "true" gives everybody everything.', "Remove one of them.");
  }
  if (!REPOSITORIES) {
    throw new HttpError(503, "RIGHTS is set without REPOSITORIES.", "Name each repository's database in REPOSITORIES.");
  }
}
