/**
 * Authenticates requests by token or by Cloudflare Access, unless PUBLIC is set; applies the rate limit. `oauth.js` has
 * already authenticated a person who signed in.
 *
 * With LOCAL the Worker runs on a user's machine (`feeder worker --try`). It then has the rules of `feeder serve`: names
 * that another site's page could make lead here (DNS rebinding) are refused, and a session has a key that the page sends
 * in a header, since browsers send a cookie of 127.0.0.1 to servers on all of its ports.
 *
 * A request is rejected before its body is read and before a binding is used.
 */

import { ASSERTION_HEADER, type Identity, verifyAssertion } from "./cloudflare_access.ts";
import { checkRights, type Client, reposOf, tokensOf } from "./access_rights.ts";
import type { Env } from "./bindings/env.ts";
import { clientNetwork, FailedLogins } from "./failed_logins.ts";
import { personOf } from "./signed_in.ts";
import { HttpError } from "./http_error.ts";
import { hasCookie, isCookieSent, isSessionKey, isToken, sessionCookie, sessionKey } from "./access_token.ts";
import { constants } from "../build/worker_data.json";

const MIN_TOKEN_CHARS = constants.server.MIN_TOKEN_CHARS;
/** The longest period of a rate limit; the binding does not report it. */
const RETRY_AFTER_S = 60;
/** localhost, IPv4 or IPv6 addresses, with or without a port. */
const LOCAL_HOST = /^(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])(?::\d*)?$/i;
const TRIAL = "`feeder worker --try`";

const failedLogins = new FailedLogins();

/** Authenticates a request and returns the client; throws an HttpError otherwise. */
export async function authenticate(request: Request, env: Env): Promise<Client> {
  checkSettings(env);
  const address = clientNetwork(request.headers.get("cf-connecting-ip") ?? "");
  const person = personOf(env);
  if (person) return { key: person.subject, names: person.names, repos: reposOf(person.names, env) };
  if (env.PUBLIC === "true") return { key: address, names: [], repos: null };
  const identity = env.ACCESS_TEAM ? await authenticateByAccess(request, env) : null;
  if (identity) return { key: identity.subject, names: identity.names, repos: reposOf(identity.names, env) };
  if (!isLocal(env)) failedLogins.check(address, Date.now());
  const names = await validTokenNames(request.headers, env);
  if (names.length > 0) return { key: address, token: names[0], names, repos: reposOf(names, env) };
  if (mayGuess(request.headers)) await countFailure(address, env);
  throw tokensOf(env).size > 0 ? unauthorizedError(request.headers, env) : forbiddenError(request.headers);
}

/** Throws an HttpError if the Worker runs on a user's machine and the Host is another name than localhost or an IP address. */
export function checkHost(request: Request, env: Env): void {
  if (!isLocal(env)) return;
  // not of request.url, which miniflare takes from a header that a page can set
  const host = request.headers.get("host") ?? "";
  if (LOCAL_HOST.test(host)) return;
  throw new HttpError(421, `${host} is not an address of this server.`, `Use the address that ${TRIAL} printed.`);
}

/** Starts a session for the token that the request has; a client let in without one gets none. */
export async function startSession({ headers }: Request, env: Env): Promise<Response> {
  const [name] = await validTokenNames(headers, env);
  const token = name === undefined ? null : tokensOf(env).get(name)!;
  if (token && isLocal(env)) return Response.json({ key: await sessionKey(token) });
  return new Response(null, { status: 204, headers: token ? { "set-cookie": await sessionCookie(token) } : {} });
}

/** Throws an HttpError if the rate limit of the client, or of its token, is exceeded; each needs its binding. */
export async function checkRateLimit({ key, token }: Client, env: Env): Promise<void> {
  await checkLimit(env.LIMIT, key, "The rate limit is exceeded.");
  if (token) await checkLimit(env.TOKEN_LIMIT, token, `The rate limit of the token ${token} is exceeded.`);
}

async function checkLimit(limit: RateLimit | undefined, key: string, error: string): Promise<void> {
  const { success } = (await limit?.limit({ key })) ?? { success: true };
  if (!success) throw new HttpError(429, error, `Try again in ${RETRY_AFTER_S} seconds.`, RETRY_AFTER_S);
}

/** Returns true for a request with a token or a cookie; one without is refused and not counted. */
function mayGuess(headers: Headers): boolean {
  return headers.has("authorization") || isCookieSent(headers);
}

/** Counts a wrong token in this isolate and, by the binding, among all isolates of the location. */
async function countFailure(address: string, env: Env): Promise<void> {
  const answer = await env.LIMIT?.limit({ key: `wrong token ${address}` });
  failedLogins.add(address, Date.now(), answer?.success === false);
}

/** Throws an HttpError for missing or incomplete settings: nothing is public by default. */
function checkSettings(env: Env): void {
  const { ACCESS_TEAM, ACCESS_AUD, PUBLIC } = env;
  const tokens = tokensOf(env);
  if (Boolean(ACCESS_TEAM) !== Boolean(ACCESS_AUD)) {
    throw configurationError("One of ACCESS_TEAM and ACCESS_AUD is not set.", "Set both, or neither.");
  }
  for (const [name, token] of tokens) {
    if (token.length >= MIN_TOKEN_CHARS) continue;
    const remedy = `Create one with \`openssl rand -hex 16\`, and set it with \`npx wrangler secret put ${name}\`.`;
    throw configurationError(`${name} has fewer than ${MIN_TOKEN_CHARS} characters.`, remedy);
  }
  checkRights(env);
  if (tokens.size === 0 && !ACCESS_TEAM && PUBLIC !== "true" && !personOf(env)) {
    const remedy =
      "Set a token with `npx wrangler secret put FEEDER_TOKEN`, or set ACCESS_TEAM and ACCESS_AUD for " +
      'Cloudflare Access, or set PUBLIC = "true" to allow everybody.';
    throw configurationError("No access is configured, so every request is rejected.", remedy);
  }
}

const configurationError = (error: string, remedy: string) => new HttpError(503, error, remedy);

async function authenticateByAccess(request: Request, env: Env): Promise<Identity | null> {
  const assertion = request.headers.get(ASSERTION_HEADER);
  const audiences = (env.ACCESS_AUD ?? "").split(/[\s,]+/).filter(Boolean);
  return assertion ? verifyAssertion(assertion, env.ACCESS_TEAM ?? "", audiences) : null;
}

/** The names of the tokens that the header or, without one, the cookie has. */
async function validTokenNames(headers: Headers, env: Env): Promise<string[]> {
  const sent = bearerToken(headers);
  const names: string[] = [];
  for (const [name, token] of tokensOf(env)) {
    if (await (sent === null ? hasSessionCookie(headers, token, env) : isValid(sent, token, env))) names.push(name);
  }
  return names;
}

async function isValid(sent: string, token: string, env: Env): Promise<boolean> {
  const isKey = isLocal(env) && (await isSessionKey(sent, token));
  return (await isToken(sent, token)) || isKey;
}

async function hasSessionCookie(headers: Headers, token: string, env: Env): Promise<boolean> {
  return !isLocal(env) && hasCookie(headers, token);
}

const isLocal = ({ LOCAL }: Env) => LOCAL === "true";

/** The token of the header; null without a header of this scheme. */
function bearerToken(headers: Headers): string | null {
  const [scheme = "", ...rest] = (headers.get("authorization") ?? "").split(" ");
  return scheme.toLowerCase() === "bearer" ? rest.join(" ").trim() : null;
}

/** A 401 that says what is wrong with the token, and where the right one is set. */
function unauthorizedError(headers: Headers, env: Env): HttpError {
  if (isLocal(env)) {
    const remedy = `Send the header \`Authorization: Bearer TOKEN\` with the token in the address that ${TRIAL} printed.`;
    return new HttpError(401, "The token is missing or wrong.", remedy);
  }
  const remedy =
    "Send the header `Authorization: Bearer TOKEN` with the value of the Worker's secret FEEDER_TOKEN, or open the page " +
    "at /#token=TOKEN. If nobody knows the value, set another one with `npx wrangler secret put FEEDER_TOKEN` where " +
    "wrangler's configuration is.";
  const access = env.ACCESS_TEAM ? ` Or let Cloudflare Access authenticate you: ${accessRemedy(headers)}` : "";
  return new HttpError(401, tokenProblem(headers), remedy + access);
}

function tokenProblem(headers: Headers): string {
  if (bearerToken(headers) !== null) return "The token in the header `Authorization` is not one of this Worker's.";
  if (headers.has("authorization")) return "The header `Authorization` does not begin with `Bearer`.";
  if (isCookieSent(headers)) return "The cookie is not of a token that this Worker has now.";
  return "The request has no token.";
}

/** A 403 rather than a 401, since there is no token to ask for. */
function forbiddenError(headers: Headers): HttpError {
  return new HttpError(403, "Cloudflare Access did not authenticate this request.", accessRemedy(headers));
}

function accessRemedy(headers: Headers): string {
  if (headers.has(ASSERTION_HEADER)) {
    return (
      "Sign in again, as the sign-in may have expired. If that does not help, set ACCESS_TEAM to the team's name and " +
      "ACCESS_AUD to the application's audience tag, in [vars] of wrangler's configuration, and deploy."
    );
  }
  return (
    "Open the address in a browser and sign in, or send the headers CF-Access-Client-Id and CF-Access-Client-Secret of " +
    "a service token. If you do, no Access application has this address: add it in Zero Trust to the one of ACCESS_AUD."
  );
}
