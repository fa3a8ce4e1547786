/** What does a regular expression of Python's find? `worker/regexes.py` has written it for here. */

import { isAscii } from "./letters.ts";

/** A regular expression for texts in ASCII, and for all. */
export interface Written {
  ascii: string;
  all: string;
  flags: string;
}

/** The one that finds a whole text or nothing: `fullmatch`. */
export function whole({ ascii, all, flags }: Written): Written {
  return { ascii: `^(?:${ascii})$`, all: `^(?:${all})$`, flags };
}

/** The one that finds nothing but at a text's start: `match`. */
export function start({ ascii, all, flags }: Written): Written {
  return { ascii: `^(?:${ascii})`, all: `^(?:${all})`, flags };
}

/** Compiled when it is first used: what knows all scripts takes a millisecond. */
export class Pattern {
  #ascii: RegExp | undefined;
  #all: RegExp | undefined;

  constructor(
    private readonly written: Written,
    private readonly more = "",
  ) {}

  /** The one for a text. */
  for(text: string): RegExp {
    const { ascii, all, flags } = this.written;
    if (isAscii(text)) return (this.#ascii ??= new RegExp(ascii, flags + this.more));
    return (this.#all ??= new RegExp(all, `${flags}u${this.more}`));
  }

  /** All that it finds; it has the flag `g`. */
  all(text: string): string[] {
    return text.match(this.for(text)) ?? [];
  }

  test(text: string): boolean {
    return this.for(text).test(text);
  }
}
