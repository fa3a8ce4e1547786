/** The settings of the sign-in by OAuth, and whom and where to it lets in. */

import type { Env } from "../bindings/env.ts";
import { HttpError } from "../http_error.ts";

/** The environment with the bindings and variables that only the sign-in needs. */
export interface OAuthEnv extends Env {
  /** Clients, grants and tokens; the library stores secrets as hashes. */
  OAUTH_KV?: KVNamespace;
  /** The OAuth app at GitHub. */
  OAUTH_GITHUB_ID?: string;
  OAUTH_GITHUB_SECRET?: string;
  /** The GitHub users who may sign in: logins, or `id:NUMBER`, separated by blanks or commas. */
  OAUTH_USERS?: string;
  /** Further hosts of clients, separated by blanks or commas. */
  OAUTH_REDIRECTS?: string;
}

/** A user of GitHub; a login may be changed and taken by another user, the number is forever. */
export interface GitHubUser {
  readonly id: number;
  readonly login: string;
}

/** Hosts of known clients: Claude, ChatGPT, VS Code and Cursor. Programs on the user's machine are clients too. */
const CLIENT_HOSTS = ["claude.ai", "claude.com", "chatgpt.com", "vscode.dev", "insiders.vscode.dev", "www.cursor.com"];
const LOOPBACK_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

/** Throws an HttpError for a missing setting. */
export function checkOAuthSettings(env: OAuthEnv): void {
  const secret = "with `npx wrangler secret put OAUTH_GITHUB_SECRET`";
  const remedies = {
    OAUTH_KV: "Write the binding with `feeder worker --oauth github`, and deploy.",
    OAUTH_GITHUB_ID: "Set it to the client ID of your OAuth app at GitHub, in [vars] of wrangler's configuration, and deploy.",
    OAUTH_GITHUB_SECRET: `Set it to the client secret of your OAuth app at GitHub, ${secret}.`,
    OAUTH_USERS: "List the GitHub logins that may sign in, in [vars] of wrangler's configuration, and deploy.",
  };
  for (const [name, remedy] of Object.entries(remedies)) {
    if (env[name as keyof typeof remedies]) continue;
    throw new HttpError(503, `Sign-in with OAuth is not configured: ${name} is not set.`, remedy);
  }
  if (env.PUBLIC === "true") {
    throw new HttpError(503, 'PUBLIC = "true" lets everybody in, so nobody has to sign in.', "Remove PUBLIC, and deploy.");
  }
}

/** Returns true for a user whom OAUTH_USERS lists now. */
export function isListed({ id, login }: GitHubUser, env: OAuthEnv): boolean {
  const listed = wordsOf(env.OAUTH_USERS).map((entry) => entry.toLowerCase());
  return listed.includes(login.toLowerCase()) || listed.includes(`id:${id}`);
}

/** Returns true for an address of a client that may get a code: one on the user's machine, or a site of a known host. */
export function isClientAddress(address: string, env: OAuthEnv): boolean {
  // not all programs read a backslash as a slash, as browsers do
  if (address.includes("\\")) return false;
  const { protocol, hostname } = new URL(address);
  if (LOOPBACK_HOSTS.includes(hostname)) return true;
  return protocol === "https:" && [...CLIENT_HOSTS, ...wordsOf(env.OAUTH_REDIRECTS)].includes(hostname);
}

/** The origin of the Worker at which a request arrived: HTTPS, except on the user's machine. */
export function originOf(request: Request): string {
  const { protocol, hostname, host } = new URL(request.url);
  return `${LOOPBACK_HOSTS.includes(hostname) ? protocol : "https:"}//${host}`;
}

function wordsOf(text = ""): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}
