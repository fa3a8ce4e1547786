/** Adds the conditions that a hit must meet: phrases, prefixes, case and excluded words. */

import type { Scope } from "../store/scope.ts";
import type { Query } from "./query.ts";

const WORD = /[\p{L}\p{N}]/u;
// what Python's `re.escape` writes with a backslash
const SPECIAL = /[()[\]{}?*+\-|^$\\.&~#\t\n\v\f\r ]/g;

/**
 * The scope narrowed to the nodes that have each phrase and each prefix, and where case counts a
 * word; and to those without what is left out. What has to be said of it.
 *
 * There are no files here: phrases are as FTS5 finds them, whose words may be inflected and of any
 * case, and a pattern finds nothing.
 */
export function mustMatch(query: Query, scope: Scope): { scope: Scope; notes: string[] } {
  const withWords = withParts(query).join(" AND ") || null;
  const without = query.without.filter((one) => WORD.test(one)).map(excluded);
  const found = { ...scope, withWords, withoutWords: without.join(" OR ") || null };
  const notes = patterns(query).map(
    (pattern) => `/${pattern}/ was not searched for: patterns need the repository's files.`,
  );
  return { scope: notes.length > 0 ? { ...found, ids: [] } : found, notes };
}

function withParts(query: Query): string[] {
  const words = query.words.split(/\s+/).filter((word) => WORD.test(word));
  const cased = query.case && words.length > 0 ? [`(${words.map(quoted).join(" OR ")})`] : [];
  return [
    ...query.phrases.filter((phrase) => WORD.test(phrase)).map(quoted),
    ...query.prefixes.map((prefix) => `${quoted(prefix)} *`),
    ...cased,
  ];
}

function excluded(one: string): string {
  return one.endsWith("*") ? `${quoted(one.slice(0, -1))} *` : quoted(one);
}

/** Quotes a text as an FTS5 phrase. */
function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** The pattern, and the phrases without a word, as patterns. */
function patterns(query: Query): string[] {
  const signs = query.phrases.filter((phrase) => !WORD.test(phrase));
  return [...(query.regex ? [query.regex] : []), ...signs.map((one) => one.replace(SPECIAL, "\\$&"))];
}
