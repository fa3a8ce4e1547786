/** Formats an outline as text for a language model; a large folder gets fewer details, with a note. */

import { constants } from "../../build/worker_data.json";
import type { OutlineAnswer, OutlineEntry } from "../api/types.ts";
import { escapeLine, formatNumber } from "../escaping.ts";
import {
  DETAIL_LEVELS,
  entryName,
  fileCount,
  type FileEntries,
  outlineRows,
  type OutlineRow,
  topLevelNames,
  type UnparsedLines,
  unparsedNote,
} from "../snippets/outline_rows.ts";
import { bytesBesideFooter, joinAnswer } from "./formatting.ts";
import { byteSize, truncateLines } from "./token_budget.ts";

const { MEMBER_TYPE } = constants.outline;

/**
 * Formats an outline at the first detail level that fits the token budget.
 *
 * `depth` limits the levels of folders and of nesting; null shows all.
 */
export function formatOutline(outline: OutlineAnswer, depth: number | null, tokens: number): string {
  const files: FileEntries = new Map(outline.files.map(({ path, nodes }) => [path, nodes]));
  const unparsed: UnparsedLines = new Map(
    outline.files.flatMap(({ path, unparsed }) => (unparsed ? [[path, unparsed] as const] : [])),
  );
  const budget = bytesBesideFooter(tokens, [outline.note]);
  const [lines, note] = mostDetailedFitting(files, unparsed, depth, budget);
  const shown = truncateLines(lines, budget);
  const omitted = `${lines.length - shown.length} more lines: outline a subfolder.`;
  const notes = [countLine(files, depth), ...(outline.notes ?? []), unparsedNote(files, unparsed), note, shown.length < lines.length ? omitted : ""];
  return joinAnswer([shown.join("\n")], notes, outline.note);
}

function mostDetailedFitting(
  files: FileEntries,
  unparsed: UnparsedLines,
  depth: number | null,
  budget: number,
): [string[], string] {
  let fitting: [string[], string] = [[], ""];
  for (const level of DETAIL_LEVELS) {
    const rows = outlineRows(files, unparsed, level, depth);
    fitting = [rows.flatMap((row) => rowLines(row, level.symbols)).map(escapeLine), level.note];
    if (byteSize(fitting[0].join("\n")) <= budget) break;
  }
  return fitting;
}

function countLine(files: FileEntries, depth: number | null): string {
  let symbols = 0;
  for (const entries of files.values()) symbols += entries.filter((one) => depth === null || one.depth < depth).length;
  const counted = symbols === 1 ? "1 symbol or section" : `${formatNumber(symbols)} symbols and sections`;
  return `${counted} in ${fileCount(files.size)}`;
}

/** A file with its symbols: below it, behind it as names, or as their number. */
function rowLines({ path, entries, files, mark }: OutlineRow, symbols: string): string[] {
  if (files > 0) return [`${path} ${fileCount(files)}`];
  if (symbols === "count") return [`${path} ${entries.length}${mark}`];
  const title = `${path}${mark}`;
  if (symbols !== "names") return [title, ...entries.map(entryLine)];
  const names = topLevelNames(entries);
  return [names.length > 0 ? `${title}: ${names.join(", ")}` : title];
}

function entryLine(entry: OutlineEntry): string {
  const range = entry.node_type === MEMBER_TYPE ? `${entry.start_line}` : `${entry.start_line}-${entry.end_line}`;
  return [`${" ".repeat(entry.depth)} ${range}`, entry.node_type, entryName(entry)].filter(Boolean).join(" ");
}
