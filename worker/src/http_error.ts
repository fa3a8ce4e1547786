/** The error that becomes a response: a status, what happened, and what to do. */

export class HttpError extends Error {
  constructor(
    readonly status: number,
    readonly error: string,
    readonly remedy = "",
  ) {
    super([error, remedy].filter(Boolean).join(" "));
  }
}

/** What the one who asks has to change: the first sentence is what is wrong, the rest what to do. */
export function badRequest(text: string, status = 400): HttpError {
  const at = text.indexOf(". ");
  if (at < 0) return new HttpError(status, `${text.replace(/\.+$/, "")}.`);
  return new HttpError(status, `${text.slice(0, at).replace(/\.+$/, "")}.`, text.slice(at + 2));
}
