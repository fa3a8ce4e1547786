/** Which name was meant where one is not known? */

import { closeMatches } from "./nearby.ts";

/** How much names of such lengths can have in common: a long one is not looked at. */
const LIKE = 0.6;

/** Asks whether the one most like it was meant; empty where none is like it. */
export function meant(name: string, known: readonly string[]): string {
  const some = known.filter((one) => most(one, name) >= LIKE);
  const [near] = closeMatches(name, some, LIKE, 1);
  return near ? `Did you mean \`${near}\`?` : "";
}

function most(one: string, other: string): number {
  return (2 * Math.min(one.length, other.length)) / (one.length + other.length);
}
