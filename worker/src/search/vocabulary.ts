/** What are languages, types of nodes and categories called? The program's own data. */

import shared from "../../build/shared.json";
import aliases from "../../../src/feeder/aliases.json";

type Names = Readonly<Record<string, readonly string[]>>;

const LANGUAGES: Names = aliases.languages;
const NODE_TYPES: Names = aliases.node_types;
/** The languages of each category that is one of languages; what no other has is code. */
export const CATEGORY_LANGUAGES: Names = aliases.categories;
export const { CODE, TESTS } = shared.constants.vocabulary;

/** The languages that are called so, in any case of letters; the name itself where none is. */
export function languagesNamed(name: string): string[] {
  return called(name.toLowerCase(), LANGUAGES);
}

/** What else a language is called. */
export function languageAliases(language: string): readonly string[] {
  return LANGUAGES[language] ?? [];
}

/** The types of nodes that are called so. */
export function nodeTypesNamed(name: string): string[] {
  return called(name.toLowerCase(), NODE_TYPES);
}

/** All that a type may be called. */
export function allNodeTypeNames(): string[] {
  return [...shared.constants.nodes.NODE_TYPES, ...Object.values(NODE_TYPES).flat()];
}

function called(name: string, names: Names): string[] {
  const others = Object.keys(names).filter((key) => key !== name && names[key]?.includes(name));
  return Object.hasOwn(names, name) || others.length === 0 ? [name, ...others] : others;
}
