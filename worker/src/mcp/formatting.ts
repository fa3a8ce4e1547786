/** Formats hits and passages as text for a model, within a token budget. */

import { constants } from "../../build/worker_data.json";
import type { Hit, Lines, ReadAnswer, SearchAnswer } from "../api/types.ts";
import { escapeLine, escapeLines } from "../escaping.ts";
import { length, stripEnd, truncate } from "../python_strings.ts";
import {
  budgetBytes,
  bytesUsed,
  fitHits,
  type HitForm,
  truncateLines,
  utf8Bytes,
} from "./token_budget.ts";

const { FOOTER_BYTES, MAX_NOTES_CHARS, DETAIL_ORDER, SHORTENED_TO } = constants.formatting;
const { DESCRIPTION_PREFIX } = constants.formatting;
const [FULL, SNIPPET, SIGNATURE, LOCATION] = DETAIL_ORDER as [string, string, string, string];

/** The requested detail of hits and the token budget. */
export interface HitFormat {
  detail: string;
  tokens: number;
}

/** Formats hits with as much detail as fits the budget. */
export function formatHits(found: SearchAnswer, wanted: HitFormat): string {
  const first = wanted.detail === "auto" ? FULL : wanted.detail;
  const hits = found.hits.map((hit) => forms(hit, first));
  const budget = budgetBeside(wanted.tokens, [...found.notes, found.note]);
  const chosen = fitHits(hits, budget, wanted.detail === FULL);
  const said = [count(found, chosen.length), shortened(chosen, hits), ...found.notes];
  return joinAnswer(chosen.map((form) => form.text), said, found.note);
}

/** The bytes that are left for hits, given the notes of the footer. */
export function budgetBeside(tokens: number, ends: string[]): number {
  const taken = ends.reduce((sum, end) => sum + utf8Bytes(end), 0);
  return budgetBytes(tokens) - FOOTER_BYTES - Math.min(taken, 2 * MAX_NOTES_CHARS);
}

/** Joins the parts and a footer of at most three lines: the first note, the others, `lastNote`. */
export function joinAnswer(parts: string[], said: string[], standing: string): string {
  const [first = "", ...more] = said.filter(Boolean).map(commandsToTools);
  const foot = [first, truncate(more.join(" "), MAX_NOTES_CHARS), standing];
  return [...parts, foot.map(escapeLine).filter(Boolean).join("\n")].join("\n\n");
}

/** The line above a hit: location, type and name, and the lines shown if not all are. */
export function hitHeading(hit: Hit, span = ""): string {
  const state = stateOf(hit);
  const parts = [
    `${hit.path}:${hit.start_line}-${hit.end_line}`,
    hit.node_type === "lines" ? "" : hit.node_type,
    [hit.symbol || hit.logical_path, hit.member?.name].filter(Boolean).join("."),
    span && `[${span}]`,
    state && `(${state})`,
  ];
  const place = escapeLine(parts.filter(Boolean).join(" "));
  return hit.description ? `${place}\n${DESCRIPTION_PREFIX}${escapeLine(hit.description)}` : place;
}

/** The number of matching parts and of copies, and the repository if it is another one. */
function stateOf(hit: Hit): string {
  const pieces = hit.piece && `${hit.piece.matching} of ${hit.piece.of} parts`;
  const copies = hit.copies.length && `and ${hit.copies.length} more with the same text`;
  const elsewhere = hit.state === "elsewhere" && `in ${hit.repo}`;
  return [pieces, copies, elsewhere].filter(Boolean).join(", ");
}

/** The hit at each detail level, from `mostDetailed` on; equal texts once. */
function forms(hit: Hit, first: string): HitForm[] {
  const known = new Map([
    [FULL, body(hit)],
    [SNIPPET, window(hit)],
    [SIGNATURE, signature(hit)],
    [LOCATION, hitHeading(hit)],
  ]);
  const some: HitForm[] = [];
  for (const detail of DETAIL_ORDER.slice(DETAIL_ORDER.indexOf(first))) {
    const text = known.get(detail);
    if (text && !some.some((one) => one.text === text)) some.push({ detail, text });
  }
  return some;
}

function body(hit: Hit): string {
  return hit.text === null ? "" : `${hitHeading(hit)}\n${formatCode(hit.text.split("\n"))}`;
}

function window(hit: Hit): string {
  const parts = [hit.window?.head, hit.window].filter((part): part is Lines => !!part?.lines.length);
  if (!parts.length) return "";
  const shown = parts.reduce((sum, part) => sum + part.lines.length, 0);
  if (hit.text !== null && shown === hit.text.split("\n").length) return body(hit);
  return `${hitHeading(hit, parts.map(span).join(", "))}\n${withGaps(parts)}`;
}

/** Formats parts of a hit with an unindented `…` between them. */
function withGaps(parts: Lines[]): string {
  const all = parts.flatMap((part) => ["", ...part.lines]).slice(1);
  const text = formatCode(all).split("\n");
  let at = -1;
  for (const part of parts.slice(0, -1)) {
    at += part.lines.length + 1;
    text[at] = "…";
  }
  return text.join("\n");
}

function span(part: Lines): string {
  const last = part.start_line + part.lines.length - 1;
  return last > part.start_line ? `${part.start_line}-${last}` : `${last}`;
}

function signature(hit: Hit): string {
  return hit.signature ? `${hitHeading(hit)}\n${escapeLine(hit.signature)}` : "";
}

function count(found: SearchAnswer, shown: number): string {
  const after = found.offset + shown;
  const total = found.at_least ? `at least ${found.total}` : `${found.total}`;
  if (!shown) return `No hits from offset ${found.offset} on: ${total} in all.`;
  const rest = after < found.total ? `; next: offset=${after}` : "";
  return `${found.offset ? `${found.offset + 1} to ${after}` : shown} of ${total}${rest}`;
}

/** The note on shortened hits, and how to get the rest. */
function shortened(chosen: HitForm[], hits: HitForm[][]): string {
  const shorter = chosen.filter((form, at) => form.text !== hits[at]![0]!.text);
  const warnings = Object.entries(SHORTENED_TO).flatMap(([detail, how]) => {
    const many = shorter.filter((form) => form.detail === detail).length;
    return many ? [`${many} ${how}`] : [];
  });
  if (!warnings.length) return "";
  return `Shortened to fit: ${warnings.join(", ")}. For all lines: read them, or a larger budget.`;
}

const { MAX_NAMED_TARGETS, NAMED_TARGETS_BYTES, MIN_PASSAGE_BYTES } = constants.formatting;

/** The part of a target that fits, a target for the rest, and a note about a cut line. */
interface Fitted {
  text: string;
  rest: string;
  note: string;
}

/** Formats the lines of the targets of `read`, as many as fit, the first targets first. */
export function formatReadResults(passages: ReadAnswer, tokens: number): string {
  let left = budgetBeside(tokens, [passages.note]) - NAMED_TARGETS_BYTES;
  const some: Fitted[] = [];
  for (const { target, hits, error } of passages.targets) {
    const fits = hits.length ? hits.map((hit) => () => fitted(hit, left)) : [() => told(target, error, left)];
    for (const fit of fits) {
      const one = fit();
      left -= bytesUsed(one.text);
      some.push(one);
    }
  }
  const rest = some.map((one) => one.rest).filter(Boolean);
  const texts = some.map((one) => one.text).filter(Boolean);
  return joinAnswer(texts, [notShown(rest), ...some.map((one) => one.note)], passages.note);
}

function told(target: string, error: string, left: number): Fitted {
  const text = escapeLine(commandsToTools(error));
  const rest = truncate(target, NAMED_TARGETS_BYTES);
  return utf8Bytes(text) <= left ? { text, rest: "", note: "" } : { text: "", rest, note: "" };
}

function fitted(hit: Hit, left: number): Fitted {
  const head = hitHeading(hit);
  const lines = hit.text === null ? [] : hit.text.split("\n");
  const whole = lines.length ? `${head}\n${formatCode(lines)}` : head;
  if (utf8Bytes(whole) <= left) return { text: whole, rest: "", note: "" };
  const room = left - utf8Bytes(head) - MIN_PASSAGE_BYTES;
  if (room > 0 && lines.length) return beginning(hit, lines, room);
  const last = lines.length ? hit.start_line + lines.length - 1 : hit.start_line;
  return { text: "", rest: `${hit.path}:${hit.start_line}-${last}`, note: "" };
}

/** The first lines of a hit that does not fit. */
function beginning(hit: Hit, lines: string[], room: number): Fitted {
  const some = truncateLines(lines, room);
  const last = hit.start_line + some.length - 1;
  const end = hit.start_line + lines.length - 1;
  const gone = length(lines[some.length - 1]!) - length(some.at(-1)!);
  return {
    text: `${hitHeading(hit, `${hit.start_line}-${last}`)}\n${formatCode(some)}`,
    rest: last < end ? `${hit.path}:${last + 1}-${end}` : "",
    note: gone ? `Line ${last} of ${hit.path} is cut by ${gone} characters.` : "",
  };
}

function notShown(rest: string[]): string {
  if (!rest.length) return "";
  const more = rest.length > MAX_NAMED_TARGETS ? ` and ${rest.length - MAX_NAMED_TARGETS} more` : "";
  const named = rest.slice(0, MAX_NAMED_TARGETS).join(", ");
  return `Not shown: ${named}${more}. Read them, or use a larger budget.`;
}

const OUTLINE = /feeder outline (\S+)/g;

/** A message for users with tools in place of the commands that are tools as well. */
export function commandsToTools(text: string): string {
  return text.replace(OUTLINE, 'the outline tool with path "$1"');
}

const MARGIN = /^[\t ]*/;

export function formatCode(lines: string[]): string {
  const text = dedent(lines).join("\n").replace(/^\n+|\n+$/g, "");
  return escapeLines(text.split("\n").map(stripEnd).join("\n"));
}

/** Mirrors Python's `textwrap.dedent`: blank lines do not affect the margin, and become empty. */
function dedent(lines: string[]): string[] {
  const all = lines.map((one) => (/^[\t ]+$/.test(one) ? "" : one));
  const margins = all.filter(Boolean).map((one) => MARGIN.exec(one)![0]);
  const common = margins.reduce((before, one) => commonPrefix(before, one), margins[0] ?? "");
  return all.map((one) => (one ? one.slice(common.length) : one));
}

function commonPrefix(one: string, other: string): string {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return one.slice(0, at);
}
