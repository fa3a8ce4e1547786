/** Which words does a text have? As SQLite's `unicode61` parts and folds them, for the index. */

import { lexis } from "../../build/shared.json";
import { isAscii } from "../letters.ts";

/** Where a word stands, from and up to, in halves of characters; its small letters without accents. */
export interface Word {
  start: number;
  end: number;
  folded: string;
}

const { runs, marks, from, to } = lexis.unicode61;
const ASCII = /[A-Za-z0-9]+/g;

/** Where signs of words begin and end by turns: before the first is none. */
const turns = new Uint32Array(runs.length);
runs.reduce((last, distance, at) => (turns[at] = last + distance), 0);
const MARKS = new Set(marks);
const becomes = [...to];
const FOLDED = new Map(Array.from(from, (sign, at) => [sign, becomes[at] ?? ""]));

export function tokens(text: string): Word[] {
  if (!isAscii(text)) return [...beyond(text)];
  return Array.from(text.matchAll(ASCII), (found) => ({
    start: found.index,
    end: found.index + found[0].length,
    folded: found[0].toLowerCase(),
  }));
}

function* beyond(text: string): Generator<Word> {
  let [at, start, folded] = [0, 0, ""];
  for (const sign of text) {
    if (isOfWord(sign) || (folded && MARKS.has(sign))) {
      if (!folded) start = at;
      folded += fold(sign);
    } else if (folded) {
      yield { start, end: at, folded };
      folded = "";
    }
    at += sign.length;
  }
  if (folded) yield { start, end: at, folded };
}

/** How many turns are at or before it: odd within a run. */
function isOfWord(sign: string): boolean {
  const code = sign.codePointAt(0) ?? 0;
  let [low, high] = [0, turns.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((turns[middle] ?? 0) <= code) low = middle + 1;
    else high = middle;
  }
  return low % 2 === 1;
}

function fold(sign: string): string {
  if (sign < "\x80") return sign.toLowerCase();
  return MARKS.has(sign) ? "" : (FOLDED.get(sign) ?? sign);
}
