/** Runs regular expressions that `feeder.edge.javascript_regex` translated from Python's. */

import { isAscii, strip } from "./python_strings.ts";

/** The source of a regular expression, for ASCII texts and for all texts. */
export interface RegexSources {
  ascii: string;
  all: string;
  flags: string;
}

/** A pattern that matches the whole text, as `re.fullmatch`. */
export function fullMatch({ ascii, all, flags }: RegexSources): RegexSources {
  return { ascii: `^(?:${ascii})$`, all: `^(?:${all})$`, flags };
}

/** A pattern that matches at the start of the text, as `re.match`. */
export function matchAtStart({ ascii, all, flags }: RegexSources): RegexSources {
  return { ascii: `^(?:${ascii})`, all: `^(?:${all})`, flags };
}

/** A regular expression that is compiled on first use: the one for all scripts takes 1 ms. */
export class Pattern {
  #ascii: RegExp | undefined;
  #all: RegExp | undefined;

  constructor(
    private readonly sources: RegexSources,
    private readonly extraFlags = "",
  ) {}

  /** The compiled expression for a text. */
  for(text: string): RegExp {
    const { ascii, all, flags } = this.sources;
    if (isAscii(text)) return (this.#ascii ??= new RegExp(ascii, flags + this.extraFlags));
    return (this.#all ??= new RegExp(all, `${flags}u${this.extraFlags}`));
  }

  test(text: string): boolean {
    return this.for(text).test(text);
  }
}

/**
 * A regular expression whose only classes beyond ASCII are `\w`, `\d` and `\s`.
 *
 * Its source for ASCII is run on a text in which one placeholder stands for all letters beyond ASCII, one
 * for all digits and one for all blanks: that saves compiling the source for all scripts.
 */
export class RegexVariants {
  #compiled: RegExp | undefined;

  constructor(
    private readonly sources: RegexSources,
    private readonly extraFlags = "",
  ) {}

  /** All matches in a text; requires the flag `g`. */
  all(text: string): string[] {
    if (isAscii(text)) return text.match(this.#regex) ?? [];
    const characters = [...text];
    return Array.from(withPlaceholders(text).matchAll(this.#regex), ({ 0: match, index }) =>
      characters.slice(index, index + match.length).join(""),
    );
  }

  /** The text with each match replaced; requires the flag `g`. */
  replaceAll(text: string, replacement: (match: string) => string): string {
    if (isAscii(text)) return text.replace(this.#regex, replacement);
    const characters = [...text];
    let [result, end] = ["", 0];
    for (const { 0: match, index } of withPlaceholders(text).matchAll(this.#regex)) {
      const own = characters.slice(index, index + match.length).join("");
      result += characters.slice(end, index).join("") + replacement(own);
      end = index + match.length;
    }
    return result + characters.slice(end).join("");
  }

  test(text: string): boolean {
    return this.#regex.test(withPlaceholders(text));
  }

  get #regex(): RegExp {
    const { ascii, flags } = this.sources;
    return (this.#compiled ??= new RegExp(ascii, flags + this.extraFlags));
  }
}

const NON_ASCII = /[^\0-\x7f]/gu;
const LETTER = /[\p{L}\p{Nl}\p{No}]/u;
const DIGIT = /\p{Nd}/u;
const [LETTER_PLACEHOLDER, DIGIT_PLACEHOLDER, BLANK_PLACEHOLDER, OTHER_PLACEHOLDER] = ["\xaa", "\xb2", "\xa0", "\x80"];

/** Replaces each character beyond ASCII by the placeholder of its class. */
function withPlaceholders(text: string): string {
  return isAscii(text) ? text : text.replace(NON_ASCII, placeholderOf);
}

function placeholderOf(character: string): string {
  if (LETTER.test(character)) return LETTER_PLACEHOLDER;
  if (DIGIT.test(character)) return DIGIT_PLACEHOLDER;
  return strip(character) ? OTHER_PLACEHOLDER : BLANK_PLACEHOLDER;
}
