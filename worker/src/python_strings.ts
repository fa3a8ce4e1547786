/** Python's string methods, where JavaScript's differ. */

import data from "../build/worker_data.json";

const ASCII = /^[\x00-\x7f]*$/;

export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

const { space } = data;
const BLANKS = new RegExp(`[${space}]+`);
const FIRST_BLANKS = new RegExp(`^[${space}]+`);
const BLANK = new RegExp(`[${space}]`);

/** Without the blanks at its ends: `str.strip`. */
export function strip(text: string): string {
  return stripStart(stripEnd(text));
}

/** `str.lstrip`. */
export function stripStart(text: string): string {
  return text.replace(FIRST_BLANKS, "");
}

/** `str.rstrip`. */
export function stripEnd(text: string): string {
  let end = text.length;
  while (end && BLANK.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Without any of these signs at its end: `str.rstrip`. */
export function stripCharacters(text: string, characters: string): string {
  let end = text.length;
  while (end && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** What stands between blanks: `str.split`. */
export function split(text: string): string[] {
  return text.split(BLANKS).filter(Boolean);
}

/** At most so many characters of a text, where two halves of one are one. */
export function truncate(text: string, most: number): string {
  if (text.length <= most) return text;
  return [...text.slice(0, 2 * most)].slice(0, most).join("");
}

const HALF = /[\ud800-\udfff]/;
const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

/** How many characters there are, where two halves of one are one. */
export function length(text: string): number {
  return isAscii(text) ? text.length : text.length - (text.match(PAIR)?.length ?? 0);
}

/** At which character a half of one stands; asked for places from left to right. */
export function characterColumns(line: string): (at: number) => number {
  if (!HALF.test(line)) return (at) => at;
  let [counted, column] = [0, 0];
  return (at) => {
    column += length(line.slice(counted, at));
    counted = at;
    return column;
  };
}

const CHEROKEE = /[\u13a0-\u13ff\uab70-\uabbf]/;

/** Alike for texts that differ in case alone: `str.casefold`. */
export function casefold(text: string): string {
  return isAscii(text) ? text.toLowerCase() : Array.from(text, folded).join("");
}

function folded(character: string): string {
  if (character === "ı") return character;
  if (CHEROKEE.test(character)) return character.toUpperCase();
  return character.toLowerCase().toUpperCase().toLowerCase();
}

/** Below 0 where `one` is before `other` by the numbers of their characters. */
export function compareText(one: string, other: string): number {
  if (one === other) return 0;
  let at = 0;
  while (at < one.length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  return ordinal(one, at) - ordinal(other, at);
}

/** A half of a character is after all that are whole, since those have smaller numbers. */
function ordinal(text: string, at: number): number {
  if (at >= text.length) return -1;
  const unit = text.charCodeAt(at);
  return isHalf(text, at) ? unit + 0x10000 : unit;
}

/** Whether a character of two halves stands here; a half that is alone is a character of its own. */
function isHalf(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if ((unit & 0xfc00) === 0xd800) return (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
  return (unit & 0xfc00) === 0xdc00 && at > 0 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}

/** What stands before the last `sign`, empty where there is none, and what stands after it. */
export function rpartition(text: string, separator: string): [string, string] {
  const at = text.lastIndexOf(separator);
  return at < 0 ? ["", text] : [text.slice(0, at), text.slice(at + separator.length)];
}
