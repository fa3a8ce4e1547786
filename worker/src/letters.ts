/** How does Python read letters? Where JavaScript reads them otherwise, as Python does. */

/** What `\s` is in Python, for a class of a regular expression. */
export const SPACE = String.raw`\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`;
/** What stands in the classes of a regular expression: `\w`, `[^\W_]`, `[^\W\d]`, `[^\W\d_]`. */
interface Classes {
  word: string;
  alnum: string;
  first: string;
  letter: string;
}

const IN_ASCII: Classes = {
  word: "A-Za-z0-9_",
  alnum: "A-Za-z0-9",
  first: "A-Za-z_",
  letter: "A-Za-z",
};
const IN_ALL: Classes = {
  word: String.raw`\p{L}\p{N}_`,
  alnum: String.raw`\p{L}\p{N}`,
  first: String.raw`\p{L}\p{Nl}\p{No}_`,
  letter: String.raw`\p{L}\p{Nl}\p{No}`,
};

/**
 * A regular expression whose letters are those of all scripts.
 *
 * A text in ASCII gets a simple one: classes of all scripts take a millisecond to compile.
 */
export class Pattern {
  #ascii: RegExp | undefined;
  #all: RegExp | undefined;

  constructor(
    private readonly source: (classes: Classes) => string,
    private readonly flags = "",
  ) {}

  for(text: string): RegExp {
    if (isAscii(text)) return (this.#ascii ??= new RegExp(this.source(IN_ASCII), this.flags));
    return (this.#all ??= new RegExp(this.source(IN_ALL), `${this.flags}u`));
  }

  /** All that it finds; it has the flag `g`. */
  all(text: string): string[] {
    return text.match(this.for(text)) ?? [];
  }

  test(text: string): boolean {
    return this.for(text).test(text);
  }
}

const ASCII = /^[\x00-\x7f]*$/;

export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

const BLANKS = new RegExp(`[${SPACE}]+`);
const FIRST_BLANKS = new RegExp(`^[${SPACE}]+`);
const BLANK = new RegExp(`[${SPACE}]`);

/** Without the blanks at its ends: `str.strip`. */
export function strip(text: string): string {
  return stripStart(stripEnd(text));
}

/** `str.lstrip`. */
export function stripStart(text: string): string {
  return text.replace(FIRST_BLANKS, "");
}

function stripEnd(text: string): string {
  let end = text.length;
  while (end && BLANK.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Without any of these signs at its end: `str.rstrip`. */
export function stripSigns(text: string, signs: string): string {
  let end = text.length;
  while (end && signs.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** What stands between blanks: `str.split`. */
export function split(text: string): string[] {
  return text.split(BLANKS).filter(Boolean);
}

/** The first so many characters, where two halves of one are one. */
export function beginning(text: string, count: number): string {
  if (text.length <= count) return text;
  return [...text.slice(0, 2 * count)].slice(0, count).join("");
}

const HALF = /[\ud800-\udfff]/;
const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

/** How many characters there are, where two halves of one are one. */
export function length(text: string): number {
  return isAscii(text) ? text.length : text.length - (text.match(PAIR)?.length ?? 0);
}

/** At which character a half of one stands; asked for places from left to right. */
export function columns(line: string): (at: number) => number {
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

function folded(sign: string): string {
  if (sign === "ı") return sign;
  if (CHEROKEE.test(sign)) return sign.toUpperCase();
  return sign.toLowerCase().toUpperCase().toLowerCase();
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
export function rpartition(text: string, sign: string): [string, string] {
  const at = text.lastIndexOf(sign);
  return at < 0 ? ["", text] : [text.slice(0, at), text.slice(at + sign.length)];
}
