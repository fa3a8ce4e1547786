/** The columns of a node that an answer shows. */

import type { Row } from "./database.ts";

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

/** The row of `hitsWithParts` for the node in a row of a search by word; null if the search has not read it. */
export function rowOfWord([id, _score, node]: Row): Row | null {
  return typeof node === "string" ? [id, ...(JSON.parse(node) as Row)] : null;
}

/** The same for a row of a search by name. */
export function rowOfName([id, , members, nodeType, path, startLine, , , node]: Row): Row {
  const [language, symbol, signature, logicalPath, endLine, ...rest] = JSON.parse(String(node)) as Row;
  return [id, path, language, nodeType, symbol, signature, logicalPath, startLine, endLine, members, ...rest];
}
