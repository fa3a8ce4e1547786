/** Retrieves candidates: by name, by word, by stack frame and by vector. */

import {
  CODES_SQL,
  codesParameter,
  countTokens,
  queryVector,
} from "../../../src/feeder/embedding/static_query.mjs";
import { constants } from "../../build/worker_data.json";
import type { OnTiming } from "../api/types.ts";
import type { Env } from "../bindings/env.ts";
import { ServiceError } from "../bindings/service_error.ts";
import type { VectorIndex } from "../bindings/vectorize.ts";
import { embedQuery, isWorkersAiModel } from "../bindings/workers_ai.ts";
import { Pattern } from "../python_regex.ts";
import { rpartition, strip } from "../python_strings.ts";
import { Batch, type Row, type Statement } from "../store/database.ts";
import { type NamedNode, namedNodes } from "../store/name_search.ts";
import type { Scope } from "../store/scope.ts";
import * as sql from "../store/statements.ts";
import { dotted, endsWith } from "../text.ts";
import type { IndexMeta } from "./index_status.ts";
import {
  canMatchFuzzily,
  canSpellNames,
  fuzzyMatches,
  lastNamePart,
  maxNodesWithWord,
  namedCandidates,
  nodeIds,
} from "./name_matching.ts";
import { QueryText } from "./query.ts";
import {
  COMPOSED_NAME,
  DESCRIPTION,
  DESCRIPTION_WEIGHT,
  NAME,
  PATH,
  rankByCosine,
  rankByName,
  rankBySpelling,
  rankByWords,
  type Ranking,
  rankTogether,
  RARE_WORD,
  SIMILAR_NAME,
  STACK_FRAME,
} from "./ranking.ts";

const { MAX_BY_WORD, MAX_BY_MODEL, WORDS_ONLY_PREFIX } = constants.engine;
const { MODEL_VECTORS, MODEL_WEIGHT } = constants.retrieval;

/** What a question is put to besides the words. */
export interface VectorSearch {
  readonly vector: QueryVector;
  readonly index: VectorIndex;
}

/** A question of words on its way: what it asks first, and what it makes of the answers. */
export class WordSearch {
  readonly queryText: QueryText;
  readonly #frames: () => Row[][];
  readonly #names: () => Row[][];
  readonly #words: () => Row[][];
  readonly #lines: () => Row[][];
  readonly #near: () => Row[][];

  constructor(text: string, scope: Scope, batch: Batch) {
    const queryText = new QueryText(text.replaceAll("\0", " "));
    this.queryText = queryText;
    this.#words = batch.add([sql.wordSearch(queryText.terms, scope, MAX_BY_WORD)]);
    this.#lines = batch.add([sql.descriptionSearch(queryText.terms, scope, MAX_BY_WORD)]);
    this.#frames = batch.add(traced(queryText, scope));
    this.#names = batch.add(namesAsked(queryText, scope));
    this.#near = batch.add(nearlyAsked(queryText, scope));
  }

  /** What each way finds, the models apart. */
  rankings(): Ranking[] {
    const { queryText } = this;
    const known = namedCandidates(queryText, this.#names());
    const words = sql.scoresById(this.#words()[0] ?? []);
    const near = fuzzyMatches(queryText, known, this.#near());
    const byWord = [...near.having].sort((a, b) => (words.get(b) ?? 0) - (words.get(a) ?? 0));
    return [
      rankByName(STACK_FRAME, nodesOfFrames(queryText, this.#frames())),
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
  vectorSearch: VectorSearch,
  answers: readonly (readonly Row[])[],
  scope: Scope,
  onWarning: (line: string) => void,
): Promise<Ranking> {
  let near = new Map<string, number>();
  try {
    const vector = await vectorSearch.vector.made(answers);
    if (vector) near = await vectorSearch.index.query(vector, MAX_BY_MODEL, scope);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    onWarning(`${WORDS_ONLY_PREFIX} ${error.message}`);
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

function traced(queryText: QueryText, scope: Scope): Statement[] {
  const lasts = stackFrames(queryText).map((frame) => lastNamePart(frame.name));
  return lasts.map((name) => sql.nodesCalled(`symbol : "${name}"`, name, scope));
}

function namesAsked(queryText: QueryText, scope: Scope): Statement[] {
  const text = queryText.name || strip(queryText.text);
  return [
    sql.nodesCalled(expression(text), text, scope),
    sql.nodesSpelled(canSpellNames(queryText) ? queryText.parts : [], scope),
    ...(queryText.path ? [sql.filesByPath(queryText.path, scope)] : []),
  ];
}

function nearlyAsked(queryText: QueryText, scope: Scope): Statement[] {
  if (!canMatchFuzzily(queryText)) return [];
  const name = lastNamePart(queryText.name);
  const itself = sql.nodesCalled(expression(queryText.name), queryText.name, scope);
  return [
    sql.nodesHavingWord(name, maxNodesWithWord(queryText) + 1, itself),
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

const { retrieval: known } = constants;
const PLACE = new Pattern(known.LOCATION);
const AFTER = [known.PYTHON_NAME, known.RUBY_NAME].map((written) => new Pattern(written, "y"));
const BEFORE = known.NAME_BEFORE.map((written) => new Pattern(written, "y"));
const ABOVE = known.NAME_ABOVE.map((written) => new Pattern(written, "y"));
const ANONYMOUS = new Pattern(known.ANONYMOUS_PATTERN);

/** A function that was running, by the last parts of its name, and its file's name. */
export interface StackFrame {
  name: string;
  file: string;
}

/** Of a question in several lines, each once, the innermost first. */
export function stackFrames(queryText: QueryText): StackFrame[] {
  const lines = queryText.text.split("\n");
  if (lines.length < 2) return [];
  const found = lines.flatMap((line, row) => frameOf(lines[row - 1] ?? "", line) ?? []);
  if (isOutermostFirst(queryText.text)) found.reverse();
  const once = new Map(found.map((frame) => [`${frame.name}\n${frame.file}`, frame]));
  return [...once.values()].slice(0, known.MAX_FRAMES);
}

/** The ids of those nodes, of each frame's answer, that lie in the file which the frame names. */
export function nodesOfFrames(queryText: QueryText, answers: readonly (readonly (readonly unknown[])[])[]): string[] {
  const found = stackFrames(queryText).flatMap((frame, at) => inFile(frame, namedNodes(answers[at]!)));
  return [...new Set(nodeIds(found))];
}

/** The frame that a line, or one with the line above it, tells. */
function frameOf(above: string, line: string): StackFrame | null {
  const place = PLACE.for(line).exec(line);
  if (!place) return null;
  const end = place.index + place[0].length;
  const name = at(AFTER, line, end) ?? at(BEFORE, line, 0) ?? at(ABOVE, above, 0);
  return name === null ? null : { name: short(name), file: place[1]! };
}

/** What the first of the patterns that matches there has found. */
function at(patterns: readonly Pattern[], line: string, start: number): string | null {
  for (const pattern of patterns) {
    const sticky = pattern.for(line);
    sticky.lastIndex = start;
    const found = sticky.exec(line);
    if (found) return found[1]!;
  }
  return null;
}

/** The last two parts of a name, as the index writes them. */
function short(name: string): string {
  const [, own] = rpartition(name, "/");
  const plain = own.replaceAll("(*", "").replaceAll(")", "");
  return dotted(plain.replace(ANONYMOUS.for(plain), "")).split(".").slice(-2).join(".");
}

function isOutermostFirst(text: string): boolean {
  return text.includes("Traceback (most recent call last)");
}

/** Those whose owner is the frame's too, where there are any: `Mux.route`, not `node.route`. */
function inFile(frame: StackFrame, nodes: readonly NamedNode[]): readonly NamedNode[] {
  const there = nodes.filter((node) => rpartition(node.path, "/")[1] === frame.file);
  const own = there.filter((node) => endsWith(dotted(node.name), frame.name));
  return own.length ? own : there;
}

const { HEADER_VERSION } = constants.nodes;
/** Questions whose vectors are kept: 1024 numbers are 8 kB. */
const KEPT = 500;

interface Table {
  model: string;
  slots: number;
  buckets: number;
  dimensions: number;
}

/** The model that a question is put to; `table` where it is looked up in the index' database. */
export interface QueryModel {
  readonly name: string;
  readonly dimensions: number;
  readonly table: Table | null;
}

/** The model of the index, or why it cannot be asked; neither where the index has no vectors. */
export function queryModel(meta: IndexMeta, env: Env): { model: QueryModel | null; problem: string | null } {
  const name = meta.get("model");
  if (!name) return env.MODEL ? none(`The index has no vectors by ${env.MODEL}.`) : none(null);
  if ((env.MODEL && env.MODEL !== name) || meta.get("header") !== HEADER_VERSION) {
    return none(`The index has no vectors by ${env.MODEL ?? name}, but by ${name}.`);
  }
  if (!env.CODE_INDEX) return none("The binding CODE_INDEX is missing.");
  const dimensions = Number(meta.get("dimensions"));
  const table = tableOf(meta);
  if (table?.model === name) {
    if (table.dimensions === dimensions) return { model: { name, dimensions, table }, problem: null };
    return none(`The index has vectors of ${dimensions} dimensions, and ${name} ${table.dimensions}.`);
  }
  if (!isWorkersAiModel(name)) return none(`The model ${name} cannot be asked from here.`);
  if (!env.AI) return none("The binding AI is missing.");
  return { model: { name, dimensions, table: null }, problem: null };
}

function none(problem: string | null): { model: null; problem: string | null } {
  return { model: null, problem };
}

function tableOf(meta: IndexMeta): Table | null {
  const said = meta.get("lookup");
  return said ? (JSON.parse(said) as Table) : null;
}

const kept = new Map<string, readonly number[]>();

/** The vector that a question had before, which is then the newest of those that are kept. */
function before(key: string): readonly number[] | undefined {
  const found = kept.get(key);
  if (found) keep(key, found);
  return found;
}

function keep(key: string, vector: readonly number[]): void {
  kept.delete(key);
  kept.set(key, vector);
  if (kept.size > KEPT) for (const oldest of kept.keys()) return void kept.delete(oldest);
}

/** How a question's vector is had: kept, from rows that are asked for, or from Workers AI. */
export class QueryVector {
  readonly #key: string;
  readonly #counts: Map<string, number> | null;

  constructor(
    private readonly model: QueryModel,
    private readonly text: string,
    private readonly env: Env,
    private readonly onTiming: OnTiming,
  ) {
    this.#key = JSON.stringify([model.name, model.dimensions, text]);
    this.#counts = model.table && !kept.has(this.#key) ? countTokens(text) : null;
  }

  /** What has to be asked of the database before. */
  get statements(): Statement[] {
    const { table } = this.model;
    return table && this.#counts ? [{ sql: CODES_SQL, params: [codesParameter(this.#counts, table)] }] : [];
  }

  /** Whether nothing of the database is needed. */
  get isFree(): boolean {
    return this.#counts === null;
  }

  /** The vector, of the rows that the statements were answered with; null where it is nothing. */
  async made(answers: readonly (readonly Row[])[]): Promise<readonly number[] | null> {
    const known = before(this.#key);
    const found = known ?? (await this.#made(answers));
    if (!known) keep(this.#key, found);
    return found.some((number) => number !== 0) ? found : null;
  }

  async #made(answers: readonly (readonly Row[])[]): Promise<readonly number[]> {
    const { model } = this;
    if (model.table && this.#counts) return queryVector(this.#counts, answers[0] ?? [], model.table);
    return embedQuery(this.env.AI!, model.name, model.dimensions, this.text, this.onTiming);
  }
}
