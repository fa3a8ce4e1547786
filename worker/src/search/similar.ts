/** Finds nodes similar to one: by its stored vector, else by the words of its text. */

import { constants } from "../../build/worker_data.json";
import { hasRun, splitWords } from "../bigrams.ts";
import { ServiceError } from "../bindings/service_error.ts";
import { VectorIndex } from "../bindings/vectorize.ts";
import { casefold } from "../python_strings.ts";
import { sortBy } from "../sorting.ts";
import { ftsPhrase } from "../store/fts_query.ts";
import type { Hit } from "../store/hits.ts";
import type { Scope } from "../store/scope.ts";
import * as sql from "../store/statements.ts";
import { expandWords } from "../text.ts";
import type { SearchContext } from "../corpus/context.ts";
import { fetchCandidates, paginate, type Pagination } from "./engine.ts";
import { FileContents } from "../snippets/excerpts.ts";
import { WORD } from "../ranking/ranking.ts";
import { type ResultPage, type Result, resultOf } from "../ranking/results.ts";
import { queryModel } from "../ranking/retrieval.ts";

const { MAX_CANDIDATES, MAX_WORDS } = constants.similar;
const { WORDS_ONLY } = constants.notes;
const { MODEL_VECTORS } = constants.retrieval;
const ALNUM = /[\p{L}\p{N}]+/gu;

interface SimilarScores {
  readonly by: string;
  readonly scores: ReadonlyMap<string, number>;
}

/**
 * Finds a page of nodes similar to a target, the best first, without its parts and nodes that overlap it.
 *
 * If vectors are not available, a note says so and words are used.
 */
export async function findSimilar(
  context: SearchContext,
  target: Hit,
  scope: Scope,
  page: Pagination,
): Promise<{ answer: ResultPage; contents: FileContents }> {
  const warnings: string[] = [];
  const scored = await scoreSimilar(context, target, scope, (line) => warnings.push(line));
  const candidates = await fetchCandidates(context, [...scored.scores.keys()], scope, { idsInScope: new Set(), nodeRows: new Map() });
  const others = candidates.hits.filter((hit) => !isPartOfTarget(target, hit));
  const results = others.map((hit, at): Result => {
    const ranks = new Map([[scored.by, at + 1]]);
    return { ...resultOf(hit), score: scored.scores.get(hit.id) ?? 0, ranks };
  });
  const shown = await paginate(results, candidates, page);
  return { answer: { ...shown, notes: warnings, atLeast: false }, contents: candidates.contents };
}

async function scoreSimilar(
  context: SearchContext,
  target: Hit,
  scope: Scope,
  onWarning: (line: string) => void,
): Promise<SimilarScores> {
  const { model, problem } = queryModel(context.meta, context.env);
  if (problem) onWarning(`${WORDS_ONLY} ${problem}`);
  if (model && context.env.CODE_INDEX) {
    try {
      const index = new VectorIndex(context.env.CODE_INDEX, context.onTiming);
      const scores = await index.similar(target.id, MAX_CANDIDATES, scope);
      if (scores.size > 0) return { by: MODEL_VECTORS, scores };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      onWarning(`${WORDS_ONLY} ${error.message}`);
    }
  }
  return { by: WORD, scores: await scoreByWords(context, target, scope) };
}

/** Scores nodes by the words of the target's name, and of its lines if they are available. */
async function scoreByWords(context: SearchContext, target: Hit, scope: Scope): Promise<Map<string, number>> {
  const contents = new FileContents(context);
  await contents.load([target]);
  const lines = contents.lines(target)?.lines ?? [target.signature ?? ""];
  const text = expandWords(splitWords([target.symbol || target.logicalPath || "", ...lines].join("\n")));
  const terms = frequentWords(text).map(ftsPhrase);
  const [rows = []] = await context.database.run([sql.wordSearch(terms, scope, MAX_CANDIDATES)]);
  return new Map(Array.from(sql.scoresById(rows, MAX_CANDIDATES).keys(), (id, at) => [id, 1 / (at + 1)]));
}

/** The words to search for: the most frequent ones, of equally frequent ones the longest. */
function frequentWords(text: string): string[] {
  const counts = new Map<string, number>();
  for (const word of casefold(text).match(ALNUM) ?? []) {
    if ([...word].length > 2 || hasRun(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const order = sortBy(counts, ([word, count]) => [-count, -[...word].length, word]);
  return order.slice(0, MAX_WORDS).map(([word]) => word);
}

/** Returns true for the target itself, nodes that overlap it, and other parts of it. */
function isPartOfTarget(target: Hit, other: Hit): boolean {
  if (other.repo !== target.repo || other.path !== target.path) return false;
  const overlaps = other.startLine <= target.endLine && target.startLine <= other.endLine;
  const name = target.symbol || target.logicalPath;
  return overlaps || Boolean(name && nodeIdentity(other) === nodeIdentity(target));
}

function nodeIdentity({ nodeType, symbol, logicalPath, signature }: Hit): string {
  return JSON.stringify([nodeType, symbol, logicalPath, signature]);
}
