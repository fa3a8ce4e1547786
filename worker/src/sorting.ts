/** Sorts by several keys, as Python compares tuples. */

import { compareText } from "./python_strings.ts";

export type SortKey = readonly (number | string | boolean)[];

/** Sorts values by their keys; stable, and computes each key once. */
export function sortBy<Thing>(things: Iterable<Thing>, keyOf: (thing: Thing) => SortKey): Thing[] {
  const keyed = Array.from(things, (thing) => ({ thing, key: keyOf(thing) }));
  return keyed.sort((one, other) => compared(one.key, other.key)).map(({ thing }) => thing);
}

function compared(one: SortKey, other: SortKey): number {
  for (let at = 0; at < one.length; at++) {
    const [a, b] = [one[at]!, other[at]!];
    const said = typeof a === "string" ? compareText(a, b as string) : Number(a) - Number(b);
    if (said) return said;
  }
  return 0;
}
