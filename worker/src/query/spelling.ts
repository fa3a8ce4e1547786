/** Finds the words of a query that are nowhere in the index, and the words of names that they may misspell. */

import { constants } from "../../build/worker_data.json";
import { RegexVariants } from "../python_regex.ts";
import { length } from "../python_strings.ts";
import { sortBy } from "../sorting.ts";
import type { Database, Row, Statement } from "../store/database.ts";
import { anyOf } from "../store/fts_query.ts";
import { nameMatches } from "../store/name_search.ts";
import type { Scope } from "../store/scope.ts";
import * as sql from "../store/statements.ts";
import { isWithinOneEdit } from "../suggestions.ts";
import { expandWords, lowercaseParts } from "../text.ts";
import { MIN_WORD_LETTERS, type Query } from "./query.ts";
import { isStopWord } from "./query_text.ts";

const { MAX_CORRECTED, MIN_CORRECTED_LETTERS, MAX_CORRECTED_LETTERS, LETTERS } = constants.spelling;
const { ANALYZED_CHARS } = constants.query_text;
const ALNUM = new RegexVariants(constants.query_text.ALNUM_PATTERN, "g");

/** What was searched for in place of each misspelt word. */
export type Corrections = ReadonlyMap<string, string>;

/**
 * The words of a query that the index should have.
 *
 * None of a text of several lines, such as a stack trace, of a single word, for which names are compared, and
 * of words that match in their case only.
 */
export function wordsToCheck({ words: text, case: isCaseSensitive, unknownFilters }: Query): string[] {
  if (isCaseSensitive || text.includes("\n") || length(text) > ANALYZED_CHARS) return [];
  const reported = new Set(ALNUM.all(unknownFilters.join(" "))); // by a note of their own
  const words = [...new Set(ALNUM.all(text))].filter(
    (word) => length(word) >= MIN_WORD_LETTERS && !reported.has(word) && !isStopWord(word.toLowerCase()) && !/^[0-9]+$/.test(word),
  );
  return words.length > 1 ? words : [];
}

/** Selects those of the words that no node has, nor a part of theirs. */
export function missingWordsStatement(words: readonly string[]): Statement {
  const anyTerm = (word: string) => anyOf(ALNUM.all(expandWords(word)));
  return sql.missingWords(words.map((word) => [word, anyTerm(word)]));
}

/** The words from the rows of that statement. */
export function missingWords(rows: readonly Row[]): string[] {
  return rows.map(([word]) => String(word));
}

/** The nearest word of a name for each missing word that has one; none if more words are missing than are corrected. */
export async function findCorrections(database: Database, missing: readonly string[], scope: Scope): Promise<Corrections> {
  const words = missing.filter(isCorrectable);
  if (words.length === 0 || missing.length > MAX_CORRECTED) return new Map();
  const variants = words.map((word) => oneEditVariants(word.toLowerCase()));
  const rowSets = await database.run(variants.map((others) => sql.nodesSpelledWithAny(others, scope)));
  const nearest = words.map((word, at): [string, string] => [
    word,
    nearestPart(word.toLowerCase(), nameMatches(rowSets[at] ?? []).map(({ name }) => name)),
  ]);
  return new Map(nearest.filter(([, part]) => part));
}

function isCorrectable(word: string): boolean {
  const rest = word.slice(1);
  const isLowercase = rest === rest.toLowerCase() && /[a-z]/.test(rest);
  const hasLength = length(word) >= MIN_CORRECTED_LETTERS && length(word) <= MAX_CORRECTED_LETTERS;
  return hasLength && /^[\x00-\x7f]+$/.test(word) && isLowercase;
}

/** The words one edit away that begin with the same letter, or the same `fixedLetters`; other letters are ASCII ones. */
export function oneEditVariants(word: string, fixedLetters = 1): string[] {
  const variants = new Set<string>();
  for (let at = fixedLetters; at <= word.length; at++) {
    const [before, rest] = [word.slice(0, at), word.slice(at)];
    if (rest) variants.add(before + rest.slice(1));
    if (rest.length > 1) variants.add(before + rest[1] + rest[0] + rest.slice(2));
    for (const letter of LETTERS) {
      variants.add(before + letter + rest);
      if (rest) variants.add(before + letter + rest.slice(1));
    }
  }
  variants.delete(word);
  return [...variants];
}

/**
 * The part of the names that is nearest to a word and begins with the same letter; of equal ones the most
 * frequent one. Empty if none is near.
 */
export function nearestPart(word: string, names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const part of names.flatMap(lowercaseParts)) counts.set(part, (counts.get(part) ?? 0) + 1);
  const near = [...counts].filter(([part]) => part[0] === word[0] && isWithinOneEdit(word, part));
  return sortBy(near, ([part, count]) => [-count, part])[0]?.[0] ?? "";
}

/** The text with each misspelt word replaced. */
export function correctText(text: string, corrections: Corrections): string {
  return ALNUM.replaceAll(text, (word) => corrections.get(word) ?? word);
}

/** Names the words that no node has, and what was searched for in their place. */
export function spellingNote(missing: readonly string[], corrections: Corrections): string {
  const rest = missing.filter((word) => !corrections.has(word));
  const notes = Array.from(corrections, ([word, part]) => `No matches for ${word}; searched for ${part} instead.`);
  if (rest.length > 0) notes.push(`No matches for ${rest.join(", ")}.`);
  return notes.join(" ");
}
