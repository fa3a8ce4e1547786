/** Slows down clients that guess tokens: after some wrong ones an address is refused before its token is looked at. */

import { HttpError } from "./http_error.ts";

/** Wrong tokens of an address within a period; a client with an old token sends a few. */
export const MAX_FAILURES = 30;
const PERIOD_S = 60;
/** Addresses that are remembered; the oldest are forgotten. */
const MAX_ADDRESSES = 10_000;

/** Counts wrong tokens by address in the memory of the isolate. */
export class FailedLogins {
  readonly #periods = new Map<string, { count: number; endsAt: number }>();

  /** Throws an HttpError if the address has sent too many wrong tokens; `now` is in milliseconds. */
  check(address: string, now: number): void {
    const period = this.#periods.get(address);
    if (!period || period.count < MAX_FAILURES || period.endsAt <= now) return;
    const waitS = Math.ceil((period.endsAt - now) / 1000);
    const remedy = `Correct the token, and try again in ${waitS} seconds.`;
    throw new HttpError(429, "This address has sent too many wrong tokens.", remedy, waitS);
  }

  /** Counts a wrong token; `isExceeded` if the rate limit of Cloudflare's location is exceeded too. */
  add(address: string, now: number, isExceeded: boolean): void {
    let period = this.#periods.get(address);
    if (!period || period.endsAt <= now) {
      period = { count: 0, endsAt: now + PERIOD_S * 1000 };
      this.#periods.delete(address);
      this.#periods.set(address, period);
      if (this.#periods.size > MAX_ADDRESSES) this.#periods.delete(this.#periods.keys().next().value!);
    }
    period.count = isExceeded ? MAX_FAILURES : period.count + 1;
  }
}

/**
 * The part of an address that one client cannot change at will: of IPv6 the first 64 bits.
 *
 * Example: `2001:db8::1` and `2001:db8:0:0:ffff::2` are both `2001:db8:0:0`.
 */
export function clientNetwork(address: string): string {
  if (!address.includes(":") || address.includes(".")) return address;
  const [before = "", after] = address.split("::");
  const groups = before.split(":").filter(Boolean);
  const ending = after === undefined ? [] : after.split(":").filter(Boolean);
  const omitted = Math.max(8 - groups.length - ending.length, 0);
  return [...groups, ...Array<string>(omitted).fill("0"), ...ending].slice(0, 4).join(":");
}
