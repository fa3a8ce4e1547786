/** What does the index answer to a question? Two round trips: what is found by words, then its rows. */

import shared from "../../build/shared.json";
import { ServiceError } from "../bindings/service_error.ts";
import type { VectorIndex } from "../bindings/vectorize.ts";
import { strip } from "../python_strings.ts";
import { Batch } from "../store/batch.ts";
import type { Row, Statement } from "../store/database.ts";
import type { Scope } from "../store/scope.ts";
import * as sql from "../store/statements.ts";
import { QueryText } from "./asked.ts";
import { stackFrames, nodesOfFrames } from "./frames.ts";
import {
  SIMILAR_NAME,
  rankByName,
  rankByCosine,
  rankBySpelling,
  rankByWords,
  STACK_FRAME,
  DESCRIPTION,
  DESCRIPTION_WEIGHT,
  NAME,
  PATH,
  RARE_WORD,
  rankTogether,
  COMPOSED_NAME,
  type Ranking,
} from "./fusion.ts";
import { fuzzyMatches } from "./likeness.ts";
import { lastNamePart, canSpellNames, canMatchFuzzily, maxNodesWithWord, namedCandidates } from "./name_matching.ts";
import type { QueryVector } from "./vectors.ts";

const { MAX_BY_WORD, MAX_BY_MODEL, WORDS_ONLY_PREFIX } = shared.constants.engine;
const { MODEL_VECTORS, MODEL_WEIGHT } = shared.constants.models;

/** What a question is put to besides the words. */
export interface VectorSearch {
  readonly vector: QueryVector;
  readonly near: VectorIndex;
}

/** A question of words on its way: what it asks first, and what it makes of the answers. */
export class WordSearch {
  readonly asked: QueryText;
  readonly #frames: () => Row[][];
  readonly #names: () => Row[][];
  readonly #words: () => Row[][];
  readonly #lines: () => Row[][];
  readonly #near: () => Row[][];

  constructor(text: string, scope: Scope, batch: Batch) {
    const asked = new QueryText(text.replaceAll("\0", " "));
    this.asked = asked;
    this.#words = batch.add([sql.wordSearch(asked.terms, scope, MAX_BY_WORD)]);
    this.#lines = batch.add([sql.descriptionSearch(asked.terms, scope, MAX_BY_WORD)]);
    this.#frames = batch.add(traced(asked, scope));
    this.#names = batch.add(namesAsked(asked, scope));
    this.#near = batch.add(nearlyAsked(asked, scope));
  }

  /** What each way finds, the models apart. */
  rankings(): Ranking[] {
    const { asked } = this;
    const known = namedCandidates(asked, this.#names());
    const words = sql.scoresById(this.#words()[0] ?? []);
    const near = fuzzyMatches(asked, known, this.#near());
    const byWord = [...near.having].sort((a, b) => (words.get(b) ?? 0) - (words.get(a) ?? 0));
    return [
      rankByName(STACK_FRAME, nodesOfFrames(asked, this.#frames())),
      rankByName(NAME, known.called),
      rankByName(PATH, known.ofPath),
      rankByName(COMPOSED_NAME, known.written),
      rankByName(SIMILAR_NAME, near.ids),
      rankTogether(RARE_WORD, byWord),
      rankBySpelling(known.spelled),
      rankByWords(words),
      rankByWords(sql.scoresById(this.#lines()[0] ?? []), DESCRIPTION, DESCRIPTION_WEIGHT),
    ];
  }
}

/** What a model finds nearest to a question; nothing where it fails, which is told. */
export async function nearestNodes(
  side: VectorSearch,
  answers: readonly (readonly Row[])[],
  scope: Scope,
  tell: (line: string) => void,
): Promise<Ranking> {
  let near = new Map<string, number>();
  try {
    const vector = await side.vector.made(answers);
    if (vector) near = await side.near.query(vector, MAX_BY_MODEL, scope);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    tell(`${WORDS_ONLY_PREFIX} ${error.message}`);
  }
  return rankByCosine(MODEL_VECTORS, MODEL_WEIGHT, near);
}

/** The ids of all that was found, those first that will likely be the best. */
export function candidateOrder(rankings: readonly Ranking[]): string[] {
  const scores = new Map<string, number>();
  rankings.forEach(({ weight, scores: some, isFirm }, place) => {
    const firm = isFirm ? 1000 * (rankings.length - place) : 0;
    for (const [id, score] of some) scores.set(id, (scores.get(id) ?? 0) + weight * score + firm);
  });
  return [...scores].sort(([, one], [, other]) => other - one).map(([id]) => id);
}

function traced(asked: QueryText, scope: Scope): Statement[] {
  const lasts = stackFrames(asked).map((frame) => lastNamePart(frame.name));
  return lasts.map((name) => sql.nodesCalled(`symbol : "${name}"`, name, scope));
}

function namesAsked(asked: QueryText, scope: Scope): Statement[] {
  const text = asked.name || strip(asked.text);
  return [
    sql.nodesCalled(expression(text), text, scope),
    sql.nodesSpelled(canSpellNames(asked) ? asked.parts : [], scope),
    ...(asked.path ? [sql.filesByPath(asked.path, scope)] : []),
  ];
}

function nearlyAsked(asked: QueryText, scope: Scope): Statement[] {
  if (!canMatchFuzzily(asked)) return [];
  const name = lastNamePart(asked.name);
  const itself = sql.nodesCalled(expression(asked.name), asked.name, scope);
  return [
    sql.nodesHavingWord(name, maxNodesWithWord(asked) + 1, itself),
    sql.nodesByNamePrefix(name, itself),
    sql.nodesByTrigrams(name, scope),
  ];
}

/** FTS5's query for words in a row, or for an owner's and its member's, which may be apart. */
function expression(text: string): string {
  const phrase = text.replaceAll('"', '""');
  const at = phrase.lastIndexOf(".");
  const [owner, name] = [phrase.slice(0, Math.max(at, 0)), phrase.slice(at + 1)];
  return `symbol : ("${phrase}"${owner ? ` OR ("${owner}" AND "${name}")` : ""})`;
}
