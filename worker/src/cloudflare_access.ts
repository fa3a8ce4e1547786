/** Verifies the signed assertion that Cloudflare Access adds to each request. */

import { HttpError } from "./http_error.ts";

export const ASSERTION_HEADER = "cf-access-jwt-assertion";
/** The tolerated clock skew. */
const LEEWAY_S = 60;
/** The cache lifetime of keys; Access rotates them every six weeks and announces the next. */
const KEY_CACHE_MS = 3_600_000;
/** The minimum time between requests for an unknown key. */
const MIN_REFETCH_MS = 60_000;
const TIMEOUT_MS = 5_000;
const RS256 = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
const DOMAIN = ".cloudflareaccess.com";

type Claims = Record<string, unknown>;

interface CachedKeys {
  fetchedAt: number;
  keys: Map<string, JsonWebKey>;
}

const keyCache = new Map<string, CachedKeys>();

/** The issuer of a team, given its name, domain or address. */
function issuerUrl(team: string): string {
  const host = team.trim().replace(/^https:\/\//, "").replace(/\/+$/, "");
  return `https://${host.includes(".") ? host : host + DOMAIN}`;
}

/** Who sent a request; `names` as RIGHTS has them: `email:…`, `group:…` and, for a service token, `service:…`. */
export interface Identity {
  readonly subject: string;
  readonly names: readonly string[];
}

/** Verifies an assertion for one of these applications and returns the identity; null if it is invalid. */
export async function verifyAssertion(assertion: string, team: string, audiences: string[]): Promise<Identity | null> {
  const parts = assertion.split(".");
  const [header, claims, signature] = [parseClaims(parts[0]), parseClaims(parts[1]), decodeBase64Url(parts[2])];
  if (parts.length !== 3 || !header || !claims || !signature) return null;
  if (header.alg !== "RS256" || typeof header.kid !== "string") return null;
  const issuer = issuerUrl(team);
  if (!isValidNow(claims) || claims.iss !== issuer || !hasAudience(claims, audiences)) return null;
  const key = await publicKey(issuer, header.kid);
  const signedText = new TextEncoder().encode(`${parts[0]}.${parts[1]}`);
  const isValid = key && (await crypto.subtle.verify(RS256.name, key, signature, signedText));
  if (!isValid) return null;
  return { subject: String(claims.sub || claims.common_name || "access"), names: namesOf(claims) };
}

/** The names of an identity; an identity provider's groups are a claim, or one of its custom claims. */
function namesOf(claims: Claims): string[] {
  const custom = claims.custom as Claims | null | undefined;
  const groups = [claims.groups, custom?.groups].flat().map((group) => {
    return typeof group === "object" ? (group as Claims | null)?.name : group;
  });
  const named = (kind: string, values: unknown[]) =>
    values.filter((value) => typeof value === "string" && value).map((value) => `${kind}:${String(value)}`);
  return [...named("email", [claims.email]), ...named("group", groups), ...named("service", [claims.common_name])];
}

function isValidNow({ exp, nbf = 0 }: Claims): boolean {
  const now = Date.now() / 1000;
  if (typeof exp !== "number" || typeof nbf !== "number") return false;
  return nbf - LEEWAY_S <= now && now < exp + LEEWAY_S;
}

function hasAudience({ aud }: Claims, audiences: string[]): boolean {
  return [aud].flat().some((audience) => typeof audience === "string" && audiences.includes(audience));
}

async function publicKey(issuer: string, kid: string): Promise<CryptoKey | null> {
  const jwk = (await teamKeys(issuer, kid)).get(kid);
  if (jwk?.kty !== "RSA") return null;
  return crypto.subtle.importKey("jwk", jwk, RS256, false, ["verify"]);
}

/** The cached keys of the team; fetched again when they expire or a key is unknown. */
async function teamKeys(issuer: string, kid: string): Promise<Map<string, JsonWebKey>> {
  const cached = keyCache.get(issuer);
  const age = Date.now() - (cached?.fetchedAt ?? -Infinity);
  if (cached && age < (cached.keys.has(kid) ? KEY_CACHE_MS : MIN_REFETCH_MS)) return cached.keys;
  const keys = await fetchKeys(`${issuer}/cdn-cgi/access/certs`);
  keyCache.clear();
  keyCache.set(issuer, { fetchedAt: Date.now(), keys });
  return keys;
}

async function fetchKeys(url: string): Promise<Map<string, JsonWebKey>> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    const body = (await response.json()) as { keys: (JsonWebKey & { kid: string })[] };
    return new Map(body.keys.map((key) => [key.kid, key]));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const remedy = "Try again soon. If the error persists, check that ACCESS_TEAM is your team's name.";
    throw new HttpError(503, `The keys of Cloudflare Access cannot be read: ${reason}.`, remedy);
  }
}

function parseClaims(part: string | undefined): Claims | null {
  const decoded = decodeBase64Url(part);
  try {
    const value: unknown = decoded && JSON.parse(new TextDecoder().decode(decoded));
    return typeof value === "object" && !Array.isArray(value) ? (value as Claims | null) : null;
  } catch {
    return null;
  }
}

function decodeBase64Url(part: string | undefined): Uint8Array | null {
  if (!part || !/^[A-Za-z0-9_-]+$/.test(part)) return null;
  try {
    const text = atob(part.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(text, (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
