/** By which words is a text found? By its own, and by those that its names are made of. */

import { lexis } from "../build/shared.json";
import { RegexVariants } from "./python_regex.ts";

// half a character counts as a whole one does: what is beyond ASCII is a small letter
const STRETCH = /[A-Za-z0-9\x80-\uffff]+/g;
const TURN =
  /[a-z\x80-\uffff][A-Z0-9]|[0-9][A-Za-z\x80-\uffff]|[A-Z][0-9]|[A-Z]{2}[a-z\x80-\uffff]/;
const PART = new RegExp(lexis.words.part.ascii, "g");
const SIMPLE = /^(?:[A-Z]*|[A-Z]?[a-z\x80-\uffff]*|[0-9]*)$/;
const WORD = new RegexVariants(lexis.words.word, "g");

/** A part of a word, and where it begins. */
export type WordPart = readonly [at: number, part: string];

/** The text, followed by the parts of its compound words. */
export function withCompoundParts(text: string): string {
  const parts = compounds(text);
  return parts ? `${text}\n${parts}` : text;
}

/** The parts of the text's compound words, of each once, in their order. */
function compounds(text: string): string {
  const stretches = (text.match(STRETCH) ?? []).filter((stretch) => TURN.test(stretch));
  return Array.from(new Set(stretches), compound).filter(Boolean).join(" ");
}

function compound(stretch: string): string {
  return WORD.all(stretch)
    .map((word) => (word.match(PART) ?? []))
    .filter((parts) => parts.length > 1)
    .flat()
    .join(" ");
}

/** The parts of a compound word, and where each begins; none of a simple one. */
export function compoundParts(word: string): WordPart[] {
  if (SIMPLE.test(word)) return [];
  const found = Array.from(word.matchAll(PART), (part): WordPart => [part.index, part[0]]);
  return found.length > 1 ? found : [];
}

/** The words that a name is made of, one at least where it has a letter, in small letters. */
export function lowercaseParts(name: string): string[] {
  return (name.match(PART) ?? []).map((part) => part.toLowerCase());
}
