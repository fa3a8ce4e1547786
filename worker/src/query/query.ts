/**
 * Parses a query string into words, phrases, a pattern and filters; never fails.
 *
 * `tests/query/query_cases.json` has examples that every implementation runs.
 */

import { constants } from "../../build/worker_data.json";
import { fullMatch, Pattern } from "../python_regex.ts";
import { truncate } from "../python_strings.ts";
import { isWithinOneEdit } from "../suggestions.ts";
import { type Condition, readAlternatives } from "./alternatives.ts";
import { camelCase } from "../text.ts";

export const MIN_WORD_LETTERS = constants.query.MIN_WORD_LETTERS;

/** Longer queries are truncated: 20,000 words take seconds, and D1 refuses more. */
const MAX_QUERY_CHARS = constants.query.MAX_QUERY_CHARS;

const { SPACE_CHARS } = constants.query;
export const LEADING_SPACE = new RegExp(`^[${SPACE_CHARS}]+`);
const TRAILING_SPACE = new RegExp(`(?<![${SPACE_CHARS}])[${SPACE_CHARS}]+$`);
const LONE_SURROGATE = /[\ud800-\udfff]/gu;
const SPACE = new Pattern(constants.query.SPACE_PATTERN, "g");
const LINE_END = new Pattern(constants.query.LINE_END_PATTERN);
const INVISIBLE = new Pattern(constants.query.INVISIBLE, "g");
const CONTROL = new Pattern(constants.query.CONTROL_PATTERN, "g");
const TOKEN = new Pattern(constants.query.TOKEN_PATTERN, "g");
const GROUPED_TOKEN = new Pattern(constants.query.GROUPED_TOKEN_PATTERN, "y");
const { OR } = constants.alternatives;
const FILTER = new Pattern(fullMatch(constants.query.FILTER_PATTERN));
const PREFIX = new Pattern(fullMatch(constants.query.PREFIX_PATTERN));
const EXCLUDED = new Pattern(fullMatch(constants.query.EXCLUDED_PATTERN));

/** The parts of a query that may occur more than once, in the order of `Query` in feeder.query.query. */
interface Lists {
  readonly phrases: readonly string[];
  readonly without: readonly string[];
  readonly prefixes: readonly string[];
  readonly languages: readonly string[];
  readonly notLanguages: readonly string[];
  readonly paths: readonly string[];
  readonly notPaths: readonly string[];
  readonly nodeTypes: readonly string[];
  readonly notNodeTypes: readonly string[];
  readonly symbols: readonly string[];
  readonly repos: readonly string[];
  readonly categories: readonly string[];
  readonly notCategories: readonly string[];
  /** Filters by relations with their prefix, such as `calls:add`. */
  readonly relations: readonly string[];
}

/**
 * A parsed query; `words` are its words without filters, in order.
 *
 * Values are as typed. `without` has excluded words, phrases and prefixes, the latter with their `*`;
 * `prefixes` are without it. `tests` is yes, no or only; `case` makes the search case-sensitive.
 * `either` has conditions with `OR`: the texts, prefixes with their `*`, of which a node needs one.
 * `overruled` are filters that a later one with another value overrides. `unknownFilters` are words that were
 * probably meant as filters, such as `typ:method`; they are among the words, too.
 */
export interface Query extends Lists {
  readonly words: string;
  readonly either: readonly Condition[];
  readonly regex: string | null;
  readonly tests: string | null;
  readonly case: boolean;
  readonly overruled: readonly string[];
  readonly unknownFilters: readonly string[];
}

export const EMPTY_QUERY: Query = {
  words: "",
  phrases: [],
  regex: null,
  without: [],
  either: [],
  prefixes: [],
  languages: [],
  notLanguages: [],
  paths: [],
  notPaths: [],
  nodeTypes: [],
  notNodeTypes: [],
  symbols: [],
  repos: [],
  categories: [],
  notCategories: [],
  relations: [],
  tests: null,
  case: false,
  overruled: [],
  unknownFilters: [],
};

/** The text that is ranked by: the words, then phrases, prefixes, alternatives and symbols. */
export function queryText(query: Query): string {
  const either = eitherTexts(query).map((text) => text.replace(/\*$/, ""));
  return [query.words, ...query.phrases, ...query.prefixes, ...either, ...query.symbols].filter(Boolean).join(" ");
}

/** The distinct texts of all conditions with `OR`; prefixes keep their `*`. */
export function eitherTexts(query: Query): string[] {
  return [...new Set(query.either.flat())];
}

/** The prefixes, also of conditions with `OR`. */
export function allPrefixes(query: Query): string[] {
  const either = eitherTexts(query).filter((text) => text.endsWith("*"));
  return [...query.prefixes, ...either.map((text) => text.slice(0, -1))];
}

const FIELDS = new Map(
  Object.entries(constants.query.FILTER_FIELDS).map(([head, field]) => [head, camelCase(field)]),
);
const CHOICES: Record<string, string[]> = constants.query.CHOICE_FILTERS;
const FILTER_NAMES = new Set(
  [...FIELDS.keys(), ...Object.keys(CHOICES)].map((head) => head.replace(/^-/, "")),
);
const HEADED = new Set(constants.query.HEADED_FIELDS.map(camelCase));
const COMMA_LISTS = new Set(constants.query.COMMA_LIST_FIELDS.map(camelCase));

interface ParsedToken {
  field: string;
  value: string;
  raw: string;
}

type Values = Map<string, string[]>;

/**
 * Parses a query. A text of several lines has words only; what is no filter is a word.
 *
 * Throws an HttpError for a query with `OR` that `readAlternatives` cannot read.
 */
export function parseQuery(typedQuery: string): Query {
  const text = normalizeText(truncate(typedQuery, MAX_QUERY_CHARS));
  if (LINE_END.test(text)) return { ...EMPTY_QUERY, words: text };
  const spaced = text.replace(SPACE.for(text), " ");
  const tokens = Array.from(spaced.matchAll(TOKEN.for(spaced)), parseToken);
  if (tokens.slice(1, -1).some((token) => token.raw === OR)) {
    const { values: read, either } = readAlternatives(spaced, GROUPED_TOKEN.for(spaced), tokenValues);
    const hasOthers = either.length > 0 || [...read.keys()].some((field) => field !== "words");
    if (hasOthers) return { ...buildQuery(read), either: uniqueConditions(either) }; // words alone rank as they are
  }
  const values: Values = new Map();
  for (const { field, value, raw } of tokens) {
    const isSecond = field === "regex" && values.has("regex");
    if (isSecond) add(values, "words", [raw]);
    else add(values, field, splitValues(field, value));
  }
  const keys = [...values.keys()];
  if (values.has("without") && keys.every((key) => key === "without" || key === "case")) {
    // a query of exclusions alone has nothing to exclude from: they are searched for as words
    values.delete("without");
    values.set("words", rawTokens(tokens, "without"));
  }
  return buildQuery(values);
}

/** The values of one token, by field. */
function tokenValues(typed: string): Values {
  const [match] = typed.matchAll(TOKEN.for(typed));
  const { field, value } = match?.[0] === typed ? parseToken(match) : parseBareWord(typed);
  return new Map([[field, splitValues(field, value)]]);
}

function uniqueConditions(conditions: readonly Condition[]): Condition[] {
  return [...new Map(conditions.map((texts) => [JSON.stringify(texts), texts])).values()];
}

function add(values: Values, field: string, added: string[]): void {
  values.set(field, [...(values.get(field) ?? []), ...added]);
}

function rawTokens(tokens: ParsedToken[], field: string): string[] {
  return tokens.filter((token) => token.field === field).map((token) => token.raw);
}

function normalizeText(text: string): string {
  const wellFormed = text.replace(LONE_SURROGATE, "\ufffd");
  const visible = wellFormed.replace(INVISIBLE.for(wellFormed), "").replace(CONTROL.for(wellFormed), " ");
  return visible.normalize("NFC").replace(LEADING_SPACE, "").replace(TRAILING_SPACE, "");
}

/** Classifies a token; it is a word unless it is clearly something else. */
function parseToken(match: RegExpExecArray): ParsedToken {
  const raw = match[0];
  const { regex, curly, quoted, bare } = match.groups ?? {};
  if (regex) return { field: "regex", value: regex.replaceAll("\\/", "/"), raw };
  const filter = bare && FILTER.for(raw).exec(raw);
  const head = filter ? filter[1] : match.groups?.head;
  const value = filter ? filter[2] : trimSpaces(curly ?? (quoted ?? "").replaceAll('\\"', '"'));
  return (head !== undefined && value && parseFilter(head, value, raw)) || parseBareWord(raw);
}

/** The field and value of a filter; undefined for an unknown filter. */
function parseFilter(head: string, value: string, raw: string): ParsedToken | undefined {
  const field = FIELDS.get(head);
  if (field) return { field, value: HEADED.has(field) ? head + value : value, raw };
  return CHOICES[head]?.includes(value) ? { field: head.slice(0, -1), value, raw } : undefined;
}

function parseBareWord(raw: string): ParsedToken {
  const prefix = raw.endsWith("*") && PREFIX.for(raw).exec(raw)?.[1];
  if (prefix) return { field: "prefixes", value: prefix, raw };
  const excluded = raw.startsWith("-") && EXCLUDED.for(raw).exec(raw)?.[1];
  if (excluded) return { field: "without", value: excluded, raw };
  return { field: "words", value: raw, raw };
}

/** Trims spaces; all other whitespace was replaced before. */
function trimSpaces(text: string): string {
  return text.replace(/^ +|(?<! ) +$/g, "");
}

function splitValues(field: string, value: string): string[] {
  const values = COMMA_LISTS.has(field) ? value.split(",") : [value];
  return values.map(trimSpaces).filter(Boolean);
}

/** Keeps the last value of single filters, and the distinct values of the others. */
function buildQuery(values: Values): Query {
  const lists = Object.keys(EMPTY_QUERY)
    .filter((field) => values.has(field))
    .map((field) => [field, [...new Set(values.get(field))]]);
  return {
    ...EMPTY_QUERY,
    ...(Object.fromEntries(lists) as Partial<Lists>),
    words: values.get("words")?.join(" ") ?? "",
    regex: values.get("regex")?.at(-1) ?? null,
    tests: values.get("tests")?.at(-1) ?? null,
    case: values.get("case")?.at(-1) === "yes",
    overruled: Object.keys(CHOICES).flatMap((head) => overruled(head, values)),
    unknownFilters: [...new Set(values.get("words"))].filter(isUnknownFilter),
  };
}

/**
 * Returns true for a filter with an unknown value or without a negation, and for a name that is nearly that of a
 * filter.
 */
function isUnknownFilter(word: string): boolean {
  const [, head, value] = FILTER.for(word).exec(word) ?? [];
  if (head === undefined || value === undefined) return false;
  return FILTER_NAMES.has(head.replace(/^-/, "")) || nearestFilter(head, value) !== "";
}

/** The prefix of the filter that `head` probably misspells; empty if there is none. */
export function nearestFilter(head: string, value: string): string {
  const isValue = (known: string) => CHOICES[known]?.includes(value) ?? true;
  const known = [...FIELDS.keys(), ...Object.keys(CHOICES)];
  return known.find((one) => isValue(one) && isMisspelling(head, one)) ?? "";
}

/** Returns true for prefixes that begin alike and are one edit apart; in a short one no letter is replaced. */
function isMisspelling(head: string, known: string): boolean {
  const isReplaced = head.length === known.length && sortedLetters(head) !== sortedLetters(known);
  return (
    head.length > MIN_WORD_LETTERS &&
    head[0] === known[0] &&
    isWithinOneEdit(head, known) &&
    (!isReplaced || head.length >= constants.query.MIN_REPLACED_LETTERS)
  );
}

function sortedLetters(text: string): string {
  return [...text].sort().join("");
}

function overruled(head: string, values: Values): string[] {
  const choices = values.get(head.slice(0, -1)) ?? [];
  return [...new Set(choices)].filter((value) => value !== choices.at(-1)).map((value) => head + value);
}

/** Stop words of word search. */
