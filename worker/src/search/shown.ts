/** Which of a hit's lines are shown? Those that answer best, marked where the question's words stand. */

import type { NumberedLines } from "../store/stored_source.ts";
import type { HitText } from "./answers.ts";
import type { Result } from "./found.ts";
import { chooseSnippet, type SnippetRequest, type Snippet } from "./snippets.ts";

/** First lines and last ones of the nodes that lie in a hit. */
export type InnerRanges = readonly (readonly [number, number])[];

/** The question's words, and how many lines of a hit are shown; null for all. */
export interface SnippetOptions {
  readonly words: readonly string[];
  readonly lines: number | null;
}

/** A hit's text, with the window in lines of the file, which of a notebook are no run. */
export function hitSnippet(one: Result, { lines, numbers }: NumberedLines, inner: InnerRanges, shaped: SnippetOptions): HitText {
  const rows = new Map<number, number>();
  numbers.forEach((number, row) => rows.has(number) || rows.set(number, row));
  const wanted: SnippetRequest = {
    words: shaped.words,
    size: shaped.lines ?? lines.length,
    signature: signatureOf(one, lines),
    anchor: (one.member && rows.get(one.member.line)) ?? null,
    inner: inner.flatMap(([first, last]) => {
      const [from, to] = [rows.get(first), rows.get(last)];
      return from === undefined || to === undefined ? [] : [[from, to + 1] as const];
    }),
  };
  return { text: lines.join("\n"), window: json(chosen(one, lines, wanted, rows), numbers) };
}

/** Where no word stands in the lines, the piece that answers begins it. */
function chosen(
  { piece }: Result,
  lines: readonly string[],
  wanted: SnippetRequest,
  rows: ReadonlyMap<number, number>,
): Snippet {
  const found = chooseSnippet(lines, 0, wanted);
  if (!piece || wanted.anchor !== null || found.marks.length > 0) return found;
  return chooseSnippet(lines, 0, { ...wanted, anchor: rows.get(piece.startLine) ?? null });
}

/** What stands above a window: a section's heading is its first line; a chunk has nothing. */
function signatureOf({ hit }: Result, lines: readonly string[]): string | null {
  return hit.signature || (hit.symbol || hit.logicalPath ? (lines[0] ?? null) : null);
}

function json({ startLine, lines, marks, head, below }: Snippet, numbers: readonly number[]): object {
  const at = (row: number) => (lines.length > 0 ? numbers[row] : row);
  return {
    start_line: at(startLine),
    lines,
    marks: marks.map(({ line, start, end }) => [at(line), start, end]),
    head: head && { start_line: at(head.startLine), lines: head.lines },
    below,
  };
}
