/** Formats an outline as text for a language model; a large folder gets fewer details, with a note. */

import { constants } from "../../build/worker_data.json";
import type { OutlineAnswer } from "../api/types.ts";
import { countOf, escapeLine, formatNumber } from "../escaping.ts";
import {
  DETAIL_LEVELS,
  FILE_DETAIL_LEVELS,
  fileCount,
  type FileEntries,
  nestedLines,
  type OutlineLine,
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
 * Formats an outline at the first detail level that fits the token budget, else its lines from `offset` on.
 *
 * `depth` limits the levels of folders and of nesting; null shows all.
 */
export function formatOutline(outline: OutlineAnswer, depth: number | null, tokens: number, offset: number): string {
  const files: FileEntries = new Map(outline.files.map(({ path, nodes }) => [path, nodes]));
  const unparsed: UnparsedLines = new Map(
    outline.files.flatMap(({ path, unparsed }) => (unparsed ? [[path, unparsed] as const] : [])),
  );
  const budget = bytesBesideFooter(tokens, [outline.note]);
  const [lines, note] = mostDetailedFitting(files, unparsed, depth, budget);
  const above = linesAround(lines, offset);
  const shown = truncateLines([...above, ...lines.slice(offset)], budget);
  const end = offset + Math.max(shown.length - above.length, 0);
  const following = end < lines.length ? `; next: offset=${end}` : "";
  const beyond = `Offset ${offset} is past the end (${countOf(lines.length, "line")}).`;
  const lineRange = offset || following ? `Lines ${offset + 1} to ${end} of ${lines.length}${following}.` : "";
  const page = offset < lines.length ? lineRange : beyond;
  const notes = [countLine(files, depth), ...(outline.notes ?? []), unparsedNote(files, unparsed), note, page];
  return joinAnswer(offset < lines.length ? [shown.join("\n")] : [], notes, outline.note);
}

/** The lines before a page that are around its first one: those above it with fewer spaces. */
function linesAround(lines: readonly string[], offset: number): string[] {
  const around: string[] = [];
  let indent = indentOf(lines[offset] ?? "");
  for (const line of lines.slice(0, offset).reverse()) {
    if (indentOf(line) >= indent) continue;
    around.unshift(line);
    indent = indentOf(line);
  }
  return around;
}

function indentOf(line: string): number {
  return line.length - line.replace(/^ +/, "").length;
}

function mostDetailedFitting(
  files: FileEntries,
  unparsed: UnparsedLines,
  depth: number | null,
  budget: number,
): [string[], string] {
  let whole: string | undefined;
  let fitting: [string[], string] = [[], ""];
  for (const level of files.size > 1 ? DETAIL_LEVELS : FILE_DETAIL_LEVELS) {
    const rows = outlineRows(files, unparsed, level, depth);
    const lines = rows.flatMap((row) => rowLines(row, level.symbols)).map(escapeLine);
    const text = lines.join("\n");
    whole ??= text;
    fitting = [lines, text === whole ? "" : level.note];
    if (byteSize(text) <= budget) break;
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
  if (symbols !== "names") return [title, ...nestedLines(entries).map(symbolLine)];
  const names = topLevelNames(entries);
  return [names.length > 0 ? `${title}: ${names.join(", ")}` : title];
}

function symbolLine({ depth, name, entry }: OutlineLine): string {
  const indent = " ".repeat(depth + 1);
  if (!entry) return `${indent}${name}`;
  const range = entry.node_type === MEMBER_TYPE ? `${entry.start_line}` : `${entry.start_line}-${entry.end_line}`;
  return [`${indent}${range}`, entry.node_type, name].filter(Boolean).join(" ");
}
