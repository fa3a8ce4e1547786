/** Finds nodes similar to one: by its stored vector, else by the words of its text. */

import { constants } from "../../build/worker_data.json";
import { ServiceError } from "../bindings/service_error.ts";
import { VectorIndex } from "../bindings/vectorize.ts";
import { casefold } from "../python_strings.ts";
import { sortBy } from "../sorting.ts";
import type { Scope } from "../store/scope.ts";
import * as sql from "../store/statements.ts";
import {
  fetchCandidates,
  pageOf,
  type Pagination,
  resultOf,
  type SearchContext,
} from "./engine.ts";
import type { ResultPage, Result, Hit } from "./results.ts";
import { WORD } from "./ranking.ts";
import { FileContents } from "./excerpts.ts";
import { queryModel } from "./retrieval.ts";
import { withCompoundParts } from "../text.ts";

const { MAX_CANDIDATES, MAX_WORDS } = constants.similar;
const { WORDS_ONLY_PREFIX } = constants.engine;
const { MODEL_VECTORS } = constants.retrieval;
const ALNUM = /[\p{L}\p{N}]+/gu;

interface Near {
  readonly by: string;
  readonly scores: ReadonlyMap<string, number>;
}

/**
 * A page of the nodes most like it, the best first; without itself, what holds it, and its parts.
 *
 * Where vectors cannot be asked that is said, and words answer.
 */
export async function findSimilar(
  context: SearchContext,
  target: Hit,
  scope: Scope,
  page: Pagination,
): Promise<{ answer: ResultPage; contents: FileContents }> {
  const warnings: string[] = [];
  const near = await nearTo(context, target, scope, (line) => warnings.push(line));
  const known = await fetchCandidates(context, [...near.scores.keys()], scope, page);
  const others = known.hits.filter((hit) => !isItsOwn(target, hit));
  const found = others.map((hit, at): Result => {
    const ranks = new Map([[near.by, at + 1]]);
    return { ...resultOf(hit), score: near.scores.get(hit.id) ?? 0, ranks };
  });
  const some = await pageOf(found, known, page);
  return { answer: { ...some, notes: warnings, atLeast: false }, contents: known.contents };
}

async function nearTo(
  context: SearchContext,
  target: Hit,
  scope: Scope,
  onWarning: (line: string) => void,
): Promise<Near> {
  const { model, problem } = queryModel(context.meta, context.env);
  if (problem) onWarning(`${WORDS_ONLY_PREFIX} ${problem}`);
  if (model && context.env.CODE_INDEX) {
    try {
      const index = new VectorIndex(context.env.CODE_INDEX, context.onTiming);
      const scores = await index.similar(target.id, MAX_CANDIDATES, scope);
      if (scores.size > 0) return { by: MODEL_VECTORS, scores };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      onWarning(`${WORDS_ONLY_PREFIX} ${error.message}`);
    }
  }
  return { by: WORD, scores: await byWords(context, target, scope) };
}

/** Scores nodes by the words of the target's name, and of its lines if they are available. */
async function byWords(context: SearchContext, target: Hit, scope: Scope): Promise<Map<string, number>> {
  const contents = new FileContents(context);
  await contents.bring([target]);
  const lines = contents.lines(target)?.lines ?? [target.signature ?? ""];
  const said = withCompoundParts([target.symbol || target.logicalPath || "", ...lines].join("\n"));
  const terms = telling(said).map((word) => `"${word}"`);
  const [rows = []] = await context.database.run([sql.wordSearch(terms, scope, MAX_CANDIDATES)]);
  return new Map(Array.from(sql.scoresById(rows).keys(), (id, at) => [id, 1 / (at + 1)]));
}

/** The words to search for: the most frequent ones, of equally frequent ones the longest. */
function telling(text: string): string[] {
  const counts = new Map<string, number>();
  for (const word of casefold(text).match(ALNUM) ?? []) {
    if ([...word].length > 2) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const order = sortBy(counts, ([word, count]) => [-count, -[...word].length, word]);
  return order.slice(0, MAX_WORDS).map(([word]) => word);
}

/** Returns true for the target itself, nodes that overlap it, and other parts of it. */
function isItsOwn(target: Hit, other: Hit): boolean {
  if (other.repo !== target.repo || other.path !== target.path) return false;
  const overlaps = other.startLine <= target.endLine && target.startLine <= other.endLine;
  const name = target.symbol || target.logicalPath;
  return overlaps || Boolean(name && kind(other) === kind(target));
}

function kind({ nodeType, symbol, logicalPath, signature }: Hit): string {
  return JSON.stringify([nodeType, symbol, logicalPath, signature]);
}
