/** The scope of a search, its SQL parameters, and the test for paths of test files. */

import { constants } from "../../build/worker_data.json";
import { compareText, stripCharacters } from "../python_strings.ts";
import { HttpError } from "../http_error.ts";
import { memoize } from "../memoize.ts";
import { normalizeSymbol, unicodeForms } from "../text.ts";
import type { Value } from "./database.ts";
import { allOf, anyOf, ftsPhrase, ftsPrefix } from "./fts_query.ts";

/**
 * Filters of a search; an empty one does not restrict, and `repos` is null for all.
 *
 * Mirrors `Scope` in feeder.store.scope.
 */
export interface Scope {
  readonly repos: readonly string[] | null;
  readonly paths: readonly string[];
  readonly notPaths: readonly string[];
  readonly languages: readonly string[];
  readonly notLanguages: readonly string[];
  readonly nodeTypes: readonly string[];
  readonly notNodeTypes: readonly string[];
  readonly symbols: readonly string[];
  readonly tests: string | null;
  readonly withWords: string | null;
  readonly withoutWords: string | null;
  readonly ids: readonly string[] | null;
  /** True if few nodes have its languages or node types. */
  readonly hasFewNodes: boolean;
  /** An FTS5 query for the paths of its languages, that each of their nodes has; null if it would not help. */
  readonly languageWords: string | null;
  /** An FTS5 query for the paths of tests: with `tests: "only"` each node has it, with `no` none; null if it is not known. */
  readonly testWords: string | null;
}

export type ConditionRow = readonly (string | null)[];

const GLOB = /^((?:[^*?[/]*\/)*)([^*?[/]*[*?[].*)$/s;
const WILDCARDS = /[*?[]/;
const GLOB_OR_CLASS = /\[\^?\]?[^\]]*\]|[*?[]/;
// ASCII characters that end a word for FTS5
const UNTIL_SEPARATOR = /^[^\x00-/:-@[-`{-\x7f]*/;
const AFTER_SEPARATOR = /[^\x00-/:-@[-`{-\x7f]*$/;
const WORD_CHARACTER = /[\p{L}\p{N}]/u;
const GLOB_PART_NOTE = " from its first folder with *, ? or [ on";
const MAX_GLOB_BYTES = constants.scope.MAX_GLOB_BYTES;
const LAST_CHARACTER = "\u{10ffff}";
const encoder = new TextEncoder();

export const EMPTY_SCOPE: Scope = {
  repos: null,
  paths: [],
  notPaths: [],
  languages: [],
  notLanguages: [],
  nodeTypes: [],
  notNodeTypes: [],
  symbols: [],
  tests: null,
  withWords: null,
  withoutWords: null,
  ids: null,
  hasFewNodes: false,
  languageWords: null,
  testWords: null,
};

/** Returns true if the scope has conditions besides repositories. */
export function isRestricted({ repos: _, ...rest }: Scope): boolean {
  const { ids, hasFewNodes: _few, languageWords: _words, testWords: _tests, ...others } = rest;
  return ids !== null || Object.values(others).some((value) => value !== null && value.length > 0);
}

/** The part of a path before its first wildcard. */
export function literalPrefix(pattern: string): string {
  return pattern.split(WILDCARDS, 1)[0] ?? "";
}

export function isGlob(pattern: string): boolean {
  return WILDCARDS.test(pattern);
}

/** The normalized paths of a scope; none if one of them is the root. */
export function pathPatterns(scope: Scope): string[] {
  const patterns = scope.paths.map(normalizePath);
  return patterns.every(Boolean) ? patterns : [];
}

export function normalizePath(path: string): string {
  return stripCharacters(path, "/");
}

/**
 * An FTS5 query that every node at the paths of a scope has; null if a path has no words.
 *
 * It also finds nodes elsewhere whose paths contain the words of a path in their order.
 */
export function pathWords(scope: Scope): string | null {
  const phrases = pathPatterns(scope).map(literalPhrases);
  if (phrases.length === 0 || !phrases.every(({ length }) => length > 0)) return null;
  return `path : (${phrases.map((own) => `(${own.map(ftsPhrase).join(" AND ")})`).join(" OR ")})`;
}

/** The words of the scope's paths, of its languages' paths and of tests, as an FTS5 query; null without any. */
export function placeWords(scope: Scope): string | null {
  const testWords = scope.tests === "only" ? scope.testWords : null;
  return [pathWords(scope), scope.languageWords, testWords].filter(Boolean).join(" AND ") || null;
}

/** An FTS5 query of words that no node in the scope has: excluded words and words of tests' paths; null if none. */
export function absentWords(scope: Scope): string | null {
  const testWords = scope.tests === "no" ? scope.testWords : null;
  return [scope.withoutWords, testWords].filter(Boolean).join(" OR ") || null;
}

/** An FTS5 query for the paths of all tests. */
export const ANY_TEST = `path : (${anyOf(constants.scope.TEST_PATH_STEMS)})`;

/** An FTS5 query for paths of tests alone, given all other paths that have a word of `TEST_PATH_WORDS`. */
export function testsExcept(others: readonly string[]): string {
  const tests = `path : (${anyOf(constants.index_counts.TEST_PATH_WORDS)})`;
  return others.length > 0 ? `(${tests} NOT path : (${anyOf(others)}))` : tests;
}

/** An FTS5 query for paths that end with one of these words; null if one has no word that FTS5 surely knows. */
export function endingWords(endings: readonly string[]): string | null {
  return endings.length > 0 && endings.every((ending) => /[a-z0-9]/.test(ending)) ? `path : (${anyOf(endings)})` : null;
}

/** Returns true for a scope of named repositories with a glob that does not begin with a folder. */
export function hasBareGlob(scope: Scope): boolean {
  const isBare = (pattern: string) => isGlob(pattern) && !literalPrefix(pattern).includes("/");
  return scope.repos !== null && pathPatterns(scope).map(withoutAnyFolder).some(isBare);
}

/** A pattern without the `*` + `/` that stands for any folder. */
function withoutAnyFolder(pattern: string): string {
  return pattern.replace(/^\*\//, "");
}

/**
 * The parts of a pattern whose words each matching path has next to each other; empty if there are none.
 *
 * Of `src/*Test.java` they are `src/` and `.java`: a word next to a wildcard may be only a part of the path's word, so
 * it is left out.
 */
function literalPhrases(pattern: string): string[] {
  const [first = "", ...others] = withoutAnyFolder(pattern).split(GLOB_OR_CLASS);
  const ends = others.map((part) => part.replace(UNTIL_SEPARATOR, ""));
  const last = ends.pop();
  const parts = last === undefined ? [first] : [...[first, ...ends].map((part) => part.replace(AFTER_SEPARATOR, "")), last];
  return parts.filter((part) => WORD_CHARACTER.test(part) && !part.includes("\0"));
}

/**
 * An FTS5 query limited to the words of the paths and languages and without the excluded words, and the filters that it leaves
 * to the scope. Mirrors `Scope.narrowed`.
 */
export function narrowed(expression: string, scope: Scope): [query: string, rest: Scope] {
  const words = placeWords(scope);
  const inPaths = words ? `(${expression}) AND ${words}` : expression;
  const absent = absentWords(scope);
  return absent === null ? [inPaths, scope] : [`(${inPaths}) NOT (${absent})`, { ...scope, withoutWords: null }];
}

/** An FTS5 query that every node of the scope matches, in parentheses; null if there is none. */
export function requiredWords(scope: Scope): string | null {
  const query = scopeParams(scope)[REQUIRED_WORDS];
  return typeof query === "string" ? `(${query})` : null;
}

/** The parameters with another query for the required words; null for a statement whose own FTS5 query has them. */
export function withRequiredWords(params: readonly Value[], query: string | null): Value[] {
  return params.map((value, at) => (at === REQUIRED_WORDS ? query : value));
}

/** The place of ?10 in `scopeParams`. */
const REQUIRED_WORDS = 8;

/** The parameters ?2 to ?13 of `IN_SCOPE`; throws an HttpError for a glob that is too long. */
export function scopeParams(scope: Scope): Value[] {
  const names = scope.symbols.map(normalizeSymbol).flatMap(unicodeForms);
  return [
    scope.repos && JSON.stringify(scope.repos),
    jsonList(pathPatterns(scope).flatMap(rangeRows)),
    jsonList(scope.notPaths.map(normalizePath).flatMap(rangeRows)),
    scope.tests === "only" ? 1 : scope.tests === "no" ? 0 : null,
    jsonList(scope.languages),
    jsonList(scope.notLanguages),
    jsonList(scope.nodeTypes),
    jsonList(scope.notNodeTypes),
    [symbolQuery(names), scope.withWords].filter(Boolean).join(" AND ") || null,
    jsonList(names.map(symbolRow)),
    scope.withoutWords,
    scope.ids && JSON.stringify(scope.ids),
  ];
}

/**
 * The first text after all that begin with the prefix, by UTF-8 bytes; null if there is none.
 *
 * UTF-8 bytes and code points have the same order.
 */
export function prefixEnd(prefix: string): string | null {
  const characters = [...prefix];
  while (characters.at(-1) === LAST_CHARACTER) characters.pop();
  const last = characters.pop();
  if (last === undefined) return null;
  const code = last.codePointAt(0) ?? 0;
  return characters.join("") + String.fromCodePoint(code === 0xd7ff ? 0xe000 : code + 1);
}

/** The beginning of the first path at which nodes of the scope may be, and the first path after the last one; null if there is none. */
export function pathBounds(scope: Scope): [first: string, last: string | null] {
  const patterns = pathPatterns(scope);
  const [first = ""] = patterns.map(literalPrefix).sort(compareText);
  const ends = patterns.map((pattern) => prefixEnd(isGlob(pattern) ? literalPrefix(pattern) : `${pattern}/`));
  const last = ends.includes(null) ? null : ends.map(String).sort(compareText).at(-1);
  return [first, last ?? null];
}

/** Path ranges of a path that is not normalized, as `rangeRows`. */
export function pathRows(path: string): ConditionRow[] {
  return rangeRows(normalizePath(path));
}

/**
 * Path ranges with a glob or an ending, as `IN_SCOPE` reads them.
 *
 * A pattern with wildcards may also be a literal name. The length of a `*` + `/PATH`, which is compared by its end,
 * does not count.
 */
function rangeRows(pattern: string): ConditionRow[] {
  if (!pattern) return [["", null, null, null]];
  if (pattern.startsWith("*/") && !isGlob(pattern.slice(1))) return [["", null, null, null, pattern.slice(1)]];
  const ranges: ConditionRow[] = [
    [pattern, `${pattern}\x01`, null, null],
    [`${pattern}/`, prefixEnd(`${pattern}/`), null, null],
  ];
  const parts = GLOB.exec(pattern);
  if (!parts) return ranges;
  const [, before = "", glob = ""] = parts;
  checkLength(glob, `The path ${pattern}`, GLOB_PART_NOTE);
  const prefix = literalPrefix(pattern);
  return [...ranges, [prefix, prefixEnd(prefix), before, glob]];
}

function jsonList(values: readonly unknown[]): string | null {
  return values.length > 0 ? JSON.stringify(values) : null;
}

/** The FTS5 query for candidates of the symbols; null if a name has no word to search for. */
function symbolQuery(names: readonly string[]): string | null {
  const phrases: string[] = [];
  for (const name of names) {
    const [owner, member] = splitOwner(name);
    const [before = "", ...glob] = name.split("*");
    if (!WORD_CHARACTER.test(before)) return null;
    const isPrefix = glob.length > 0 && WORD_CHARACTER.test(before.slice(-1));
    phrases.push(isPrefix ? ftsPrefix(before) : ftsPhrase(before));
    if (WORD_CHARACTER.test(owner)) phrases.push(allOf([owner, member]));
  }
  const any = phrases.map((one) => `(${one})`).join(" OR ");
  return phrases.length > 0 ? `(symbol : (${any}))` : null;
}

/** The comparisons of `IN_SCOPE` for a symbol: suffix, glob, owner and member. */
function symbolRow(name: string): ConditionRow {
  if (name.includes("*")) {
    const glob = name.replaceAll("[", "[[]");
    checkLength(glob, `The symbol ${name}`, "");
    return [null, `*.${glob}`, null, null];
  }
  const [owner, member] = splitOwner(name);
  return [`.${name}`, null, owner ? `.${owner}` : "", ` ${member}:`];
}

/** The owner of a name, empty without one, and its last part. */
function splitOwner(name: string): [owner: string, last: string] {
  const at = name.lastIndexOf(".");
  return [name.slice(0, Math.max(at, 0)), name.slice(at + 1)];
}

function checkLength(glob: string, subject: string, location: string): void {
  const count = encoder.encode(glob).length;
  if (count <= MAX_GLOB_BYTES) return;
  const message = `${subject} has ${count} bytes${location}, but a glob may have at most ${MAX_GLOB_BYTES}.`;
  throw new HttpError(400, message, "Shorten it.");
}

const REGEX_SYNTAX = /[\\^$.*+?(){}|/]/g;
const TEST_PATH_PATTERN = new RegExp(constants.scope.TEST_PATH_GLOBS.map(globSource).join("|"));

/** Returns true for the path of a test file or of a file in a test folder. */
export const isTestPath = memoize((path) => TEST_PATH_PATTERN.test(`/${path}`));

/** The source of a regular expression for a glob; stars at its ends leave it unanchored. */
function globSource(glob: string): string {
  const [first, last] = [glob.startsWith("*") ? "" : "^", glob.endsWith("*") ? "" : "$"];
  const parts = glob.replace(/^\*|\*$/g, "").split("*");
  const escaped = parts.map((part) => part.replace(REGEX_SYNTAX, "\\$&"));
  return first + escaped.join("[^]*") + last;
}
