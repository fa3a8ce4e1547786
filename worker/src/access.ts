/**
 * Authenticates requests by token or by Cloudflare Access, unless PUBLIC is set; applies the rate limit.
 *
 * A request is rejected before its body is read and before a binding is used.
 */

import { ASSERTION_HEADER, verifyAssertion } from "./cloudflare_access.ts";
import type { Env } from "./bindings/env.ts";
import { HttpError } from "./http_error.ts";
import { hasCookie, isToken } from "./access_token.ts";
import { constants } from "../build/worker_data.json";

const MIN_TOKEN_CHARS = constants.server.MIN_TOKEN_CHARS;
/** The longest period of a rate limit; the binding does not report it. */
export const RETRY_AFTER_S = 60;

/** Authenticates a request and returns the key of its rate limit; throws an HttpError otherwise. */
export async function authenticate(request: Request, env: Env): Promise<string> {
  checkSettings(env);
  const clientAddress = request.headers.get("cf-connecting-ip") ?? "";
  if (env.PUBLIC === "true") return clientAddress;
  const subject = env.ACCESS_TEAM ? await authenticateByAccess(request, env) : null;
  if (subject) return subject;
  if (env.FEEDER_TOKEN && (await hasValidToken(request.headers, env.FEEDER_TOKEN))) return clientAddress;
  throw env.FEEDER_TOKEN ? unauthorizedError() : forbiddenError();
}

/** Throws an HttpError if the rate limit of the binding, if there is one, is exceeded. */
export async function checkRateLimit(key: string, env: Env): Promise<void> {
  const { success } = (await env.LIMIT?.limit({ key })) ?? { success: true };
  if (!success) throw new HttpError(429, "The rate limit is exceeded.", `Try again in ${RETRY_AFTER_S} seconds.`);
}

/** Throws an HttpError for missing or incomplete settings: nothing is public by default. */
function checkSettings({ FEEDER_TOKEN, ACCESS_TEAM, ACCESS_AUD, PUBLIC }: Env): void {
  if (Boolean(ACCESS_TEAM) !== Boolean(ACCESS_AUD)) {
    throw configurationError("One of ACCESS_TEAM and ACCESS_AUD is not set.", "Set both, or neither.");
  }
  if (FEEDER_TOKEN && FEEDER_TOKEN.length < MIN_TOKEN_CHARS) {
    const remedy = "Create one with `openssl rand -hex 16`, and set it with `npx wrangler secret put FEEDER_TOKEN`.";
    throw configurationError(`FEEDER_TOKEN has fewer than ${MIN_TOKEN_CHARS} characters.`, remedy);
  }
  if (!FEEDER_TOKEN && !ACCESS_TEAM && PUBLIC !== "true") {
    const remedy =
      "Set a token with `npx wrangler secret put FEEDER_TOKEN`, or set ACCESS_TEAM and ACCESS_AUD for " +
      'Cloudflare Access, or set PUBLIC = "true" to allow everybody.';
    throw configurationError("No access is configured, so every request is rejected.", remedy);
  }
}

const configurationError = (error: string, remedy: string) => new HttpError(503, error, remedy);

async function authenticateByAccess(request: Request, env: Env): Promise<string | null> {
  const assertion = request.headers.get(ASSERTION_HEADER);
  const audiences = (env.ACCESS_AUD ?? "").split(/[\s,]+/).filter(Boolean);
  return assertion ? verifyAssertion(assertion, env.ACCESS_TEAM ?? "", audiences) : null;
}

/** Checks the token of the header or, without one, the cookie. */
async function hasValidToken(headers: Headers, token: string): Promise<boolean> {
  const [scheme = "", ...rest] = (headers.get("authorization") ?? "").split(" ");
  if (scheme.toLowerCase() === "bearer") return isToken(rest.join(" ").trim(), token);
  return hasCookie(headers, token);
}

function unauthorizedError(): HttpError {
  const remedy = "Send the header `Authorization: Bearer TOKEN` with the Worker's FEEDER_TOKEN.";
  return new HttpError(401, "The token is missing or wrong.", remedy);
}

/** A 403 rather than a 401, since there is no token to ask for. */
function forbiddenError(): HttpError {
  const remedy =
    "Open the address in a browser and sign in, or send a service token's CF-Access-Client-Id and " +
    "CF-Access-Client-Secret. If you do, check that ACCESS_TEAM and ACCESS_AUD are those of the application.";
  return new HttpError(403, "Cloudflare Access did not authenticate this request.", remedy);
}
