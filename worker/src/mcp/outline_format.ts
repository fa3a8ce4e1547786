/** Formats an outline as text for a model; a large folder gets fewer details, with a note. */

import data from "../../build/worker_data.json";
import type { OutlineEntry, OutlineAnswer } from "../api/types.ts";
import { compareText } from "../python_strings.ts";
import { escapeLine } from "../escaping.ts";
import { truncateLines, utf8Bytes } from "./token_budget.ts";
import { joinAnswer, budgetBeside } from "./formatting.ts";

type Files = [path: string, entries: OutlineEntry[]][];
type Way = (files: Files) => string[];

/** The detail levels, the most detailed first; their notes are those of feeder.mcp.outline_format. */
const WAYS: [Way, string][] = [all, outer, named, counts, folders].map((way, at) => [
  way,
  data.outline_notes[at]!,
]);

/** Formats an outline at the first detail level that fits the token budget. */
export function formatOutline(outline: OutlineAnswer, depth: number | null, tokens: number): string {
  const files: Files = outline.files.map(({ path, nodes }) => [
    path,
    nodes.filter((one) => depth === null || one.depth < depth),
  ]);
  const most = budgetBeside(tokens, [outline.note]);
  const [lines, said] = fullest(files, most);
  const some = truncateLines(lines, most);
  const left = `${lines.length - some.length} more folders: outline one of them.`;
  const notes = [count(files), said, some.length < lines.length ? left : ""];
  return joinAnswer([some.join("\n")], notes, outline.note);
}

function fullest(files: Files, most: number): [string[], string] {
  let found: [string[], string] = [[], ""];
  for (const [way, said] of WAYS) {
    found = [way(files).map(escapeLine), said];
    if (utf8Bytes(found[0].join("\n")) <= most) break;
  }
  return found;
}

function count(files: Files): string {
  const symbols = files.reduce((sum, [, entries]) => sum + entries.length, 0);
  return `${symbols} symbols and sections in ${many(files.length)}`;
}

function many(files: number): string {
  return files === 1 ? "1 file" : `${files} files`;
}

/** Each file, followed by an indented line for each symbol. */
function all(files: Files): string[] {
  return files.flatMap(([path, entries]) => [path, ...entries.map(entry)]);
}

function outer(files: Files): string[] {
  return all(files.map(([path, some]) => [path, some.filter((one) => !one.depth)]));
}

/** Each file with its top-level names. */
function named(files: Files): string[] {
  return files.map(([path, entries]) => {
    const names = new Set(entries.map(name));
    const own = entries.filter((one) => !one.depth && !names.has(above(name(one), ".")));
    const told = [...new Set(own.map(name))].join(", ");
    return told ? `${path}: ${told}` : path;
  });
}

function counts(files: Files): string[] {
  return files.map(([path, entries]) => `${path} ${entries.length}`);
}

/** Each folder with the number of files directly in it. */
function folders(files: Files): string[] {
  const own = new Map<string, number>();
  for (const [path] of files) own.set(above(path, "/"), (own.get(above(path, "/")) ?? 0) + 1);
  const sorted = [...own].sort(([one], [other]) => compareText(one, other));
  return sorted.map(([folder, number]) => `${folder || "."}/ ${many(number)}`);
}

function above(text: string, sign: string): string {
  return text.slice(0, Math.max(text.lastIndexOf(sign), 0));
}

function name(one: OutlineEntry): string {
  return one.symbol || one.logical_path || "";
}

function entry(one: OutlineEntry): string {
  const lines = `${" ".repeat(one.depth)} ${one.start_line}-${one.end_line}`;
  return [lines, one.node_type, name(one)].filter(Boolean).join(" ");
}
