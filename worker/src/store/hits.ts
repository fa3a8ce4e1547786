/** The columns of a node that an answer shows. */

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
  /** A sentence by a language model; empty if the node has none. */
  description: string;
}

/** The hit of a row; the columns are those of Python's `Hit`. */
export function hitFromRow(row: readonly unknown[]): Hit {
  return {
    id: row[0],
    path: row[1],
    language: row[2],
    nodeType: row[3],
    symbol: row[4],
    signature: row[5],
    logicalPath: row[6],
    startLine: row[7],
    endLine: row[8],
    members: row[9],
    repo: row[10],
    description: row[11],
  } as Hit; // as selected
}
