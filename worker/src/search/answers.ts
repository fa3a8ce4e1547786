/** What does an answer say? Each hit by its lines, and the commit that they are of. */

import shared from "../../build/shared.json";
import type { Result, Hit } from "./found.ts";

const RANKS: readonly string[] = shared.constants.answers.RANK_NAMES;

/** A hit's lines where its text is there, and those that answer. */
export interface HitText {
  readonly text: string;
  readonly window: object;
}

/** What is known of a hit; `text` and `window` are null where there is no text. */
export function hitJson(one: Result, place: SourceLinks, text: HitText | null): Record<string, unknown> {
  const { hit } = one;
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
    state: hit.repo === place.repo ? "same" : "elsewhere",
    indexed_lines: null,
    member: one.member,
    score: Math.round(one.score * 1e6) / 1e6,
    ...Object.fromEntries(RANKS.map((name) => [`${name}_rank`, one.ranks.get(name) ?? null])),
    parts: Object.fromEntries(one.parts),
    piece: pieceJson(one),
    copies: one.copies.map((copy) => placeJson(copy.hit)),
    text: text?.text ?? null,
    text_of: text ? place.commitOf(hit.repo) : null,
    window: text?.window ?? null,
    permalink: place.permalink(hit),
  };
}

/** Where an answer's texts are from. */
export interface SourceLinks {
  readonly repo: string;
  commitOf(repo: string): string | null;
  permalink(hit: Hit): string | null;
}

function pieceJson({ piece }: Result): object | null {
  if (!piece) return null;
  const { startLine, endLine, matching, of } = piece;
  return { start_line: startLine, end_line: endLine, matching, of };
}

function placeJson({ id, repo, path, startLine, endLine }: Hit): object {
  return { id, repo, path, start_line: startLine, end_line: endLine };
}
