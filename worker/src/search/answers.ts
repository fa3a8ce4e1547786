/** Builds the JSON of a hit, its snippet, and the lines of a read target. */

import { constants } from "../../build/worker_data.json";
import { groupBy } from "../collections.ts";
import { HttpError } from "../http_error.ts";
import { countLines, decodeRanges, mergeRanges, rangesWithin } from "../line_ranges.ts";
import type { Hit } from "../store/hits.ts";
import { partsFromRows, partRanges } from "../store/node_parts.ts";
import * as sql from "../store/statements.ts";
import type { NumberedLines } from "../store/stored_source.ts";
import type { SearchContext } from "../corpus/context.ts";
import type { Context, FileContents, InnerRanges } from "../snippets/excerpts.ts";
import { findLiterals, type Literal } from "../query/literals.ts";
import type { Member } from "../ranking/member_names.ts";
import { mergeParts, type Result, resultOf } from "../ranking/results.ts";
import { makeSnippet, type Snippet, type SnippetRequest } from "../snippets/snippets.ts";
import { statementEnd } from "../snippets/statement_lines.ts";
import { type Target, unparsedOf } from "../relations/targets.ts";

const { INEXACT_REASON } = constants.exact_parts;
const RANKS: readonly string[] = constants.answers.RANK_NAMES;

/** The nodes or lines of a target, with notes about them. */
interface ReadLines {
  readonly results: Result[];
  readonly notes: string[];
}

/** Consecutive lines and the number of the first. */
interface PartJson {
  readonly start_line: number;
  readonly lines: readonly string[];
}

/** The JSON of a snippet. */
interface SnippetJson extends PartJson {
  readonly marks: readonly (readonly number[])[];
  readonly head: PartJson | null;
  readonly below: number;
  readonly more: readonly PartJson[];
}

/** The text of a hit and its snippet; `numbers` of all lines, and of those with a literal. */
export interface HitText {
  readonly text: string;
  readonly window: SnippetJson;
  readonly numbers: readonly number[];
  readonly literalLines: readonly number[];
  readonly context: Context;
}

/** The JSON of a hit; `text` and `window` are null without a text. */
export function hitJson(result: Result, commits: SearchedCommits, text: HitText | null): Record<string, unknown> {
  const { hit } = result;
  return {
    id: hit.id,
    path: hit.path,
    language: hit.language,
    node_type: hit.nodeType,
    symbol: hit.symbol,
    signature: hit.signature,
    logical_path: hit.logicalPath,
    start_line: hit.startLine,
    end_line: hit.endLine,
    repo: hit.repo,
    description: hit.description || null,
    state: hit.repo === commits.repo || !commits.repo ? "same" : "elsewhere",
    indexed_lines: null,
    member: result.member,
    score: Math.round(result.score * 1e6) / 1e6,
    ...Object.fromEntries(RANKS.map((name) => [`${name}_rank`, result.ranks.get(name) ?? null])),
    parts: Object.fromEntries(result.scoreParts),
    piece: matchingPartJson(result),
    copies: result.copies.map((copy) => locationJson(copy.hit)),
    text: text?.text ?? null,
    text_of: text ? commits.commitOf(hit.repo) : null,
    before: text?.context.before ?? null,
    after: text?.context.after ?? null,
    window: text?.window ?? null,
  };
}

/** The repository that was searched, empty for several, and the commit that the index of each one equals. */
export interface SearchedCommits {
  readonly repo: string;
  commitOf(repo: string): string | null;
}

function matchingPartJson({ partMatch: piece }: Result): object | null {
  if (!piece) return null;
  const { startLine, endLine, matching, of } = piece;
  return { start_line: startLine, end_line: endLine, matching, of };
}

function locationJson({ id, repo, path, startLine, endLine }: Hit): object {
  return { id, repo, path, start_line: startLine, end_line: endLine };
}

/** The words to highlight, the number of lines to show (null for all), and texts to show as they are. */
export interface SnippetOptions {
  readonly words: readonly string[];
  readonly lines: number | null;
  readonly literals?: readonly Literal[];
}

/** The text and the snippet of a hit, with line numbers of the file; a notebook's are not consecutive. */
export function hitSnippet(
  result: Result,
  { lines, numbers }: NumberedLines,
  inner: InnerRanges,
  context: Context,
  options: SnippetOptions,
): HitText {
  const rows = new Map<number, number>();
  numbers.forEach((number, row) => rows.has(number) || rows.set(number, row));
  const request: SnippetRequest = {
    words: options.words,
    size: options.lines ?? lines.length,
    signature: headingOf(result, lines),
    anchor: (result.member && rows.get(result.member.line)) ?? null,
    inner: inner.flatMap(([first, last]) => {
      const [from, to] = [rows.get(first), rows.get(last)];
      return from === undefined || to === undefined ? [] : [[from, to + 1] as const];
    }),
    literals: findLiterals(lines, options.literals ?? []),
  };
  const window = snippetJson(chooseLines(result, lines, request, rows), numbers);
  const literalLines = request.literals!.map(([row]) => numbers[row]!);
  return { text: lines.join("\n"), window, numbers, literalLines, context };
}

/**
 * The texts of results, less the first and last lines of a snippet that another hit inside it shows too.
 *
 * At least one line stays, and every line with a literal.
 */
export function withoutRepeatedLines(results: readonly Result[], texts: readonly (HitText | null)[]): (HitText | null)[] {
  return texts.map((text, at) => {
    const { hit } = results[at]!;
    const isConsecutive = text?.numbers.every((number, row) => number === hit.startLine + row);
    if (!text || !isConsecutive || text.numbers.length !== lineCount(hit)) return text;
    const inside = texts.filter((_, other) => isInside(results[other]!.hit, hit));
    const repeated = new Set(inside.flatMap((other) => (other ? shownNumbers(other.window) : [])));
    for (const number of text.literalLines) repeated.delete(number);
    return repeated.size ? { ...text, window: trimmed(text.window, repeated) } : text;
  });
}

function lineCount({ startLine, endLine }: Hit): number {
  return endLine - startLine + 1;
}

/** Returns true if the lines of one hit are some of those of another one. */
function isInside(inner: Hit, outer: Hit): boolean {
  const isWithin = outer.startLine <= inner.startLine && inner.endLine <= outer.endLine;
  return inner.repo === outer.repo && inner.path === outer.path && isWithin && lineCount(inner) < lineCount(outer);
}

function shownNumbers(window: SnippetJson): number[] {
  const parts = [window, ...(window.head ? [window.head] : []), ...window.more];
  return parts.flatMap((part) => part.lines.map((_, row) => part.start_line + row));
}

/** The snippet without its first and last lines that have these numbers; one line stays. */
function trimmed(window: SnippetJson, numbers: ReadonlySet<number>): SnippetJson {
  const start = window.start_line;
  const end = start + window.lines.length;
  let [first, last] = [start, end];
  while (last - first > 1 && numbers.has(last - 1)) last--;
  while (last - first > 1 && numbers.has(first)) first++;
  const isEnd = !window.more.some((part) => part.start_line >= last);
  return {
    ...window,
    start_line: first,
    lines: window.lines.slice(first - start, last - start),
    marks: window.marks.filter(([line]) => (first <= line! && line! < last) || line! < start || line! >= end),
    below: window.below + (isEnd ? end - last : 0),
  };
}

/** Chooses the snippet; without a matching word it begins at the matching part. */
function chooseLines(
  { partMatch: piece }: Result,
  lines: readonly string[],
  request: SnippetRequest,
  rows: ReadonlyMap<number, number>,
): Snippet {
  const snippet = makeSnippet(lines, 0, request);
  if (!piece || request.anchor !== null || snippet.marks.length > 0) return snippet;
  return makeSnippet(lines, 0, { ...request, anchor: rows.get(piece.startLine) ?? null });
}

/** The line shown above a snippet: the signature, or a section's heading; null for a chunk. */
function headingOf({ hit }: Result, lines: readonly string[]): string | null {
  return hit.signature || (hit.symbol || hit.logicalPath ? (lines[0] ?? null) : null);
}

function snippetJson({ startLine, lines, marks, head, below, more }: Snippet, numbers: readonly number[]): SnippetJson {
  const lineNumber = (row: number) => (lines.length > 0 ? numbers[row]! : row);
  return {
    start_line: lineNumber(startLine),
    lines,
    marks: marks.map(({ line, start, end }) => [lineNumber(line), start, end]),
    head: head && { start_line: lineNumber(head.startLine), lines: head.lines },
    below,
    more: more.map((part) => ({ start_line: lineNumber(part.startLine), lines: part.lines })),
  };
}

/** A note on hits whose lines lack the phrases, or the words in their case, that the query requires. */
export function inexactNotes(hits: readonly (NumberedLines | null)[], required: readonly Literal[]): string[] {
  if (!required.length) return [];
  const count = hits.filter((one) => one?.lines.length && !findLiterals(one.lines, required).length).length;
  if (!count) return [];
  const hitsHave = count === 1 ? "1 hit has" : `${count} hits have`;
  return [`${hitsHave} the words of the query in another form: ${INEXACT_REASON}.`];
}

export function noSourceError(path: string): HttpError {
  const remedy = "Store the source with feeder sync --texts, or name the repository at GitHub in the variable GITHUB.";
  return new HttpError(404, `${path} is not available as text.`, remedy);
}

/**
 * Reads a target: its whole nodes, even if it names one part of them, or its lines.
 *
 * Throws an HttpError for lines that do not exist, and for a file whose text is not available.
 */
export async function readTarget(context: SearchContext, contents: FileContents, target: Target): Promise<ReadLines> {
  const names = new Set(target.hits.map((hit) => hit.symbol || hit.logicalPath || null));
  const hasOneName = names.size === 1 && !names.has(null);
  if (target.lines || (target.isFile && !hasOneName)) {
    const results = [await readLines(contents, context.repo, target)];
    return { results, notes: unparsedNotes(target.path, target.unparsed ?? "", results) };
  }
  const [results, unparsed] = await mergeNodes(context, target);
  const whole = target.member ? await withWholeMember(contents, results, target.member) : results;
  if (contents.areAvailable) await contents.load(whole.map((result) => result.hit));
  return { results: whole, notes: unparsedNotes(target.path, unparsed, whole) };
}

/** Names those of the lines that no grammar knows. */
function unparsedNotes(path: string, unparsed: string, results: readonly Result[]): string[] {
  const ranges = results.flatMap(({ hit }) => rangesWithin(decodeRanges(unparsed), hit.startLine, hit.endLine));
  const merged = mergeRanges(ranges);
  if (merged.length === 0) return [];
  const lines = merged.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(", ");
  const subject = countLines(merged) === 1 ? `Line ${lines} of ${path} was` : `Lines ${lines} of ${path} were`;
  return [`${subject} not parsed; symbols there may be missing.`];
}

/** The result of a constant, with all its lines where its chunk has only the first ones. */
async function withWholeMember(contents: FileContents, results: readonly Result[], member: Member): Promise<Result[]> {
  const [result, ...others] = results;
  if (!result || others.length > 0) return [...results];
  const file = contents.areAvailable ? await contents.file(result.hit.path, result.hit.language) : null;
  if (!file || file.numbers.some((number, row) => number !== row + 1)) return [result];
  const last = statementEnd(file.lines, member.line - 1) + 1;
  return [{ ...result, hit: { ...result.hit, endLine: Math.max(result.hit.endLine, last) } }];
}

/** Merges the parts of nodes; a result keeps its part if not all parts are included. Also returns the file's unparsed lines. */
async function mergeNodes(context: SearchContext, { path, hits, unparsed }: Target): Promise<[Result[], string]> {
  const [rows = [], unparsedRows = []] = await context.database.run([
    sql.nodeParts(hits.map((hit) => hit.id)),
    ...(unparsed === undefined ? [sql.unparsedLines(context.repo, [path])] : []),
  ]);
  const ranges = partRanges(hits, partsFromRows(rows));
  const partsByNode = groupBy(hits, (hit) =>
    JSON.stringify([hit.nodeType, hit.signature, ranges.get(hit.id) ?? hit.id]),
  );
  const results = Array.from(partsByNode.values(), (parts) => {
    const [first, ...rest] = parts.map(resultOf);
    const merged = mergeParts(first!, rest, ranges.get(first!.hit.id));
    return merged.partMatch?.matching === merged.partMatch?.of ? { ...merged, partMatch: null } : merged;
  });
  return [results, unparsed ?? unparsedOf(unparsedRows)];
}

async function readLines(contents: FileContents, repo: string, target: Target): Promise<Result> {
  const { path, hits } = target;
  const language = hits[0]?.language ?? null;
  const content = await contents.file(path, language);
  if (!content) throw noSourceError(path);
  const end = content.numbers.at(-1) ?? 0;
  const [first, last] = target.lines ?? [1, end];
  if (last < first) throw new HttpError(404, `Lines ${first}-${last} end before they begin.`, `Did you mean ${last}-${first}?`);
  if (first < 1 || first > Math.min(last, end)) {
    throw new HttpError(404, `${path} has lines 1 to ${end}.`, "Use lines in that range.");
  }
  const unnamed = { symbol: null, signature: null, logicalPath: null, members: "", description: "" };
  const range = { startLine: first, endLine: Math.min(last, end) };
  return resultOf({ id: "", repo, path, language, nodeType: "lines", ...unnamed, ...range });
}
