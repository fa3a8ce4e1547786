/** The functions of the store, the bindings and the suggestions that the tests call. */

import { errorFrom } from "../../src/bindings/d1.ts";
import { closeMatches, nearestNames } from "../../src/suggestions.ts";
import { pathCandidates } from "../../src/search/filters.ts";
import { queryFilters } from "../../src/bindings/vectorize.ts";
import { prefixEnd, EMPTY_SCOPE, scopeParams, type Scope } from "../../src/store/scope.ts";

export const store = {
  d1Error: (message: string) => {
    const { status, error, remedy } = errorFrom(new Error(message));
    return [status, error, remedy];
  },
  closeMatches: (word: string, candidates: string[], cutoff: number) =>
    closeMatches(word, candidates, cutoff),
  nearestNames: (text: string, names: string[], separator: string) => nearestNames(text, names, separator),
  pathCandidates: (typed: string) => pathCandidates(typed),
  prefixEnd: (text: string) => prefixEnd(text),
  scopeParams: (scope: Partial<Scope>) => scopeParams({ ...EMPTY_SCOPE, ...scope }),
  queryFilters: (scope: Partial<Scope>) => queryFilters({ ...EMPTY_SCOPE, ...scope }),
};
