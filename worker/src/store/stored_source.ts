/** Decodes stored source: the lines of files that the index keeps. */

import type { Row } from "./database.ts";

/** Lines of a file with their numbers, which need not be consecutive. */
export interface NumberedLines {
  readonly lines: readonly string[];
  readonly numbers: readonly number[];
}

interface Part extends NumberedLines {
  readonly first: number;
  readonly last: number;
  /** Line numbers of a notebook, whose text has a blank line after each cell. */
  readonly isOfCells?: boolean;
}

/** The loaded parts of files, by repository and path. */
export class StoredSource {
  readonly #parts = new Map<string, Part[]>();

  /** Adds the rows of a stored source statement. */
  async add(rows: readonly Row[]): Promise<void> {
    const parts = await Promise.all(rows.map(partOf));
    rows.forEach(([repo, path], at) => this.put(String(repo), String(path), parts[at]!));
  }

  /** Adds lines from another source. */
  put(repo: string, path: string, part: Part): void {
    const known = this.#parts.get(key(repo, path)) ?? [];
    const rest = known.filter((one) => one.first !== part.first);
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
    const some = (this.#parts.get(key(repo, path)) ?? []).filter(
      (part) => part.first <= last && part.last >= first,
    );
    const isWhole = some.length > 0 && some[0]!.first <= first && inARow(some);
    if (!isWhole) return null;
    const rows = some.flatMap(({ lines, numbers }) => lines.map((line, at) => [line, numbers[at]!] as const));
    const inside = rows.filter(([, number]) => first <= number && number <= last);
    const wanted = some[0]!.isOfCells ? withoutBlanks(inside) : inside;
    return { lines: wanted.map(([line]) => line), numbers: wanted.map(([, number]) => number) };
  }
}

/** Removes empty lines at the end. */
function withoutBlanks<Line extends readonly [string, number]>(lines: readonly Line[]): readonly Line[] {
  return lines.slice(0, lines.findLastIndex(([line]) => line !== "") + 1);
}

/** Returns true if the parts are adjacent; the numbers of a notebook may have gaps. */
function inARow(parts: readonly Part[]): boolean {
  return parts.every(({ first, numbers, last }, at) => {
    const before = parts[at - 1];
    return !before || first === before.last + 1 || numbers.length < last - first + 1;
  });
}

function key(repo: string, path: string): string {
  return `${repo}\0${path}`;
}

async function partOf(row: Row): Promise<Part> {
  const [first, last, said, text] = row.slice(2) as [number, number, string | null, string];
  const lines = (await inflated(text)).split("\n");
  const isOfCells = said !== null;
  const numbers = isOfCells ? (JSON.parse(said) as number[]) : lines.map((_, at) => first + at);
  return { first, last, lines, numbers, isOfCells };
}

/** Decompresses raw deflate from hex digits. */
async function inflated(hex: string): Promise<string> {
  const bytes = new Uint8Array(hex.length / 2);
  for (let at = 0; at < bytes.length; at += 1) {
    bytes[at] = (digit(hex, 2 * at) << 4) | digit(hex, 2 * at + 1);
  }
  const stream = new Response(bytes).body!.pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).text();
}

/** `0` to `9` are 48 to 57, `A` to `F` 65 to 70. */
function digit(hex: string, at: number): number {
  const code = hex.charCodeAt(at);
  return code < 58 ? code - 48 : code - 55;
}
