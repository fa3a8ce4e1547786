/** Formats references, definitions and callers as text for a language model. Mirrors `feeder.mcp.relation_format`. */

import { constants } from "../../build/worker_data.json";
import { countOf, escapeLine, formatNumber } from "../escaping.ts";
import { length, strip, truncate } from "../python_strings.ts";
import type { Caller, CallerTree } from "../relations/callers.ts";
import { type FoundDefinition, LOCAL_TYPE, MEMBER_TYPE } from "../relations/definitions.ts";
import { type ReferencePage, reasonForNone } from "../relations/references.ts";
import { detailOf, type Implementation, type Reference } from "../relations/sites.ts";
import { type Definition, sayLeftOut, sayNoCaller, sayNothingImplements, sayNothingRefers, sayRefersToNothing, sayUnindexed } from "../relations/modules.ts";
import type { UsePage } from "../relations/uses.ts";
import { bytesBesideFooter, joinAnswer } from "./formatting.ts";
import { byteSize } from "./token_budget.ts";

const { MAX_LINE_CHARS, BY_NAME } = constants.relation_format;

/** The notes of an answer, on lines without text and on the freshness of the index, and its token budget. */
export interface Footer {
  readonly notes: string[];
  readonly note: string;
  readonly tokens: number;
  /** Entries of definitions, implementations and callers before the first shown one. */
  readonly offset: number;
}

/** The references of a page below their files. */
export function formatReferences(page: ReferencePage, footer: Footer): string {
  if (page.total === 0) return joinAnswer([], [reasonForNone(page)], footer.note);
  const counts = countsText(page) + sayLeftOut(page.leftOut) + sayUnindexed(page.target);
  return paged(referenceTexts(page.references), page.offset, page.total, counts, footer);
}

/** The definitions that a target refers to, with the lines that do. */
export function formatUses(page: UsePage, footer: Footer): string {
  if (page.total === 0) {
    return joinAnswer([], [sayRefersToNothing(page.symbol || page.path, page.unindexed)], footer.note);
  }
  let above = "";
  const texts = page.uses.map(({ reference: site, definition }) => {
    const heading = definitionLine(definition);
    const line = `  ${site.line} ${detailOf(site)}${textAfterColon(site.text)}`;
    const lines = heading === above ? [line] : [heading, line];
    above = heading;
    return lines;
  });
  return paged(texts, page.offset, page.total, countsText(page), footer);
}

/** One line for each definition, from an offset on. */
export function formatDefinitions(definitions: readonly FoundDefinition[], atLeast: boolean, footer: Footer): string {
  const texts = definitions.map((one) => [definitionLine(one)]);
  const counts = `${atLeast ? "at least " : ""}${countOf(texts.length, "definition")}`;
  return paged(texts.slice(footer.offset), footer.offset, texts.length, counts, footer);
}

/** The types below a type, indented by level, or the members that override a member. */
export function formatImplementations(
  definition: Definition,
  types: readonly Implementation[],
  atLeast: boolean,
  footer: Footer,
): string {
  if (types.length === 0) return joinAnswer([], [sayNothingImplements(definition)], footer.note);
  const texts = types.map((one) => {
    const indent = "  ".repeat(one.depth - 1);
    const place = one.is_local ? `${one.start_line} in ${one.symbol || "the file"}` : `${one.start_line}-${one.end_line} ${one.symbol}`;
    return [`${indent}${one.path}:${place}${one.resolved ? "" : BY_NAME}`];
  });
  const counts = `${atLeast ? "at least " : ""}${countOf(types.length, "implementation")}`;
  return paged(texts.slice(footer.offset), footer.offset, texts.length, counts, footer);
}

/** The callers and theirs, indented by level. */
export function formatCallers(tree: CallerTree, footer: Footer): string {
  if (tree.excluded > 0) return joinAnswer([], [sayNoCaller(tree.target, tree.excluded)], footer.note);
  if (tree.total === 0) return joinAnswer([], [sayNothingRefers(tree.target, tree.nodesWithName)], footer.note);
  const texts = callerLines(tree.callers, tree.omitted, 0).map((line) => [line]);
  const counts = `${tree.atLeast ? "at least " : ""}${countOf(tree.total, "caller")}`;
  return paged(texts.slice(footer.offset), footer.offset, texts.length, counts, footer);
}

/** The lines of each reference; the first ones of a file have its path above them. */
function referenceTexts(references: readonly Reference[]): string[][] {
  let above = "";
  return references.map((one) => {
    const heading = `${one.path}${one.resolved ? "" : BY_NAME}`;
    const symbol = one.node.symbol ? ` in ${one.node.symbol}` : "";
    const line = `  ${one.line} ${detailOf(one)}${symbol}${textAfterColon(one.text)}`;
    const lines = heading === above ? [line] : [heading, line];
    above = heading;
    return lines;
  });
}

function definitionLine(one: FoundDefinition): string {
  const last = one.node_type === MEMBER_TYPE || one.node_type === LOCAL_TYPE ? "" : `-${one.end_line}`;
  return `${one.path}:${one.start_line}${last} ${one.node_type} ${one.symbol}${one.resolved ? "" : BY_NAME}`;
}

function callerLines(callers: readonly Caller[], omitted: number, level: number): string[] {
  const indent = "  ".repeat(level);
  const lines = callers.flatMap((one) => {
    const symbol = one.node.symbol ? ` ${one.node.symbol}` : "";
    const line = `${indent}${one.node.path}:${one.lines.join(",")}${symbol}${one.resolved ? "" : BY_NAME}`;
    return [line, ...callerLines(one.callers, one.omitted, level + 1)];
  });
  return omitted ? [...lines, `${indent}… ${omitted} more`] : lines;
}

interface Counts {
  readonly total: number;
  readonly resolved: number;
  readonly atLeast: boolean;
}

function countsText({ total, resolved, atLeast }: Counts): string {
  const [known, byName] = [formatNumber(resolved), formatNumber(total - resolved)];
  return `${atLeast ? "at least " : ""}${countOf(total, "reference")}: ${known} resolved, ${byName} by name only`;
}

/** The leading entries that fit, and where the next ones begin. */
function paged(texts: readonly (readonly string[])[], offset: number, total: number, counts: string, footer: Footer): string {
  const budget = bytesBesideFooter(footer.tokens, [...footer.notes, footer.note]);
  let [fitting, size] = [0, 0];
  for (const [at, lines] of texts.entries()) {
    size += lines.reduce((sum, line) => sum + byteSize(escapeLine(line)) + 1, 0);
    if (size > budget && fitting) break;
    fitting = at + 1;
  }
  const shown = texts.slice(0, fitting).flatMap((lines) => lines.map(escapeLine));
  const note = countNote(offset, fitting, total, counts);
  return joinAnswer(shown.length > 0 ? [shown.join("\n")] : [], [note, ...footer.notes], footer.note);
}

function countNote(offset: number, fitting: number, total: number, counts: string): string {
  const end = offset + fitting;
  if (fitting === total) return `${counts}.`;
  if (!fitting) return `Offset ${offset} is past the end (${counts}).`;
  return `${offset + 1} to ${end} of ${counts}${end < total ? `; next: offset=${end}` : ""}`;
}

/** The text of a line after a colon; nothing for a line that is not stored. */
function textAfterColon(text: string): string {
  const line = strip(text);
  if (!line) return "";
  return `: ${length(line) <= MAX_LINE_CHARS ? line : `${truncate(line, MAX_LINE_CHARS)}…`}`;
}
