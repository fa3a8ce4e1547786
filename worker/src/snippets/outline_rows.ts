/** Rolls up the folders of a large outline; the twin of the second half of feeder.snippets.outline. */

import { constants } from "../../build/worker_data.json";
import type { OutlineEntry } from "../api/types.ts";
import { unparsedText } from "../corpus/unread_files.ts";
import { countOf } from "../escaping.ts";
import { countLines, decodeRanges } from "../line_ranges.ts";
import { compareText, rpartition } from "../python_strings.ts";
import { sortBy, type SortKey } from "../sorting.ts";

const { MAX_NAMES, MAX_RANGES_CHARS, MEMBER_TYPE, MODULE_KEYWORDS, NAME_SEPARATORS } = constants.outline;

/** A way to shorten an outline, and the note that says so; folders from `folder_levels` on are rolled up. */
export interface DetailLevel {
  readonly symbols: string;
  readonly folder_levels: number | null;
  readonly note: string;
}

/** From the most detailed to the shortest. */
export const DETAIL_LEVELS: readonly DetailLevel[] = constants.outline.DETAIL_LEVELS;

/** Those for the outline of one file, which has pages instead of the others. */
export const FILE_DETAIL_LEVELS = DETAIL_LEVELS.slice(0, constants.outline.FILE_DETAIL_LEVELS);

export type FileEntries = ReadonlyMap<string, readonly OutlineEntry[]>;

/** The lines of files that their grammar does not know: 12-40,55. */
export type UnparsedLines = ReadonlyMap<string, string>;

/** How much of several files no grammar knows; of one, its line says it. */
export function unparsedNote(files: FileEntries, unparsed: UnparsedLines): string {
  if (files.size < 2 || unparsed.size === 0) return "";
  const lines = countLines([...unparsed.values()].flatMap(decodeRanges));
  return `${unparsedText(unparsed.size, lines)}.`;
}

function unparsedMark(ranges: string | undefined): string {
  if (!ranges) return "";
  const shown = ranges.length > MAX_RANGES_CHARS ? `${rpartition(ranges.slice(0, MAX_RANGES_CHARS), ",")[0]},…` : ranges;
  return ` (lines not parsed: ${shown})`;
}

/** A file with the entries to show, or a rolled-up folder with its number of `files`. */
export interface OutlineRow {
  readonly path: string;
  readonly entries: readonly OutlineEntry[];
  readonly files: number;
  /** Says which lines of the file are not parsed, with a blank before it; else empty. */
  readonly mark: string;
}

/**
 * The rows of an outline: of each folder first its files, then its folders.
 *
 * `depth` limits the levels of folders that are listed by file, and the nesting of symbols.
 */
export function outlineRows(
  files: FileEntries,
  unparsed: UnparsedLines,
  level: DetailLevel,
  depth: number | null,
): OutlineRow[] {
  const limits = [depth, level.folder_levels].filter((limit) => limit !== null);
  const counts = new Map<string, number>();
  for (const row of rolledUp([...files.keys()], limits.length > 0 ? Math.min(...limits) : null)) {
    counts.set(row, (counts.get(row) ?? 0) + 1);
  }
  const nesting = level.symbols === "top" ? 1 : depth;
  return Array.from(counts, ([path, count]) => {
    const entries = files.get(path);
    if (!entries) return { path, entries: [], files: count, mark: "" };
    const isDropped = (one: OutlineEntry) => level.symbols === "definitions" && one.node_type === MEMBER_TYPE;
    const shown = entries.filter((one) => !isDropped(one) && (nesting === null || one.depth < nesting));
    return { path, entries: shown, files: 0, mark: unparsedMark(unparsed.get(path)) };
  });
}

/**
 * An entry with the part of its name that the lines above do not say; without an entry a heading, the
 * namespace or type whose members follow.
 */
export interface OutlineLine {
  readonly depth: number;
  readonly name: string;
  readonly entry?: OutlineEntry;
}

/**
 * The lines of a file: `Cart` and, below it and deeper, `add` for `Cart.add`.
 *
 * Consecutive entries whose namespace or type is no entry around them, such as members that a file defines
 * outside of their class, share a heading.
 */
export function nestedLines(entries: readonly OutlineEntry[]): OutlineLine[] {
  const headings = headingsOf(entries);
  let heading = "";
  const around: string[] = [];
  return entries.flatMap((entry): OutlineLine[] => {
    const previous = heading;
    if (!entry.depth) heading = headings.get(entry) ?? "";
    const above = !entry.depth && heading && heading !== previous ? [{ depth: 0, name: heading }] : [];
    around.splice(entry.depth);
    const name = innerName(entryName(entry), around.at(-1) ?? heading);
    around.push(entryName(entry));
    return [...above, { depth: entry.depth + (heading ? 1 : 0), name, entry }];
  });
}

/** The heading of each outermost entry that has one. */
function headingsOf(entries: readonly OutlineEntry[]): Map<OutlineEntry, string> {
  const outermost = entries.filter((entry) => !entry.depth);
  return new Map(
    outermost.flatMap((entry, at) => {
      const owner = ownerOf(entry);
      const isShared = [outermost[at - 1], outermost[at + 1]].some((other) => other && ownerOf(other) === owner);
      return owner && isShared ? [[entry, owner] as const] : [];
    }),
  );
}

/** The namespace or type before a symbol's last name. */
function ownerOf(entry: OutlineEntry): string {
  return entry.symbol && entry.node_type !== MEMBER_TYPE ? rpartition(entryName(entry), ".")[0] : "";
}

/** The name without its owner's name. */
function innerName(name: string, outer: string): string {
  if (!outer || !name.startsWith(outer)) return name;
  const rest = name.slice(outer.length);
  const separator = NAME_SEPARATORS.find((one) => rest.startsWith(one) && rest.length > one.length);
  return separator ? rest.slice(separator.length) : name;
}

/** Each file, or the folder that it is rolled up in, counted from their common folder. */
function rolledUp(paths: readonly string[], levels: number | null): string[] {
  const folders = new Map(paths.map((path) => [path, path.split("/").slice(0, -1)]));
  const sorted = [...folders.values()].sort(compareParts);
  const [first, last] = [sorted[0] ?? [], sorted.at(-1) ?? []];
  const differing = first.findIndex((one, at) => one !== last[at]);
  const common = differing < 0 ? first.length : differing;
  return sortBy(paths, folderOrder).map((path) => {
    const above = folders.get(path)!;
    if (levels === null || above.length < common + levels) return path;
    return `${above.slice(0, common + levels).join("/")}/`;
  });
}

function compareParts(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((part, index) => part !== other[index]);
  if (at < 0 || at >= other.length) return one.length - other.length;
  return compareText(one[at]!, other[at]!);
}

/** A sort key that puts the files of a folder before its folders. */
function folderOrder(path: string): SortKey {
  const parts = path.split("/");
  return parts.flatMap((part, at) => [at < parts.length - 1, part]);
}

/**
 * The names of entries that are in no other one, by lines or by name; the first ones of many.
 *
 * In place of a single module that holds only classes and modules, their names.
 */
export function topLevelNames(entries: readonly OutlineEntry[]): string[] {
  const names = new Set(entries.map(entryName));
  const outer = entries.filter((entry) => !entry.depth && !names.has(rpartition(entryName(entry), ".")[0]));
  let listed = [...new Set(outer.map(entryName))];
  let level = entries.filter((entry) => !entry.depth);
  for (let depth = 1; listed.length === 1 && level.every(isModule); depth += 1) {
    level = entries.filter((entry) => entry.depth === depth);
    if (level.length === 0 || level.some((entry) => entry.node_type !== "class")) break;
    listed = [...new Set(level.map(entryName))];
  }
  const more = listed.length - MAX_NAMES;
  return more > 0 ? [...listed.slice(0, MAX_NAMES), `and ${more} more`] : listed;
}

function isModule(entry: OutlineEntry): boolean {
  return MODULE_KEYWORDS.includes((entry.signature ?? "").split(" ", 1)[0]!);
}

/** The symbol of an entry, or its logical path. */
export function entryName(entry: OutlineEntry): string {
  return entry.symbol || entry.logical_path || "";
}

/** A number of files in words. */
export function fileCount(files: number): string {
  return countOf(files, "file");
}
