/** Passes the person whom `oauth.js` has authenticated to the Worker: two modules that are built apart. */

import type { Env } from "./bindings/env.ts";
import type { Identity } from "./cloudflare_access.ts";

/** A symbol, since wrangler's configuration can set every text. */
const SIGNED_IN = Symbol.for("feeder: signed in");

interface SignedIn {
  readonly [SIGNED_IN]?: Identity;
}

/** The environment of a request of this person. */
export function withPerson(env: Env, person: Identity): Env {
  return { ...env, [SIGNED_IN]: person } as Env;
}

/** The person whom `oauth.js` has authenticated; undefined for other requests. */
export function personOf(env: Env): Identity | undefined {
  return (env as SignedIn)[SIGNED_IN];
}
