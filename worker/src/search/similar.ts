/** Which nodes are like this one? By its stored vector, else by the words of its text. */

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
  asker: SearchContext,
  target: Hit,
  scope: Scope,
  page: Pagination,
): Promise<{ answer: ResultPage; sources: FileContents }> {
  const told: string[] = [];
  const near = await nearTo(asker, target, scope, (line) => told.push(line));
  const known = await fetchCandidates(asker, [...near.scores.keys()], scope, page);
  const others = known.hits.filter((hit) => !isItsOwn(target, hit));
  const found = others.map((hit, at): Result => {
    const ranks = new Map([[near.by, at + 1]]);
    return { ...resultOf(hit), score: near.scores.get(hit.id) ?? 0, ranks };
  });
  const some = await pageOf(found, known, page);
  return { answer: { ...some, notes: told, atLeast: false }, sources: known.sources };
}

async function nearTo(
  asker: SearchContext,
  target: Hit,
  scope: Scope,
  tell: (line: string) => void,
): Promise<Near> {
  const { model, lacks } = queryModel(asker.meta, asker.env);
  if (lacks) tell(`${WORDS_ONLY_PREFIX} ${lacks}`);
  if (model && asker.env.CODE_INDEX) {
    try {
      const index = new VectorIndex(asker.env.CODE_INDEX, asker.clock);
      const scores = await index.similar(target.id, MAX_CANDIDATES, scope);
      if (scores.size > 0) return { by: MODEL_VECTORS, scores };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      tell(`${WORDS_ONLY_PREFIX} ${error.message}`);
    }
  }
  return { by: WORD, scores: await byWords(asker, target, scope) };
}

/** Nodes that have the words of its name, and of its lines where they are there. */
async function byWords(asker: SearchContext, target: Hit, scope: Scope): Promise<Map<string, number>> {
  const sources = new FileContents(asker);
  await sources.bring([target]);
  const lines = sources.lines(target)?.lines ?? [target.signature ?? ""];
  const said = withCompoundParts([target.symbol || target.logicalPath || "", ...lines].join("\n"));
  const terms = telling(said).map((word) => `"${word}"`);
  const [rows = []] = await asker.database.run([sql.wordSearch(terms, scope, MAX_CANDIDATES)]);
  return new Map(Array.from(sql.scoresById(rows).keys(), (id, at) => [id, 1 / (at + 1)]));
}

/** The words to look for: the most frequent, and of those the longest. */
function telling(text: string): string[] {
  const counts = new Map<string, number>();
  for (const word of casefold(text).match(ALNUM) ?? []) {
    if ([...word].length > 2) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const order = sortBy(counts, ([word, count]) => [-count, -[...word].length, word]);
  return order.slice(0, MAX_WORDS).map(([word]) => word);
}

/** Whether it is the node itself, holds it, lies in it, or is another piece of it. */
function isItsOwn(target: Hit, other: Hit): boolean {
  if (other.repo !== target.repo || other.path !== target.path) return false;
  const overlaps = other.startLine <= target.endLine && target.startLine <= other.endLine;
  const name = target.symbol || target.logicalPath;
  return overlaps || Boolean(name && kind(other) === kind(target));
}

function kind({ nodeType, symbol, logicalPath, signature }: Hit): string {
  return JSON.stringify([nodeType, symbol, logicalPath, signature]);
}
