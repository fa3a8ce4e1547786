/** Resolves filters to a scope, and detects filters that conflict with each other. */

import { constants } from "../../build/worker_data.json";
import { HttpError } from "../http_error.ts";
import { normalizeParts } from "../posix_paths.ts";
import { casefold, compareText, split } from "../python_strings.ts";
import { unicodeForms } from "../text.ts";
import type { Database, Row, Statement } from "../store/database.ts";
import { ANY_TEST, EMPTY_SCOPE, endingWords, isGlob, normalizePath, type Scope, testsExcept } from "../store/scope.ts";
import {
  allPaths,
  type Column,
  distinctValues,
  existingValues,
  firstExistingPath,
} from "../store/statements.ts";
import { unknownNameError } from "../suggestions.ts";
import type { CountedValues } from "../corpus/index_status.ts";
import { eitherTexts, nearestFilter, type Query } from "./query.ts";
import { idsWithRelations, relationStatement } from "./relation_filters.ts";
import {
  nodeTypeNames,
  categoryScopes,
  intersect,
  languageAliases,
  resolveLanguages,
  NO_LANGUAGE,
  resolveNodeTypes,
  TESTS,
} from "./vocabulary.ts";

const { MAX_FEW_NODES, MIN_NODES_OF_OTHERS, MAX_ENDINGS_OF_QUERY } = constants.worker_limits;
const { MAX_UNKNOWN_FILTER_NOTES } = constants.filters;

const CHOICES: Record<string, readonly string[]> = constants.query.CHOICE_FILTERS;

type PathCandidates = readonly (readonly string[])[];

/** The filters of a query that must be looked up, in the order of `lookupStatements`. */
export interface FilterLookup {
  readonly query: Query;
  readonly repositoryScope: Scope;
  /** The paths that each path filter may mean. */
  readonly paths: PathCandidates;
  readonly notPaths: PathCandidates;
  /** What the last run counted; null if languages and node types must be looked up. */
  readonly counted: CountedValues | null;
}

/**
 * Collects the filters to look up in these repositories, null for all.
 *
 * Throws an HttpError, with similar names, for a language or a node type that is not among the counted ones.
 */
export function filterLookup(
  query: Query,
  repos: readonly string[] | null,
  counted: CountedValues | null = null,
): FilterLookup {
  const [paths, notPaths] = [query.paths.map(pathCandidates), query.notPaths.map(pathCandidates)];
  const [unknown] = counted ? uncountedValues(query, counted) : [];
  if (unknown) throw unknownValueError(unknown.kind, unknown.name, [...counted![unknown.kind.column].keys()]);
  return { query, repositoryScope: { ...EMPTY_SCOPE, repos }, paths, notPaths, counted };
}

/** The languages and node types of the filters that are not among the counted ones. */
export function uncountedValues(query: Query, counted: CountedValues): { kind: FilterKind; name: string }[] {
  const uncounted = (kind: FilterKind, names: readonly string[]) =>
    names
      .filter((name) => !kind.resolve(name).some((value) => counted[kind.column].has(value)))
      .map((name) => ({ kind, name }));
  return [...uncounted(LANGUAGE, query.languages), ...uncounted(NODE_TYPE, query.nodeTypes)];
}

/** Statements that check that each path, language and node type exists. */
export function lookupStatements(lookup: FilterLookup): Statement[] {
  const { query, repositoryScope, paths, notPaths } = lookup;
  return [
    ...[...paths, ...notPaths].map((candidates) => firstExistingPath(candidates, repositoryScope)),
    ...valuesToLookUp(lookup).map(({ kind, name }) => existingValues(kind.column, kind.resolve(name), repositoryScope)),
    ...query.relations.map((text) => relationStatement(text, repositoryScope)),
  ];
}

function valuesToLookUp({ query, counted }: FilterLookup): { kind: FilterKind; name: string }[] {
  if (counted) return [];
  const values = (kind: FilterKind, names: readonly string[]) => names.map((name) => ({ kind, name }));
  return [...values(LANGUAGE, query.languages), ...values(NODE_TYPE, query.nodeTypes)];
}

/** Of the rows of `lookupStatements`, those of the filters by relations. */
export function relationRows<Rows>({ query }: FilterLookup, answers: readonly Rows[]): Rows[] {
  return query.relations.length ? answers.slice(-query.relations.length) : [];
}

/** The likeliest scope, which is searched before the filters are resolved. */
export function likeliestScope(lookup: FilterLookup): Scope {
  const likeliest = (candidates: PathCandidates) => candidates.map((own) => (isFileName(own[0]!) ? own.at(-1)! : own[0]!));
  return buildScope(lookup, likeliest(lookup.paths), likeliest(lookup.notPaths));
}

/** Returns true for the name of a file without its folder, which is rarely in the root. */
function isFileName(path: string): boolean {
  return /^[^/*?[]+\.[^/*?[]+$/.test(path);
}

/**
 * Resolves filters to a scope, given the rows of `lookupStatements`.
 *
 * Throws an HttpError, with similar names, for a filter that names nothing in the index, and for
 * filters that contradict each other. Excluded values need not exist.
 */
export async function resolveScope(
  database: Database,
  lookup: FilterLookup,
  answers: readonly (readonly Row[])[],
): Promise<Scope> {
  const { query, repositoryScope } = lookup;
  const pathCount = lookup.paths.length + lookup.notPaths.length;
  const places = answers.slice(0, pathCount).map(([row]) => (row ? Number(row[0]) : -1));
  const exists = answers.slice(pathCount).map((rows) => rows.length > 0);
  const paths = lookup.paths.map((own, at) => own[Math.max(places[at]!, 0)]!);
  const missing = places.slice(0, paths.length).indexOf(-1);
  const notPaths = lookup.notPaths.map((own, at) => own[Math.max(places[paths.length + at]!, 0)]!);
  const typed = query.paths[missing];
  if (typed !== undefined && isOutside(typed)) throw outsideError(typed);
  if (typed !== undefined) throw await unknownPathError(database, typed, repositoryScope);
  for (const { kind, name } of valuesToLookUp(lookup)) {
    if (exists.shift()) continue;
    const [rows = []] = await database.run([distinctValues(kind.column, repositoryScope)]);
    throw unknownValueError(kind, name, rows.map(([one]) => String(one)));
  }
  const scope = buildScope(lookup, paths, notPaths);
  checkConflicts(query, scope);
  if (query.relations.length === 0) return scope;
  const ids = await idsWithRelations(database, query.relations, relationRows(lookup, answers), repositoryScope);
  return { ...scope, ids };
}

interface FilterKind {
  readonly column: Column;
  readonly label: string;
  /** The values of the column that a filter's text stands for. */
  resolve(name: string): readonly string[];
  aliases(indexed: readonly string[]): readonly string[];
}

const LANGUAGE: FilterKind = {
  column: "language",
  label: "language",
  resolve: resolveLanguages,
  aliases: (indexed) => indexed.flatMap(languageAliases),
};
const NODE_TYPE: FilterKind = {
  column: "node_type",
  label: "node type",
  resolve: resolveNodeTypes,
  aliases: nodeTypeNames,
};

function unknownValueError(kind: FilterKind, name: string, indexed: readonly string[]): HttpError {
  return unknownNameError(kind.label, name, indexed, kind.aliases(indexed));
}

async function unknownPathError(database: Database, typed: string, repositoryScope: Scope) {
  const [rows = []] = await database.run([allPaths(repositoryScope)]);
  const paths = rows.map(([path]) => String(path));
  const topLevel = [...new Set(paths.map((path) => path.split("/", 1)[0]!))].sort(compareText);
  return unknownNameError("file or folder", typed, topLevel, [...paths, ...parentFolders(paths)]);
}

/** Returns true if few nodes have a language, or a node type, of the filters. */
function hasFewNodes({ counted }: FilterLookup, { languages, nodeTypes }: Scope): boolean {
  if (!counted) return false;
  const count = (kind: FilterKind, values: readonly string[]) =>
    values.length === 0 ? Infinity : values.reduce((sum, value) => sum + (counted[kind.column].get(value) ?? 0), 0);
  return Math.min(count(LANGUAGE, languages), count(NODE_TYPE, nodeTypes)) <= MAX_FEW_NODES;
}

/**
 * The scope with words that the paths of its nodes have or lack, as the last run counted them: FTS5 then leaves out most
 * other nodes, each of which D1 would bill.
 */
export function withPathWords(scope: Scope, counted: CountedValues | null): Scope {
  return { ...withLanguageWords(scope, counted), testWords: counted && testWords(scope, counted) };
}

function testWords({ tests }: Scope, { likeTests }: CountedValues): string | null {
  if (tests === "only") return likeTests === undefined ? null : ANY_TEST;
  return tests === "no" && likeTests ? testsExcept(likeTests) : null;
}

/**
 * The scope with the words that the paths of its languages end with.
 *
 * Not for languages of many nodes, where it saves little and FTS5 takes longer.
 */
function withLanguageWords(scope: Scope, counted: CountedValues | null): Scope {
  const present = counted && languagesOf(scope, counted);
  if (!present) return { ...scope, languageWords: null };
  const [own, all] = [present, [...counted.language.keys()]].map((names) => {
    return names.reduce((sum, name) => sum + counted.language.get(name)!, 0);
  });
  const lists = present.map((name) => counted.endings.get(name));
  const endings = lists.every((list) => list !== undefined) ? unique(lists.flat()) : [];
  const isUseful = own! * MIN_NODES_OF_OTHERS <= all! && endings.length <= MAX_ENDINGS_OF_QUERY;
  return { ...scope, languageWords: isUseful ? endingWords(endings) : null };
}

/** The languages of the nodes that the scope's languages and node types leave; null if they are unknown, or if neither is given. */
function languagesOf({ languages, nodeTypes }: Scope, counted: CountedValues): readonly string[] | null {
  const ofTypes = nodeTypes.length > 0 ? counted.languagesOf(nodeTypes) : null;
  if (languages.length === 0) return ofTypes?.every((name) => name !== null) ? ofTypes : null;
  return languages.filter((name) => counted.language.has(name) && (ofTypes?.includes(name) ?? true));
}

function buildScope(lookup: FilterLookup, paths: string[], notPaths: string[]): Scope {
  const { query, repositoryScope } = lookup;
  const scope: Scope = {
    ...repositoryScope,
    paths: unique(paths),
    notPaths: unique(notPaths),
    languages: unique(query.languages.flatMap(resolveLanguages)),
    notLanguages: unique(query.notLanguages.flatMap(resolveLanguages)),
    nodeTypes: unique(query.nodeTypes.flatMap(resolveNodeTypes)),
    notNodeTypes: unique(query.notNodeTypes.flatMap(resolveNodeTypes)),
    symbols: query.symbols,
    tests: query.tests,
  };
  const all = categoryScopes(query).reduce(intersect, scope);
  return { ...all, hasFewNodes: hasFewNodes(lookup, all) };
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}

/**
 * The paths that a typed one may mean, the likeliest first; it is typed as the index stores it or as hits show it.
 *
 * Paths are relative to the root, since a Worker has no current folder.
 */
export function pathCandidates(typed: string): string[] {
  const spellings = indexedSpellings(typed);
  const anywhere = spellings.filter(isUnanchored).map((path) => `*/${normalizeParts(path)}`);
  return unique([...spellings.map(pathFromRoot), ...anywhere]);
}

/** Returns true for a path that leaves the repository. */
export function isOutside(typed: string): boolean {
  return !typed.startsWith("/") && normalizeParts(typed).split("/", 1)[0] === "..";
}

export function outsideError(path: string): HttpError {
  const remedy = "Name a path inside it, or run feeder in the repository that contains this path.";
  return new HttpError(400, `${path} is outside the repository.`, remedy);
}

function pathFromRoot(path: string): string {
  const normalized = normalizeParts(path);
  if (path.startsWith("/")) return normalized.replace(/^\/+/, "");
  return !isUnanchored(path) && normalized === "." ? "" : normalized;
}

/** Returns true for a path that does not begin with `/`, `./` or `../`. */
function isUnanchored(path: string): boolean {
  return !["", ".", ".."].includes(path.split("/", 1)[0]!);
}

/** The spellings of a path in the index, which writes a backslash as `\x5c`; with composed and with decomposed letters. */
function indexedSpellings(typed: string): string[] {
  return unique(unicodeForms(typed).flatMap((form) => [form.replaceAll("\\", "\\x5c"), form.replace(/\\(?!x(?:5c|[89a-f][0-9a-f]))/g, "\\x5c")]));
}

/** All folders of the files, sorted. */
function parentFolders(paths: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
      folders.add(path.slice(0, at));
    }
  }
  return [...folders].sort(compareText);
}

const FILTER_PREFIXES = {
  categories: "category:",
  notCategories: "-category:",
  languages: "lang:",
  notLanguages: "-lang:",
  paths: "path:",
  notPaths: "-path:",
  nodeTypes: "type:",
  notNodeTypes: "-type:",
} as const;

type Field = keyof typeof FILTER_PREFIXES;

const CATEGORY_FIELDS: readonly Field[] = ["categories", "notCategories"];

/** Throws an HttpError for filters that contradict each other. */
export function checkConflicts(query: Query, scope: Scope): void {
  if (query.without.length > 0 && query.regex === null) {
    const excluded = new Set(query.without.map(casefold));
    const texts = [...split(query.words), ...query.phrases, ...query.prefixes, ...eitherTexts(query)];
    if (texts.length > 0 && texts.every((text) => excluded.has(casefold(text)))) {
      throw conflictError([...texts, ...query.without.map((word) => `-${word}`)]);
    }
  }
  const tests = testsValues(query);
  if (tests.has("no") && tests.has("only")) {
    const tests = query.tests ? [`tests:${query.tests}`] : [];
    throw conflictError([...tests, ...asTyped(query, CATEGORY_FIELDS)]);
  }
  const hasNoLanguage = scope.languages.length === 1 && scope.languages[0] === NO_LANGUAGE;
  const empty: [boolean, readonly Field[]][] = [
    [
      hasNoLanguage || isAllExcluded(scope.languages, scope.notLanguages),
      ["languages", "notLanguages", ...CATEGORY_FIELDS],
    ],
    [isAllExcluded(scope.paths, excludedPaths(scope)), ["paths", "notPaths", ...CATEGORY_FIELDS]],
    [isAllExcluded(scope.nodeTypes, scope.notNodeTypes), ["nodeTypes", "notNodeTypes"]],
  ];
  for (const [isEmpty, fields] of empty) if (isEmpty) throw conflictError(asTyped(query, fields));
}

/** A note for each filter that a later one, or the parameter `tests`, overrides. */
export function overriddenFilters(query: Query, tests: string | null): string[] {
  const effective = new Map([
    ["tests", `tests:${query.tests}`],
    ["case", `case:${query.case ? "yes" : "no"}`],
  ]);
  const replaced = [...query.overruled];
  if (tests && query.tests !== null && query.tests !== tests) {
    replaced.push(`tests:${query.tests}`);
    effective.set("tests", `tests:${tests} from outside the query`);
  }
  return replaced.map((typed) => `${typed} is ignored: ${effective.get(typed.split(":")[0]!)} replaces it.`);
}

/** Notes on words that were probably meant as filters, with the filters that there are. */
export function unknownFilterNotes(query: Query): string[] {
  const notes = query.unknownFilters.slice(0, MAX_UNKNOWN_FILTER_NOTES).map((typed) => {
    const end = typed.indexOf(":") + 1;
    return `'${typed}' was searched for as text. ${filterRemedy(typed.slice(0, end), typed.slice(end))}`;
  });
  const more = query.unknownFilters.length - MAX_UNKNOWN_FILTER_NOTES;
  if (more <= 0) return notes;
  return [...notes, `Also searched for as text: ${more.toLocaleString("en")} more that look like filters.`];
}

function filterRemedy(head: string, value: string): string {
  const choices = CHOICES[head]?.map((choice) => `${head}${choice}`);
  if (choices) return `To filter, write one of ${choices.join(", ")}.`;
  const near = nearestFilter(head, value);
  if (near) return `There is no filter '${head}'. Did you mean ${near}${value}?`;
  const excluding = Object.keys(constants.query.FILTER_FIELDS).filter((one) => one.startsWith("-") && one !== "-");
  return `There is no filter '${head}'. Filters that exclude: ${excluding.join(", ")}.`;
}

function testsValues(query: Query): Set<string> {
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

function isAllExcluded(included: readonly string[], excluded: readonly string[]): boolean {
  return included.length > 0 && included.every((value) => excluded.includes(value));
}

function asTyped(query: Query, fields: readonly Field[]): string[] {
  return fields.flatMap((field) => query[field].map((value) => `${FILTER_PREFIXES[field]}${value}`));
}

function conflictError(conflicting: readonly string[]): HttpError {
  const problem = `${conflicting.join(" and ")} contradict each other: nothing is left to search.`;
  return new HttpError(400, problem, "Remove one of them.");
}
