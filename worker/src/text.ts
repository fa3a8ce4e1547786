/** Normalizes symbols and splits compound names into their parts. */

import { constants } from "../build/worker_data.json";
import { memoize } from "./memoize.ts";
import { Pattern, RegexVariants } from "./python_regex.ts";
import { isAscii, rpartition, strip } from "./python_strings.ts";

const SEPARATORS = new Pattern(constants.text.SEPARATOR_PATTERN, "g");
const OUTER_DOTS = /^\.+|(?<!\.)\.+$/g;
const SELECTOR_COLON = /(?<=[A-Za-z0-9_])(:[A-Za-z_][A-Za-z0-9_]*):$/;

/** Normalizes a symbol: `A::b()`, `A#b`, `A > b` become `A.b`, `A.b:c:` becomes `A.b:c`; operators such as `List.::` stay. */
export const normalizeSymbol = memoize((name) => {
  const stripped = strip(name);
  const called = stripped.endsWith("()") ? stripped.slice(0, -2) : stripped;
  const typed = called.replace(SELECTOR_COLON, "$1");
  return typed.replace(SEPARATORS.for(typed), ".").replace(OUTER_DOTS, "") || typed;
});

/** A name of Python as JavaScript writes it: `file_kind` becomes `fileKind`. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** A text as it is, composed (NFC) and decomposed (NFD), each different one once. */
export function unicodeForms(text: string): string[] {
  return isAscii(text) ? [text] : [...new Set([text, text.normalize("NFC"), text.normalize("NFD")])];
}

/** A text with letters and their marks as one character each (NFC). */
export function composed(text: string): string {
  return isAscii(text) ? text : text.normalize("NFC");
}

/** Returns true if a normalized name equals the suffix or ends with its parts. */
export function symbolEndsWith(name: string, suffix: string): boolean {
  return `.${name}`.endsWith(`.${suffix}`);
}

// each half of a surrogate pair counts as a lowercase letter, as every character beyond ASCII does
const COMPOUND = /[A-Za-z0-9\x80-\uffff]+/g;
const PART_BOUNDARY =
  /[a-z\x80-\uffff][A-Z0-9]|[0-9][A-Za-z\x80-\uffff]|[A-Z][0-9]|[A-Z]{2}[a-z\x80-\uffff]/;
const PART = new RegExp(constants.text.PART_PATTERN.ascii, "g");
const SIMPLE_WORD = /^(?:[A-Z]*|[A-Z]?[a-z\x80-\uffff]*|[0-9]*)$/;
const WORD = new RegexVariants(constants.text.WORD_PATTERN, "g");

/** A part of a word and its offset. */
export type WordPart = readonly [at: number, part: string];

/** Appends the parts of compound words to the text. */
export function expandWords(text: string): string {
  const parts = compoundParts(text);
  return parts ? `${text}\n${parts}` : text;
}

/** The parts of the distinct compound words of a text, in order. */
function compoundParts(text: string): string {
  const candidates = (text.match(COMPOUND) ?? []).filter((compound) => PART_BOUNDARY.test(compound));
  return Array.from(new Set(candidates), splitWords).filter(Boolean).join(" ");
}

function splitWords(compound: string): string {
  return WORD.all(compound)
    .map((word) => (word.match(PART) ?? []))
    .filter((parts) => parts.length > 1)
    .flat()
    .join(" ");
}

/** The parts of a compound word with their offsets; none for a simple word. */
export function splitCompound(word: string): WordPart[] {
  if (SIMPLE_WORD.test(word)) return [];
  const parts = Array.from(word.matchAll(PART), (match): WordPart => [match.index, match[0]]);
  return parts.length > 1 ? parts : [];
}

/** The words of a name in lower case; at least one if it has a letter. */
export function lowercaseParts(name: string): string[] {
  return (name.match(PART) ?? []).map((part) => part.toLowerCase());
}

/** The name after the last dot: `add` of `shop.Cart.add`. */
export function lastName(symbol: string): string {
  return rpartition(symbol, ".")[1];
}
