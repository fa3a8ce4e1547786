/** Groups values by a key, in the order in which they came. */

/** A key of several values; null differs from any text, and no value contains a NUL. */
export function keyOf(...parts: readonly (string | number | null)[]): string {
  let key = "";
  for (const part of parts) key += part === null ? "\0\x01" : `\0${part}`;
  return key;
}

/** Groups values by key. */
export function groupBy<Value, Key>(values: Iterable<Value>, key: (value: Value) => Key): Map<Key, Value[]> {
  const groups = new Map<Key, Value[]>();
  for (const value of values) {
    const groupKey = key(value);
    const group = groups.get(groupKey);
    if (group) group.push(value);
    else groups.set(groupKey, [value]);
  }
  return groups;
}

/** The groups of values that share a key; `coarse` is a cheap key that equal keys share. */
export function groupsWithDuplicates<Value>(
  values: readonly Value[],
  coarse: (value: Value) => string,
  key: (value: Value) => string,
): Value[][] {
  // building and comparing a long key takes a microsecond; most values do not need one
  const candidates = [...groupBy(values, coarse).values()].filter((group) => group.length > 1);
  const suspects = new Set(candidates.flat());
  const groups = groupBy(values.filter((value) => suspects.has(value)), key);
  return [...groups.values()].filter((group) => group.length > 1);
}
