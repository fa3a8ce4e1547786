/** The functions of the query parser, the tokenizer and the snippets that the tests call. */

import { HttpError } from "../../src/http_error.ts";
import { parseQuery, queryText } from "../../src/query/query.ts";
import { namePartStems, QueryText } from "../../src/query/query_text.ts";
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
  splitCompound,
  normalizeSymbol,
  symbolEndsWith,
  lowercaseParts,
  expandWords,
} from "../../src/text.ts";
import { firstWords } from "../../src/bigrams.ts";
import { porter } from "../../src/query/porter.ts";
import { textStems, TermMatcher } from "../../src/query/term_matching.ts";
import { ftsPhrase, ftsPrefix } from "../../src/store/fts_query.ts";
import { foldWord, tokenize } from "../../src/query/unicode61.ts";
import { definesLiteral, findLiterals, findSpans, tokenLiteral } from "../../src/query/literals.ts";
import { type SnippetRequest, makeSnippet } from "../../src/snippets/snippets.ts";

function stringMethods(text: string): unknown {
  return {
    strip: strip(text),
    split: split(text),
    length: length(text),
    casefold: casefold(text),
    lower: text.toLowerCase(),
    cut: truncate(text, 5),
  };
}

function queryTextFields(text: string): unknown[] {
  const analyzed = new QueryText(text);
  const { ftsTerms, titleTerms, wordParts, name, path } = analyzed;
  const sets = [analyzed.identifiers, analyzed.capitalizedWords, analyzed.namedFiles, analyzed.pathWords, analyzed.stems, analyzed.stemsWithStopWords];
  return [ftsTerms, titleTerms, wordParts, name, path, analyzed.codeTokens, analyzed.anchorNames, ...sets.map((set) => [...set].sort(compareText))];
}

export const textAnalysis = {
  stringMethods: (texts: string[]) => texts.map(stringMethods),
  sortTexts: (texts: string[]) => texts.sort(compareText),
  expandWords,
  ftsPhrase,
  ftsPrefix,
  firstWords,
  splitCompound: (word: string) => splitCompound(word).map(([at, part]) => [length(word.slice(0, at)), part]),
  lowercaseParts,
  normalizeSymbol,
  symbolEndsWith,
  parseQuery: (text: string) => {
    try {
      const query = parseQuery(text);
      return { ...query, text: queryText(query) };
    } catch (error) {
      if (error instanceof HttpError) return { error: error.message };
      throw error;
    }
  },
  queryTexts: (texts: string[]) => texts.map(queryTextFields),
  namePartStems: (names: string[]) => [...namePartStems(names)],
  matchesPattern: (text: string, pattern: string) => new QueryText(text).matches(new RegExp(pattern)),
  tokenize: (text: string) => {
    const column = characterColumns(text);
    return tokenize(text).map(([start, end]) => [
      column(start),
      column(end),
      porter(foldWord(text.slice(start, end))),
    ]);
  },
  textStems: (text: string) => [...textStems(text)].sort(compareText),
  findMatches: (words: string[], lines: string[]) =>
    Array.from(new TermMatcher(words).findMatches(lines), ({ row, start, end, stems }) => [
      row,
      start,
      end,
      [...stems].sort(compareText),
    ]),
  makeSnippet: (lines: string[], startLine: number, request: SnippetRequest) => {
    const { head, marks, ...snippet } = makeSnippet(lines, startLine, request);
    return {
      start_line: snippet.startLine,
      lines: snippet.lines,
      marks: marks.map(({ line, start, end }) => [line, start, end]),
      head: head && { start_line: head.startLine, lines: head.lines },
      below: snippet.below,
      more: snippet.more.map((part) => ({ start_line: part.startLine, lines: part.lines })),
    };
  },
  findLiterals: (lines: string[], literals: [string, boolean, boolean][]) =>
    findLiterals(
      lines,
      literals.map(([text, caseSensitive, wholeWord]) => ({ text, caseSensitive, wholeWord })),
    ),
  definesLiteral: (text: string, literal: string) => {
    const [[start, end] = [0, 0]] = findSpans(text, tokenLiteral(literal));
    return definesLiteral(text, start, end);
  },
};
