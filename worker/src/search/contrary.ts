/** Which of a question's filters contradict each other? It is said: none of them wins in silence. */

import { badRequest, type HttpError } from "../http_error.ts";
import { isGlob, normalizePath, type Scope } from "../store/scope.ts";
import { NO_LANGUAGE } from "./categories.ts";
import type { Query } from "./query.ts";
import { TESTS } from "./vocabulary.ts";

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

/** Refuses filters, which make the scope, that leave nothing of any index. */
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
  return signs.map((sign) => `${sign} does not count beside ${counting.get(sign.split(":")[0]!)}.`);
}

function testsOf(query: Query): Set<string> {
  const said = new Set([query.tests ?? ""]);
  if (query.categories.includes(TESTS)) said.add("only");
  if (query.notCategories.includes(TESTS)) said.add("no");
  return said;
}

/** Its paths that lie in what is left out, as far as their names tell. */
function leftOut(scope: Scope): string[] {
  const folders = scope.notPaths.map(normalizePath).filter((name) => !isGlob(name));
  return scope.paths.filter(
    (path) => scope.notPaths.includes(path) || folders.some((folder) => isBelow(path, folder)),
  );
}

/** Whether the path is the folder or in it; everything is in the empty one. */
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
  return badRequest(`${signs.join(" and ")} leave nothing to search. Leave one of them out.`);
}
