/** Decodes stored source: the lines of files that the index keeps. */

import type { Row } from "./database.ts";

const encoder = new TextEncoder();
/** The value of each hex digit, by its character code. */
const HEX_VALUES = new Uint8Array(128);
[..."0123456789ABCDEF"].forEach((digit, value) => (HEX_VALUES[digit.charCodeAt(0)] = value));

/** Lines of a file with their numbers, which need not be consecutive. */
export interface NumberedLines {
  readonly lines: readonly string[];
  readonly numbers: readonly number[];
}

interface SourcePart {
  readonly lines: readonly string[];
  readonly first: number;
  readonly last: number;
  /** Line numbers of a notebook, whose text has a blank line after each cell; null if they are consecutive. */
  readonly numbers: readonly number[] | null;
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
    const isNotebook = parts[0]!.numbers !== null;
    const inside = parts.map((part) => linesBetween(part, first, last));
    const shown = inside.length === 1 ? inside[0]! : joined(inside);
    return isNotebook ? trimBlankLines(shown) : shown;
  }
}

/** The lines of a part from the first to the last. */
function linesBetween({ lines, numbers, first: start }: SourcePart, first: number, last: number): NumberedLines {
  if (numbers) {
    const rows = [...lines.keys()].filter((row) => first <= numbers[row]! && numbers[row]! <= last);
    return { lines: rows.map((row) => lines[row]!), numbers: rows.map((row) => numbers[row]!) };
  }
  const from = Math.max(first - start, 0);
  const inside = lines.slice(from, last - start + 1);
  return { lines: inside, numbers: inside.map((_, at) => start + from + at) };
}

function joined(parts: readonly NumberedLines[]): NumberedLines {
  return { lines: parts.flatMap(({ lines }) => lines), numbers: parts.flatMap(({ numbers }) => numbers) };
}

/** Removes empty lines at the end. */
function trimBlankLines({ lines, numbers }: NumberedLines): NumberedLines {
  const end = lines.findLastIndex((line) => line !== "") + 1;
  return { lines: lines.slice(0, end), numbers: numbers.slice(0, end) };
}

/** Returns true if the parts are adjacent; the numbers of a notebook may have gaps. */
function areAdjacent(parts: readonly SourcePart[]): boolean {
  return parts.every(({ first, lines, last }, at) => {
    const before = parts[at - 1];
    return !before || first === before.last + 1 || lines.length < last - first + 1;
  });
}

function key(repo: string, path: string): string {
  return `${repo}\0${path}`;
}

async function decodePart(row: Row): Promise<SourcePart> {
  const [first, last, numbersJson, text] = row.slice(2) as [number, number, string | null, string];
  const lines = (await inflate(text)).split("\n");
  return { first, last, lines, numbers: numbersJson === null ? null : (JSON.parse(numbersJson) as number[]) };
}

/** Decompresses raw deflate from hex digits. */
async function inflate(hex: string): Promise<string> {
  const digits = encoder.encode(hex);
  const bytes = new Uint8Array(hex.length / 2);
  for (let at = 0; at < bytes.length; at += 1) {
    bytes[at] = (HEX_VALUES[digits[2 * at]!]! << 4) | HEX_VALUES[digits[2 * at + 1]!]!;
  }
  const stream = new Response(bytes).body!.pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).text();
}
