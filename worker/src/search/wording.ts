/** What is said of a hit beside its lines? What it stands for, and of which commit they are. */

import type { Found } from "./found.ts";

const COMMIT_DIGITS = 10;

/** The name of the node, and of what the question names in it. */
export function nameOf({ hit, member }: Found): string {
  return [hit.symbol || hit.logicalPath, member?.name].filter(Boolean).join(".");
}

/** What else the hit stands for, and the commit that its lines are of. */
export function stateOf(one: Found, commit: string | null): string {
  const committed = commit && `as committed in ${commit.slice(0, COMMIT_DIGITS)}`;
  return [groupOf(one), committed].filter(Boolean).join(", ");
}

/** What else this hit stands for: pieces of the node, and copies of it. */
function groupOf({ piece, copies }: Found): string {
  const pieces = piece && `${piece.matching} of ${piece.of} parts`;
  const same = copies.length ? `and ${copies.length} more with the same text` : "";
  return [pieces, same].filter(Boolean).join(", ");
}
