/** What does a question say? Its words, the parts of them, and whether it is a name. */

import { lexis } from "../../build/shared.json";
import { casefold, truncate, length, strip } from "../python_strings.ts";
import { RegexVariants, fullMatch } from "../lexis.asked.patterns.ts";
import { dotted } from "../symbols.ts";
import { lowercaseParts, withCompoundParts } from "../text.ts";

/** They say nothing of what is asked for, where other words do. */
const SMALL_WORDS: ReadonlySet<string> = new Set(lexis.asked.small);
/** Of a question's beginning, whose words are looked for in names and paths. */
const READ_CHARS = lexis.asked.chars;
export const MIN_WORD_LETTERS = lexis.asked.letters;

const NAME = new RegexVariants(fullMatch(lexis.asked.patterns.name));
const PATH = new RegexVariants(fullMatch(lexis.asked.patterns.path));
const IDENTIFIER = new RegexVariants(lexis.asked.patterns.identifier, "g");
/** A name whose parts the index has as words, one after the other: `MAX_BYTES`. */
const JOINED = new RegexVariants(lexis.asked.patterns.joined, "g");
const ALNUM = new RegexVariants(lexis.asked.patterns.alnum, "g");
const WORD = new RegexVariants(lexis.asked.patterns.word, "g");
const KEY = new RegexVariants(lexis.asked.patterns.key, "g");

/** A question in words; signs of its language are no part of it. */
export class QueryText {
  readonly #read: string;
  readonly #made = new Map<string, unknown>();

  constructor(readonly text: string) {
    this.#read = truncate(text, READ_CHARS);
  }

  /**
   * An FTS5 query for each word that says something, and for the parts of each name in a row.
   *
   * They are quoted, since one can be syntax.
   */
  get terms(): readonly string[] {
    return this.#once("terms", () => {
      const found = [...new Set(ALNUM.all(withCompoundParts(this.text)))];
      const telling = found.filter((word) => !SMALL_WORDS.has(word.toLowerCase()));
      const joined = new Set(JOINED.all(this.#read));
      return [...(telling.length ? telling : found), ...joined].map((word) => `"${word}"`);
    });
  }

  /** The words that its words are made of, in small letters, each once. */
  get parts(): readonly string[] {
    return this.#once("parts", () => {
      const found = new Set(WORD.all(this.#read).flatMap(lowercaseParts));
      return [...found].filter((part) => !SMALL_WORDS.has(part));
    });
  }

  /** The name that is asked for, its parts joined by dots; empty where it is none. */
  get name(): string {
    return this.#once("name", () => {
      const typed = this.#typed();
      return NAME.test(typed) ? dotted(typed) : "";
    });
  }

  /** The names in it, by how they are written; the last parts of them, in small letters. */
  get identifiers(): ReadonlySet<string> {
    return this.#once("identifiers", () => new Set(IDENTIFIER.all(this.#read).map(lastPart)));
  }

  /** The path, or part of one, that is asked for; empty where it is none. */
  get path(): string {
    return this.#once("path", () => {
      const typed = this.#typed();
      return PATH.test(typed) ? typed.replace(/^\.\//, "").replace(/^\/+|(?<!\/)\/+$/g, "") : "";
    });
  }

  /** Words that may stand in a path, in small letters. */
  get keys(): ReadonlySet<string> {
    return this.#once("keys", () => {
      const found = KEY.all(this.#read.toLowerCase());
      return new Set(found.filter((word) => length(word) >= MIN_WORD_LETTERS && !isSmall(word)));
    });
  }

  /** The parts of its words, without their endings. */
  get stems(): ReadonlySet<string> {
    return this.#once("stems", () => new Set([...this.allStems].filter((stem) => !isSmall(stem))));
  }

  /** Those of small words too, which names are made of as well: `hasRecord`. */
  get allStems(): ReadonlySet<string> {
    return this.#once("allStems", () => nameStems(WORD.all(this.#read)));
  }

  /** Whether its beginning has such words; the pattern is without the flag `g`. */
  says(pattern: { test(text: string): boolean }): boolean {
    return pattern.test(this.#once("folded", () => casefold(this.#read)));
  }

  /** The whole text, where it is short enough for a name. */
  #typed(): string {
    const typed = strip(this.text);
    return length(typed) <= READ_CHARS ? typed : "";
  }

  #once<T>(name: string, made: () => T): T {
    if (!this.#made.has(name)) this.#made.set(name, made());
    return this.#made.get(name) as T;
  }
}

function isSmall(word: string): boolean {
  return SMALL_WORDS.has(word);
}

function lastPart(identifier: string): string {
  const name = identifier.replace(/^[`()]+|(?<![`()])[`()]+$/g, "");
  const last = WORD.all(name).at(-1) ?? "";
  return name.endsWith(last) ? last.toLowerCase() : "";
}

/** Of all their parts. */
export function nameStems(names: Iterable<string>): ReadonlySet<string> {
  return new Set([...names].flatMap(lowercaseParts).map(stem));
}

function stem(word: string): string {
  const most = length(word) - lexis.asked.stem;
  const ending = lexis.asked.endings.find((end) => word.endsWith(end) && end.length <= most);
  return ending ? word.slice(0, -ending.length) : word;
}
