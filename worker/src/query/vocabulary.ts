/** Names and aliases of languages, node types and categories, and the scope of a category. */

import aliases from "../../../src/feeder/aliases.json";
import { constants } from "../../build/worker_data.json";
import { HttpError } from "../http_error.ts";
import type { Scope } from "../store/scope.ts";
import { unknownNameError } from "../suggestions.ts";
import type { Query } from "./query.ts";

type Names = Readonly<Record<string, readonly string[]>>;

const LANGUAGES: Names = aliases.languages;
const NODE_TYPES: Names = aliases.node_types;
/** The languages of each category that is defined by languages; the remaining ones are code. */
export const CATEGORY_LANGUAGES: Names = aliases.categories;
export const { CODE, TESTS } = constants.vocabulary;

/** The languages with this name or alias, in any case; the name itself if there are none. */
export function resolveLanguages(name: string): string[] {
  return resolveAlias(name.toLowerCase(), LANGUAGES);
}

/** The aliases of a language. */
export function languageAliases(language: string): readonly string[] {
  return LANGUAGES[language] ?? [];
}

/** The node types with this name or alias. */
export function resolveNodeTypes(name: string): string[] {
  return resolveAlias(name.toLowerCase(), NODE_TYPES);
}

/** All names of node types. */
export function nodeTypeNames(): string[] {
  return [...constants.nodes.NODE_TYPES, ...Object.values(NODE_TYPES).flat()];
}

function resolveAlias(name: string, names: Names): string[] {
  const others = Object.keys(names).filter((key) => key !== name && names[key]?.includes(name));
  return Object.hasOwn(names, name) || others.length === 0 ? [name, ...others] : others;
}

/** A language that no node has: a scope with it is empty. */
export const NO_LANGUAGE = "";

type Change = Partial<Scope>;

/** The changes to the scope for the query's categories; throws an HttpError for an unknown one. */
export function categoryScopes(query: Query): Change[] {
  checkCategories(query);
  const included = query.categories.length > 0 ? [includedScope(query.categories)] : [];
  return [...included, ...query.notCategories.map(excludedScope)];
}

/** The intersection of two scopes. */
export function intersect(scope: Scope, change: Change): Scope {
  const narrower = change.languages ?? [];
  let languages = narrower.length > 0 ? narrower : scope.languages;
  if (scope.languages.length > 0 && narrower.length > 0) {
    const both = scope.languages.filter((name) => narrower.includes(name));
    languages = both.length > 0 ? both : [NO_LANGUAGE];
  }
  const notLanguages = [...scope.notLanguages, ...(change.notLanguages ?? [])];
  return { ...scope, languages, notLanguages, tests: change.tests ?? scope.tests };
}

function checkCategories(query: Query): void {
  const names = [...new Set([...Object.keys(CATEGORY_LANGUAGES), CODE, TESTS])];
  for (const name of [...query.categories, ...query.notCategories]) {
    if (!names.includes(name)) throw unknownNameError("category or tag", name, names);
  }
  const kinds = new Set(query.categories.map((name) => name === TESTS));
  if (kinds.size > 1) {
    const categories = query.categories.join(" and ");
    throw new HttpError(
      400,
      `The categories ${categories} cannot be combined: they are not all defined by languages, or all by paths.`,
      "Use one of them.",
    );
  }
}

function includedScope(names: readonly string[]): Change {
  if (names[0] === TESTS) return { tests: "only" };
  if (!names.includes(CODE)) return { languages: unique(names.map(languagesOf)) };
  const others = Object.keys(CATEGORY_LANGUAGES).filter((name) => !names.includes(name));
  return { notLanguages: unique(others.map(languagesOf)) };
}

function excludedScope(name: string): Change {
  if (name === TESTS) return { tests: "no" };
  if (name === CODE) return { languages: unique(Object.values(CATEGORY_LANGUAGES)) };
  return { notLanguages: languagesOf(name) };
}

function languagesOf(name: string): readonly string[] {
  return CATEGORY_LANGUAGES[name] ?? [];
}

function unique(values: readonly (readonly string[])[]): string[] {
  return [...new Set(values.flat())];
}
