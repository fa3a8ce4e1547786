/** Signs a user in at GitHub: the address of its page, and the user to whom its code belongs. */

import type { GitHubUser, OAuthEnv } from "./settings.ts";

const AUTHORIZE = "https://github.com/login/oauth/authorize";
const ACCESS_TOKEN = "https://github.com/login/oauth/access_token";
const USER = "https://api.github.com/user";
const TIMEOUT_MS = 10_000;
const AGENT = { accept: "application/json", "user-agent": "feeder" };

/** GitHub refused, or did not answer. */
export class GitHubError extends Error {}

/** The address of GitHub's page; without scopes, which gives access to what is public. */
export async function authorizeUrl(env: OAuthEnv, callback: string, state: string, verifier: string): Promise<string> {
  const params = {
    client_id: env.OAUTH_GITHUB_ID!,
    redirect_uri: callback,
    state,
    code_challenge: await challengeOf(verifier),
    code_challenge_method: "S256",
    allow_signup: "false",
  };
  return `${AUTHORIZE}?${new URLSearchParams(params).toString()}`;
}

/** The user who signed in; the token is not kept. Throws a GitHubError. */
export async function signedInUser(env: OAuthEnv, callback: string, code: string, verifier: string): Promise<GitHubUser> {
  const body = new URLSearchParams({
    client_id: env.OAUTH_GITHUB_ID!,
    client_secret: env.OAUTH_GITHUB_SECRET!,
    code,
    redirect_uri: callback,
    code_verifier: verifier,
  });
  const token = await request(ACCESS_TOKEN, { method: "POST", headers: AGENT, body });
  // GitHub answers a wrong code with HTTP 200 and an error
  if (typeof token.access_token !== "string") throw new GitHubError(`GitHub refused the sign-in: ${textOf(token.error)}.`);
  const user = await request(USER, { headers: { ...AGENT, authorization: `Bearer ${token.access_token}` } });
  const { id, login } = user;
  if (typeof id !== "number" || typeof login !== "string") throw new GitHubError("GitHub did not name the user.");
  return { id, login };
}

async function request(url: string, init: RequestInit): Promise<Record<string, unknown>> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS), redirect: "manual" });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    const answer: unknown = await response.json();
    return typeof answer === "object" && answer !== null ? (answer as Record<string, unknown>) : {};
  } catch (error) {
    console.error(url, error);
    const reason = error instanceof Error ? error.message : String(error);
    throw new GitHubError(`The request to GitHub failed: ${reason}.`);
  }
}

/** An error code of GitHub, as the redirect to a client may contain it. */
function textOf(error: unknown): string {
  return typeof error === "string" && /^\w{1,60}$/.test(error) ? error : "it gave no token";
}

async function challengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return btoa(String.fromCharCode(...new Uint8Array(digest))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
