/** The functions of the store, the bindings and the suggestions that the tests call. */

import { errorFrom } from "../../src/bindings/d1.ts";
import { closeMatches, nearestNames } from "../../src/suggestions.ts";
import { pathReadings } from "../../src/search/filters.ts";
import { queryFilters } from "../../src/bindings/vectorize.ts";
import { prefixEnd, EMPTY_SCOPE, scopeParams, type Scope } from "../../src/store/scope.ts";
import { StoredSource } from "../../src/store/stored_source.ts";

export const store = {
  refusalOf: (message: string) => {
    const { status, error, remedy } = errorFrom(new Error(message));
    return [status, error, remedy];
  },
  closeMatches: (word: string, possible: string[], cutoff: number) =>
    closeMatches(word, possible, cutoff),
  nearest: (text: string, known: string[], sign: string) => nearestNames(text, known, sign),
  readings: (typed: string) => pathReadings(typed),
  endOf: (text: string) => prefixEnd(text),
  params: (scope: Partial<Scope>) => scopeParams({ ...EMPTY_SCOPE, ...scope }),
  narrowings: (scope: Partial<Scope>) => queryFilters({ ...EMPTY_SCOPE, ...scope }),
  texts: async (rows: unknown[][], path: string, first: number, last: number) => {
    const texts = new StoredSource();
    await texts.add(rows);
    return texts.between("acme/shop", path, first, last);
  },
};
