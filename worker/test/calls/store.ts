/** The functions of the store, the bindings and the suggestions that the tests call. */

import { errorFrom } from "../../src/bindings/d1.ts";
import { closeMatches, nearestNames } from "../../src/suggestions.ts";
import { pathCandidates } from "../../src/search/filters.ts";
import { queryFilters } from "../../src/bindings/vectorize.ts";
import { prefixEnd, EMPTY_SCOPE, scopeParams, type Scope } from "../../src/store/scope.ts";
import { StoredSource } from "../../src/store/stored_source.ts";

export const store = {
  refusalOf: (message: string) => {
    const { status, error, remedy } = errorFrom(new Error(message));
    return [status, error, remedy];
  },
  closeMatches: (word: string, candidates: string[], cutoff: number) =>
    closeMatches(word, candidates, cutoff),
  nearest: (text: string, names: string[], separator: string) => nearestNames(text, names, separator),
  readings: (typed: string) => pathCandidates(typed),
  endOf: (text: string) => prefixEnd(text),
  params: (scope: Partial<Scope>) => scopeParams({ ...EMPTY_SCOPE, ...scope }),
  narrowings: (scope: Partial<Scope>) => queryFilters({ ...EMPTY_SCOPE, ...scope }),
  texts: async (rows: unknown[][], path: string, first: number, last: number) => {
    const source = new StoredSource();
    await source.add(rows);
    return source.between("acme/shop", path, first, last);
  },
};
