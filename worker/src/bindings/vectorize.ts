/** The Vectorize client: nearest nodes within a scope, and the metadata filters for a scope. */

import { constants } from "../../build/worker_data.json";
import type { OnTiming } from "../api/types.ts";
import { isGlob, pathPrefix, prefixEnd, type Scope, scopePaths } from "../store/scope.ts";
import { ServiceError } from "./service_error.ts";

const { MAX_NEIGHBOURS } = constants.vectorize;
/** The maximum number of requests to Vectorize for one answer, which may send 6 in all. */
const QUESTIONS = 3;

type Asked = (options: VectorizeQueryOptions) => Promise<VectorizeMatches>;

export class VectorIndex {
  questions = 0;

  constructor(
    private readonly index: Vectorize,
    private readonly onTiming: OnTiming,
  ) {}

  /** The cosine similarities of the nearest nodes to a vector by id, the best first. */
  query(vector: readonly number[], limit: number, scope: Scope): Promise<Map<string, number>> {
    const values = vector.map((value) => Number(value.toPrecision(7)));
    return this.#nearest((options) => this.index.query(values, options), limit, scope);
  }

  /** The same for a node's stored vector; empty if it has none. */
  similar(id: string, limit: number, scope: Scope): Promise<Map<string, number>> {
    return this.#nearest((options) => this.index.queryById(id, options), limit, scope);
  }

  async #nearest(ask: Asked, limit: number, scope: Scope): Promise<Map<string, number>> {
    const topK = Math.min(limit, MAX_NEIGHBOURS);
    const parts = queryFilters(scope);
    for (const some of parts.length <= QUESTIONS ? [parts, [[null]]] : [[[null]]]) {
      const found = await Promise.all(some.map((part) => this.#firstFound(ask, topK, part)));
      const near = found.flat().sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
      if (near.length > 0) return new Map(near.slice(0, limit));
    }
    return new Map();
  }

  /** The matches of the first filter that has any. */
  async #firstFound(
    ask: Asked,
    topK: number,
    filters: readonly (MetadataFilter | null)[],
  ): Promise<[string, number][]> {
    for (const filter of filters) {
      const options = { topK, returnMetadata: "none" as const };
      const matches = await this.#asked(ask, filter === null ? options : { ...options, filter });
      if (matches.length > 0) return matches.map(({ id, score }) => [id, score]);
    }
    return [];
  }

  async #asked(ask: Asked, options: VectorizeQueryOptions): Promise<VectorizeMatch[]> {
    if (this.questions >= QUESTIONS) return [];
    this.questions += 1;
    const began = Date.now();
    try {
      return (await ask(options)).matches;
    } catch (error) {
      throw new ServiceError("Vectorize", error);
    } finally {
      this.onTiming("vectorize", Date.now() - began);
    }
  }
}

type Condition = string | Record<string, string | string[]>;
export type MetadataFilter = Record<string, Condition>;

/** Bytes of a text that a metadata index keeps, and the maximum length of a filter. */
const { MAX_INDEXED_BYTES, MAX_FILTER_BYTES } = constants.vectorize;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8");

/**
 * For each path of a scope, the filters to try in order until one has matches; null is no filter.
 *
 * Mirrors the first stage of `query_filters` in feeder.cloudflare.vectorize, which explains the choice.
 */
export function queryFilters(scope: Scope): (MetadataFilter | null)[][] {
  const everywhere = conditionsOf(scope);
  const parts = scopePaths(scope);
  return (parts.length > 0 ? parts : [""]).map((name) => at(name, everywhere));
}

function at(name: string, everywhere: MetadataFilter): (MetadataFilter | null)[] {
  if (!name || isGlob(name)) return [fitting({ ...everywhere, ...from(pathPrefix(name)) })];
  const folder = fitting({ ...everywhere, ...from(`${name}/`) });
  return [folder, fitting({ ...everywhere, path: first(name) })];
}

/** Keeps as many conditions as fit into a filter, the shortest first. */
function fitting(conditions: MetadataFilter): MetadataFilter | null {
  const sizes = Object.entries(conditions).map(
    ([name, condition]): [number, string, Condition] => [written(condition), name, condition],
  );
  sizes.sort(([one], [other]) => one - other);
  let found: MetadataFilter = {};
  for (const [, name, condition] of sizes) {
    const wider = { ...found, [name]: condition };
    if (written(wider) <= MAX_FILTER_BYTES) found = wider;
  }
  return Object.keys(found).length > 0 ? found : null;
}

/** The length of a value as Python's JSON, which is ASCII with blanks after commas and colons. */
function written(value: unknown): number {
  if (typeof value === "string") {
    return JSON.stringify(value).replace(/[\u007f-\uffff]/g, "\\u0000").length;
  }
  if (Array.isArray(value)) {
    return 2 + joined(value.map((one: unknown) => written(one)));
  }
  const parts = Object.entries(value as object).map(
    ([name, one]) => written(name) + 2 + written(one),
  );
  return 2 + joined(parts);
}

function joined(sizes: readonly number[]): number {
  return sizes.reduce((all, one) => all + one, 0) + 2 * Math.max(0, sizes.length - 1);
}

/** The conditions that hold for all paths. */
function conditionsOf(scope: Scope): MetadataFilter {
  const conditions: [string, Condition | null][] = [
    ["repo", among(scope.repos ?? [], [])],
    ["language", among(scope.languages, scope.notLanguages)],
    ["node_type", among(scope.nodeTypes, scope.notNodeTypes)],
  ];
  return Object.fromEntries(conditions.filter((one): one is [string, Condition] => one[1] !== null));
}

/** The condition on a value; null if any value is allowed. */
function among(values: readonly string[], others: readonly string[]): Condition | null {
  const wanted = values.filter((value) => !others.includes(value)).map(first);
  if (wanted.length > 0) return wanted.length === 1 ? wanted[0]! : { $in: wanted };
  // a longer value is cut in the index, and excluding it would exclude others with its prefix
  const unwanted = others.filter((value) => bytes(value) < MAX_INDEXED_BYTES);
  return unwanted.length > 0 && values.length === 0 ? { $nin: unwanted } : null;
}

/** A range of paths with this prefix; both bounds have at most 64 bytes. */
function from(text: string): MetadataFilter {
  const begins = first(text);
  const end = prefixEnd(begins);
  if (end !== null && bytes(end) > MAX_INDEXED_BYTES) return from([...begins].slice(0, -1).join(""));
  if (!begins) return {};
  return { path: end === null ? { $gte: begins } : { $gte: begins, $lt: end } };
}

/** The prefix of a text that a metadata index keeps. */
function first(text: string): string {
  const raw = encoder.encode(text);
  if (raw.length <= MAX_INDEXED_BYTES) return text;
  // with `stream`, a character that is cut in two is dropped
  return decoder.decode(raw.slice(0, MAX_INDEXED_BYTES), { stream: true });
}

function bytes(text: string): number {
  return encoder.encode(text).length;
}
