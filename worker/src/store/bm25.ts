/**
 * Computes BM25 for nodes of several databases, as one database with all of them would.
 *
 * FTS5 computes it with the number of nodes and tokens of its own database. Here each term's score is taken
 * apart and computed again with the sums over all databases. Source: FTS5's `bm25`, k1 = 1.2 and b = 0.75.
 */

import type { Row } from "./database.ts";

const [K1, B] = [1.2, 0.75];
/** FTS5's least weight, that of a term which most nodes have. */
const MIN_IDF = 1e-6;

/** The statistics of one database, and its candidates with their sizes in tokens and their scores by term. */
interface TermScores {
  readonly nodes: number;
  readonly tokens: number;
  readonly counts: ReadonlyMap<number, number>;
  readonly candidates: ReadonlyMap<string, { id: string; tokens: number; scores: [term: number, score: number][] }>;
}

/** The candidates with their scores, from the rows of the statement in each database. */
export function comparableScores(rowSets: readonly (readonly Row[])[]): Row[] {
  const databases = rowSets.filter((rows) => rows.length > 0).map(parseTermScores);
  const nodes = sumOf(databases.map((one) => one.nodes));
  const meanTokens = sumOf(databases.map((one) => one.tokens)) / nodes;
  const countOf = (term: number) => sumOf(databases.map(({ counts }) => counts.get(term) ?? 0));
  return databases.flatMap((own) => {
    const ownMean = own.tokens / own.nodes;
    return Array.from(own.candidates.values(), ({ id, tokens, scores }) => {
      const [before, after] = [lengthFactor(tokens, ownMean), lengthFactor(tokens, meanTokens)];
      const parts = scores.map(([term, score]) => {
        const share = score / idf(own.nodes, own.counts.get(term) ?? 0);
        const frequency = (share * before) / (K1 + 1 - share);
        return (idf(nodes, countOf(term)) * frequency * (K1 + 1)) / (frequency + after);
      });
      return [id, sumOf(parts)];
    });
  });
}

function idf(nodes: number, withTerm: number): number {
  return Math.max(Math.log((nodes - withTerm + 0.5) / (withTerm + 0.5)), MIN_IDF);
}

/** What a node's length adds to the frequency of a term. */
function lengthFactor(tokens: number, meanTokens: number): number {
  return K1 * (1 - B + (B * tokens) / meanTokens);
}

function parseTermScores(rows: readonly Row[]): TermScores {
  let [nodes, tokens] = [0, 0];
  const counts = new Map<number, number>();
  const candidates = new Map<string, { id: string; tokens: number; scores: [number, number][] }>();
  for (const [term, kind, value, nodeId, size] of rows) {
    if (kind === "all") [nodes = 0, tokens] = sumsOf(varints(String(value)));
    if (kind === "count") counts.set(Number(term), Number(value));
    if (kind === "score") {
      const id = String(nodeId);
      const candidate = candidates.get(id) ?? { id, tokens: sumOf(varints(String(size))), scores: [] };
      candidates.set(id, candidate);
      candidate.scores.push([Number(term), Number(value)]);
    }
  }
  return { nodes, tokens, counts, candidates };
}

/** The number of nodes, and the tokens of all columns. */
function sumsOf([nodes = 0, ...columns]: readonly number[]): [number, number] {
  return [nodes, sumOf(columns)];
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

/** SQLite's variable-length integers in hex digits: seven bits a byte, the most significant first. */
function varints(hex: string): number[] {
  const numbers: number[] = [];
  let value = 0;
  for (let at = 0; at < hex.length; at += 2) {
    const byte = parseInt(hex.slice(at, at + 2), 16);
    value = value * 128 + (byte & 127);
    if (byte < 128) {
      numbers.push(value);
      value = 0;
    }
  }
  return numbers;
}
