/** Python's string methods, where JavaScript's differ. */

import data from "../build/worker_data.json";

const ASCII = /^[\x00-\x7f]*$/;

export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

const { space } = data;
const BLANKS = new RegExp(`[${space}]+`);
const LEADING_BLANKS = new RegExp(`^[${space}]+`);
const BLANK = new RegExp(`[${space}]`);

/** Mirrors `str.strip`. */
export function strip(text: string): string {
  return stripStart(stripEnd(text));
}

/** Mirrors `str.lstrip`. */
export function stripStart(text: string): string {
  return text.replace(LEADING_BLANKS, "");
}

/** Mirrors `str.rstrip`. */
export function stripEnd(text: string): string {
  let end = text.length;
  while (end && BLANK.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Removes any of these characters from the end, as `str.rstrip(characters)`. */
export function stripCharacters(text: string, characters: string): string {
  let end = text.length;
  while (end && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Splits at whitespace, as `str.split`. */
export function split(text: string): string[] {
  return text.split(BLANKS).filter(Boolean);
}

/** The first code points of a text, at most `limit`. */
export function truncate(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return [...text.slice(0, 2 * limit)].slice(0, limit).join("");
}

const SURROGATE = /[\ud800-\udfff]/;
const SURROGATE_PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

/** The number of code points; a surrogate pair counts as one. */
export function length(text: string): number {
  return isAscii(text) ? text.length : text.length - (text.match(SURROGATE_PAIR)?.length ?? 0);
}

/** Returns a function from UTF-16 offsets, which must not decrease, to code point offsets. */
export function characterColumns(line: string): (at: number) => number {
  if (!SURROGATE.test(line)) return (at) => at;
  let [counted, column] = [0, 0];
  return (at) => {
    column += length(line.slice(counted, at));
    counted = at;
    return column;
  };
}

const CHEROKEE = /[\u13a0-\u13ff\uab70-\uabbf]/;

/** Approximates `str.casefold`: texts that differ only in case become equal. */
export function casefold(text: string): string {
  return isAscii(text) ? text.toLowerCase() : Array.from(text, foldCharacter).join("");
}

function foldCharacter(character: string): string {
  if (character === "ı") return character;
  if (CHEROKEE.test(character)) return character.toUpperCase();
  return character.toLowerCase().toUpperCase().toLowerCase();
}

/** Compares texts by code points; negative if `one` sorts before `other`. */
export function compareText(one: string, other: string): number {
  if (one === other) return 0;
  let at = 0;
  while (at < one.length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  return ordinal(one, at) - ordinal(other, at);
}

/** The sort value of a UTF-16 unit: surrogates sort after all other units. */
function ordinal(text: string, at: number): number {
  if (at >= text.length) return -1;
  const unit = text.charCodeAt(at);
  return isPairedSurrogate(text, at) ? unit + 0x10000 : unit;
}

/** Returns true if the unit is half of a surrogate pair; a lone surrogate is a character of its own. */
function isPairedSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if ((unit & 0xfc00) === 0xd800) return (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
  return (unit & 0xfc00) === 0xdc00 && at > 0 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}

/** The text before the first separator and the text after it, empty without one. */
export function partition(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + separator.length)];
}

/** The text before the last separator, empty if there is none, and the text after it. */
export function rpartition(text: string, separator: string): [string, string] {
  const at = text.lastIndexOf(separator);
  return at < 0 ? ["", text] : [text.slice(0, at), text.slice(at + separator.length)];
}
