/** The repositories that a client may search. */

import type { Env } from "./bindings/env.ts";
import { HttpError } from "./http_error.ts";

/** The beginning of the names of secrets that are tokens. */
export const TOKEN_NAME = "FEEDER_TOKEN";
const EVERYTHING = "*";
const MAX_LISTED_NAMES = 5;
/** The names of clients in RIGHTS: a token's secret, an identity of Access, or a user of GitHub who signed in. */
const CLIENT_NAME = /^(?:FEEDER_TOKEN(?:_\w+)?|(?:group|email|service|github):.+)$/s;

/**
 * An authenticated client: the key of its rate limit, the name of its token, its names in RIGHTS, and its repositories; null
 * for all.
 */
export interface Client {
  readonly key: string;
  readonly token?: string | undefined;
  readonly names: readonly string[];
  readonly repos: ReadonlySet<string> | null;
}

/** The tokens of the Worker's secrets by name: `FEEDER_TOKEN`, and those that RIGHTS names. */
export function tokensOf(env: Env): Map<string, string> {
  const secrets = env as unknown as Record<string, unknown>;
  const names = [TOKEN_NAME, ...Object.keys(rightsOf(env) ?? {}).filter((name) => name.startsWith(`${TOKEN_NAME}_`))];
  const tokens = names.map((name): [string, unknown] => [name, secrets[name]]);
  return new Map(tokens.filter((token): token is [string, string] => typeof token[1] === "string" && token[1] !== ""));
}

/** The repositories of these names of RIGHTS together; null for all. `FEEDER_TOKEN` has all unless it is named. */
export function reposOf(names: readonly string[], env: Env): ReadonlySet<string> | null {
  const rights = rightsOf(env);
  if (!rights || (names.includes(TOKEN_NAME) && !Object.hasOwn(rights, TOKEN_NAME))) return null;
  const repos = new Set(names.flatMap((name) => (Object.hasOwn(rights, name) ? rights[name]! : [])));
  return repos.has(EVERYTHING) ? null : repos;
}

/** The error for a client to whose names RIGHTS gives no repository. */
export function noRepositoriesError({ names }: Client): HttpError {
  const listed = names.length > 0 ? names.slice(0, MAX_LISTED_NAMES).join(", ") : "a client without a name";
  const remedy =
    "Ask the Worker's owner to list repositories for one of these names in RIGHTS, in [vars] of wrangler's configuration, and to deploy.";
  return new HttpError(403, `RIGHTS gives no repository of this Worker to ${listed}.`, remedy);
}

/** Throws an HttpError for rights that could not be kept. */
export function checkRights(env: Env): void {
  const { REPOSITORIES: repositories, PUBLIC } = env;
  const rights = rightsOf(env);
  if (!rights) return;
  if (PUBLIC === "true") {
    throw new HttpError(503, 'RIGHTS is set, and PUBLIC = "true" gives everybody everything.', "Remove one of them.");
  }
  if (!repositories) {
    throw new HttpError(503, "RIGHTS is set without REPOSITORIES.", "Name each repository's database in REPOSITORIES.");
  }
  const unknown = Object.values(rights).flat().find((repo) => repo !== EVERYTHING && !Object.hasOwn(repositories, repo));
  if (unknown !== undefined) {
    const error = "RIGHTS names a repository that REPOSITORIES does not have.";
    throw new HttpError(503, error, 'Write its repositories as in REPOSITORIES, or "*" for all of them.');
  }
}

/** The repositories of each client by RIGHTS, which may be JSON; null if it is not set. Throws an HttpError for any other value. */
function rightsOf({ RIGHTS: value }: Env): Record<string, string[]> | null {
  if (value === undefined) return null;
  const rights = typeof value === "string" ? parseJson(value) : value;
  if (typeof rights !== "object" || rights === null || Array.isArray(rights)) {
    const remedy = "Write a table of clients and their repositories, or remove RIGHTS to let each client search everything.";
    throw new HttpError(503, "RIGHTS is not a table of lists of repositories.", remedy);
  }
  for (const [name, repos] of Object.entries(rights)) {
    if (!CLIENT_NAME.test(name)) {
      const remedy = "Write FEEDER_TOKEN, FEEDER_TOKEN_NAME, group:NAME, email:ADDRESS, service:ID or github:LOGIN.";
      throw new HttpError(503, "RIGHTS has a name that is not a client's name.", remedy);
    }
    if (!Array.isArray(repos) || !repos.every((repo) => typeof repo === "string")) {
      const remedy = 'Write each client\'s repositories as a list, as in FEEDER_TOKEN_WEB = ["owner/name"].';
      throw new HttpError(503, "RIGHTS has a client whose repositories are not a list of names.", remedy);
    }
  }
  return rights as Record<string, string[]>;
}

/** The value of a JSON text; null if it is none. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
