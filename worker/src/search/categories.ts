/** What do categories narrow a scope to? Languages or tests; a repository's own are not known here. */

import { unknownNameError } from "../suggestions.ts";
import { badRequest } from "../http_error.ts";
import type { Scope } from "../store/scope.ts";
import type { Query } from "./query.ts";
import { CATEGORY_LANGUAGES, CODE, TESTS } from "./vocabulary.ts";

/** What no node is in. */
export const NO_LANGUAGE = "";

type Change = Partial<Scope>;

/** What the question's categories ask for and leave out; refuses one that is none. */
export function categoryChanges(query: Query): Change[] {
  check(query);
  const asked = query.categories.length > 0 ? [wanted(query.categories)] : [];
  return [...asked, ...query.notCategories.map(leftOut)];
}

/** What lies in both. */
export function intersectScope(scope: Scope, change: Change): Scope {
  const asked = change.languages ?? [];
  let languages = asked.length > 0 ? asked : scope.languages;
  if (scope.languages.length > 0 && asked.length > 0) {
    const both = scope.languages.filter((name) => asked.includes(name));
    languages = both.length > 0 ? both : [NO_LANGUAGE];
  }
  const notLanguages = [...scope.notLanguages, ...(change.notLanguages ?? [])];
  return { ...scope, languages, notLanguages, tests: change.tests ?? scope.tests };
}

function check(query: Query): void {
  const known = [...new Set([...Object.keys(CATEGORY_LANGUAGES), CODE, TESTS])];
  for (const name of [...query.categories, ...query.notCategories]) {
    if (!known.includes(name)) throw unknownNameError("category", name, known);
  }
  const kinds = new Set(query.categories.map((name) => name === TESTS));
  if (kinds.size > 1) {
    throw badRequest(
      `The categories ${query.categories.join(" and ")} are not all of languages or all of ` +
        "paths. Ask for one of them.",
    );
  }
}

function wanted(names: readonly string[]): Change {
  if (names[0] === TESTS) return { tests: "only" };
  if (!names.includes(CODE)) return { languages: all(names.map(languagesOf)) };
  const others = Object.keys(CATEGORY_LANGUAGES).filter((name) => !names.includes(name));
  return { notLanguages: all(others.map(languagesOf)) };
}

function leftOut(name: string): Change {
  if (name === TESTS) return { tests: "no" };
  if (name === CODE) return { languages: all(Object.values(CATEGORY_LANGUAGES)) };
  return { notLanguages: languagesOf(name) };
}

function languagesOf(name: string): readonly string[] {
  return CATEGORY_LANGUAGES[name] ?? [];
}

function all(values: readonly (readonly string[])[]): string[] {
  return [...new Set(values.flat())];
}
