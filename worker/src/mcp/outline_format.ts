/** Formats an outline as text for a language model; a large folder gets fewer details, with a note. */

import data from "../../build/worker_data.json";
import type { OutlineEntry, OutlineAnswer } from "../api/types.ts";
import { compareText } from "../python_strings.ts";
import { escapeLine } from "../escaping.ts";
import { truncateLines, byteSize } from "./token_budget.ts";
import { joinAnswer, bytesBesideFooter } from "./formatting.ts";

type FileEntries = [path: string, entries: OutlineEntry[]][];
type FormatLines = (files: FileEntries) => string[];

/** The detail levels, the most detailed first; their notes are those of feeder.mcp.outline_format. */
const DETAIL_LEVELS = [allSymbols, topLevelSymbols, topLevelNames, symbolCounts, folderCounts].map(
  (formatLines, at): [FormatLines, string] => [formatLines, data.outline_notes[at]!],
);

/** Formats an outline at the first detail level that fits the token budget. */
export function formatOutline(outline: OutlineAnswer, depth: number | null, tokens: number): string {
  const files: FileEntries = outline.files.map(({ path, nodes }) => [
    path,
    nodes.filter((entry) => depth === null || entry.depth < depth),
  ]);
  const budget = bytesBesideFooter(tokens, [outline.note]);
  const [lines, note] = mostDetailedFitting(files, budget);
  const shown = truncateLines(lines, budget);
  const omitted = `${lines.length - shown.length} more folders: outline one of them.`;
  const notes = [countLine(files), note, shown.length < lines.length ? omitted : ""];
  return joinAnswer([shown.join("\n")], notes, outline.note);
}

function mostDetailedFitting(files: FileEntries, budget: number): [string[], string] {
  let fitting: [string[], string] = [[], ""];
  for (const [formatLines, note] of DETAIL_LEVELS) {
    fitting = [formatLines(files).map(escapeLine), note];
    if (byteSize(fitting[0].join("\n")) <= budget) break;
  }
  return fitting;
}

function countLine(files: FileEntries): string {
  const symbols = files.reduce((sum, [, entries]) => sum + entries.length, 0);
  return `${symbols} symbols and sections in ${fileCount(files.length)}`;
}

function fileCount(files: number): string {
  return files === 1 ? "1 file" : `${files} files`;
}

/** Each file, followed by an indented line for each symbol. */
function allSymbols(files: FileEntries): string[] {
  return files.flatMap(([path, entries]) => [path, ...entries.map(entryLine)]);
}

function topLevelSymbols(files: FileEntries): string[] {
  return allSymbols(files.map(([path, entries]) => [path, entries.filter((entry) => !entry.depth)]));
}

/** Each file with its top-level names. */
function topLevelNames(files: FileEntries): string[] {
  return files.map(([path, entries]) => {
    const names = new Set(entries.map(symbolName));
    const outer = entries.filter((entry) => !entry.depth && !names.has(parent(symbolName(entry), ".")));
    const outerNames = [...new Set(outer.map(symbolName))].join(", ");
    return outerNames ? `${path}: ${outerNames}` : path;
  });
}

function symbolCounts(files: FileEntries): string[] {
  return files.map(([path, entries]) => `${path} ${entries.length}`);
}

/** Each folder with the number of files directly in it. */
function folderCounts(files: FileEntries): string[] {
  const counts = new Map<string, number>();
  for (const [path] of files) counts.set(parent(path, "/"), (counts.get(parent(path, "/")) ?? 0) + 1);
  const sorted = [...counts].sort(([one], [other]) => compareText(one, other));
  return sorted.map(([folder, number]) => `${folder || "."}/ ${fileCount(number)}`);
}

function parent(text: string, separator: string): string {
  return text.slice(0, Math.max(text.lastIndexOf(separator), 0));
}

function symbolName(entry: OutlineEntry): string {
  return entry.symbol || entry.logical_path || "";
}

function entryLine(entry: OutlineEntry): string {
  const lines = `${" ".repeat(entry.depth)} ${entry.start_line}-${entry.end_line}`;
  return [lines, entry.node_type, symbolName(entry)].filter(Boolean).join(" ");
}
