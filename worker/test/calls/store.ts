/** The functions of the store, the bindings and the suggestions that the tests call. */

import { errorFrom } from "../../src/bindings/d1.ts";
import { closeMatches, nearestNames } from "../../src/suggestions.ts";
import { pathCandidates } from "../../src/query/filters.ts";
import { queryFilters, VectorIndex } from "../../src/bindings/vectorize.ts";
import { pathWords, prefixEnd, EMPTY_SCOPE, scopeParams, type Scope } from "../../src/store/scope.ts";

export const store = {
  d1Error: (message: string) => {
    const { status, error, remedy } = errorFrom(new Error(message));
    return [status, error, remedy];
  },
  closeMatches: (word: string, candidates: string[], cutoff: number) =>
    closeMatches(word, candidates, cutoff),
  nearestNames: (text: string, names: string[], separator: string) => nearestNames(text, names, separator),
  pathCandidates: (typed: string) => pathCandidates(typed),
  pathWords: (paths: string[]) => pathWords({ ...EMPTY_SCOPE, paths }),
  prefixEnd: (text: string) => prefixEnd(text),
  scopeParams: (scope: Partial<Scope>) => scopeParams({ ...EMPTY_SCOPE, ...scope }),
  /** The filters of the requests to an index that has a match for the requests at these places; null is no filter. */
  sentFilters: async (scope: Partial<Scope>, matching: number[]) => {
    const filters: unknown[] = [];
    const query: Vectorize["query"] = (_, options) => {
      const matches = matching.includes(filters.length) ? [{ id: "a", score: 1 }] : [];
      filters.push(options?.filter ?? null);
      return Promise.resolve({ matches, count: matches.length });
    };
    await new VectorIndex({ query } as Vectorize, () => {}).query([1], 10, { ...EMPTY_SCOPE, ...scope });
    return filters;
  },
  /** The ids of the nearest nodes at paths, of which each request finds those of its place, the first the nearest. */
  nearestIds: async (paths: string[], found: string[][], limit: number) => {
    let at = 0;
    const query: Vectorize["query"] = () => {
      const matches = found[at++]!.map((id, place) => ({ id, score: 1 - place / 10 }));
      return Promise.resolve({ matches, count: matches.length });
    };
    const index = new VectorIndex({ query } as Vectorize, () => {});
    return [...(await index.query([1], limit, { ...EMPTY_SCOPE, paths })).keys()];
  },
  queryFilters: (scope: Partial<Scope>) => queryFilters({ ...EMPTY_SCOPE, ...scope }),
};
