/** Decodes stored source: the lines of files that the index keeps. */

import type { Row } from "./database.ts";

/** Lines of a file, each with its number, which jump where some of them are left out. */
export interface NumberedLines {
  readonly lines: readonly string[];
  readonly numbers: readonly number[];
}

interface Part extends NumberedLines {
  readonly first: number;
  readonly last: number;
  /** Of a notebook, whose text has a blank line behind each cell. */
  readonly isOfCells?: boolean;
}

/** Parts of files by repository and path, which are asked for as they are needed. */
export class StoredSource {
  readonly #parts = new Map<string, Part[]>();

  /** Takes in what the index answers that is asked for texts. */
  async add(rows: readonly Row[]): Promise<void> {
    const parts = await Promise.all(rows.map(partOf));
    rows.forEach(([repo, path], at) => this.put(String(repo), String(path), parts[at]!));
  }

  /** Lines that somebody else has brought. */
  put(repo: string, path: string, part: Part): void {
    const known = this.#parts.get(key(repo, path)) ?? [];
    const rest = known.filter((one) => one.first !== part.first);
    const all = [...rest, part].sort((one, other) => one.first - other.first);
    this.#parts.set(key(repo, path), all);
  }

  /** All lines that a file has; null where nothing of it is there. */
  whole(repo: string, path: string): NumberedLines | null {
    const parts = this.#parts.get(key(repo, path)) ?? [];
    const last = parts.at(-1)?.last;
    return last === undefined ? null : this.between(repo, path, parts[0]!.first, last);
  }

  /** The lines from the first to the last; null where some of them are not there. */
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

/** Without the empty ones at the end. */
function withoutBlanks<Line extends readonly [string, number]>(lines: readonly Line[]): readonly Line[] {
  return lines.slice(0, lines.findLastIndex(([line]) => line !== "") + 1);
}

/** Of a notebook's parts the numbers may jump in between. */
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

/** Raw deflate, as hex digits. */
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
