/** Adds the conditions that a hit must meet: phrases, prefixes, case and excluded words. */

import type { Scope } from "../store/scope.ts";
import type { Query } from "./query.ts";

const WORD = /[\p{L}\p{N}]/u;
// characters that Python's `re.escape` escapes
const SPECIAL = /[()[\]{}?*+\-|^$\\.&~#\t\n\v\f\r ]/g;

/**
 * Narrows the scope to nodes with each phrase and prefix, without excluded words, and with a word
 * of the query if case counts; returns it with notes.
 *
 * A Worker has no files: phrases match as in FTS5, regardless of case and inflection, and a pattern
 * matches nothing.
 */
export function mustMatch(query: Query, scope: Scope): { scope: Scope; notes: string[] } {
  const withWords = withParts(query).join(" AND ") || null;
  const without = query.without.filter((one) => WORD.test(one)).map(excluded);
  const narrowed = { ...scope, withWords, withoutWords: without.join(" OR ") || null };
  const notes = patterns(query).map(
    (pattern) => `/${pattern}/ was not searched for: patterns need the repository's files.`,
  );
  return { scope: notes.length > 0 ? { ...narrowed, ids: [] } : narrowed, notes };
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
