/** Adds the conditions that a hit must meet: phrases, prefixes, case and excluded words. */

import { anyOf, ftsPhrase, ftsPrefix } from "../store/fts_query.ts";
import type { Scope } from "../store/scope.ts";
import type { Condition } from "./alternatives.ts";
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
  const withWords = requiredQueries(query).join(" AND ") || null;
  const without = query.without.filter((word) => WORD.test(word)).map(textQuery);
  const restricted = { ...scope, withWords, withoutWords: without.join(" OR ") || null };
  const notes = patterns(query).map(
    (pattern) => `/${pattern}/ was not searched for: patterns need the repository's files.`,
  );
  return { scope: notes.length > 0 ? { ...restricted, ids: [] } : restricted, notes };
}

function requiredQueries(query: Query): string[] {
  const words = query.words.split(/\s+/).filter((word) => WORD.test(word));
  const wordQueries = query.case && words.length > 0 ? [`(${anyOf(words)})`] : [];
  return [
    ...query.phrases.filter((phrase) => WORD.test(phrase)).map(ftsPhrase),
    ...query.prefixes.map((prefix) => ftsPrefix(prefix)),
    ...wordConditions(query).map((texts) => `(${texts.map(textQuery).join(" OR ")})`),
    ...wordQueries,
  ];
}

/** An FTS5 query for a phrase, or for a prefix with its `*`. */
function textQuery(text: string): string {
  return text.endsWith("*") ? ftsPrefix(text.slice(0, -1)) : ftsPhrase(text);
}

/** The conditions with `OR` that FTS5 can find: all of their texts have a word. */
function wordConditions(query: Query): readonly Condition[] {
  return query.either.filter((texts) => texts.every((text) => WORD.test(text)));
}

/** The pattern, and the phrases and conditions without words, as patterns. */
function patterns(query: Query): string[] {
  const symbols = query.phrases.filter((phrase) => !WORD.test(phrase));
  const byWords = new Set(wordConditions(query));
  const conditions = query.either.filter((texts) => !byWords.has(texts));
  return [
    ...(query.regex ? [query.regex] : []),
    ...symbols.map(escapePattern),
    ...conditions.map((texts) => texts.map((text) => escapePattern(text.replace(/\*$/, ""))).join("|")),
  ];
}

function escapePattern(text: string): string {
  return text.replace(SPECIAL, "\\$&");
}
