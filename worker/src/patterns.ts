/** What does a regular expression of Python's find? `worker/regexes.py` has written it for here. */

import { isAscii } from "./letters.ts";

/** A regular expression for texts in ASCII, and for all. */
export interface Written {
  ascii: string;
  all: string;
  flags: string;
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

  test(text: string): boolean {
    return this.for(text).test(text);
  }
}
