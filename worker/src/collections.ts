/** Groups values by a key, in the order in which they came. */

/** A key of several values; null differs from any text, and no value contains a NUL. */
export function keyOf(...facts: readonly (string | number | null)[]): string {
  let key = "";
  for (const fact of facts) key += fact === null ? "\0\x01" : `\0${fact}`;
  return key;
}

/** Groups values by key. */
export function groupBy<Thing>(
  things: Iterable<Thing>,
  key: (thing: Thing) => string,
): Map<string, Thing[]> {
  const groups = new Map<string, Thing[]>();
  for (const thing of things) {
    const its = key(thing);
    const group = groups.get(its);
    if (group) group.push(thing);
    else groups.set(its, [thing]);
  }
  return groups;
}

/** The groups of values that share a key; `coarse` is a cheap key that equal keys share. */
export function groupsWithDuplicates<Thing>(
  things: readonly Thing[],
  coarse: (thing: Thing) => string,
  key: (thing: Thing) => string,
): Thing[][] {
  // building and comparing a long key takes a microsecond; most values do not need one
  const near = [...groupBy(things, coarse).values()].filter((some) => some.length > 1);
  const several = new Set(near.flat());
  const groups = groupBy(things.filter((thing) => several.has(thing)), key);
  return [...groups.values()].filter((some) => some.length > 1);
}
