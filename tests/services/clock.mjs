/** What time the stand-in believes it is: the machine's, and what tests have added to it. */

export class Clock {
  #addedMs = 0;
  #frozenAtMs = null;

  nowMs() {
    return (this.#frozenAtMs ?? Date.now()) + this.#addedMs;
  }

  iso() {
    return new Date(this.nowMs()).toISOString();
  }

  advance(seconds) {
    this.#addedMs += seconds * 1000;
  }

  /** From here on, time passes only by `advance`. */
  freeze() {
    this.#frozenAtMs ??= Date.now();
  }

  reset() {
    this.#addedMs = 0;
    this.#frozenAtMs = null;
  }
}
