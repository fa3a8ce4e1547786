/** What does a model read? A line `path:first-last type name`, the code, and a short end. */

import shared from "../../build/shared.json";
import type { Hit, SearchAnswer, Lines } from "../api/types.ts";
import { truncate } from "../python_strings.ts";
import * as harmless from "../escaping.ts";
import { type HitForm, fitHits, budgetBytes, utf8Bytes } from "./token_budget.ts";
import { commandsToTools } from "./remedies.ts";
import { formatCode } from "./code.ts";

const { foot_bytes, notes_chars, forms: ORDER, shortened: SHORTENED } = shared.serve.shaping;
const { described: DESCRIBED } = shared.serve.shaping;
const [FULL, SNIPPET, SIGNATURE, LOCATION] = ORDER as [string, string, string, string];

/** How much of each hit is asked for, and the tokens that all may take. */
export interface HitFormat {
  detail: string;
  tokens: number;
}

/** An answer with as much of each hit as fits. */
export function formatHits(found: SearchAnswer, wanted: HitFormat): string {
  const first = wanted.detail === "auto" ? FULL : wanted.detail;
  const hits = found.hits.map((hit) => forms(hit, first));
  const budget = budgetBeside(wanted.tokens, [...found.notes, found.note]);
  const chosen = fitHits(hits, budget, wanted.detail === FULL);
  const said = [count(found, chosen.length), shortened(chosen, hits), ...found.notes];
  return joinAnswer(chosen.map((form) => form.text), said, found.note);
}

/** The bytes that are left for hits beside what ends an answer. */
export function budgetBeside(tokens: number, ends: string[]): number {
  const taken = ends.reduce((sum, end) => sum + utf8Bytes(end), 0);
  return budgetBytes(tokens) - foot_bytes - Math.min(taken, 2 * notes_chars);
}

/** The parts, and below them at most three lines, the last of what the index equals. */
export function joinAnswer(parts: string[], said: string[], standing: string): string {
  const [first = "", ...more] = said.filter(Boolean).map(commandsToTools);
  const foot = [first, truncate(more.join(" "), notes_chars), standing];
  return [...parts, foot.map(harmless.escapeLine).filter(Boolean).join("\n")].join("\n\n");
}

/** Where it is, what it is, and which `span` of it follows, where that is not all. */
export function hitHeading(hit: Hit, span = ""): string {
  const state = stateOf(hit);
  const parts = [
    `${hit.path}:${hit.start_line}-${hit.end_line}`,
    hit.node_type === "lines" ? "" : hit.node_type,
    [hit.symbol || hit.logical_path, hit.member?.name].filter(Boolean).join("."),
    span && `[${span}]`,
    state && `(${state})`,
  ];
  const place = harmless.escapeLine(parts.filter(Boolean).join(" "));
  return hit.description ? `${place}\n${DESCRIBED}${harmless.escapeLine(hit.description)}` : place;
}

/** What else it stands for, and where it is if not in the repository that is asked. */
function stateOf(hit: Hit): string {
  const pieces = hit.piece && `${hit.piece.matching} of ${hit.piece.of} parts`;
  const copies = hit.copies.length && `and ${hit.copies.length} more with the same text`;
  const elsewhere = hit.state === "elsewhere" && `in ${hit.repo}`;
  return [pieces, copies, elsewhere].filter(Boolean).join(", ");
}

/** The ways to show a hit, from the one that is asked for to the smallest. */
function forms(hit: Hit, first: string): HitForm[] {
  const known = new Map([
    [FULL, body(hit)],
    [SNIPPET, window(hit)],
    [SIGNATURE, signature(hit)],
    [LOCATION, hitHeading(hit)],
  ]);
  const some: HitForm[] = [];
  for (const detail of ORDER.slice(ORDER.indexOf(first))) {
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

/** The gap between two parts stands at no column of theirs. */
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
  return hit.signature ? `${hitHeading(hit)}\n${harmless.escapeLine(hit.signature)}` : "";
}

function count(found: SearchAnswer, shown: number): string {
  const after = found.offset + shown;
  const total = found.at_least ? `at least ${found.total}` : `${found.total}`;
  if (!shown) return `Nothing from ${found.offset} on: ${total} found.`;
  const rest = after < found.total ? `; the next: offset=${after}` : "";
  return `${found.offset ? `${found.offset + 1} to ${after}` : shown} of ${total}${rest}`;
}

/** What is not as long as was asked for, and how to get the rest. */
function shortened(chosen: HitForm[], hits: HitForm[][]): string {
  const shorter = chosen.filter((form, at) => form.text !== hits[at]![0]!.text);
  const told = Object.entries(SHORTENED).flatMap(([detail, how]) => {
    const many = shorter.filter((form) => form.detail === detail).length;
    return many ? [`${many} ${how}`] : [];
  });
  if (!told.length) return "";
  return `Shortened to fit: ${told.join(", ")}. Whole: read them, or a larger budget.`;
}
