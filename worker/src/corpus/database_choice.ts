/** Chooses the databases that a query asks, where there are more than one request may ask. */

import type { QueryBudget } from "../bindings/query_budget.ts";
import { groupByDatabase, type Repository } from "../bindings/repositories.ts";
import { ServiceError } from "../bindings/service_error.ts";
import type { VectorIndex } from "../bindings/vectorize.ts";
import { HttpError } from "../http_error.ts";
import { sortBy } from "../sorting.ts";
import type { Database } from "../store/database.ts";
import { mapAtOnce } from "../store/several_databases.ts";
import { termCounts } from "../store/statements.ts";
import type { QueryText } from "../query/query_text.ts";
import type { QueryVector } from "../ranking/retrieval.ts";

/** Databases that a query asks: as many as may answer at a time. */
export const MAX_DATABASES = 6;
/** Databases whose vocabulary is read to choose among them: each is a request. */
const MAX_COUNTED = 30;
/** Queries that a search sends to a database: one for the metadata, up to four batches, and two for corrected words. */
const QUERIES_OF_DATABASE = 7;
/** Databases for which queries are left when others are compared. */
const MIN_DATABASES = 4;
/** What the rank of a neighbour is worth: 1 / (RANK_CONSTANT + rank), summed over those of a repository. */
const RANK_CONSTANT = 5;

/** The repositories to ask, and what the answer says of the others. */
export interface DatabaseChoice {
  readonly repositories: readonly Repository[];
  readonly notes: readonly string[];
}

/** Finds the repositories of the nearest nodes; null if the index cannot. */
export type NearestRepos = () => Promise<ReadonlyMap<string, number> | null>;

/**
 * Chooses by the repositories of the nearest vectors; without vectors, and for a name among few databases, by the
 * words that a database has, the rarest count most.
 */
export async function chooseDatabases(
  repositories: readonly Repository[],
  text: QueryText,
  nearest: NearestRepos,
  open: (database: D1Database) => Database,
  queries: QueryBudget,
): Promise<DatabaseChoice> {
  const databases = groupByDatabase(repositories);
  const maxDatabases = () => Math.max(1, Math.min(MAX_DATABASES, Math.floor(queries.remaining / QUERIES_OF_DATABASE)));
  if (databases.size <= maxDatabases()) return { repositories, notes: [] };
  const maxCounted = () => Math.max(0, Math.min(MAX_COUNTED, queries.remaining - MIN_DATABASES * QUERIES_OF_DATABASE));
  const byWordFirst = text.name !== "" && databases.size <= maxCounted();
  const byVector = byWordFirst ? null : await nearest();
  const countedCount = maxCounted();
  const scores = byVector ?? (await scoresByWord(repositories, text, open, countedCount));
  const scored = Array.from(databases.values(), (own) => {
    return { own, score: own.reduce((sum, { name }) => sum + (scores.get(name) ?? 0), 0) };
  });
  const best = sortBy(scored, ({ score }) => [-score]).slice(0, maxDatabases());
  const hits = best.filter(({ score }) => score > 0);
  const chosen = (hits.length > 0 ? hits : best).flatMap(({ own }) => own);
  const names = chosen.map((one) => one.name).join(", ");
  const note = `Only the likeliest of ${databases.size} databases were searched: ${names}. Name another one with repo:NAME.`;
  const isPartial = !byVector && databases.size > countedCount;
  const left = `${databases.size - countedCount} databases were not compared, because there are no vectors to choose by.`;
  return { repositories: repositories.filter((one) => chosen.includes(one)), notes: [note, ...(isPartial ? [left] : [])] };
}

/** The repositories of the nearest nodes with their scores; null without one, or if the service fails. */
export async function reposByVector(
  vector: QueryVector,
  indexes: readonly VectorIndex[],
  repos: readonly string[],
): Promise<Map<string, number> | null> {
  try {
    const values = await vector.compute();
    if (!values) return null;
    const found = (await Promise.all(indexes.map((index) => index.nearestRepos(values, repos)))).flat();
    const scores = new Map<string, number>();
    sortBy(found, ({ score }) => [-score]).forEach(({ repo }, rank) => {
      scores.set(repo, (scores.get(repo) ?? 0) + 1 / (RANK_CONSTANT + rank));
    });
    return scores.size > 0 ? scores : null;
  } catch (error) {
    if (error instanceof ServiceError) return null;
    throw error;
  }
}

/** The scores of repositories by the words of the query that their databases have. */
async function scoresByWord(
  repositories: readonly Repository[],
  text: QueryText,
  open: (database: D1Database) => Database,
  countedCount: number,
): Promise<Map<string, number>> {
  const counted = [...groupByDatabase(repositories).keys()].slice(0, countedCount);
  const counts = await mapAtOnce(counted, async (one) => {
    try {
      const [rows = []] = await open(one).run([termCounts(text.ftsTerms)]);
      return rows.map(([, count]) => Number(count));
    } catch (error) {
      if (!(error instanceof HttpError) || error.status < 500) throw error;
      return [];
    }
  });
  const weights = text.ftsTerms.map((_, term) => {
    const having = counts.filter((one) => (one[term] ?? 0) > 0).length;
    return Math.log((counts.length + 1) / (having + 0.5));
  });
  const scoreOf = (own: readonly number[]) => own.reduce((sum, count, term) => sum + weights[term]! * Math.log1p(count), 0);
  const byDatabase = new Map(counted.map((one, at) => [one, scoreOf(counts[at]!)]));
  return new Map(repositories.map((one) => [one.name, byDatabase.get(one.database) ?? 0]));
}
