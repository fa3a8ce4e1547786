/** Decodes stored source: the lines of files that the index keeps. */

import type { Row } from "./database.ts";

/** Lines of a file with their numbers, which need not be consecutive. */
export interface NumberedLines {
  readonly lines: readonly string[];
  readonly numbers: readonly number[];
}

interface SourcePart extends NumberedLines {
  readonly first: number;
  readonly last: number;
  /** Line numbers of a notebook, whose text has a blank line after each cell. */
  readonly isNotebook?: boolean;
}

/** The loaded parts of files, by repository and path. */
export class StoredSource {
  readonly #parts = new Map<string, SourcePart[]>();

  /** Adds the rows of a stored source statement. */
  async add(rows: readonly Row[]): Promise<void> {
    const parts = await Promise.all(rows.map(decodePart));
    rows.forEach(([repo, path], at) => this.put(String(repo), String(path), parts[at]!));
  }

  /** Adds lines from another source. */
  put(repo: string, path: string, part: SourcePart): void {
    const existing = this.#parts.get(key(repo, path)) ?? [];
    const rest = existing.filter((one) => one.first !== part.first);
    const all = [...rest, part].sort((one, other) => one.first - other.first);
    this.#parts.set(key(repo, path), all);
  }

  /** All loaded lines of a file; null if there are none. */
  whole(repo: string, path: string): NumberedLines | null {
    const parts = this.#parts.get(key(repo, path)) ?? [];
    const last = parts.at(-1)?.last;
    return last === undefined ? null : this.between(repo, path, parts[0]!.first, last);
  }

  /** The lines from the first to the last; null if some are missing. */
  between(repo: string, path: string, first: number, last: number): NumberedLines | null {
    const parts = (this.#parts.get(key(repo, path)) ?? []).filter(
      (part) => part.first <= last && part.last >= first,
    );
    const isComplete = parts.length > 0 && parts[0]!.first <= first && areAdjacent(parts);
    if (!isComplete) return null;
    const rows = parts.flatMap(({ lines, numbers }) => lines.map((line, at) => [line, numbers[at]!] as const));
    const inside = rows.filter(([, number]) => first <= number && number <= last);
    const shown = parts[0]!.isNotebook ? trimBlankLines(inside) : inside;
    return { lines: shown.map(([line]) => line), numbers: shown.map(([, number]) => number) };
  }
}

/** Removes empty lines at the end. */
function trimBlankLines<Line extends readonly [string, number]>(lines: readonly Line[]): readonly Line[] {
  return lines.slice(0, lines.findLastIndex(([line]) => line !== "") + 1);
}

/** Returns true if the parts are adjacent; the numbers of a notebook may have gaps. */
function areAdjacent(parts: readonly SourcePart[]): boolean {
  return parts.every(({ first, numbers, last }, at) => {
    const before = parts[at - 1];
    return !before || first === before.last + 1 || numbers.length < last - first + 1;
  });
}

function key(repo: string, path: string): string {
  return `${repo}\0${path}`;
}

async function decodePart(row: Row): Promise<SourcePart> {
  const [first, last, numbersJson, text] = row.slice(2) as [number, number, string | null, string];
  const lines = (await inflate(text)).split("\n");
  const isNotebook = numbersJson !== null;
  const numbers = isNotebook ? (JSON.parse(numbersJson) as number[]) : lines.map((_, at) => first + at);
  return { first, last, lines, numbers, isNotebook };
}

/** Decompresses raw deflate from hex digits. */
async function inflate(hex: string): Promise<string> {
  const bytes = new Uint8Array(hex.length / 2);
  for (let at = 0; at < bytes.length; at += 1) {
    bytes[at] = (hexDigit(hex, 2 * at) << 4) | hexDigit(hex, 2 * at + 1);
  }
  const stream = new Response(bytes).body!.pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).text();
}

/** `0` to `9` are 48 to 57, `A` to `F` 65 to 70. */
function hexDigit(hex: string, at: number): number {
  const code = hex.charCodeAt(at);
  return code < 58 ? code - 48 : code - 55;
}
