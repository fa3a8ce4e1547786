/** Retrieves candidates: by name, by word, by stack frame and by vector. */

import { constants } from "../../build/worker_data.json";
import type { Env } from "../bindings/env.ts";
import { ServiceError } from "../bindings/service_error.ts";
import type { NeighbourIndex } from "../bindings/vectorize.ts";
import { embedWithStaticModel, isStaticModel, staticDimensions } from "../bindings/static_model.ts";
import { embedQuery, isWorkersAiModel } from "../bindings/workers_ai.ts";
import { Pattern } from "../python_regex.ts";
import { rpartition, strip } from "../python_strings.ts";
import { type Batch, type Database, type Row, type Statement } from "../store/database.ts";
import { ftsPhrase, NOTHING } from "../store/fts_query.ts";
import { rowOfName, rowOfWord } from "../store/hits.ts";
import { type NameMatch, nameMatches } from "../store/name_search.ts";
import { isRestricted, type Scope } from "../store/scope.ts";
import * as sql from "../store/statements.ts";
import { lastName, normalizeSymbol, symbolEndsWith } from "../text.ts";
import type { OnTiming } from "../timing.ts";
import type { IndexMeta } from "../corpus/index_status.ts";
import { canMatchSimilar, hasExactMatch, hasMeantName, isShortQuery, matchSimilar, spellings, rareLimit, matchAnchors, matchNames, type NameMatches, nodeIds } from "./name_matching.ts";
import { QueryText } from "../query/query_text.ts";
import {
  anchorRanking,
  COMPOSED_NAME,
  DESCRIPTION,
  DESCRIPTION_WEIGHT,
  LITERAL,
  NAME,
  PATH,
  vectorRanking,
  nameRanking,
  nameWordsRanking,
  wordRanking,
  type Ranking,
  tiedRanking,
  RARE_WORD,
  SIMILAR_NAME,
  STACK_FRAME,
  TITLE,
  TITLE_WEIGHT,
} from "./ranking.ts";

const { MAX_BY_MODEL } = constants.query_ranking;
const { WORDS_ONLY } = constants.notes;
const { MAX_BY_LITERAL, MAX_BY_WORD, MAX_FRAMES, MODEL_VECTORS, MODEL_WEIGHT, LONG_TEXT_SHARE } = constants.retrieval;

const { MAX_NAME_CHARS } = constants.worker_limits;
const { HEADER_VERSION } = constants.nodes;
const LOCATION = new Pattern(constants.retrieval.LOCATION);
const NAME_AFTER = [constants.retrieval.PYTHON_NAME, constants.retrieval.RUBY_NAME].map((regex) => new Pattern(regex, "y"));
const NAME_BEFORE = constants.retrieval.NAME_BEFORE.map((regex) => new Pattern(regex, "y"));
const NAME_ABOVE = constants.retrieval.NAME_ABOVE.map((regex) => new Pattern(regex, "y"));
const ANONYMOUS = new Pattern(constants.retrieval.ANONYMOUS_PATTERN);
/** Query vectors that are cached; 1,024 numbers take 8 kB. */
const MAX_CACHED_VECTORS = 500;

/** A function of a stack trace: the last parts of its name, and its file's name. */
export interface Frame {
  name: string;
  file: string;
}

/** The embedding model of queries. */
export interface QueryModel {
  readonly name: string;
  readonly dimensions: number;
}

/** The query vector and the vector index to search. */
export interface VectorSearch {
  readonly vector: QueryVector;
  readonly index: NeighbourIndex;
}

/** A search by words and names: adds its statements to a batch, and ranks the rows that it returns. */
export class WordSearch {
  readonly queryText: QueryText;
  readonly #frames: () => Row[][];
  readonly #anchors: () => Row[][];
  readonly #names: () => Row[][];
  readonly #words: () => Row[][];
  readonly #titles: () => Row[][];
  readonly #descriptions: () => Row[][];
  readonly #literals: () => Row[][];
  readonly #misspelt: () => Row[][];
  #similar: Row[][] = [];
  #matches: NameMatches | null = null;

  constructor(
    text: string,
    prefixes: readonly string[],
    private readonly scope: Scope,
    batch: Batch,
  ) {
    const queryText = new QueryText(text.replaceAll("\0", " "), prefixes);
    this.queryText = queryText;
    this.#words = batch.add(sql.wordSearches(queryText.ftsTerms, scope, MAX_BY_WORD));
    const { titleTerms } = queryText;
    this.#titles = batch.add(titleTerms.length ? sql.wordSearches(titleTerms, scope, MAX_BY_WORD) : []);
    this.#descriptions = batch.add([sql.descriptionSearch(queryText.ftsTerms, scope, MAX_BY_WORD)]);
    this.#frames = batch.add(frameStatements(queryText, scope));
    this.#anchors = batch.add(anchorStatements(queryText, scope));
    this.#names = batch.add(nameStatements(queryText, scope));
    this.#literals = batch.add(literalStatements(queryText, scope));
    const name = lastName(queryText.name);
    this.#misspelt = batch.add(canMatchSimilar(queryText) && !isRestricted(scope) ? [sql.nodesByTrigrams(name, name, scope)] : []);
  }

  /** The nodes that the name statements found; the batch must have run. */
  get #nameMatches(): NameMatches {
    return (this.#matches ??= matchNames(this.queryText, this.#names()));
  }

  /** The nodes whose name or path only resembles a token. */
  get resemblingIds(): ReadonlySet<string> {
    return new Set(this.#nameMatches.resemblingIds);
  }

  /**
   * Looks for similar names if no node has exactly the name; the batch must have run.
   *
   * This takes a request of its own, which is sent while the vectors are searched.
   */
  async loadSimilar(database: Database): Promise<void> {
    const { queryText, scope } = this;
    const matches = this.#nameMatches;
    if (hasExactMatch(matches) || !canMatchSimilar(queryText)) return;
    const name = lastName(queryText.name);
    const withName = this.#nodesWithWord(ftsPhrase(name));
    if (withName === null) this.#similar = await database.run(similarStatements(queryText, scope));
    else if (withName.length === 0) this.#similar = [[], [], ...(await this.#misspeltNames(database, name))];
    else {
      const isSpelled = matches.overlapScores.size > 0;
      const [withPrefix = []] = isSpelled ? [] : await database.run([sql.nodesByNamePrefix(name, scope)]);
      this.#similar = [withName, withPrefix, [], []];
    }
  }

  /** The nodes with a similar name, which the batch has found without filters, and those one edit away if there are none. */
  async #misspeltNames(database: Database, name: string): Promise<Row[][]> {
    const { queryText, scope } = this;
    const [similar] = this.#misspelt();
    if (!similar) return database.run(misspeltNameStatements(name, null, scope));
    if (hasMeantName(queryText, similar)) return [similar, []];
    return [similar, ...(await database.run([sql.nodesBySpelling(spellings(name), null, scope)]))];
  }

  /** The nodes with a word, the first ones if they are many, if the batch shows them; else null. */
  #nodesWithWord(term: string): Row[] | null {
    const words = this.#words().flat();
    if (isOnly(term, this.queryText.ftsTerms)) return words;
    if (isOnly(term, this.queryText.codeTokens.map(ftsPhrase))) return this.#literals()[0] ?? null;
    return words.length === 0 && this.queryText.ftsTerms.includes(term) ? words : null;
  }

  /** The rankings by name and by word; the batch, and `loadSimilar`, must have run. */
  rankings(): Ranking[] {
    const { queryText } = this;
    const matches = this.#nameMatches;
    const words = sql.scoresById(this.#words().flat(), MAX_BY_WORD);
    const similar = matchSimilar(queryText, matches, this.#similar);
    const byWord = [...similar.wordIds].sort((a, b) => (words.get(b) ?? 0) - (words.get(a) ?? 0));
    return [
      nameRanking(STACK_FRAME, frameNodeIds(queryText, this.#frames())),
      nameRanking(NAME, matches.exactIds),
      nameRanking(PATH, matches.pathIds),
      nameRanking(COMPOSED_NAME, matches.composedIds),
      tiedRanking(LITERAL, this.literalIds),
      nameRanking(SIMILAR_NAME, similar.ids),
      tiedRanking(RARE_WORD, byWord),
      anchorRanking(matchAnchors(queryText, this.#anchors())),
      nameWordsRanking(matches.overlapScores),
      wordRanking(words),
      wordRanking(sql.scoresById(this.#titles().flat(), MAX_BY_WORD), TITLE, TITLE_WEIGHT),
      wordRanking(sql.scoresById(this.#descriptions()[0] ?? [], MAX_BY_WORD), DESCRIPTION, DESCRIPTION_WEIGHT),
    ];
  }

  /**
   * The nodes of the statements that compare all of the scope; the batch, and `loadSimilar`, must have run.
   *
   * `nodesCalled` does not: of many nodes with a name it reads some whose required and excluded words are not compared.
   */
  get idsInScope(): ReadonlySet<string> {
    const [, ...names] = this.#names();
    const rowSets = [this.#words(), this.#titles(), this.#descriptions(), this.#literals(), names, this.#similar];
    return new Set(rowSets.flat(2).map(([id]) => String(id)));
  }

  /** The rows of `hitsWithParts` for those nodes in `idsInScope` that the statements have read; the same must have run. */
  get nodeRows(): ReadonlyMap<string, Row> {
    const { withWords, withoutWords } = this.scope;
    const [called = [], ...names] = this.#names();
    const areCompared = withWords === null && withoutWords === null;
    const byName = [...names, ...this.#similar.slice(1), ...(areCompared ? [called, ...this.#anchors(), ...this.#frames()] : [])];
    const byWord = [...this.#words(), ...this.#titles(), ...this.#literals()];
    const nodes = new Map<string, Row>();
    const add = (rows: readonly Row[], rowOf: (row: Row) => Row | null) => {
      for (const row of rows) {
        const [id] = row;
        const own = nodes.has(String(id)) ? null : rowOf(row);
        if (own) nodes.set(String(id), own);
      }
    };
    for (const rows of byWord) add(rows, rowOfWord);
    for (const rows of byName) add(rows, rowOfName);
    return nodes;
  }

  /** The nodes with the words of a token in their order, the best by word first. */
  get literalIds(): string[] {
    if (!this.queryText.codeTokens.length) return [];
    const [rows = this.#words().flat()] = this.#literals();
    return [...sql.scoresById(rows, MAX_BY_LITERAL).keys()];
  }
}

/** Ranks the nodes nearest to the query vector; a model that fails is reported and ranks nothing. */
export async function nearestNodes(
  vectorSearch: VectorSearch,
  queryText: QueryText,
  scope: Scope,
  onWarning: (line: string) => void,
): Promise<Ranking> {
  let neighbours = new Map<string, number>();
  try {
    const vector = await vectorSearch.vector.compute();
    if (vector) neighbours = await vectorSearch.index.query(vector, MAX_BY_MODEL, scope);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    onWarning(`${WORDS_ONLY} ${error.message}`);
  }
  return vectorRanking(MODEL_VECTORS, MODEL_WEIGHT * (queryText.title ? LONG_TEXT_SHARE : 1), neighbours);
}

/** The ids of all candidates, those first that are likely to rank highest. */
export function candidateOrder(rankings: readonly Ranking[]): string[] {
  const scores = new Map<string, number>();
  rankings.forEach(({ weight, scores: rankingScores, isPriority }, place) => {
    const priorityBonus = isPriority ? 1000 * (rankings.length - place) : 0;
    for (const [id, score] of rankingScores) scores.set(id, (scores.get(id) ?? 0) + weight * score + priorityBonus);
  });
  return [...scores].sort(([, one], [, other]) => other - one).map(([id]) => id);
}

/** The model of the index, or why it cannot be used; neither if the index has no vectors. */
export function queryModel(meta: IndexMeta, env: Env): { model: QueryModel | null; problem: string | null } {
  const name = meta.get("model");
  if (!name) return env.MODEL ? withoutModel(`The index has no vectors by ${env.MODEL}.`) : withoutModel(null);
  if (env.MODEL && env.MODEL !== name) return withoutModel(`The index has vectors by ${name}, not by ${env.MODEL}.`);
  if (meta.get("header") !== HEADER_VERSION) return withoutModel(`Another version of feeder made the vectors by ${name}.`);
  if (!env.CODE_INDEX) return withoutModel("The binding CODE_INDEX is missing.");
  const dimensions = Number(meta.get("dimensions"));
  if (isStaticModel(name)) {
    if (staticDimensions() === dimensions) return { model: { name, dimensions }, problem: null };
    return withoutModel(`The index has vectors of ${dimensions} dimensions, and ${name} has ${staticDimensions()}.`);
  }
  if (!isWorkersAiModel(name)) return withoutModel(`The Worker cannot run the model ${name}.`);
  if (!env.AI) return withoutModel("The binding AI is missing.");
  return { model: { name, dimensions }, problem: null };
}

/** The distinct frames of a stack trace in the query, the innermost first. */
export function parseFrames(queryText: QueryText): Frame[] {
  const lines = queryText.text.split("\n");
  if (lines.length < 2) return [];
  const frames = lines.flatMap((line, row) => parseLine(lines[row - 1] ?? "", line) ?? []);
  if (isOutermostFirst(queryText.text)) frames.reverse();
  const unique = new Map(frames.map((frame) => [`${frame.name}\n${frame.file}`, frame]));
  return [...unique.values()].slice(0, MAX_FRAMES);
}

/** The ids of the nodes that lie in the file that their frame names. */
export function frameNodeIds(queryText: QueryText, rowSets: readonly (readonly (readonly unknown[])[])[]): string[] {
  const nodes = parseFrames(queryText).flatMap((frame, at) => nodesInFile(frame, nameMatches(rowSets[at]!)));
  return [...new Set(nodeIds(nodes))];
}

/** The vector of a query: from the cache, from the static model, or from Workers AI. */
export class QueryVector {
  readonly #key: string;

  constructor(
    private readonly model: QueryModel,
    private readonly text: string,
    private readonly env: Env,
    private readonly onTiming: OnTiming,
  ) {
    this.#key = JSON.stringify([model.name, model.dimensions, text]);
  }

  /** Computes the vector; null if all its numbers are 0. */
  async compute(): Promise<readonly number[] | null> {
    const cached = cachedVector(this.#key);
    const vector = cached ?? (await this.#compute());
    if (!cached) cacheVector(this.#key, vector);
    return vector.some((number) => number !== 0) ? vector : null;
  }

  async #compute(): Promise<readonly number[]> {
    const { model, text } = this;
    if (isStaticModel(model.name)) return embedWithStaticModel(text);
    return embedQuery(this.env.AI!, model.name, model.dimensions, text, this.onTiming);
  }
}

const cachedVectors = new Map<string, readonly number[]>();

function isOnly(term: string, terms: readonly string[]): boolean {
  return terms.length === 1 && terms[0] === term;
}

/** A statement that finds the nodes with a token, if the search by word does not find the same. */
function literalStatements(queryText: QueryText, scope: Scope): Statement[] {
  const terms = queryText.codeTokens.map(ftsPhrase);
  const isSame = terms.length === queryText.ftsTerms.length && terms.every((term, at) => term === queryText.ftsTerms[at]);
  return terms.length && !isSame ? [sql.wordSearch(terms, scope, MAX_BY_LITERAL)] : [];
}

/** Statements that find nodes by the name of each frame. */
function frameStatements(queryText: QueryText, scope: Scope): Statement[] {
  const names = parseFrames(queryText).map((frame) => lastName(frame.name));
  return names.map((name) => sql.nodesCalled(`symbol : ${ftsPhrase(name)}`, name, scope));
}

/** Statements that find the nodes of each name in a text of several lines. */
function anchorStatements(queryText: QueryText, scope: Scope): Statement[] {
  return queryText.anchorNames.map((name) => sql.nodesCalled(ftsExpression(name), name, scope));
}

/** Statements that find nodes by the name, and files by the path, in the query. */
function nameStatements(queryText: QueryText, scope: Scope): Statement[] {
  const text = queryText.name || strip(queryText.text);
  return [
    sql.nodesCalled(text.length > MAX_NAME_CHARS ? NOTHING : ftsExpression(text), text, scope),
    sql.nodesSpelled(isShortQuery(queryText) ? queryText.wordParts : [], scope),
    ...(queryText.path ? [sql.filesByPath(queryText.path, scope)] : []),
  ];
}

/** Statements that find nodes with the name as a word, as a prefix, with a similar name, or one edit away. */
function similarStatements(queryText: QueryText, scope: Scope): Statement[] {
  const name = lastName(queryText.name);
  return [
    sql.nodesHavingWord(name, rareLimit(queryText) + 1, scope),
    sql.nodesByNamePrefix(name, scope),
    ...misspeltNameStatements(name, name, scope),
  ];
}

/** Statements that find nodes with a similar name, or one edit away; nothing if a node has the word `unless`. */
function misspeltNameStatements(name: string, unless: string | null, scope: Scope): Statement[] {
  return [sql.nodesByTrigrams(name, unless, scope), sql.nodesBySpelling(spellings(name), unless, scope)];
}

/**
 * The FTS5 query for the consecutive parts of a name, or for an owner and its member separately.
 *
 * The owner may be a file or folder.
 */
function ftsExpression(text: string): string {
  const at = text.lastIndexOf(".");
  const owner = text.slice(0, Math.max(at, 0));
  const [whole, member] = [ftsPhrase(text), ftsPhrase(text.slice(at + 1))];
  if (!owner) return `symbol : (${whole})`;
  const inModule = `(path : ${ftsPhrase(lastName(owner))} AND symbol : ${member})`;
  return `(symbol : (${whole} OR (${ftsPhrase(owner)} AND ${member}))) OR ${inModule}`;
}

/** The frame that a line shows, or a line together with the one above it. */
function parseLine(above: string, line: string): Frame | null {
  const location = LOCATION.for(line).exec(line);
  if (!location) return null;
  const end = location.index + location[0].length;
  const name =
    firstMatch(NAME_AFTER, line, end) ?? firstMatch(NAME_BEFORE, line, 0) ?? firstMatch(NAME_ABOVE, above, 0);
  return name === null ? null : { name: shortName(name), file: location[1]! };
}

/** The first group of the first pattern that matches at an offset. */
function firstMatch(patterns: readonly Pattern[], line: string, start: number): string | null {
  for (const pattern of patterns) {
    const sticky = pattern.for(line);
    sticky.lastIndex = start;
    const match = sticky.exec(line);
    if (match) return match[1]!;
  }
  return null;
}

/** The last two parts of a name, as the index writes them. */
function shortName(name: string): string {
  const [, last] = rpartition(name, "/");
  const cleaned = last.replaceAll("(*", "").replaceAll(")", "");
  return normalizeSymbol(cleaned.replace(ANONYMOUS.for(cleaned), "")).split(".").slice(-2).join(".");
}

function isOutermostFirst(text: string): boolean {
  return text.includes("Traceback (most recent call last)");
}

/** Nodes of the frame's file; only those with the frame's owner where there are any. */
function nodesInFile(frame: Frame, nodes: readonly NameMatch[]): readonly NameMatch[] {
  const nodesOfFile = nodes.filter((node) => rpartition(node.path, "/")[1] === frame.file);
  const ofOwner = nodesOfFile.filter((node) => symbolEndsWith(normalizeSymbol(node.name), frame.name));
  return ofOwner.length ? ofOwner : nodesOfFile;
}

function withoutModel(problem: string | null): { model: null; problem: string | null } {
  return { model: null, problem };
}

/** The cached vector of a key, which becomes the most recently used one. */
function cachedVector(key: string): readonly number[] | undefined {
  const vector = cachedVectors.get(key);
  if (vector) cacheVector(key, vector);
  return vector;
}

function cacheVector(key: string, vector: readonly number[]): void {
  cachedVectors.delete(key);
  cachedVectors.set(key, vector);
  if (cachedVectors.size <= MAX_CACHED_VECTORS) return;
  for (const oldest of cachedVectors.keys()) return void cachedVectors.delete(oldest);
}
