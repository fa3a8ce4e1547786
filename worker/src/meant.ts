/** Which name is nearest to one that is none? As Python's difflib counts. */

/** How like a name is at least. */
const LIKE = 0.6;

/** Asks whether the one most like it was meant; empty where none is like it. */
export function meant(name: string, known: readonly string[]): string {
  const some = known.filter((one) => most(one, name) >= LIKE);
  const scored = some.map((one): [number, string] => [ratio(one, name), one]);
  const near = scored.filter(([score]) => score >= LIKE);
  const best = near.sort(([one, a], [other, b]) => other - one || (a < b ? 1 : -1))[0];
  return best ? `Did you mean \`${best[1]}\`?` : "";
}

/** How much texts of these lengths can have in common; a long name is not looked at. */
function most(one: string, other: string): number {
  return (2 * Math.min(one.length, other.length)) / (one.length + other.length);
}

/** How much two texts have in common, from 0 to 1. */
export function ratio(one: string, other: string): number {
  const [a, b] = [[...one], [...other]];
  if (!a.length && !b.length) return 1;
  return (2 * matching(a, b)) / (a.length + b.length);
}

/** Characters in the longest common run, and in those at each side of it. */
function matching(a: string[], b: string[]): number {
  const [start, at, size] = longest(a, b);
  if (!size) return 0;
  const before = matching(a.slice(0, start), b.slice(0, at));
  return before + size + matching(a.slice(start + size), b.slice(at + size));
}

/** Where the longest common run begins in each, and its size; the first of several. */
function longest(a: string[], b: string[]): [number, number, number] {
  let best: [number, number, number] = [0, 0, 0];
  let before = new Map<number, number>();
  for (const [row, one] of a.entries()) {
    const now = new Map<number, number>();
    for (const [column, other] of b.entries()) {
      if (one !== other) continue;
      const size = (before.get(column - 1) ?? 0) + 1;
      now.set(column, size);
      if (size > best[2]) best = [row - size + 1, column - size + 1, size];
    }
    before = now;
  }
  return best;
}
