/** The API's request limits: so many in a window for a token, then a block. */

export class Limiter {
  #clock;
  #settings;
  #windows = new Map();

  constructor(clock, settings) {
    this.#clock = clock;
    this.#settings = settings;
  }

  reset() {
    this.#windows.clear();
  }

  /** Pretends that a token has made `count` requests in its window already. */
  spend(token, count) {
    this.#window(token).used += count;
  }

  /** Counts a request; answers the headers of its reply and, when refused, the seconds to wait. */
  admit(token) {
    const window = this.#window(token);
    window.used += 1;
    const now = this.#clock.nowMs();
    const second = this.#countInSecond(window, now);
    if (window.used > this.#settings.requests_per_window && !window.blockedUntilMs) {
      window.blockedUntilMs = now + this.#settings.block_s * 1000;
    }
    if (window.blockedUntilMs) return this.#refused(window.blockedUntilMs - now);
    const burst = this.#settings.requests_per_second;
    if (burst !== null && second > burst) return this.#refused(1000);
    return { headers: this.#headers(window, now) };
  }

  #window(token) {
    const now = this.#clock.nowMs();
    const window = this.#windows.get(token);
    if (window && now < (window.blockedUntilMs || window.endsMs)) return window;
    const fresh = { used: 0, endsMs: now + this.#settings.window_s * 1000, second: 0, inSecond: 0 };
    this.#windows.set(token, fresh);
    return fresh;
  }

  #countInSecond(window, now) {
    const second = Math.floor(now / 1000);
    window.inSecond = window.second === second ? window.inSecond + 1 : 1;
    window.second = second;
    return window.inSecond;
  }

  #refused(waitMs) {
    const waitS = Math.ceil(waitMs / 1000);
    return {
      waitS,
      headers: { ratelimit: `"default";r=0;t=${waitS}`, "retry-after": String(waitS) },
    };
  }

  #headers(window, now) {
    const { requests_per_window: limit, window_s: length } = this.#settings;
    const remaining = Math.max(0, limit - window.used);
    const resetS = Math.ceil((window.endsMs - now) / 1000);
    return {
      ratelimit: `"default";r=${remaining};t=${resetS}`,
      "ratelimit-policy": `"default";q=${limit};w=${length}`,
    };
  }
}
