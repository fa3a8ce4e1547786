/** `QueryText`: the words of a query, analysed for ranking. */

import { constants } from "../../build/worker_data.json";
import { hasRun, splitWords } from "../bigrams.ts";
import { fullMatch, RegexVariants } from "../python_regex.ts";
import { casefold, length, rpartition, split, strip, truncate } from "../python_strings.ts";
import { ftsPhrase, ftsPrefix } from "../store/fts_query.ts";
import { expandWords, lowercaseParts, normalizeSymbol } from "../text.ts";
import { LEADING_SPACE, MIN_WORD_LETTERS } from "./query.ts";

const STOP_WORDS: ReadonlySet<string> = new Set(constants.stopwords.RANKING_STOP_WORDS);
/** The length of the query's beginning that is matched with names and paths. */
const ANALYZED_CHARS = constants.query_text.ANALYZED_CHARS;

const NAME = new RegexVariants(fullMatch(constants.query_text.SYMBOL_NAME));
const PATH = new RegexVariants(fullMatch(constants.query_text.PATH_PATTERN));
const IDENTIFIER = new RegexVariants(constants.query_text.IDENTIFIER_PATTERN, "g");
const CAPITALIZED_WORD = new RegexVariants(constants.query_text.CAPITALIZED_WORD, "g");
/** A name whose parts are consecutive words in the index: `MAX_BYTES`. */
const COMPOUND_NAME = new RegexVariants(constants.query_text.COMPOUND_NAME, "g");
const MESSAGE = new RegExp(`^(?:${constants.query_text.MESSAGE_PATTERN.ascii})$`);
const ALNUM = new RegexVariants(constants.query_text.ALNUM_PATTERN, "g");
const WORD = new RegexVariants(constants.query_text.QUERY_WORD_PATTERN, "g");
const PATH_WORD = new RegexVariants(constants.query_text.PATH_WORD, "g");
const PATH_OR_MODULE = new RegexVariants(constants.query_text.PATH_OR_MODULE, "g");
const CODE_WORD = new RegexVariants(constants.query_text.CODE_WORD, "g");
const { MAX_ANCHORS, MAX_CODE_WORDS } = constants.query_text;

/** The text of a query without its filters, with derived values that are computed once. */
export class QueryText {
  readonly #analyzed: string;
  readonly #cache = new Map<string, unknown>();

  /** Of `prefixes`, which are words of the text, every word that begins so counts. */
  constructor(
    readonly text: string,
    private readonly prefixes: readonly string[] = [],
  ) {
    this.#analyzed = truncate(text, ANALYZED_CHARS);
  }

  /**
   * An FTS5 query for each word that is no stop word, for the consecutive parts of each name and run, and for
   * each prefix.
   *
   * They are quoted, since a word may be FTS5 syntax.
   */
  get ftsTerms(): readonly string[] {
    return this.#cached("terms", () => {
      const words = [...new Set(ALNUM.all(expandWords(splitWords(this.text))))];
      const meaningful = words.filter((word) => !STOP_WORDS.has(word.toLowerCase()));
      const terms = [...(meaningful.length ? meaningful : words), ...this.#phrases].map(ftsPhrase);
      return [...terms, ...this.prefixes.map(ftsPrefix)];
    });
  }

  /** The first line of a text of several lines, such as an issue; else empty. */
  get title(): string {
    return this.#cached("title", () => {
      const text = strip(this.text);
      return text.includes("\n") ? strip(text.split("\n", 1)[0]!) : "";
    });
  }

  /** FTS5 queries for the title. */
  get titleTerms(): readonly string[] {
    return this.title ? new QueryText(this.title).ftsTerms : [];
  }

  /** Words that the index has as several consecutive words: compound names, and those with a run of more than one pair. */
  get #phrases(): readonly string[] {
    const runs = ALNUM.all(this.#analyzed).filter((word) => length(word) > 2 && hasRun(word));
    return [...new Set([...COMPOUND_NAME.all(this.#analyzed), ...runs])];
  }

  /** The distinct parts of the words, in lower case, without stop words. */
  get wordParts(): readonly string[] {
    return this.#cached("parts", () => {
      const parts = new Set(WORD.all(this.#analyzed).flatMap(lowercaseParts));
      return [...parts].filter((part) => !STOP_WORDS.has(part));
    });
  }

  /** The query as a dotted name; empty if it is not a name. */
  get name(): string {
    return this.#cached("name", () => {
      const typed = this.#trimmed();
      return NAME.test(typed) ? normalizeSymbol(typed) : "";
    });
  }

  /** True for a query without spaces. */
  get isOneToken(): boolean {
    return length(this.text) <= ANALYZED_CHARS && split(this.text).length === 1;
  }

  /**
   * The tokens to find literally: the whole query if it has no spaces, else words of it that are written
   * like code, and the message that the query may be. Without the marks around them: quotes, leading
   * dashes, `()`.
   */
  get codeTokens(): readonly string[] {
    return this.#cached("tokens", () => {
      const tokens = new Set(this.#codeWords.map(stripMarks));
      const found = [...tokens].filter((token) => ALNUM.all(token).length > 0).slice(0, MAX_CODE_WORDS);
      return this.message ? [...found, this.message] : found;
    });
  }

  /** Those of the tokens that were typed with dashes before them. */
  get flagTokens(): ReadonlySet<string> {
    return this.#cached("flags", () => new Set(this.#codeWords.filter((word) => FLAG.test(word)).map(stripMarks)));
  }

  /** None of a text of several lines, which mentions more than it asks for. */
  get #codeWords(): readonly string[] {
    if (this.title) return [];
    return this.isOneToken ? [this.text] : CODE_WORD.all(this.#analyzed);
  }

  /** The query without the marks around it if it has several words; else empty. */
  get message(): string {
    return this.#cached("message", () => {
      const message = MESSAGE.test(this.text) ? stripMarks(this.text) : "";
      return ALNUM.all(message).length > 0 ? message : "";
    });
  }

  /** The first names written like code in a text of several lines, with dots between their parts. */
  get anchorNames(): readonly string[] {
    return this.#cached("anchors", () => {
      if (!this.title) return [];
      const typed = IDENTIFIER.all(this.text).map((name) => name.replace(/^`+|`+$/g, ""));
      const names = typed.filter((name) => NAME.test(name)).map(normalizeSymbol);
      return [...new Set(names)].slice(0, MAX_ANCHORS);
    });
  }

  /**
   * Folder and file that a text of several lines names by a path or a module, without the extension: `app/base`
   * for `shop/app/base.py` and for `app.base.Shop`.
   */
  get namedFiles(): ReadonlySet<string> {
    return this.#cached("files", () => new Set(this.title ? PATH_OR_MODULE.all(this.text).flatMap(foldersAndNames) : []));
  }

  /** The last parts of the identifiers in the query, in lower case. */
  get identifiers(): ReadonlySet<string> {
    return this.#cached("identifiers", () => {
      const lastWords = IDENTIFIER.all(this.#analyzed).flatMap((name) => WORD.all(name).slice(-1));
      return new Set(lastWords.map((word) => word.toLowerCase()));
    });
  }

  /** The words that begin with a capital, as they are. */
  get capitalizedWords(): ReadonlySet<string> {
    return this.#cached("capitalized", () => new Set(CAPITALIZED_WORD.all(this.#analyzed)));
  }

  /** The query as a path or part of one; empty if it is not a path. */
  get path(): string {
    return this.#cached("path", () => {
      const typed = this.#trimmed();
      return PATH.test(typed) ? typed.replace(/^\.\//, "").replace(/^\/+|(?<!\/)\/+$/g, "") : "";
    });
  }

  /** The words that are compared with paths, in lower case. */
  get pathWords(): ReadonlySet<string> {
    return this.#cached("keys", () => {
      const words = PATH_WORD.all(this.#analyzed.toLowerCase());
      return new Set(words.filter((word) => length(word) >= MIN_WORD_LETTERS && !isStopWord(word)));
    });
  }

  /** The stems of the words' parts, without stop words. */
  get stems(): ReadonlySet<string> {
    return this.#cached("stems", () => new Set([...this.stemsWithStopWords].filter((stem) => !isStopWord(stem))));
  }

  /** The stems including stop words, which names such as `hasRecord` contain. */
  get stemsWithStopWords(): ReadonlySet<string> {
    return this.#cached("allStems", () => namePartStems(WORD.all(this.#analyzed)));
  }

  /**
   * Returns true if the pattern, without the flag `g`, matches the beginning of the query; of a text of
   * several lines, such as an issue, the first line: the others mention more than they ask for.
   */
  matches(pattern: { test(text: string): boolean }): boolean {
    const first = () => this.text.replace(LEADING_SPACE, "").split("\n", 1)[0]!;
    return pattern.test(this.#cached("folded", () => casefold(truncate(first(), ANALYZED_CHARS))));
  }

  /** The trimmed text; empty if it is too long for a name. */
  #trimmed(): string {
    const typed = strip(this.text);
    return length(typed) <= ANALYZED_CHARS ? typed : "";
  }

  #cached<T>(name: string, compute: () => T): T {
    if (!this.#cache.has(name)) this.#cache.set(name, compute());
    return this.#cache.get(name) as T;
  }
}

/** The last folder and file of a path; all pairs of names of a module. */
function foldersAndNames(token: string): string[] {
  const parts = token.split("/");
  if (parts.length > 1) {
    const last = parts.at(-1)!;
    return [`${parts.at(-2)}/${rpartition(last, ".")[0] || last}`];
  }
  const names = token.split(".");
  return names.slice(1).map((name, at) => `${names[at]}/${name}`);
}

/** A token with dashes before it. */
const FLAG = /^[ \t\n`'"]*-/;

function stripMarks(word: string): string {
  return word.replace(/^[ \t\n`'"]+|(?<![ \t\n`'"])[ \t\n`'"]+$/g, "").replace(/^-+/, "").replace(/\(\)$/, "");
}

/** Returns true for a word that is not searched for beside others. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/** The stems of all parts of the names. */
export function namePartStems(names: Iterable<string>): ReadonlySet<string> {
  return new Set([...names].flatMap(lowercaseParts).map(stem));
}

function stem(word: string): string {
  const maxLetters = length(word) - constants.query_text.MIN_STEM_LETTERS;
  const ending = constants.query_text.SUFFIXES.find((end) => word.endsWith(end) && end.length <= maxLetters);
  return ending ? word.slice(0, -ending.length) : word;
}
