/** What was asked of the stand-in since the last reset, request by request. */

export class Log {
  #entries = [];

  reset() {
    this.#entries = [];
  }

  open(method, path, bytes) {
    const number = this.#entries.length + 1;
    const entry = { number, method, path, bytes, route: null, service: null };
    this.#entries.push(entry);
    return entry;
  }

  entries(since = 0) {
    return this.#entries.slice(since);
  }

  /** Requests by service; what found no route counts as `other`. */
  counts() {
    const counts = { d1: 0, vectorize: 0, ai: 0, user: 0, other: 0 };
    for (const { service } of this.#entries) counts[service ?? "other"] += 1;
    return counts;
  }
}
