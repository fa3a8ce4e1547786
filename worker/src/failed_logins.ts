/** Slows down clients that guess tokens or flood the sign-in: after some attempts an address is refused for a while. */

import { HttpError } from "./http_error.ts";

/** Wrong tokens of an address within a period; a client with an old token sends a few. */
export const MAX_FAILURES = 30;
const PERIOD_S = 60;
/** Addresses that are remembered; the oldest are forgotten. */
const MAX_ADDRESSES = 10_000;

/** Counts attempts, by default wrong tokens, by address in the memory of the isolate. */
export class FailedLogins {
  readonly #periods = new Map<string, { count: number; endsAt: number }>();

  constructor(
    private readonly maxCount = MAX_FAILURES,
    private readonly error = "This address has sent too many wrong tokens.",
    private readonly remedy = "Correct the token, and try again",
  ) {}

  /** Throws an HttpError if the address has made too many attempts; `now` is in milliseconds. */
  check(address: string, now: number): void {
    const period = this.#periods.get(address);
    if (!period || period.count < this.maxCount || period.endsAt <= now) return;
    const waitS = Math.ceil((period.endsAt - now) / 1000);
    throw new HttpError(429, this.error, `${this.remedy} in ${waitS} seconds.`, waitS);
  }

  /** Counts an attempt; `isExceeded` if the rate limit of Cloudflare's location is exceeded too. */
  add(address: string, now: number, isExceeded: boolean): void {
    let period = this.#periods.get(address);
    if (!period || period.endsAt <= now) {
      period = { count: 0, endsAt: now + PERIOD_S * 1000 };
      this.#periods.delete(address);
      this.#periods.set(address, period);
      if (this.#periods.size > MAX_ADDRESSES) this.#periods.delete(this.#periods.keys().next().value!);
    }
    period.count = isExceeded ? this.maxCount : period.count + 1;
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
