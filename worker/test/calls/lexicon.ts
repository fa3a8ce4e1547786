/** The functions of the query parser, the tokenizer and the snippets that the tests call. */

import { nameStems, parseQuery, QueryText, queryText } from "../../src/search/query.ts";
import {
  casefold,
  characterColumns,
  compareText,
  truncate,
  length,
  split,
  strip,
} from "../../src/python_strings.ts";
import {
  compoundParts,
  dotted,
  endsWith,
  lowercaseParts,
  withCompoundParts,
} from "../../src/text.ts";
import { porter } from "../../src/search/porter.ts";
import { stemsOfText, QueryTerms } from "../../src/search/term_matching.ts";
import { foldWord, tokenize } from "../../src/search/unicode61.ts";
import { type SnippetRequest, chooseSnippet } from "../../src/search/snippets.ts";

function letters(text: string): unknown {
  return {
    strip: strip(text),
    split: split(text),
    length: length(text),
    casefold: casefold(text),
    lower: text.toLowerCase(),
    cut: truncate(text, 5),
  };
}

function asked(text: string): unknown[] {
  const asked = new QueryText(text);
  const { terms, parts, name, path } = asked;
  const sets = [asked.identifiers, asked.keys, asked.stems, asked.allStems];
  return [terms, parts, name, path, ...sets.map((set) => [...set].sort(compareText))];
}

export const lexicon = {
  letters: (texts: string[]) => texts.map(letters),
  sorted: (texts: string[]) => texts.sort(compareText),
  words: withCompoundParts,
  parts: (word: string) => compoundParts(word).map(([at, part]) => [length(word.slice(0, at)), part]),
  smallParts: lowercaseParts,
  dotted,
  endsWith,
  parse: (text: string) => {
    const query = parseQuery(text);
    return { ...query, text: queryText(query) };
  },
  asked: (texts: string[]) => texts.map(asked),
  stems: (names: string[]) => [...nameStems(names)],
  says: (text: string, pattern: string) => new QueryText(text).says(new RegExp(pattern)),
  tokens: (text: string) => {
    const column = characterColumns(text);
    return tokenize(text).map(([start, end]) => [
      column(start),
      column(end),
      porter(foldWord(text.slice(start, end))),
    ]);
  },
  termStems: (text: string) => [...stemsOfText(text)].sort(compareText),
  places: (words: string[], lines: string[]) =>
    Array.from(new QueryTerms(words).places(lines), ({ row, start, end, stems }) => [
      row,
      start,
      end,
      [...stems].sort(compareText),
    ]),
  window: (lines: string[], startLine: number, wanted: SnippetRequest) => {
    const { head, marks, ...found } = chooseSnippet(lines, startLine, wanted);
    return {
      start_line: found.startLine,
      lines: found.lines,
      marks: marks.map(({ line, start, end }) => [line, start, end]),
      head: head && { start_line: head.startLine, lines: head.lines },
      below: found.below,
    };
  },
};
