/**
 * The Worker with sign-in by OAuth for MCP clients that cannot send a header: `oauth.js`, which imports `worker.js`.
 *
 * Implements the MCP authorization specification of 2025-11-25 with Cloudflare's library: the Worker is both the
 * protected resource (`/mcp`) and its authorization server, and GitHub says who the user is. Every other request, also
 * with a token of the Worker or by Cloudflare Access, is answered as without OAuth.
 */

import { OAuthAuthorizationServer, OAuthResourceServer } from "@cloudflare/workers-oauth-provider";

import { tokensOf } from "../access_rights.ts";
import { isToken } from "../access_token.ts";
import { ASSERTION_HEADER } from "../cloudflare_access.ts";
import { clientNetwork, FailedLogins } from "../failed_logins.ts";
import { HttpError } from "../http_error.ts";
import worker from "../index.ts";
import { withPerson } from "../signed_in.ts";
import { COMMON_HEADERS } from "./pages.ts";
import { checkOAuthSettings, type GitHubUser, isListed, type OAuthEnv, originOf } from "./settings.ts";
import { AUTHORIZE_PATH, CALLBACK_PATH, signIn } from "./sign_in.ts";

const MCP_PATH = "/mcp";
const TOKEN_PATH = "/oauth/token";
const REGISTER_PATH = "/oauth/register";
const RESOURCE_METADATA_PATH = "/.well-known/oauth-protected-resource";
const PROTOCOL_PATHS = [TOKEN_PATH, REGISTER_PATH, "/.well-known/oauth-authorization-server"];
const ACCESS_TOKEN_S = 3_600;
const CLIENT_LIFETIME_S = 90 * 86_400;
/** The form of the library's tokens: user, grant and secret. */
const OAUTH_TOKEN = /^Bearer +([^\s:]+:[^\s:]+:[^\s:]+)$/i;
const MAX_DISCARDED_BYTES = 100_000;
/** Registrations and opened pages of an address in a minute: each writes to the store, which the free plan limits. */
const MAX_STARTS = 20;

const starts = new FailedLogins(MAX_STARTS, "This address has started too many sign-ins.", "Try again");

type Server = OAuthAuthorizationServer<OAuthEnv>;

/** The servers of the origin that was asked last; a Worker has one, or few. */
let current: { origin: string; server: Server; resource: OAuthResourceServer<OAuthEnv, GitHubUser> } | null = null;

export default {
  async fetch(request: Request, env: OAuthEnv, ctx: ExecutionContext): Promise<Response> {
    const response = await route(request, env, ctx).catch(errorResponse);
    if (response.status >= 400) await discardBody(request);
    return response;
  },
};

/** Reads a body that is not used: left unread, it would reset the connection, and the client would see no error. */
async function discardBody({ body, bodyUsed }: Request): Promise<void> {
  let size = 0;
  for await (const chunk of (bodyUsed ? null : body) ?? []) {
    size += chunk.byteLength;
    if (size > MAX_DISCARDED_BYTES) return;
  }
}

/** The response for an error; an unexpected one becomes HTTP 500. */
function errorResponse(cause: unknown): Response {
  if (!(cause instanceof HttpError)) {
    console.error(cause);
    return errorResponse(new HttpError(500, "The sign-in failed.", "Try again. If the error persists, please report it."));
  }
  const { status, error, remedy, retryAfterS } = cause;
  const headers = { ...COMMON_HEADERS, ...(status === 429 && { "retry-after": String(retryAfterS) }) };
  return Response.json({ error, remedy }, { status, headers });
}

async function route(request: Request, env: OAuthEnv, ctx: ExecutionContext): Promise<Response> {
  const { pathname } = new URL(request.url);
  const { origin, server, resource } = serversOf(originOf(request));
  if (pathname === MCP_PATH) return answerMcp(request, env, ctx);
  const isSignIn = pathname === AUTHORIZE_PATH || pathname === CALLBACK_PATH;
  const isMetadata = pathname === RESOURCE_METADATA_PATH || pathname === RESOURCE_METADATA_PATH + MCP_PATH;
  if (!isSignIn && !isMetadata && !PROTOCOL_PATHS.includes(pathname)) return worker.fetch(request, env);
  checkOAuthSettings(env);
  const address = clientNetwork(request.headers.get("cf-connecting-ip") ?? "");
  const isStart = pathname === REGISTER_PATH || (pathname === AUTHORIZE_PATH && request.method === "GET");
  if (isStart) countStart(address);
  await checkRateLimit(address, env);
  if (isSignIn) return signIn(request, env, server.getOAuthApi(env), origin);
  // the MCP specification names both places of the document
  if (isMetadata) return resource.fetch(new Request(origin + RESOURCE_METADATA_PATH + MCP_PATH, request), env, ctx);
  return server.fetch(request, env, ctx);
}

/** Answers a request to MCP, or tells how to sign in. */
async function answerMcp(request: Request, env: OAuthEnv, ctx: ExecutionContext): Promise<Response> {
  const { headers, method } = request;
  const token = OAUTH_TOKEN.exec(headers.get("authorization") ?? "")?.[1];
  const hasOther = headers.has(ASSERTION_HEADER) || (!token && (headers.has("authorization") || headers.has("cookie")));
  const isOther = hasOther || (token !== undefined && (await isOwnToken(token, env)));
  if (isOther || method === "OPTIONS" || env.PUBLIC === "true" || !isConfigured(env)) {
    const response = await worker.fetch(request, env);
    return response.status === 401 ? withChallenge(response, request, env, ctx) : response;
  }
  return serversOf(originOf(request)).resource.fetch(request, env, ctx);
}

/** Returns true for a token of the Worker's secrets, which may have the form of one by OAuth. */
async function isOwnToken(text: string, env: OAuthEnv): Promise<boolean> {
  const matches = await Promise.all(Array.from(tokensOf(env).values(), (token) => isToken(text, token)));
  return matches.includes(true);
}

function isConfigured(env: OAuthEnv): boolean {
  return Boolean(env.OAUTH_KV && env.OAUTH_GITHUB_ID && env.OAUTH_GITHUB_SECRET && env.OAUTH_USERS);
}

/** A refusal of the Worker with the address at which a client learns how to sign in. */
async function withChallenge(response: Response, request: Request, env: OAuthEnv, ctx: ExecutionContext): Promise<Response> {
  if (!isConfigured(env)) return response;
  const { resource } = serversOf(originOf(request));
  const asked = await resource.fetch(new Request(request.url, { method: "POST" }), env, ctx);
  const headers = new Headers(response.headers);
  headers.set("www-authenticate", asked.headers.get("www-authenticate") ?? "Bearer");
  return new Response(response.body, { status: 401, headers });
}

/** Answers as the Worker does, with the rights of the person; a person who is no longer listed is refused. */
function answerPerson(request: Request, env: OAuthEnv, { id, login }: GitHubUser): Promise<Response> {
  if (!isListed({ id, login }, env)) {
    const remedy = "Ask the Worker's owner to add you to OAUTH_USERS, in [vars] of wrangler's configuration, and to deploy.";
    throw new HttpError(403, `The GitHub user ${login} is not in OAUTH_USERS of this Worker.`, remedy);
  }
  return worker.fetch(request, withPerson(env, { subject: `github:${id}`, names: [`github:${login}`] }));
}

/** Throws an HttpError if the address exceeds the rate limit of the binding, if there is one. */
async function checkRateLimit(address: string, env: OAuthEnv): Promise<void> {
  const answer = await env.LIMIT?.limit({ key: `sign-in ${address}` });
  if (answer?.success === false) throw new HttpError(429, "The rate limit is exceeded.", "Try again in 60 seconds.");
}

function countStart(address: string): void {
  starts.check(address, Date.now());
  starts.add(address, Date.now(), false);
}

function serversOf(origin: string) {
  if (current?.origin === origin) return current;
  const server: Server = new OAuthAuthorizationServer<OAuthEnv>({
    issuer: origin,
    resources: [origin + MCP_PATH],
    authorizeEndpoint: origin + AUTHORIZE_PATH,
    tokenEndpoint: origin + TOKEN_PATH,
    clientRegistrationEndpoint: origin + REGISTER_PATH,
    clientRegistrationTTL: CLIENT_LIFETIME_S,
    clientIdMetadataDocumentEnabled: true,
    accessTokenTTL: ACCESS_TOKEN_S,
  });
  const resource = new OAuthResourceServer<OAuthEnv, GitHubUser>({
    resourceMetadata: { resource: origin + MCP_PATH, authorization_servers: [origin], resource_name: "Code search" },
    validateToken: (env) => (name, token) => server.validateToken<GitHubUser>(name, token, env),
    handler: { fetch: (request, env, ctx) => answerPerson(request as Request, env, ctx.props) },
  });
  current = { origin, server, resource };
  return current;
}
