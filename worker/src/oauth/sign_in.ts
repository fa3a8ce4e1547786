/**
 * The sign-in: asks the user whether the client may search, lets GitHub tell who the user is, and gives the client a code.
 *
 * The library keeps the client's request between the pages and binds it to the browser; a form or an address only has a
 * handle of it, which works once.
 */

import {
  type AuthRequest,
  AuthorizationError,
  authorizationErrorRedirect,
  CimdFetchError,
  type OAuthHelpers,
} from "@cloudflare/workers-oauth-provider";

import { HttpError } from "../http_error.ts";
import { readBody } from "../request_body.ts";
import { authorizeUrl, GitHubError, signedInUser } from "./github.ts";
import { COMMON_HEADERS, consentPage, errorPage } from "./pages.ts";
import { isClientAddress, isListed, type OAuthEnv } from "./settings.ts";

export const AUTHORIZE_PATH = "/oauth/authorize";
export const CALLBACK_PATH = "/oauth/callback";

const MAX_FORM_BYTES = 10_000;
const START_AGAIN = "Close this page, and connect from the client again.";

/** What GitHub's answer is checked with. */
interface Pending {
  verifier: string;
}

type Step = (request: Request, env: OAuthEnv, oauth: OAuthHelpers, origin: string) => Promise<Response>;

/** By method and path. */
const STEPS: Readonly<Record<string, Step>> = {
  [`GET ${AUTHORIZE_PATH}`]: ask,
  [`POST ${AUTHORIZE_PATH}`]: decide,
  [`GET ${CALLBACK_PATH}`]: finish,
};

/** Answers a request of the user's browser. */
export async function signIn(request: Request, env: OAuthEnv, oauth: OAuthHelpers, origin: string): Promise<Response> {
  const step = STEPS[`${request.method} ${new URL(request.url).pathname}`];
  if (!step) throw new HttpError(405, "Method Not Allowed.", START_AGAIN);
  try {
    return await step(request, env, oauth, origin);
  } catch (error) {
    return answerError(error, env);
  }
}

/** Shows who asks for access. */
async function ask(request: Request, env: OAuthEnv, oauth: OAuthHelpers, origin: string): Promise<Response> {
  const asked = await oauth.parseAuthRequest(request);
  if (!isClientAddress(asked.redirectUri, env)) return unknownClient(asked.redirectUri);
  const client = await oauth.describeConsent(asked);
  const consent = await oauth.beginConsent(asked);
  return consentPage(client, consent.handle, origin, consent.headers);
}

/** Sends the browser to GitHub, or back to the client if the user has declined. */
async function decide(request: Request, env: OAuthEnv, oauth: OAuthHelpers, origin: string): Promise<Response> {
  const form = new URLSearchParams(new TextDecoder().decode(await readBody(request, MAX_FORM_BYTES)));
  const handle = form.get("handle") ?? "";
  if (form.get("decision") !== "allow") {
    const denied = await oauth.denyConsent(request, handle);
    return redirect(denied.redirectTo, denied.headers);
  }
  const approved = await oauth.approveConsent(request, handle);
  const verifier = crypto.randomUUID() + crypto.randomUUID();
  const data: Pending = { verifier };
  const { state, headers } = await oauth.beginUpstream(approved.request, { data, headers: approved.headers });
  return redirect(await authorizeUrl(env, origin + CALLBACK_PATH, state, verifier), headers);
}

/** Gives the client a code for the user whom GitHub names, if the user is listed. */
async function finish(request: Request, env: OAuthEnv, oauth: OAuthHelpers, origin: string): Promise<Response> {
  const { request: asked, data, headers } = await oauth.finishUpstream<Pending>(request);
  const code = new URL(request.url).searchParams.get("code");
  const refuse = (reason: string) => redirect(authorizationErrorRedirect(asked, "access_denied", reason), headers);
  if (!code) return refuse("GitHub did not sign the user in.");
  try {
    const user = await signedInUser(env, origin + CALLBACK_PATH, code, data.verifier);
    if (!isListed(user, env)) return refuse(`The GitHub user ${user.login} is not in OAUTH_USERS of this Worker.`);
    return redirect(await complete(oauth, asked, user), headers);
  } catch (error) {
    if (error instanceof GitHubError) return refuse(error.message);
    throw error;
  }
}

async function complete(oauth: OAuthHelpers, asked: AuthRequest, user: { id: number; login: string }): Promise<string> {
  const { id, login } = user;
  const about = { userId: String(id), metadata: { login }, props: { id, login } };
  return (await oauth.completeAuthorization({ request: asked, scope: [], ...about })).redirectTo;
}

/** Redirects errors to a client only where the library has verified its address. */
function answerError(error: unknown, env: OAuthEnv): Response {
  if (error instanceof AuthorizationError) {
    const { redirectUri, redirectTo, description } = error;
    if (redirectUri && redirectTo && isClientAddress(redirectUri, env)) return redirect(redirectTo, new Headers());
    return errorPage(400, description, START_AGAIN);
  }
  if (error instanceof CimdFetchError) {
    console.error(error);
    return errorPage(400, "The client's metadata document cannot be read.", START_AGAIN);
  }
  throw error;
}

function unknownClient(address: string): Response {
  const host = new URL(address).host || address;
  const remedy = "If you trust this client, the Worker's owner can add its host to OAUTH_REDIRECTS in [vars] of wrangler's configuration.";
  return errorPage(400, `This Worker does not send access to ${host}.`, remedy);
}

function redirect(address: string, headers: Headers): Response {
  headers.set("location", address);
  for (const [name, value] of Object.entries(COMMON_HEADERS)) headers.set(name, value);
  return new Response(null, { status: 302, headers });
}
