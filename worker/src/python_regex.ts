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
    private readonly written: RegexSources,
    private readonly more = "",
  ) {}

  /** The compiled expression for a text. */
  for(text: string): RegExp {
    const { ascii, all, flags } = this.written;
    if (isAscii(text)) return (this.#ascii ??= new RegExp(ascii, flags + this.more));
    return (this.#all ??= new RegExp(all, `${flags}u${this.more}`));
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
  #made: RegExp | undefined;

  constructor(
    private readonly written: RegexSources,
    private readonly more = "",
  ) {}

  /** All matches in a text; requires the flag `g`. */
  all(text: string): string[] {
    if (isAscii(text)) return text.match(this.#regex) ?? [];
    const characters = [...text];
    return Array.from(kindsOf(text).matchAll(this.#regex), ({ 0: found, index }) =>
      characters.slice(index, index + found.length).join(""),
    );
  }

  test(text: string): boolean {
    return this.#regex.test(kindsOf(text));
  }

  get #regex(): RegExp {
    const { ascii, flags } = this.written;
    return (this.#made ??= new RegExp(ascii, flags + this.more));
  }
}

const BEYOND = /[^\0-\x7f]/gu;
const LETTER = /[\p{L}\p{Nl}\p{No}]/u;
const DIGIT = /\p{Nd}/u;
const [A_LETTER, A_DIGIT, A_BLANK, ANOTHER] = ["\xaa", "\xb2", "\xa0", "\x80"];

/** Replaces each character beyond ASCII by the placeholder of its class. */
function kindsOf(text: string): string {
  return isAscii(text) ? text : text.replace(BEYOND, kindOf);
}

function kindOf(character: string): string {
  if (LETTER.test(character)) return A_LETTER;
  if (DIGIT.test(character)) return A_DIGIT;
  return strip(character) ? ANOTHER : A_BLANK;
}
