/** What the tests may call of the store. */

import { refusalOf } from "../../src/bindings/d1.ts";
import { closeMatches, nearest } from "../../src/nearby.ts";
import { readings } from "../../src/search/filters.ts";
import { narrowings } from "../../src/store/narrowings.ts";
import { endOf, OPEN, params, type Scope } from "../../src/store/scope.ts";
import { Texts } from "../../src/store/texts.ts";

export const store = {
  refusalOf: (message: string) => {
    const { status, error, remedy } = refusalOf(new Error(message));
    return [status, error, remedy];
  },
  closeMatches: (word: string, possible: string[], cutoff: number) =>
    closeMatches(word, possible, cutoff),
  nearest: (text: string, known: string[], sign: string) => nearest(text, known, sign),
  readings: (typed: string) => readings(typed),
  endOf: (text: string) => endOf(text),
  params: (scope: Partial<Scope>) => params({ ...OPEN, ...scope }),
  narrowings: (scope: Partial<Scope>) => narrowings({ ...OPEN, ...scope }),
  texts: async (rows: unknown[][], path: string, first: number, last: number) => {
    const texts = new Texts();
    await texts.add(rows);
    return texts.between("acme/shop", path, first, last);
  },
};
