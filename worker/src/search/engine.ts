/** What does the index answer to a question? Two round trips: what is found by words, then its rows. */

import shared from "../../build/shared.json";
import { Failed } from "../bindings/failed.ts";
import type { Neighbours } from "../bindings/vectorize.ts";
import { strip } from "../letters.ts";
import { Batch } from "../store/batch.ts";
import type { Row, Statement } from "../store/database.ts";
import type { Scope } from "../store/scope.ts";
import * as sql from "../store/statements.ts";
import { Asked } from "./asked.ts";
import { frames, running } from "./frames.ts";
import {
  ALIKE,
  byName,
  byNearness,
  bySpelling,
  byWords,
  FRAME,
  LINE,
  LINE_WEIGHT,
  NAME,
  PATH,
  RARE,
  together,
  WRITTEN,
  type Ranking,
} from "./fusion.ts";
import { nearly } from "./likeness.ts";
import { last, maySpell, mayBeNearly, mostHaving, names } from "./names.ts";
import type { QuestionVector } from "./vectors.ts";

const { MAX_BY_WORD: BY_WORD, MAX_BY_MODEL: BY_MODEL, WORDS_ONLY_PREFIX: WORDS_ALONE } = shared.constants.engine;
const { MODEL_VECTORS: VECTOR, MODEL_WEIGHT: VECTOR_WEIGHT } = shared.constants.models;

/** What a question is put to besides the words. */
export interface Side {
  readonly vector: QuestionVector;
  readonly near: Neighbours;
}

/** A question of words on its way: what it asks first, and what it makes of the answers. */
export class Words {
  readonly asked: Asked;
  readonly #frames: () => Row[][];
  readonly #names: () => Row[][];
  readonly #words: () => Row[][];
  readonly #lines: () => Row[][];
  readonly #near: () => Row[][];

  constructor(text: string, scope: Scope, batch: Batch) {
    const asked = new Asked(text.replaceAll("\0", " "));
    this.asked = asked;
    this.#words = batch.add([sql.words(asked.terms, scope, BY_WORD)]);
    this.#lines = batch.add([sql.lines(asked.terms, scope, BY_WORD)]);
    this.#frames = batch.add(traced(asked, scope));
    this.#names = batch.add(namesAsked(asked, scope));
    this.#near = batch.add(nearlyAsked(asked, scope));
  }

  /** What each way finds, the models apart. */
  rankings(): Ranking[] {
    const { asked } = this;
    const known = names(asked, this.#names());
    const words = sql.worded(this.#words()[0] ?? []);
    const near = nearly(asked, known, this.#near());
    const byWord = [...near.having].sort((a, b) => (words.get(b) ?? 0) - (words.get(a) ?? 0));
    return [
      byName(FRAME, running(asked, this.#frames())),
      byName(NAME, known.called),
      byName(PATH, known.ofPath),
      byName(WRITTEN, known.written),
      byName(ALIKE, near.ids),
      together(RARE, byWord),
      bySpelling(known.spelled),
      byWords(words),
      byWords(sql.worded(this.#lines()[0] ?? []), LINE, LINE_WEIGHT),
    ];
  }
}

/** What a model finds nearest to a question; nothing where it fails, which is told. */
export async function nearest(
  side: Side,
  answers: readonly (readonly Row[])[],
  scope: Scope,
  tell: (line: string) => void,
): Promise<Ranking> {
  let near = new Map<string, number>();
  try {
    const vector = await side.vector.made(answers);
    if (vector) near = await side.near.query(vector, BY_MODEL, scope);
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    tell(`${WORDS_ALONE} ${error.message}`);
  }
  return byNearness(VECTOR, VECTOR_WEIGHT, near);
}

/** The ids of all that was found, those first that will likely be the best. */
export function likeliest(rankings: readonly Ranking[]): string[] {
  const scores = new Map<string, number>();
  rankings.forEach(({ weight, scores: some, isFirm }, place) => {
    const firm = isFirm ? 1000 * (rankings.length - place) : 0;
    for (const [id, score] of some) scores.set(id, (scores.get(id) ?? 0) + weight * score + firm);
  });
  return [...scores].sort(([, one], [, other]) => other - one).map(([id]) => id);
}

function traced(asked: Asked, scope: Scope): Statement[] {
  const lasts = frames(asked).map((frame) => last(frame.name));
  return lasts.map((name) => sql.called(`symbol : "${name}"`, name, scope));
}

function namesAsked(asked: Asked, scope: Scope): Statement[] {
  const text = asked.name || strip(asked.text);
  return [
    sql.called(expression(text), text, scope),
    sql.spelled(maySpell(asked) ? asked.parts : [], scope),
    ...(asked.path ? [sql.files(asked.path, scope)] : []),
  ];
}

function nearlyAsked(asked: Asked, scope: Scope): Statement[] {
  if (!mayBeNearly(asked)) return [];
  const name = last(asked.name);
  const itself = sql.called(expression(asked.name), asked.name, scope);
  return [
    sql.having(name, mostHaving(asked) + 1, itself),
    sql.begun(name, itself),
    sql.alike(name, scope),
  ];
}

/** FTS5's query for words in a row, or for an owner's and its member's, which may be apart. */
function expression(text: string): string {
  const phrase = text.replaceAll('"', '""');
  const at = phrase.lastIndexOf(".");
  const [owner, name] = [phrase.slice(0, Math.max(at, 0)), phrase.slice(at + 1)];
  return `symbol : ("${phrase}"${owner ? ` OR ("${owner}" AND "${name}")` : ""})`;
}
