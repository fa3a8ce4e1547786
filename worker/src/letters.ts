/** What does JavaScript not know of letters that Python does? */

import shared from "../build/shared.json";

const FOLDED = new Map(Object.entries(shared.constants.letters.folded));
const SPACES = new Set(shared.constants.letters.spaces);
const ASCII = /^[\0-\x7f]*$/;

export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

/** Python's `str.casefold`. */
export function casefold(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return Array.from(text, (sign) => FOLDED.get(sign) ?? sign.toLowerCase()).join("");
}

/** Python's `str.strip`. */
export function strip(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && SPACES.has(text[from]!)) from++;
  while (from < to && SPACES.has(text[to - 1]!)) to--;
  return text.slice(from, to);
}

/** Below 0 where the first comes first, in the order of code points as Python and SQLite have it. */
export function compareText(one: string, other: string): number {
  const least = Math.min(one.length, other.length);
  for (let at = 0; at < least; at++) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (a !== b) return placed(a) - placed(b);
  }
  return one.length - other.length;
}

/** Surrogates are parts of what comes after all other signs. */
function placed(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800;
  return unit >= 0xd800 ? unit + 0x2000 : unit;
}

/** What stands before the last `sign`, empty where there is none, and what stands after it. */
export function rpartition(text: string, sign: string): [string, string] {
  const at = text.lastIndexOf(sign);
  return at < 0 ? ["", text] : [text.slice(0, at), text.slice(at + sign.length)];
}
