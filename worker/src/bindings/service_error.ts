/** The error of a service other than D1; the search then uses words only. */

const MESSAGE_CHARS = 300;
/** Explanations of some error codes of Workers AI. */
const EXPLANATIONS: readonly [RegExp, string][] = [
  [/\b3036\b|daily free allocation/i, "The free quota of the day is used up; it resets at 00:00 UTC."],
  [/\b3040\b|no capacity|capacity temporarily/i, "It has no capacity now; try again later."],
  [/\b300[78]\b/, "It took too long; try again later."],
];

export class ServiceError extends Error {
  constructor(service: string, error: unknown) {
    super(errorText(service, error instanceof Error ? error.message : String(error)));
  }
}

function errorText(service: string, message: string): string {
  const text = message.slice(0, MESSAGE_CHARS).replace(/[.\s]+$/, "");
  const explanation = EXPLANATIONS.find(([pattern]) => pattern.test(message))?.[1];
  return [`${service}: ${text}.`, explanation].filter(Boolean).join(" ");
}
