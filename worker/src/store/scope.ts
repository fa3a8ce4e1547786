/** The scope of a search, its SQL parameters, and the test for paths of test files. */

import { constants } from "../../build/worker_data.json";
import { HttpError } from "../http_error.ts";
import { memoize } from "../memoize.ts";
import { dotted } from "../text.ts";
import type { Value } from "./database.ts";

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
}

type PlaceRow = readonly (string | null)[];

const GLOB = /^((?:[^*?[/]*\/)*)([^*?[/]*[*?[].*)$/s;
const SIGNS = /[*?[]/;
const WORD = /[\p{L}\p{N}]/u;
const FROM = " from its first folder with *, ? or [ on";
const GLOB_BYTES = constants.scope.MAX_GLOB_BYTES;
const LAST = "\u{10ffff}";
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
};

/** Returns true if the scope has conditions besides repositories. */
export function isNarrowed({ repos: _, ...rest }: Scope): boolean {
  const { ids, ...others } = rest;
  return ids !== null || Object.values(others).some((one) => one !== null && one.length > 0);
}

/** The part of a path before its first wildcard. */
export function pathPrefix(name: string): string {
  return name.split(SIGNS, 1)[0] ?? "";
}

export function isGlob(name: string): boolean {
  return SIGNS.test(name);
}

/** The normalized paths of a scope; none if one of them is the root. */
export function scopePaths(scope: Scope): string[] {
  const found = scope.paths.map(normalizePath);
  return found.every(Boolean) ? found : [];
}

export function normalizePath(path: string): string {
  return path.replace(/\/+$/, "");
}

/** The parameters ?2 to ?13 of `IN_SCOPE`; throws an HttpError for a glob that is too long. */
export function scopeParams(scope: Scope): Value[] {
  const names = scope.symbols.map(dotted);
  return [
    scope.repos && JSON.stringify(scope.repos),
    listed(scopePaths(scope).flatMap(rows)),
    listed(scope.notPaths.map(normalizePath).flatMap(rows)),
    scope.tests === "only" ? 1 : scope.tests === "no" ? 0 : null,
    listed(scope.languages),
    listed(scope.notLanguages),
    listed(scope.nodeTypes),
    listed(scope.notNodeTypes),
    [expression(names), scope.withWords].filter(Boolean).join(" AND ") || null,
    listed(names.map(nameRow)),
    scope.withoutWords,
    scope.ids && JSON.stringify(scope.ids),
  ];
}

/**
 * The first text after all that begin with the prefix, by UTF-8 bytes; null if there is none.
 *
 * UTF-8 bytes and code points have the same order.
 */
export function prefixEnd(text: string): string | null {
  const signs = [...text];
  while (signs.at(-1) === LAST) signs.pop();
  const last = signs.pop();
  if (last === undefined) return null;
  const code = last.codePointAt(0) ?? 0;
  return signs.join("") + String.fromCodePoint(code === 0xd7ff ? 0xe000 : code + 1);
}

/** Path ranges with a glob, as `IN_SCOPE` reads them; a pattern with wildcards may also be a literal name. */
function rows(name: string): PlaceRow[] {
  if (!name) return [["", null, null, null]];
  const found: PlaceRow[] = [
    [name, `${name}\x01`, null, null],
    [`${name}/`, prefixEnd(`${name}/`), null, null],
  ];
  const parts = GLOB.exec(name);
  if (!parts) return found;
  const [, before = "", glob = ""] = parts;
  checkLength(glob, `The path ${name}`, FROM);
  const begins = pathPrefix(name);
  return [...found, [begins, prefixEnd(begins), before, glob]];
}

function listed(values: readonly unknown[]): string | null {
  return values.length > 0 ? JSON.stringify(values) : null;
}

/** The FTS5 query for candidates of the symbols; null if a name has no word to search for. */
function expression(names: readonly string[]): string | null {
  const phrases: string[] = [];
  for (const name of names) {
    const [owner, member] = parted(name);
    const [before = "", ...glob] = name.split("*");
    if (!WORD.test(before)) return null;
    const isBegun = glob.length > 0 && WORD.test(before.slice(-1));
    phrases.push(`${quoted(before)}${isBegun ? " *" : ""}`);
    if (WORD.test(owner)) phrases.push(`${quoted(owner)} AND ${quoted(member)}`);
  }
  const any = phrases.map((one) => `(${one})`).join(" OR ");
  return phrases.length > 0 ? `(symbol : (${any}))` : null;
}

/** Quotes a text as an FTS5 phrase. */
function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** The comparisons of `IN_SCOPE` for a symbol: suffix, glob, owner and member. */
function nameRow(name: string): PlaceRow {
  if (name.includes("*")) {
    const glob = name.replaceAll("[", "[[]");
    checkLength(glob, `The symbol ${name}`, "");
    return [null, `*.${glob}`, null, null];
  }
  const [owner, member] = parted(name);
  return [`.${name}`, null, owner ? `.${owner}` : "", ` ${member}:`];
}

/** The owner of a name, empty without one, and its last part. */
function parted(name: string): [owner: string, last: string] {
  const at = name.lastIndexOf(".");
  return [name.slice(0, Math.max(at, 0)), name.slice(at + 1)];
}

function checkLength(glob: string, what: string, where: string): void {
  const count = encoder.encode(glob).length;
  if (count <= GLOB_BYTES) return;
  const wrong = `${what} has ${count} bytes${where}, and a glob may have ${GLOB_BYTES}.`;
  throw new HttpError(400, wrong, "Shorten it.");
}

const SYNTAX = /[\\^$.*+?(){}|/]/g;
const IS_TEST = new RegExp(constants.scope.TEST_PATH_GLOBS.map(searched).join("|"));

/** Returns true for the path of a test file or of a file in a test folder. */
export const isTest = memoize((path) => IS_TEST.test(`/${path}`));

/** The source of a regular expression for a glob; stars at its ends leave it unanchored. */
function searched(glob: string): string {
  const [first, last] = [glob.startsWith("*") ? "" : "^", glob.endsWith("*") ? "" : "$"];
  const parts = glob.replace(/^\*|\*$/g, "").split("*");
  const escaped = parts.map((part) => part.replace(SYNTAX, "\\$&"));
  return first + escaped.join("[^]*") + last;
}
