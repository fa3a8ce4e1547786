/** The error that becomes a response: a status, what happened, and what to do. */

export class HttpError extends Error {
  constructor(
    readonly status: number,
    readonly error: string,
    readonly remedy = "",
    /** When to try again; only of a 429. */
    readonly retryAfterS = 60,
    /** Further fields of the JSON answer. */
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super([error, remedy].filter(Boolean).join(" "));
  }
}
