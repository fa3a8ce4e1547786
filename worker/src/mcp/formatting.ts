/** Formats hits and read lines as text for a language model, within a token budget. */

import { constants } from "../../build/worker_data.json";
import type { Hit, Lines, ReadAnswer, SearchAnswer } from "../api/types.ts";
import { escapeLine, escapeLines } from "../escaping.ts";
import { length, strip, stripEnd, truncate } from "../python_strings.ts";
import {
  budgetBytes,
  bytesWithSeparator,
  fitToBudget,
  type HitVariant,
  truncateLines,
  byteSize,
} from "./token_budget.ts";

const { FOOTER_BYTES, MAX_NOTES_CHARS, DETAIL_ORDER, SHORTENED_TO } = constants.formatting;
const { DESCRIPTION_PREFIX } = constants.formatting;
const { SHEET_TYPE } = constants.answers;
const [FULL, SNIPPET, SIGNATURE, LOCATION] = DETAIL_ORDER as [string, string, string, string];

/** The requested detail of hits and the token budget. */
export interface AnswerOptions {
  detail: string;
  tokens: number;
}

/** Formats hits with as much detail as fits the budget. */
export function formatHits(page: SearchAnswer, options: AnswerOptions): string {
  const mostDetailed = options.detail === "auto" ? FULL : options.detail;
  const hits = page.hits.map((hit) => detailVariants(hit, mostDetailed));
  const budget = bytesBesideFooter(options.tokens, [...page.notes, page.note]);
  const chosen = fitToBudget(hits, budget);
  const notes = [countLine(page, chosen.length), shorteningNote(chosen, hits), ...page.notes];
  return joinAnswer(chosen.map((variant) => variant.text), notes, page.note);
}

/** The bytes that are left for hits, given the notes of the footer. */
export function bytesBesideFooter(tokens: number, footer: string[]): number {
  const notesBytes = footer.reduce((sum, note) => sum + byteSize(note), 0);
  return budgetBytes(tokens) - FOOTER_BYTES - Math.min(notesBytes, 2 * MAX_NOTES_CHARS);
}

/** Joins the parts and a footer of at most three lines: the first note, the others, `lastNote`. */
export function joinAnswer(parts: string[], notes: string[], lastNote: string): string {
  const [first = "", ...more] = notes.filter(Boolean).map(commandsToTools);
  const footer = [first, cutNotes(more.join(" ")), commandsToTools(lastNote)];
  return [...parts, footer.map(escapeLine).filter(Boolean).join("\n")].join("\n\n");
}

/** The notes up to the limit; a cut one ends with three dots. */
function cutNotes(text: string): string {
  return length(text) <= MAX_NOTES_CHARS ? text : `${truncate(text, MAX_NOTES_CHARS - 1)}…`;
}

/** The line above a hit: location, type and name, and the lines shown if not all are. */
export function hitHeading(hit: Hit, lines = ""): string {
  const state = hitStatus(hit);
  const parts = [
    `${hit.path}:${hit.start_line}-${hit.end_line}`,
    hit.node_type === "lines" ? "" : hit.node_type,
    [hit.symbol || hit.logical_path, hit.member?.name].filter(Boolean).join("."),
    lines && `[${lines}]`,
    state && `(${state})`,
  ];
  const heading = escapeLine(parts.filter(Boolean).join(" "));
  return hit.description ? `${heading}\n${DESCRIPTION_PREFIX}${escapeLine(hit.description)}` : heading;
}

/** The number of matching parts and of copies, and the repository if it is another one. */
function hitStatus(hit: Hit): string {
  const parts = hit.piece && `${hit.piece.matching} of ${hit.piece.of} parts`;
  const copies = hit.copies.length && `and ${hit.copies.length} more with the same text`;
  const elsewhere = hit.state === "elsewhere" && `in ${hit.repo}`;
  return [parts, copies, elsewhere].filter(Boolean).join(", ");
}

/** The hit at each detail level, from `mostDetailed` on; equal texts once. */
function detailVariants(hit: Hit, mostDetailed: string): HitVariant[] {
  const texts = new Map([
    [FULL, fullText(hit)],
    [SNIPPET, snippetText(hit)],
    [SIGNATURE, signatureText(hit)],
    [LOCATION, hitHeading(hit)],
  ]);
  const inContext = mostDetailed === FULL ? textInContext(hit) : "";
  const variants: HitVariant[] = inContext ? [{ detail: FULL, text: inContext }] : [];
  for (const detail of DETAIL_ORDER.slice(DETAIL_ORDER.indexOf(mostDetailed))) {
    const text = texts.get(detail);
    if (text && !variants.some((variant) => variant.text === text)) variants.push({ detail, text });
  }
  return variants;
}

function fullText(hit: Hit): string {
  if (hit.text === null) return "";
  const lines = hit.text.split("\n");
  return `${hitHeading(hit)}\n${headerText(hit, lines)}${formatCode(lines)}`;
}

/** The lines with those around them; empty if there are none. */
function textInContext(hit: Hit): string {
  const [before, after] = [hit.before ?? [], hit.after ?? []];
  if (hit.text === null || !(before.length || after.length)) return "";
  const lines = [...before, ...hit.text.split("\n"), ...after];
  const shown = `${hit.start_line - before.length}-${hit.end_line + after.length}`;
  return `${hitHeading(hit, shown)}\n${headerText(hit, lines)}${formatCode(lines)}`;
}

/** The header row of a table that is in none of the lines, with a gap; empty for other hits. */
function headerText(hit: Hit, lines: readonly string[]): string {
  const header = hit.node_type === SHEET_TYPE && hit.text !== null ? strip(hit.signature ?? "") : "";
  const isShown = !header || lines.some((line) => strip(line) === header);
  return isShown ? "" : `${escapeLine(header)}\n…\n`;
}

function snippetText(hit: Hit): string {
  const all = [hit.window?.head, hit.window, ...(hit.window?.more ?? [])];
  const parts = all.filter((part): part is Lines => !!part?.lines.length);
  parts.sort((one, other) => one.start_line - other.start_line);
  if (!parts.length) return "";
  const shown = parts.reduce((sum, part) => sum + part.lines.length, 0);
  if (hit.text !== null && shown === hit.text.split("\n").length) return fullText(hit);
  return `${hitHeading(hit, parts.map(lineRange).join(", "))}\n${headerText(hit, parts.flatMap((part) => part.lines))}${joinWithGaps(parts)}`;
}

/** Formats parts of a hit with an unindented `…` between them. */
function joinWithGaps(parts: Lines[]): string {
  const lines = parts.flatMap((part) => ["", ...part.lines]).slice(1);
  const text = formatCode(lines).split("\n");
  let at = -1;
  for (const part of parts.slice(0, -1)) {
    at += part.lines.length + 1;
    text[at] = "…";
  }
  return text.join("\n");
}

function lineRange(part: Lines): string {
  const last = part.start_line + part.lines.length - 1;
  return last > part.start_line ? `${part.start_line}-${last}` : `${last}`;
}

function signatureText(hit: Hit): string {
  return hit.signature ? `${hitHeading(hit)}\n${escapeLine(hit.signature)}` : "";
}

function countLine(page: SearchAnswer, shown: number): string {
  const end = page.offset + shown;
  const total = page.at_least ? `at least ${page.total}` : `${page.total}`;
  if (!shown) return `Offset ${page.offset} is past the end (${total} ${page.total === 1 ? "hit" : "hits"}).`;
  const nextPage = end < page.total ? `; next: offset=${end}` : "";
  return `${page.offset ? `${page.offset + 1} to ${end}` : shown} of ${total}${nextPage}`;
}

/** The note on shortened hits, and how to get the rest. */
function shorteningNote(chosen: HitVariant[], hits: HitVariant[][]): string {
  const reduced = chosen.filter((variant, at) => variant.detail !== hits[at]![0]!.detail);
  const shortened = Object.entries(SHORTENED_TO).flatMap(([detail, detailText]) => {
    const count = reduced.filter((variant) => variant.detail === detail).length;
    return count ? [`${count} ${detailText}`] : [];
  });
  if (!shortened.length) return "";
  return `Shortened to fit: ${shortened.join(", ")}. For all lines, use \`read\` or a larger \`budget\`.`;
}

const { MAX_NAMED_TARGETS, NAMED_TARGETS_BYTES, MIN_PASSAGE_BYTES } = constants.formatting;

/** The part of a target that fits, a target for the rest, and a note about a cut line. */
interface FittedText {
  text: string;
  rest: string;
  note: string;
}

/** Formats the lines of the targets of `read`, as many as fit, the first targets first. */
export function formatReadResults(answer: ReadAnswer, tokens: number): string {
  let left = bytesBesideFooter(tokens, [answer.note]) - NAMED_TARGETS_BYTES;
  const parts: FittedText[] = [];
  for (const { target, hits, error } of answer.targets) {
    const fits = hits.length ? hits.map((hit) => () => fitHit(hit, left)) : [() => fitError(target, error, left)];
    for (const fit of fits) {
      const part = fit();
      left -= bytesWithSeparator(part.text);
      parts.push(part);
    }
  }
  const omitted = parts.map((part) => part.rest).filter(Boolean);
  const texts = parts.map((part) => part.text).filter(Boolean);
  const targetNotes = answer.targets.flatMap(({ notes }) => notes);
  return joinAnswer(texts, [omittedNote(omitted), ...parts.map((part) => part.note), ...targetNotes], answer.note);
}

function fitError(target: string, error: string, left: number): FittedText {
  const text = escapeLine(commandsToTools(error));
  const rest = truncate(target, NAMED_TARGETS_BYTES);
  return byteSize(text) <= left ? { text, rest: "", note: "" } : { text: "", rest, note: "" };
}

function fitHit(hit: Hit, left: number): FittedText {
  const heading = hitHeading(hit);
  const lines = hit.text === null ? [] : hit.text.split("\n");
  const whole = lines.length ? `${heading}\n${formatCode(lines)}` : heading;
  if (byteSize(whole) <= left) return { text: whole, rest: "", note: "" };
  const codeBytes = left - byteSize(heading) - MIN_PASSAGE_BYTES;
  if (codeBytes > 0 && lines.length) return fitFirstLines(hit, lines, codeBytes);
  const last = lines.length ? hit.start_line + lines.length - 1 : hit.start_line;
  return { text: "", rest: `${hit.path}:${hit.start_line}-${last}`, note: "" };
}

/** The first lines of a hit that does not fit. */
function fitFirstLines(hit: Hit, lines: string[], codeBytes: number): FittedText {
  const shown = truncateLines(lines, codeBytes);
  const last = hit.start_line + shown.length - 1;
  const end = hit.start_line + lines.length - 1;
  const missing = length(lines[shown.length - 1]!) - length(shown.at(-1)!);
  return {
    text: `${hitHeading(hit, `${hit.start_line}-${last}`)}\n${formatCode(shown)}`,
    rest: last < end ? `${hit.path}:${last + 1}-${end}` : "",
    note: missing ? `Line ${last} of ${hit.path} is cut by ${missing} characters.` : "",
  };
}

function omittedNote(targets: string[]): string {
  if (!targets.length) return "";
  const more = targets.length > MAX_NAMED_TARGETS ? ` and ${targets.length - MAX_NAMED_TARGETS} more` : "";
  const named = targets.slice(0, MAX_NAMED_TARGETS).join(", ");
  return `Not shown: ${named}${more}. Read them, or use a larger budget.`;
}

const TOOL_COMMAND = /feeder (outline|search)\b(?: ([^\s)]+))?/g;

/** A message for users with tools in place of the commands that are tools as well. */
export function commandsToTools(text: string): string {
  return text.replace(TOOL_COMMAND, (_, tool: string, value?: string) => {
    const argument = tool === "outline" ? "path" : "query";
    return value ? `the ${tool} tool with ${argument} "${value}"` : `the ${tool} tool`;
  });
}

const MARGIN = /^[\t ]*/;

export function formatCode(lines: string[]): string {
  const text = dedent(lines).join("\n").replace(/^\n+|\n+$/g, "");
  return escapeLines(text.split("\n").map(stripEnd).join("\n"));
}

/** Mirrors Python's `textwrap.dedent`: blank lines do not affect the margin, and become empty. */
function dedent(lines: string[]): string[] {
  const normalized = lines.map((line) => (/^[\t ]+$/.test(line) ? "" : line));
  const margins = normalized.filter(Boolean).map((line) => MARGIN.exec(line)![0]);
  const common = margins.reduce((before, line) => commonPrefix(before, line), margins[0] ?? "");
  return normalized.map((line) => (line ? line.slice(common.length) : line));
}

function commonPrefix(one: string, other: string): string {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return one.slice(0, at);
}
