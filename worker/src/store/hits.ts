/** The columns of a node that an answer shows. */

import type { Row } from "./database.ts";

/** The columns of a word search in several databases, whose scores are made comparable. */
const ID_AND_SCORE = 2;

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

/** The rows of `hitsWithParts` for the nodes in the rows of a search by word, which has them with their scores. */
export function rowsOfWords(rows: readonly Row[]): Row[] {
  return rows.filter(({ length }) => length > ID_AND_SCORE).map(([id, _score, ...columns]) => [id, ...columns]);
}

/** The same for the rows of a search by name; `hitFromRow` reads them in another order. */
export function rowsOfNames(rows: readonly Row[]): Row[] {
  return rows.map(([id, , members, nodeType, path, startLine, , , language, symbol, signature, logicalPath, endLine, ...rest]) => [
    ...[id, path, language, nodeType, symbol, signature, logicalPath, startLine, endLine, members],
    ...rest,
  ]);
}
