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
const GUESSES = 2;

/** The possible scopes, the likeliest first; only that one if there are too many. */
export function candidateScopes(asked: FilterLookup): Scope[] {
  const readings = [...asked.paths, ...asked.notPaths];
  const ways = readings.reduce((product, some) => product * some.length, 1);
  const tried = ways > GUESSES ? readings.map((some) => some.slice(0, 1)) : readings;
  const some = tried.reduce<string[][]>(
    (found, places) => found.flatMap((one) => places.map((place) => [...one, place])),
    [[]],
  );
  const count = asked.paths.length;
  return some.map((one) => scoped(asked, one.slice(0, count), one.slice(count)));
}

/**
 * Where the question looks, as `statements` were answered; refuses, with the nearest that is, a
 * filter that names nothing in the index, and filters that leave nothing of it.
 *
 * What is left out need not be there.
 */
export async function resolveScope(
  database: Database,
  asked: FilterLookup,
  answers: readonly (readonly Row[])[],
): Promise<Scope> {
  const { query, there } = asked;
  const rest = answers.map((rows) => rows.length > 0);
  const [paths, lost] = chosen(asked.paths, rest);
  const [notPaths] = chosen(asked.notPaths, rest);
  const typed = query.paths[lost];
  if (typed !== undefined) throw await noPath(database, typed, there);
  for (const name of query.languages) if (!rest.shift()) throw await noKind(database, LANGUAGE, name, there);
  for (const name of query.nodeTypes) if (!rest.shift()) throw await noKind(database, TYPE, name, there);
  const scope = scoped(asked, paths, notPaths);
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
const TYPE: Kind = { column: "node_type", called: "type of node", others: allNodeTypeNames };

async function noKind(database: Database, kind: Kind, name: string, there: Scope) {
  const [rows = []] = await database.run([distinctValues(kind.column, there)]);
  const known = rows.map(([one]) => String(one));
  return unknownNameError(kind.called, name, known, kind.others(known));
}

async function noPath(database: Database, typed: string, there: Scope) {
  const [rows = []] = await database.run([allPaths(there)]);
  const known = rows.map(([path]) => String(path));
  const firsts = [...new Set(known.map((path) => path.split("/", 1)[0]!))].sort(compareText);
  return unknownNameError("file or folder", typed, firsts, [...known, ...folders(known)]);
}

/**
 * The first existing reading of each path, else the likeliest; and the index of the first path
 * without one, else -1.
 */
function chosen(readings: Readings, answers: boolean[]): [string[], number] {
  let lost = -1;
  const found = readings.map((some, at) => {
    const there = some.filter(() => answers.shift());
    if (there.length === 0 && lost < 0) lost = at;
    return there[0] ?? some[0]!;
  });
  return [found, lost];
}

function scoped({ query, there }: FilterLookup, paths: string[], notPaths: string[]): Scope {
  const scope: Scope = {
    ...there,
    paths: once(paths),
    notPaths: once(notPaths),
    languages: once(query.languages.flatMap(languagesNamed)),
    notLanguages: once(query.notLanguages.flatMap(languagesNamed)),
    nodeTypes: once(query.nodeTypes.flatMap(nodeTypesNamed)),
    notNodeTypes: once(query.notNodeTypes.flatMap(nodeTypesNamed)),
    symbols: query.symbols,
    tests: query.tests,
  };
  return categoryChanges(query).reduce(intersectScope, scope);
}

function once(values: readonly string[]): string[] {
  return [...new Set(values)];
}

/**
 * The places that a path may mean, the likeliest first; it is read as it lies there, or as an answer
 * shows it. Nobody stands in a folder here.
 */
export function pathReadings(typed: string): string[] {
  const known = spellings(typed);
  const anywhere = known.filter(isBare).map((path) => `*/${normal(path)}`);
  return once([...known.map(placeOf), ...anywhere]);
}

function placeOf(path: string): string {
  const inside = normal(path);
  if (path.startsWith("/")) return inside.replace(/^\/+/, "");
  return !isBare(path) && inside === "." ? "" : inside;
}

/** Returns true for a path that does not begin with `/`, `./` or `../`. */
function isBare(path: string): boolean {
  return !["", ".", ".."].includes(path.split("/", 1)[0]!);
}

/** The spellings of a path in the index, which writes a backslash as `\x5c`. */
function spellings(typed: string): string[] {
  const lies = typed.replaceAll("\\", "\\x5c");
  const shown = typed.replace(/\\(?!x(?:5c|[89a-f][0-9a-f]))/g, "\\x5c");
  return once([lies, shown]);
}

/** Mirrors `posixpath.normpath`. */
function normal(path: string): string {
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
  const found = new Set<string>();
  for (const path of paths) {
    for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
      found.add(path.slice(0, at));
    }
  }
  return [...found].sort(compareText);
}

/**
 * Resolves a repository by its full name, else by its last part; throws an HttpError if none or
 * several match.
 */
export function resolveRepo(name: string, there: readonly string[]): string {
  const ends = there.filter((repo) => repo.endsWith(`/${name}`));
  const found = there.includes(name) ? [name] : ends;
  if (found.length > 1) {
    throw badRequest(`The name ${name} matches several repositories: ${found.join(", ")}. Use a full name.`);
  }
  if (!found[0]) throw unknownNameError("repository", name, there);
  return found[0];
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
    const said = query.tests ? [`tests:${query.tests}`] : [];
    throw nothingLeft([...said, ...typed(query, CATEGORIES)]);
  }
  const isOfNone = scope.languages.length === 1 && scope.languages[0] === NO_LANGUAGE;
  const empty: [boolean, readonly Field[]][] = [
    [
      isOfNone || noneLeft(scope.languages, scope.notLanguages),
      ["languages", "notLanguages", ...CATEGORIES],
    ],
    [noneLeft(scope.paths, leftOut(scope)), ["paths", "notPaths", ...CATEGORIES]],
    [noneLeft(scope.nodeTypes, scope.notNodeTypes), ["nodeTypes", "notNodeTypes"]],
  ];
  for (const [isEmpty, fields] of empty) if (isEmpty) throw nothingLeft(typed(query, fields));
}

/**
 * A sentence for each sign that does not count, as another one is said after or beside it.
 *
 * `tests` is what is said of them beside the question.
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
  const said = new Set([query.tests ?? ""]);
  if (query.categories.includes(TESTS)) said.add("only");
  if (query.notCategories.includes(TESTS)) said.add("no");
  return said;
}

/** The paths that lie in excluded folders. */
function leftOut(scope: Scope): string[] {
  const folders = scope.notPaths.map(normalizePath).filter((name) => !isGlob(name));
  return scope.paths.filter(
    (path) => scope.notPaths.includes(path) || folders.some((folder) => isBelow(path, folder)),
  );
}

/** Returns true if the path is the folder or lies in it; the empty folder contains everything. */
function isBelow(path: string, folder: string): boolean {
  return !folder || path === folder || path.startsWith(`${folder}/`);
}

function noneLeft(asked: readonly string[], left: readonly string[]): boolean {
  return asked.length > 0 && asked.every((one) => left.includes(one));
}

function typed(query: Query, fields: readonly Field[]): string[] {
  return fields.flatMap((field) => query[field].map((value) => `${SIGNS[field]}${value}`));
}

function nothingLeft(signs: readonly string[]): HttpError {
  return badRequest(`${signs.join(" and ")} exclude each other: nothing is left to search. Remove one of them.`);
}
