/** Limits of a query, so that no request holds the database for long; each is said in a note. */

import { constants } from "../../build/worker_data.json";
import { firstWords, splitPhrase, splitWords } from "../bigrams.ts";
import { split } from "../python_strings.ts";
import { sortBy } from "../sorting.ts";
import type { Database } from "../store/database.ts";
import { ftsPhrase } from "../store/fts_query.ts";
import { isGlob } from "../store/scope.ts";
import { termCounts } from "../store/statements.ts";
import { allPrefixes, type Query, queryText } from "./query.ts";
import { QueryText } from "./query_text.ts";

const { MAX_TERMS, MAX_FILTERED_TERMS, MAX_COUNTED_WORDS, MAX_PHRASE_WORDS, MAX_GLOBS, MAX_LISTED, MAX_ALTERNATIVES } = constants.worker_limits;
const FILTERS = [
  ...(["paths", "notPaths", "languages", "notLanguages", "nodeTypes", "notNodeTypes"] as const),
  ...(["categories", "notCategories", "symbols", "relations", "without", "phrases", "either"] as const),
];
const LISTS = Object.entries(MAX_LISTED) as [keyof typeof MAX_LISTED, [limit: number, name: string]][];

/** The query within the limits, and a note for each part that is not searched for. */
export async function limitQuery(database: Database, query: Query): Promise<{ query: Query; notes: string[] }> {
  const notes: string[] = [];
  const lists = Object.fromEntries(
    LISTS.filter(([field, [limit]]) => query[field].length > limit).map(([field, [limit, name]]) => {
      notes.push(`Only the first ${limit} of ${query[field].length} ${name} were searched.`);
      return [field, query[field].slice(0, limit)];
    }),
  );
  const limited = { ...query, ...lists };
  const phrases = limited.phrases.map((phrase) => limitPhrase(phrase, notes));
  const either = limited.either.map((texts) => {
    if (texts.length > MAX_ALTERNATIVES) notes.push(`Only the first ${MAX_ALTERNATIVES} of ${texts.length} alternatives were searched.`);
    return texts.slice(0, MAX_ALTERNATIVES).map((text) => limitPhrase(text, notes));
  });
  const [paths, notPaths] = [query.paths, query.notPaths].map((patterns) => limitGlobs(patterns, notes));
  const all = { ...limited, phrases, either, paths: paths!, notPaths: notPaths! };
  const limit = hasFilters(all) ? MAX_FILTERED_TERMS : MAX_TERMS;
  if (termCount(all, all.words) <= limit) return { query: all, notes };
  const listed = { ...all, words: splitWords(all.words) };
  const typed = [...new Set(split(listed.words))];
  const words = await rarestWords(database, listed, typed.slice(0, MAX_COUNTED_WORDS), limit);
  notes.push(`Only the ${words.length} rarest of ${typed.length} words were searched: more would take too long.`);
  return { query: { ...listed, words: keepWords(listed.words, new Set(words)) }, notes };
}

function limitPhrase(phrase: string, notes: string[]): string {
  const count = split(splitPhrase(phrase)[0]).length;
  if (count <= MAX_PHRASE_WORDS) return phrase;
  notes.push(`Only the first ${MAX_PHRASE_WORDS} of a phrase's ${count} words were searched.`);
  return firstWords(phrase, MAX_PHRASE_WORDS);
}

/** The text without its other words; a text of several lines stays one. */
function keepWords(text: string, words: ReadonlySet<string>): string {
  const lines = text.split("\n").map((line) => split(line).filter((word) => words.has(word)).join(" "));
  return lines.filter(Boolean).join("\n");
}

/** The paths and the first globs; D1 limits the number of all. */
function limitGlobs(patterns: readonly string[], notes: string[]): readonly string[] {
  const globs = patterns.filter(isGlob);
  if (globs.length <= MAX_GLOBS) return patterns;
  notes.push(`Only the first ${MAX_GLOBS} of ${globs.length} globs were compared with the paths.`);
  const last = new Set(globs.slice(MAX_GLOBS));
  return patterns.filter((pattern) => !last.has(pattern));
}

/** Returns true if the query restricts its nodes by more than the repository. */
function hasFilters(query: Query): boolean {
  return query.tests !== null || FILTERS.some((field) => query[field].length > 0);
}

/** As many of the rarest words as the limit of terms allows, in the order of the query. */
async function rarestWords(
  database: Database,
  query: Query,
  words: readonly string[],
  limit: number,
): Promise<string[]> {
  const [rows = []] = await database.run([termCounts(words.map(ftsPhrase))]);
  const rarest = sortBy(
    words.map((word, at) => ({ word, at, nodes: Number(rows[at]?.[1] ?? 0) })),
    // a word that no node has finds nothing
    ({ nodes, at }) => [nodes === 0, nodes, at],
  ).slice(0, limit);
  while (rarest.length > 1 && termCount(query, rarest.map(({ word }) => word).join(" ")) > limit) rarest.pop();
  return sortBy(rarest, ({ at }) => [at]).map(({ word }) => word);
}

/** The number of terms of the query with these words. */
function termCount(query: Query, words: string): number {
  return new QueryText(queryText({ ...query, words }), allPrefixes(query)).ftsTerms.length;
}
