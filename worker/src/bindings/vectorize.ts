/** The Vectorize client: nearest nodes within a scope, and the metadata filters for a scope. */

import { constants } from "../../build/worker_data.json";
import { isGlob, literalPrefix, prefixEnd, type Scope, pathPatterns } from "../store/scope.ts";
import type { OnTiming } from "../timing.ts";
import { ServiceError } from "./service_error.ts";

const { MAX_NEIGHBOURS } = constants.vectorize;
/** The maximum number of requests to Vectorize for one answer, which may send 6 in all. */
const MAX_REQUESTS = 4;
/** The maximum number of paths that are queried one by one; with more, paths are not filtered. */
const MAX_PATHS = 3;

type QueryFunction = (options: VectorizeQueryOptions) => Promise<VectorizeMatches>;

/** Finds the nearest nodes to a vector. */
export interface NeighbourIndex {
  /** The cosine similarities of the nearest nodes to a vector by id, the best first. */
  query(vector: readonly number[], limit: number, scope: Scope): Promise<Map<string, number>>;
}

/** The vector indexes of several repositories as one. */
export class SeveralIndexes implements NeighbourIndex {
  constructor(private readonly indexes: readonly { index: VectorIndex; repos: readonly string[] }[]) {}

  async query(vector: readonly number[], limit: number, scope: Scope): Promise<Map<string, number>> {
    const found = await Promise.all(this.indexes.map(({ index, repos }) => index.query(vector, limit, { ...scope, repos })));
    const neighbours = found.flatMap((one) => [...one]);
    neighbours.sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
    return new Map(neighbours.slice(0, limit));
  }
}

export class VectorIndex implements NeighbourIndex {
  requestCount = 0;

  constructor(
    private readonly index: Vectorize,
    private readonly onTiming: OnTiming,
  ) {}

  query(vector: readonly number[], limit: number, scope: Scope): Promise<Map<string, number>> {
    const values = vector.map((value) => Number(value.toPrecision(7)));
    return this.#nearest((options) => this.index.query(values, options), limit, scope);
  }

  /** The cosine similarities of the nearest nodes to a node's stored vector; empty if it has none. */
  similar(id: string, limit: number, scope: Scope): Promise<Map<string, number>> {
    return this.#nearest((options) => this.index.queryById(id, options), limit, scope);
  }

  /** The repositories of the nearest nodes to a vector, from the metadata that is indexed. */
  async nearestRepos(vector: readonly number[], repos: readonly string[]): Promise<{ repo: string; score: number }[]> {
    const values = vector.map((value) => Number(value.toPrecision(7)));
    const named = new Map(repos.map((repo) => [indexedPrefix(repo), repo]));
    const filter = fitConditions({ repo: { $in: [...named.keys()] } });
    const options = { topK: MAX_NEIGHBOURS, returnMetadata: "indexed" as const, ...(filter && { filter }) };
    const matches = await this.#request((one) => this.index.query(values, one), options);
    return matches.flatMap(({ metadata, score }) => {
      const repo = named.get(String(metadata?.repo ?? ""));
      return repo === undefined ? [] : [{ repo, score }];
    });
  }

  async #nearest(sendQuery: QueryFunction, limit: number, scope: Scope): Promise<Map<string, number>> {
    const topK = Math.min(limit, MAX_NEIGHBOURS);
    const narrowed = pathPatterns(scope).length > MAX_PATHS ? { ...scope, paths: [] } : scope;
    const stages = queryFilters(narrowed);
    for (const [at, { filters, files }] of [...stages, { filters: [null] }].entries()) {
      const matches = await Promise.all(filters.map((filter) => this.#matches(sendQuery, topK, filter)));
      if (files && matches.some((found) => found.length === 0)) {
        // the last request is for the next filter, which finds the files too, unless the folders have matches
        const isLastFilter = at + 1 === stages.length || matches.some((found) => found.length > 0);
        if (isLastFilter || this.requestCount < MAX_REQUESTS - 1) matches.push(await this.#matches(sendQuery, topK, files));
      }
      const neighbours = matches.flat().sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
      if (neighbours.length > 0) return firstOf(neighbours, limit);
    }
    return new Map();
  }

  async #matches(sendQuery: QueryFunction, topK: number, filter: MetadataFilter | null): Promise<[string, number][]> {
    const options = { topK, returnMetadata: "none" as const, ...(filter && { filter }) };
    const matches = await this.#request(sendQuery, options);
    return matches.map(({ id, score }) => [id, score]);
  }

  async #request(sendQuery: QueryFunction, options: VectorizeQueryOptions): Promise<VectorizeMatch[]> {
    if (this.requestCount >= MAX_REQUESTS) return [];
    this.requestCount += 1;
    const startedAt = Date.now();
    try {
      return (await sendQuery(options)).matches;
    } catch (error) {
      throw new ServiceError("Vectorize", error);
    } finally {
      this.onTiming("vectorize", Date.now() - startedAt);
    }
  }
}

/** The first neighbours, each once: those of a folder and of one within it overlap. */
function firstOf(neighbours: readonly [string, number][], limit: number): Map<string, number> {
  return new Map([...new Map(neighbours)].slice(0, limit));
}

type Condition = string | Record<string, string | string[]>;
export type MetadataFilter = Record<string, Condition>;

/** Bytes of a text that a metadata index keeps, and the maximum length of a filter. */
const { MAX_INDEXED_BYTES, MAX_FILTER_BYTES } = constants.vectorize;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8");

/** Filters whose results are merged, and one that is sent too if any of them finds nothing; null is no filter. */
interface FilterStage {
  filters: (MetadataFilter | null)[];
  files?: MetadataFilter | null;
}

/**
 * The stages to try in order until one has matches.
 *
 * Mirrors `query_filters` in feeder.cloudflare.vectorize, which explains the choice, without its last stage.
 */
export function queryFilters(scope: Scope): FilterStage[] {
  const conditions = commonConditions(scope);
  const tests = testsCondition(scope);
  const patterns = pathPatterns(scope);
  const files = patterns.filter((pattern) => !isGlob(pattern));
  // globs such as `*.py` and `*.md` have the same empty prefix
  const prefixes = [...new Set(patterns.map((pattern) => (isGlob(pattern) ? literalPrefix(pattern) : `${pattern}/`)))];
  const below = (prefix: string): MetadataFilter => ({ ...conditions, ...prefixCondition(prefix) });
  const stage: FilterStage = {
    filters: (prefixes.length > 0 ? prefixes : [""]).map((prefix) => fitConditions({ ...below(prefix), ...tests })),
    files: files.length > 0 ? fitConditions({ ...conditions, path: valueCondition(files, [])! }) : null,
  };
  return tests ? [stage, { filters: [fitConditions(below(commonPrefix(prefixes)))], files: null }] : [stage];
}

/** The longest prefix that all texts have. */
function commonPrefix(texts: readonly string[]): string {
  const [first = [], ...others] = texts.map((text) => [...text]);
  const end = first.findIndex((character, at) => others.some((other) => other[at] !== character));
  return first.slice(0, end < 0 ? first.length : end).join("");
}

function testsCondition({ tests }: Scope): MetadataFilter | null {
  if (tests === "only") return { tests: "yes" };
  return tests === "no" ? { tests: "no" } : null;
}

/** Keeps as many conditions as fit into a filter, the shortest first. */
function fitConditions(conditions: MetadataFilter): MetadataFilter | null {
  const sizes = Object.entries(conditions).map(
    ([name, condition]): [number, string, Condition] => [jsonLength(condition), name, condition],
  );
  sizes.sort(([one], [other]) => one - other);
  let fitting: MetadataFilter = {};
  for (const [, name, condition] of sizes) {
    const wider = { ...fitting, [name]: condition };
    if (jsonLength(wider) <= MAX_FILTER_BYTES) fitting = wider;
  }
  return Object.keys(fitting).length > 0 ? fitting : null;
}

/** The length of a value as Python's JSON, which is ASCII with blanks after commas and colons. */
function jsonLength(value: unknown): number {
  if (typeof value === "string") {
    return JSON.stringify(value).replace(/[\u007f-\uffff]/g, "\\u0000").length;
  }
  if (Array.isArray(value)) {
    return 2 + jsonListLength(value.map((one: unknown) => jsonLength(one)));
  }
  const parts = Object.entries(value as object).map(
    ([name, one]) => jsonLength(name) + 2 + jsonLength(one),
  );
  return 2 + jsonListLength(parts);
}

function jsonListLength(sizes: readonly number[]): number {
  return sizes.reduce((all, one) => all + one, 0) + 2 * Math.max(0, sizes.length - 1);
}

/** The conditions that hold for all paths. */
function commonConditions(scope: Scope): MetadataFilter {
  const conditions: [string, Condition | null][] = [
    ["repo", valueCondition(scope.repos ?? [], [])],
    ["language", valueCondition(scope.languages, scope.notLanguages)],
    ["node_type", valueCondition(scope.nodeTypes, scope.notNodeTypes)],
  ];
  return Object.fromEntries(conditions.filter((one): one is [string, Condition] => one[1] !== null));
}

/** The condition on a value; null if any value is allowed. */
function valueCondition(values: readonly string[], excluded: readonly string[]): Condition | null {
  const allowed = values.filter((value) => !excluded.includes(value)).map(indexedPrefix);
  if (allowed.length > 0) return allowed.length === 1 ? allowed[0]! : { $in: allowed };
  // a longer value is cut in the index, and excluding it would exclude others with its prefix
  const rejected = excluded.filter((value) => byteSize(value) < MAX_INDEXED_BYTES);
  return rejected.length > 0 && values.length === 0 ? { $nin: rejected } : null;
}

/** A range of paths with this prefix; both bounds have at most 64 bytes. */
function prefixCondition(text: string): MetadataFilter {
  const prefix = indexedPrefix(text);
  const end = prefixEnd(prefix);
  if (end !== null && byteSize(end) > MAX_INDEXED_BYTES) return prefixCondition([...prefix].slice(0, -1).join(""));
  if (!prefix) return {};
  return { path: end === null ? { $gte: prefix } : { $gte: prefix, $lt: end } };
}

/** The prefix of a text that a metadata index keeps. */
function indexedPrefix(text: string): string {
  const bytes = encoder.encode(text);
  if (bytes.length <= MAX_INDEXED_BYTES) return text;
  // with `stream`, a character that is cut in two is dropped
  return decoder.decode(bytes.slice(0, MAX_INDEXED_BYTES), { stream: true });
}

function byteSize(text: string): number {
  return encoder.encode(text).length;
}
