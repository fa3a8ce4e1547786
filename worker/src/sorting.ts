/** Sorts by several keys, as Python compares tuples. */

import { compareText } from "./python_strings.ts";

export type SortKey = readonly (number | string | boolean)[];

/** Sorts values by their keys; stable, and computes each key once. */
export function sortBy<Value>(values: Iterable<Value>, sortKey: (value: Value) => SortKey): Value[] {
  const entries = Array.from(values, (value) => ({ value, key: sortKey(value) }));
  return entries.sort((one, other) => compareKeys(one.key, other.key)).map(({ value }) => value);
}

function compareKeys(one: SortKey, other: SortKey): number {
  for (let at = 0; at < one.length; at++) {
    const [a, b] = [one[at]!, other[at]!];
    const order = typeof a === "string" ? compareText(a, b as string) : Number(a) - Number(b);
    if (order) return order;
  }
  return 0;
}
