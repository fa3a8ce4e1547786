/** The border to Vectorize: the nearest nodes of a scope, as ids alone. */

import shared from "../../build/shared.json";
import type { OnTiming } from "../api/types.ts";
import { queryFilters, type MetadataFilter } from "../store/narrowings.ts";
import type { Scope } from "../store/scope.ts";
import { ServiceError } from "./service_error.ts";

/** Vectorize answers no more. */
const { MAX_NEIGHBOURS } = shared.constants.vectorize;
/** Questions to Vectorize that one answer may take, of its six subrequests. */
const QUESTIONS = 3;

type Asked = (options: VectorizeQueryOptions) => Promise<VectorizeMatches>;

export class VectorIndex {
  questions = 0;

  constructor(
    private readonly index: Vectorize,
    private readonly clock: OnTiming,
  ) {}

  /** Cosines by id, the best first. */
  query(vector: readonly number[], limit: number, scope: Scope): Promise<Map<string, number>> {
    const values = vector.map((value) => Number(value.toPrecision(7)));
    return this.#nearest((options) => this.index.query(values, options), limit, scope);
  }

  /** The same of a node's own vector; empty where it has none. */
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

  /** What the first of the filters finds that finds any. */
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
      this.clock("vectorize", Date.now() - began);
    }
  }
}
