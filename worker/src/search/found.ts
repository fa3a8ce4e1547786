/** What is an answer made of? Nodes, each with why it is one. */

/** A node as a search shows it. */
export interface Hit {
  id: string;
  path: string;
  language: string | null;
  nodeType: string;
  symbol: string | null;
  signature: string | null;
  logicalPath: string | null;
  startLine: number;
  endLine: number;
  members: string;
  repo: string;
  /** A model's line on it; empty where it has none. */
  description: string;
}

/** A name in a node that is no node itself: an enum's member, a field, a constant. */
export interface Member {
  name: string;
  line: number;
}

/** The lines of a node that answer, where it is kept in pieces; and how many of them do. */
export interface MatchingPart {
  startLine: number;
  endLine: number;
  matching: number;
  of: number;
}

/**
 * A node that answers: its score and what that is made of, its ranks from 1 by what found it.
 *
 * `parts` are the rules' shares, which add up to the score; `member` is what the query names, where
 * that is a part of the node. `others` are one hit with it, `copies` have the same text.
 */
export interface Result {
  hit: Hit;
  score: number;
  ranks: ReadonlyMap<string, number>;
  member: Member | null;
  parts: ReadonlyMap<string, number>;
  others: readonly Result[];
  copies: readonly Result[];
  piece: MatchingPart | null;
}

/**
 * Nodes from a place on, the number of all that were found, and what has to be said.
 *
 * Where `atLeast`, there may be more of them than `total`, which were not looked at. `every` has
 * those before and after, too.
 */
export interface ResultPage {
  found: readonly Result[];
  total: number;
  notes: readonly string[];
  atLeast: boolean;
  every: readonly Result[];
}

/** The hit of a row of SQL's, whose columns are Python's `Hit`. */
export function hitFromRow(row: readonly unknown[]): Hit {
  const [id, path, language, nodeType, symbol, signature, logicalPath, startLine, endLine] = row;
  const [members, repo, description] = row.slice(9);
  const facts = { id, path, language, nodeType, symbol, signature, logicalPath, startLine, endLine };
  return { ...facts, members, repo, description } as Hit; // as selected
}
