/** Writes FTS5 queries. Names and words are other people's text, and each is quoted here. */

/** An FTS5 query that finds nothing. */
export const NOTHING = '""';

/** Quotes a text as a phrase: its words next to each other. FTS5 ends a query at a NUL. */
export function ftsPhrase(text: string): string {
  return `"${text.replaceAll('"', '""').replaceAll("\0", " ")}"`;
}

/** Finds what has one of the texts as a phrase; nothing without a text. */
export function anyOf(texts: readonly string[]): string {
  return texts.map(ftsPhrase).join(" OR ") || NOTHING;
}

/** Finds what has each of the texts as a phrase; nothing without a text. */
export function allOf(texts: readonly string[]): string {
  return texts.map(ftsPhrase).join(" AND ") || NOTHING;
}
