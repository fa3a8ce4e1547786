/** Escapes characters that could move the cursor or reorder text in a terminal, and writes counts. */

/** Characters that are not printable in Python, except blanks, tabs and joiners, which words need. */
const UNPRINTABLE = /(?![\t\u200c\u200d])[\p{C}\p{Zl}\p{Zp}]/gu;

/** Escapes control characters as `\uXXXX`, and puts the text on one line. */
export function escapeLine(text: string): string {
  return text.replace(UNPRINTABLE, escapeCharacter);
}

/** Escapes control characters in a text of several lines. */
export function escapeLines(text: string): string {
  return text.split("\n").map(escapeLine).join("\n");
}

/** The JSON escape of a character; beyond U+FFFF a surrogate pair. */
function escapeCharacter(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

/** Formats a number with thousands separators. */
export function formatNumber(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Formats a count with its noun: "1 file", "1,200 files". */
export function countOf(number: number, noun: string): string {
  return `${formatNumber(number)} ${noun}${number === 1 ? "" : "s"}`;
}
