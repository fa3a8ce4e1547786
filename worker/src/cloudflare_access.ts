/** Verifies the signed assertion that Cloudflare Access adds to each request. */

import { HttpError } from "./http_error.ts";

export const ASSERTION_HEADER = "cf-access-jwt-assertion";
/** The tolerated clock skew. */
const LEEWAY_S = 60;
/** The cache lifetime of keys; Access rotates them every six weeks and announces the next. */
const KEPT_MS = 3_600_000;
/** The minimum time between requests for an unknown key. */
const AGAIN_MS = 60_000;
const TIMEOUT_MS = 5_000;
const RS256 = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
const DOMAIN = ".cloudflareaccess.com";

type Claims = Record<string, unknown>;

interface Keys {
  at: number;
  known: Map<string, JsonWebKey>;
}

const kept = new Map<string, Keys>();

/** The issuer of a team, given its name, domain or address. */
function issuer(team: string): string {
  const host = team.trim().replace(/^https:\/\//, "").replace(/\/+$/, "");
  return `https://${host.includes(".") ? host : host + DOMAIN}`;
}

/** Verifies an assertion for one of these applications and returns its subject; null if it is invalid. */
export async function verifyAssertion(word: string, team: string, audiences: string[]): Promise<string | null> {
  const parts = word.split(".");
  const [header, claims, signature] = [json(parts[0]), json(parts[1]), bytes(parts[2])];
  if (parts.length !== 3 || !header || !claims || !signature) return null;
  if (header.alg !== "RS256" || typeof header.kid !== "string") return null;
  const from = issuer(team);
  if (!isNow(claims) || claims.iss !== from || !isFor(claims, audiences)) return null;
  const key = await keyOf(from, header.kid);
  const signed = new TextEncoder().encode(`${parts[0]}.${parts[1]}`);
  const isTrue = key && (await crypto.subtle.verify(RS256.name, key, signature, signed));
  return isTrue ? String(claims.sub || claims.common_name || "access") : null;
}

function isNow({ exp, nbf = 0 }: Claims): boolean {
  const now = Date.now() / 1000;
  if (typeof exp !== "number" || typeof nbf !== "number") return false;
  return nbf - LEEWAY_S <= now && now < exp + LEEWAY_S;
}

function isFor({ aud }: Claims, audiences: string[]): boolean {
  return [aud].flat().some((one) => typeof one === "string" && audiences.includes(one));
}

async function keyOf(from: string, kid: string): Promise<CryptoKey | null> {
  const jwk = (await keys(from, kid)).get(kid);
  if (jwk?.kty !== "RSA") return null;
  return crypto.subtle.importKey("jwk", jwk, RS256, false, ["verify"]);
}

/** The cached keys of the team; fetched again when they expire or a key is unknown. */
async function keys(from: string, kid: string): Promise<Map<string, JsonWebKey>> {
  const had = kept.get(from);
  const age = Date.now() - (had?.at ?? -Infinity);
  if (had && age < (had.known.has(kid) ? KEPT_MS : AGAIN_MS)) return had.known;
  const known = await asked(`${from}/cdn-cgi/access/certs`);
  kept.clear();
  kept.set(from, { at: Date.now(), known });
  return known;
}

async function asked(address: string): Promise<Map<string, JsonWebKey>> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    const facts = (await response.json()) as { keys: (JsonWebKey & { kid: string })[] };
    return new Map(facts.keys.map((key) => [key.kid, key]));
  } catch (fault) {
    const why = fault instanceof Error ? fault.message : String(fault);
    const remedy = "Try again soon. If the error persists, check that ACCESS_TEAM is your team's name.";
    throw new HttpError(503, `The keys of Cloudflare Access cannot be read: ${why}.`, remedy);
  }
}

function json(part: string | undefined): Claims | null {
  const some = bytes(part);
  try {
    const facts: unknown = some && JSON.parse(new TextDecoder().decode(some));
    return typeof facts === "object" && !Array.isArray(facts) ? (facts as Claims | null) : null;
  } catch {
    return null;
  }
}

function bytes(part: string | undefined): Uint8Array | null {
  if (!part || !/^[A-Za-z0-9_-]+$/.test(part)) return null;
  try {
    const text = atob(part.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(text, (one) => one.charCodeAt(0));
  } catch {
    return null;
  }
}
