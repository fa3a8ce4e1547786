/** Checks the access token, or the session key that is derived from it, in constant time. */

const ENCODER = new TextEncoder();
/** The cookie contains a digest, since the token may give access to more than this Worker. */
const COOKIE = "__Host-feeder";

/** Compares a text with the token in constant time. */
export async function isToken(text: string, token: string): Promise<boolean> {
  return isEqual(await digest(text), await digest(token));
}

/** Returns true if the request has the session cookie of the token. */
export async function hasCookie(headers: Headers, token: string): Promise<boolean> {
  return isSessionKey(findCookie(headers.get("cookie") ?? ""), token);
}

/** Returns true if the request has a session cookie, of whatever token. */
export function isCookieSent(headers: Headers): boolean {
  return findCookie(headers.get("cookie") ?? "") !== "";
}

/** Returns true for the session key of the token. */
export async function isSessionKey(text: string, token: string): Promise<boolean> {
  return isToken(text, await sessionKey(token));
}

/** The session cookie, which scripts cannot read. */
export async function sessionCookie(token: string): Promise<string> {
  const value = await sessionKey(token);
  return `${COOKIE}=${value}; Path=/; Secure; HttpOnly; SameSite=Strict`;
}

/** What a client keeps in place of the token, which cannot be derived from it: the value of the cookie. */
export async function sessionKey(token: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", ENCODER.encode(token), algorithm, false, ["sign"]);
  return toHex(await crypto.subtle.sign("HMAC", key, ENCODER.encode("cookie")));
}

function findCookie(cookies: string): string {
  const pairs = cookies.split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1) ?? "";
}

async function digest(text: string): Promise<ArrayBuffer> {
  return crypto.subtle.digest("SHA-256", ENCODER.encode(text));
}

/** Compares digests, which have equal lengths, without an early exit. */
function isEqual(one: ArrayBuffer, other: ArrayBuffer): boolean {
  return crypto.subtle.timingSafeEqual(one, other);
}

/** Bytes as hex digits. */
export function toHex(bytes: ArrayBuffer): string {
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
