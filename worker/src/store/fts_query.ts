/**
 * Writes FTS5 queries. Names and words are other people's text, and each is quoted here.
 *
 * Phrases are split into words as postings are; `names_fts`, whose words are trigrams, has quoted texts.
 */

import { splitPhrase } from "../bigrams.ts";

/** An FTS5 query that finds nothing. */
export const NOTHING = '""';

/** Quotes a text as it is. FTS5 ends a query at a NUL. */
export function quoted(text: string): string {
  return `"${text.replaceAll('"', '""').replaceAll("\0", " ")}"`;
}

/** Finds a text: its words next to each other. */
export function ftsPhrase(text: string): string {
  const [words, isBeginning] = splitPhrase(text);
  return isBeginning ? `${quoted(words)} *` : quoted(words);
}

/** Finds the words that begin so; of several words the last one. */
export function ftsPrefix(text: string): string {
  return `${quoted(splitPhrase(text)[0])} *`;
}

/** Finds what has one of the texts as a phrase; nothing without a text. */
export function anyOf(texts: readonly string[]): string {
  return texts.map(ftsPhrase).join(" OR ") || NOTHING;
}

/** Finds what has each of the texts as a phrase; nothing without a text. */
export function allOf(texts: readonly string[]): string {
  return texts.map(ftsPhrase).join(" AND ") || NOTHING;
}
