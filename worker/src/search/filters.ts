/** Resolves filters to a scope, and detects filters that conflict with each other. */

import { badRequest, type HttpError } from "../http_error.ts";
import { compareText } from "../python_strings.ts";
import type { Database, Row, Statement } from "../store/database.ts";
import { EMPTY_SCOPE, isGlob, normalizePath, type Scope } from "../store/scope.ts";
import {
  allPaths,
  anyFile,
  type Column,
  distinctValues,
  existingValues,
} from "../store/statements.ts";
import { unknownNameError } from "../suggestions.ts";
import type { Query } from "./query.ts";
import {
  allNodeTypeNames,
  categoryChanges,
  intersectScope,
  languageAliases,
  languagesNamed,
  NO_LANGUAGE,
  nodeTypesNamed,
  TESTS,
} from "./vocabulary.ts";

type Readings = readonly (readonly string[])[];

/** The filters of a query that must be looked up, in the order of `lookupStatements`. */
export interface FilterLookup {
  readonly query: Query;
  readonly there: Scope;
  /** The possible readings of each path filter. */
  readonly paths: Readings;
  readonly notPaths: Readings;
}

/** Collects the filters to look up in these repositories, null for all. */
export function filterLookup(query: Query, repos: readonly string[] | null): FilterLookup {
  const [paths, notPaths] = [query.paths.map(pathReadings), query.notPaths.map(pathReadings)];
  return { query, there: { ...EMPTY_SCOPE, repos }, paths, notPaths };
}

/** Statements that check that each path, language and node type exists. */
export function lookupStatements({ query, there, paths, notPaths }: FilterLookup): Statement[] {
  return [
    ...[...paths, ...notPaths].flat().map((path) => anyFile({ ...there, paths: [path] })),
    ...query.languages.map((name) => existingValues("language", languagesNamed(name), there)),
    ...query.nodeTypes.map((name) => existingValues("node_type", nodeTypesNamed(name), there)),
  ];
}

/** The maximum number of scopes that are searched before the filters are resolved. */
const MAX_GUESSES = 2;

/** The possible scopes, the likeliest first; only that one if there are too many. */
export function candidateScopes(lookup: FilterLookup): Scope[] {
  const readings = [...lookup.paths, ...lookup.notPaths];
  const combinations = readings.reduce((product, paths) => product * paths.length, 1);
  const tried = combinations > MAX_GUESSES ? readings.map((paths) => paths.slice(0, 1)) : readings;
  const guesses = tried.reduce<string[][]>(
    (partial, paths) => partial.flatMap((one) => paths.map((path) => [...one, path])),
    [[]],
  );
  const count = lookup.paths.length;
  return guesses.map((one) => buildScope(lookup, one.slice(0, count), one.slice(count)));
}

/**
 * Resolves filters to a scope, given the rows of `lookupStatements`.
 *
 * Throws an HttpError, with similar names, for a filter that names nothing in the index, and for
 * filters that exclude each other. Excluded values need not exist.
 */
export async function resolveScope(
  database: Database,
  lookup: FilterLookup,
  answers: readonly (readonly Row[])[],
): Promise<Scope> {
  const { query, there } = lookup;
  const rest = answers.map((rows) => rows.length > 0);
  const [paths, missing] = chooseReadings(lookup.paths, rest);
  const [notPaths] = chooseReadings(lookup.notPaths, rest);
  const typed = query.paths[missing];
  if (typed !== undefined) throw await unknownPathError(database, typed, there);
  for (const name of query.languages) if (!rest.shift()) throw await unknownValueError(database, LANGUAGE, name, there);
  for (const name of query.nodeTypes) if (!rest.shift()) throw await unknownValueError(database, TYPE, name, there);
  const scope = buildScope(lookup, paths, notPaths);
  checkConflicts(query, scope);
  return scope;
}

interface Kind {
  readonly column: Column;
  readonly called: string;
  others(known: readonly string[]): readonly string[];
}

const LANGUAGE: Kind = {
  column: "language",
  called: "language",
  others: (known) => known.flatMap(languageAliases),
};
const TYPE: Kind = { column: "node_type", called: "node type", others: allNodeTypeNames };

async function unknownValueError(database: Database, kind: Kind, name: string, there: Scope) {
  const [rows = []] = await database.run([distinctValues(kind.column, there)]);
  const known = rows.map(([one]) => String(one));
  return unknownNameError(kind.called, name, known, kind.others(known));
}

async function unknownPathError(database: Database, typed: string, there: Scope) {
  const [rows = []] = await database.run([allPaths(there)]);
  const known = rows.map(([path]) => String(path));
  const firsts = [...new Set(known.map((path) => path.split("/", 1)[0]!))].sort(compareText);
  return unknownNameError("file or folder", typed, firsts, [...known, ...folders(known)]);
}

/**
 * The first existing reading of each path, else the likeliest; and the index of the first path
 * without one, else -1.
 */
function chooseReadings(readings: Readings, answers: boolean[]): [string[], number] {
  let missing = -1;
  const paths = readings.map((possible, at) => {
    const existing = possible.filter(() => answers.shift());
    if (existing.length === 0 && missing < 0) missing = at;
    return existing[0] ?? possible[0]!;
  });
  return [paths, missing];
}

function buildScope({ query, there }: FilterLookup, paths: string[], notPaths: string[]): Scope {
  const scope: Scope = {
    ...there,
    paths: distinct(paths),
    notPaths: distinct(notPaths),
    languages: distinct(query.languages.flatMap(languagesNamed)),
    notLanguages: distinct(query.notLanguages.flatMap(languagesNamed)),
    nodeTypes: distinct(query.nodeTypes.flatMap(nodeTypesNamed)),
    notNodeTypes: distinct(query.notNodeTypes.flatMap(nodeTypesNamed)),
    symbols: query.symbols,
    tests: query.tests,
  };
  return categoryChanges(query).reduce(intersectScope, scope);
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}

/**
 * The possible readings of a path, the likeliest first: as the index stores it, or as hits show it.
 *
 * Paths are relative to the root, since a Worker has no current folder.
 */
export function pathReadings(typed: string): string[] {
  const spelled = spellings(typed);
  const anywhere = spelled.filter(isBare).map((path) => `*/${normalizeParts(path)}`);
  return distinct([...spelled.map(placeOf), ...anywhere]);
}

function placeOf(path: string): string {
  const inside = normalizeParts(path);
  if (path.startsWith("/")) return inside.replace(/^\/+/, "");
  return !isBare(path) && inside === "." ? "" : inside;
}

/** Returns true for a path that does not begin with `/`, `./` or `../`. */
function isBare(path: string): boolean {
  return !["", ".", ".."].includes(path.split("/", 1)[0]!);
}

/** The spellings of a path in the index, which writes a backslash as `\x5c`. */
function spellings(typed: string): string[] {
  const stored = typed.replaceAll("\\", "\\x5c");
  const shown = typed.replace(/\\(?!x(?:5c|[89a-f][0-9a-f]))/g, "\\x5c");
  return distinct([stored, shown]);
}

/** Mirrors `posixpath.normpath`. */
function normalizeParts(path: string): string {
  if (!path) return ".";
  const slashes = /^\/{2}(?!\/)/.test(path) ? "//" : path.startsWith("/") ? "/" : "";
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (!part || part === ".") continue;
    const isUp = part === ".." && (parts.length > 0 ? parts.at(-1) !== ".." : Boolean(slashes));
    if (!isUp) parts.push(part);
    else parts.pop();
  }
  return slashes + parts.join("/") || ".";
}

/** All folders of the files, sorted. */
function folders(paths: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
      folders.add(path.slice(0, at));
    }
  }
  return [...folders].sort(compareText);
}

/**
 * Resolves a repository by its full name, else by its last part; throws an HttpError if none or
 * several match.
 */
export function resolveRepo(name: string, there: readonly string[]): string {
  const ends = there.filter((repo) => repo.endsWith(`/${name}`));
  const matches = there.includes(name) ? [name] : ends;
  if (matches.length > 1) {
    throw badRequest(`The name ${name} matches several repositories: ${matches.join(", ")}. Use a full name.`);
  }
  if (!matches[0]) throw unknownNameError("repository", name, there);
  return matches[0];
}

const SIGNS = {
  categories: "category:",
  notCategories: "-category:",
  languages: "lang:",
  notLanguages: "-lang:",
  paths: "path:",
  notPaths: "-path:",
  nodeTypes: "type:",
  notNodeTypes: "-type:",
} as const;

type Field = keyof typeof SIGNS;

const CATEGORIES: readonly Field[] = ["categories", "notCategories"];

/** Throws an HttpError for filters that exclude each other. */
export function checkConflicts(query: Query, scope: Scope): void {
  const tests = testsOf(query);
  if (tests.has("no") && tests.has("only")) {
    const tests = query.tests ? [`tests:${query.tests}`] : [];
    throw conflictError([...tests, ...typed(query, CATEGORIES)]);
  }
  const isOfNone = scope.languages.length === 1 && scope.languages[0] === NO_LANGUAGE;
  const empty: [boolean, readonly Field[]][] = [
    [
      isOfNone || noneLeft(scope.languages, scope.notLanguages),
      ["languages", "notLanguages", ...CATEGORIES],
    ],
    [noneLeft(scope.paths, excludedPaths(scope)), ["paths", "notPaths", ...CATEGORIES]],
    [noneLeft(scope.nodeTypes, scope.notNodeTypes), ["nodeTypes", "notNodeTypes"]],
  ];
  for (const [isEmpty, fields] of empty) if (isEmpty) throw conflictError(typed(query, fields));
}

/**
 * A note for each filter that a later one, or the parameter `tests`, overrides.
 */
export function overriddenFilters(query: Query, tests: string | null): string[] {
  const counting = new Map([
    ["tests", `tests:${query.tests}`],
    ["case", `case:${query.case ? "yes" : "no"}`],
  ]);
  const signs = [...query.overruled];
  if (tests && query.tests !== null && query.tests !== tests) {
    signs.push(`tests:${query.tests}`);
    counting.set("tests", `--tests ${tests}`);
  }
  return signs.map((sign) => `${sign} is ignored: ${counting.get(sign.split(":")[0]!)} replaces it.`);
}

function testsOf(query: Query): Set<string> {
  const values = new Set([query.tests ?? ""]);
  if (query.categories.includes(TESTS)) values.add("only");
  if (query.notCategories.includes(TESTS)) values.add("no");
  return values;
}

/** The paths that lie in excluded folders. */
function excludedPaths(scope: Scope): string[] {
  const folders = scope.notPaths.map(normalizePath).filter((name) => !isGlob(name));
  return scope.paths.filter(
    (path) => scope.notPaths.includes(path) || folders.some((folder) => isBelow(path, folder)),
  );
}

/** Returns true if the path is the folder or lies in it; the empty folder contains everything. */
function isBelow(path: string, folder: string): boolean {
  return !folder || path === folder || path.startsWith(`${folder}/`);
}

function noneLeft(included: readonly string[], excluded: readonly string[]): boolean {
  return included.length > 0 && included.every((value) => excluded.includes(value));
}

function typed(query: Query, fields: readonly Field[]): string[] {
  return fields.flatMap((field) => query[field].map((value) => `${SIGNS[field]}${value}`));
}

function conflictError(signs: readonly string[]): HttpError {
  return badRequest(`${signs.join(" and ")} exclude each other: nothing is left to search. Remove one of them.`);
}
