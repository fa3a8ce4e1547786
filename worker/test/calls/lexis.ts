/** What the tests may call of the lexis. */

import { Asked, stems } from "../../src/search/asked.ts";
import {
  casefold,
  columns,
  compareText,
  cut,
  length,
  split,
  strip,
} from "../../src/letters.ts";
import { parse, textOf } from "../../src/search/query.ts";
import { dotted, endsWith } from "../../src/symbols.ts";
import { porter } from "../../src/search/porter.ts";
import { stems as termStems, Terms } from "../../src/search/terms.ts";
import { folded, tokens } from "../../src/search/unicode61.ts";
import { type Wanted, window } from "../../src/search/windows.ts";
import { parts, smallParts, words } from "../../src/search/words.ts";

function letters(text: string): unknown {
  return {
    strip: strip(text),
    split: split(text),
    length: length(text),
    casefold: casefold(text),
    lower: text.toLowerCase(),
    cut: cut(text, 5),
  };
}

function asked(text: string): unknown[] {
  const asked = new Asked(text);
  const { terms, parts, name, path } = asked;
  const sets = [asked.identifiers, asked.keys, asked.stems, asked.allStems];
  return [terms, parts, name, path, ...sets.map((set) => [...set].sort(compareText))];
}

export const lexis = {
  letters: (texts: string[]) => texts.map(letters),
  sorted: (texts: string[]) => texts.sort(compareText),
  words,
  parts: (word: string) => parts(word).map(([at, part]) => [length(word.slice(0, at)), part]),
  smallParts,
  dotted,
  endsWith,
  parse: (text: string) => {
    const query = parse(text);
    return { ...query, text: textOf(query) };
  },
  asked: (texts: string[]) => texts.map(asked),
  stems: (names: string[]) => [...stems(names)],
  says: (text: string, pattern: string) => new Asked(text).says(new RegExp(pattern)),
  tokens: (text: string) => {
    const column = columns(text);
    return tokens(text).map(([start, end]) => [
      column(start),
      column(end),
      porter(folded(text.slice(start, end))),
    ]);
  },
  termStems: (text: string) => [...termStems(text)].sort(compareText),
  places: (words: string[], lines: string[]) =>
    Array.from(new Terms(words).places(lines), ({ row, start, end, stems }) => [
      row,
      start,
      end,
      [...stems].sort(compareText),
    ]),
  window: (lines: string[], startLine: number, wanted: Wanted) => {
    const { head, marks, ...found } = window(lines, startLine, wanted);
    return {
      start_line: found.startLine,
      lines: found.lines,
      marks: marks.map(({ line, start, end }) => [line, start, end]),
      head: head && { start_line: head.startLine, lines: head.lines },
      below: found.below,
    };
  },
};
