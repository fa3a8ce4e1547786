/** Checks the access token, from a header or a cookie, in constant time. */

const ENCODER = new TextEncoder();
/** The cookie does not tell the token, which may open more than this. */
const COOKIE = "__Host-feeder";

/** Whether it is the token. */
export async function isToken(typed: string, token: string): Promise<boolean> {
  return isEqual(await digest(typed), await digest(token));
}

/** Whether the cookies of a request have the one that is made of the token. */
export async function hasCookie(headers: Headers, token: string): Promise<boolean> {
  return isToken(cookieOf(headers.get("cookie") ?? ""), await cookieValue(token));
}

/** A browser remembers who asks, where no script reads it. */
export async function sessionCookie(token: string): Promise<string> {
  const value = await cookieValue(token);
  return `${COOKIE}=${value}; Path=/; Secure; HttpOnly; SameSite=Strict`;
}

async function cookieValue(token: string): Promise<string> {
  const how = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", ENCODER.encode(token), how, false, ["sign"]);
  return toHex(await crypto.subtle.sign("HMAC", key, ENCODER.encode("cookie")));
}

function cookieOf(cookies: string): string {
  const all = cookies.split(";").map((one) => one.trim());
  return all.find((one) => one.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1) ?? "";
}

async function digest(text: string): Promise<ArrayBuffer> {
  return crypto.subtle.digest("SHA-256", ENCODER.encode(text));
}

/** Digests have one length, so that there is nothing to leave early for. */
function isEqual(one: ArrayBuffer, other: ArrayBuffer): boolean {
  return crypto.subtle.timingSafeEqual(one, other);
}

/** Bytes as digits. */
export function toHex(bytes: ArrayBuffer): string {
  return [...new Uint8Array(bytes)].map((one) => one.toString(16).padStart(2, "0")).join("");
}
