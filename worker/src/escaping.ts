/** Removes what could move a cursor or reorder text in a terminal. */

/** All that Python calls not printable, but blanks, the tab and joiners, which words need. */
const HIDDEN = /(?![\t\u200c\u200d])[\p{C}\p{Zl}\p{Zp}]/gu;

/** The text as one line: what would be obeyed instead of shown comes as `\uXXXX`. */
export function escapeLine(text: string): string {
  return text.replace(HIDDEN, escaped);
}

/** The same for a text of several lines. */
export function escapeLines(text: string): string {
  return text.split("\n").map(escapeLine).join("\n");
}

/** As JSON writes it, beyond the first 65,536 characters in two halves. */
function escaped(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

/** A number with commas between its thousands. */
export function formatNumber(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}
