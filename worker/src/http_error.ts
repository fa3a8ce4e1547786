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

/**
 * A client error (HTTP 400 by default): the first sentence of the text is the error, the rest the remedy.
 *
 * An error with a text of the user is an `HttpError` of its own: a full stop in such a text does not end a sentence.
 */
export function badRequest(text: string, status = 400): HttpError {
  const at = text.indexOf(". ");
  if (at < 0) return new HttpError(status, `${text.replace(/\.+$/, "")}.`);
  return new HttpError(status, `${text.slice(0, at).replace(/\.+$/, "")}.`, text.slice(at + 2));
}
