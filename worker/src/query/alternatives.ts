/**
 * Reads `OR` and parentheses: `(get OR fetch) "user id"`, `lang:go OR lang:rust`.
 *
 * `OR` joins the two parts beside it, as in web search: `a OR b c` is `(a OR b) c`.
 */

import { constants } from "../../build/worker_data.json";
import { HttpError } from "../http_error.ts";
import { camelCase } from "../text.ts";

const { OR, AND, MAX_CLAUSES, RELATION_OR } = constants.alternatives;
const TEXT_FIELDS = new Set(constants.alternatives.TEXT_FIELDS);
const REPEATABLE_FIELDS = new Set(["words", ...constants.alternatives.REPEATABLE_FIELDS.map(camelCase)]);

/** The texts of which a node needs one; prefixes end in `*`. */
export type Condition = readonly string[];

/** The values of a part of a query, by the field of `Query`. The values of `either` are conditions. */
export type Values = Map<string, string[]>;

/** What is read of a query with `OR`. */
export interface Alternatives {
  readonly values: Values;
  readonly either: readonly Condition[];
}

/** A token or a group, and its text as typed for errors. */
interface Part extends Alternatives {
  readonly typed: string;
}

/** The parts between two parentheses, or of the whole query, in chains joined by `OR`. */
class Group {
  readonly #chains: Part[][] = [];
  #isJoining = false;

  add(part: Part): void {
    if (this.#isJoining) this.#chains.at(-1)!.push(part);
    else this.#chains.push([part]);
    this.#isJoining = false;
  }

  /** Adds `OR` or `AND`, which is a word where no part is before it. */
  addOperator(typed: string): void {
    if (this.#chains.length === 0 || this.#isJoining) this.add({ values: new Map([["words", [typed]]]), either: [], typed });
    else this.#isJoining = typed === OR;
  }

  /** The values of all parts; an `OR` that nothing follows is a word. */
  read(): Alternatives {
    const joined = this.#chains.map((parts) => (parts.length > 1 ? join(parts) : parts[0]!));
    const values = mergeValues(joined.map((one) => one.values));
    if (this.#isJoining) values.set("words", [...(values.get("words") ?? []), OR]);
    return { values, either: joined.flatMap((one) => one.either) };
  }

  /** The group as typed, with its parentheses. */
  get typed(): string {
    return `(${this.#chains.map((parts) => parts.map((part) => part.typed).join(` ${OR} `)).join(" ")})`;
  }
}

/**
 * The values of a query with `OR`, by field, and the conditions of which each needs one text.
 *
 * `token` finds a text in quotes or slashes, also before a closing parenthesis, and `parse` reads a token.
 * Throws an HttpError for unbalanced parentheses, and for alternatives of different kinds.
 */
export function readAlternatives(text: string, token: RegExp, parse: (typed: string) => Values): Alternatives {
  const groups = [new Group()];
  for (const typed of tokens(text, token)) {
    if (typed === "(") groups.push(new Group());
    else if (typed === ")") {
      const inner = groups.pop()!;
      const { values, either } = inner.read();
      if (values.size > 0 || either.length > 0) groups.at(-1)!.add({ values, either, typed: inner.typed });
    } else if (typed === OR || typed === AND) groups.at(-1)!.addOperator(typed);
    else groups.at(-1)!.add({ values: parse(typed), either: [], typed });
  }
  const { values, either } = groups[0]!.read();
  const patterns = values.get("regex") ?? [];
  if (patterns.length > 1) {
    // as without OR
    values.set("words", [...(values.get("words") ?? []), ...patterns.slice(1).map((pattern) => `/${pattern}/`)]);
    values.set("regex", patterns.slice(0, 1));
  }
  return { values, either };
}

/** Yields tokens and grouping parentheses. Parentheses in code, as in `f(x)`, stay in their token. */
function* tokens(text: string, token: RegExp): Generator<string> {
  const opened: boolean[] = []; // true for the parenthesis of a group, false for one in a word
  let at = 0;
  while (at < text.length) {
    if (text[at] === " ") at += 1;
    else if (text[at] === "(" && text[at + 1] !== ")") {
      opened.push(true);
      yield "(";
      at += 1;
    } else if (text[at] === ")" && opened.at(-1) !== false) {
      if (opened.length === 0) throw unbalanced("A closing parenthesis has no opening one");
      opened.pop();
      yield ")";
      at += 1;
    } else {
      token.lastIndex = at;
      const match = token.exec(text);
      const end = match && match.groups!.bare === undefined ? token.lastIndex : wordEnd(text, at, opened);
      yield text.slice(at, end);
      at = end;
    }
  }
  if (opened.includes(true)) throw unbalanced("A parenthesis is not closed");
}

/** The end of a word: a space, or the parenthesis that closes a group. */
function wordEnd(text: string, start: number, opened: boolean[]): number {
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === " ") return at;
    if (text[at] === "(") opened.push(false);
    else if (text[at] === ")") {
      if (opened.at(-1) !== false) return at;
      opened.pop();
    }
  }
  return text.length;
}

function unbalanced(problem: string): HttpError {
  return new HttpError(
    400,
    `${problem}: a query with OR needs balanced parentheses.`,
    'Add the missing one, or put code in double quotes: "f(a, b".',
  );
}

/** The values of alternatives; words alone need no condition, since they rank. */
function join(parts: readonly Part[]): Alternatives {
  const hasCondition = parts.some((part) => part.either.length > 0);
  const merged = mergeValues(parts.map((part) => part.values));
  const fields = [...merged.keys()];
  const [field = "", values = []] = fields.length === 1 && !hasCondition ? [fields[0]!, merged.get(fields[0]!)!] : [];
  if (REPEATABLE_FIELDS.has(field)) return { values: merged, either: [] };
  if (fields.every((name) => TEXT_FIELDS.has(name))) return { values: new Map(), either: conditionsOfAll(parts.map(conditions)) };
  if (field === "regex") return { values: new Map([[field, [values.join("|")]]]), either: [] };
  const names = new Set(values.map((value) => value.split(":")[0]));
  if (field === "relations" && names.size === 1 && values.length === parts.length) {
    return { values: new Map([[field, [values.join(RELATION_OR)]]]), either: [] };
  }
  throw new HttpError(
    400,
    `OR cannot join ${parts.map((part) => part.typed).join(" and ")}. It joins only words, phrases and prefixes, or filters of one kind.`,
    "Write filters outside the parentheses, as in lang:go (get OR fetch).",
  );
}

function mergeValues(parts: readonly Values[]): Values {
  const merged: Values = new Map();
  for (const part of parts) {
    for (const [field, values] of part) merged.set(field, [...(merged.get(field) ?? []), ...values]);
  }
  return merged;
}

/** The conditions of an alternative. */
function conditions({ values, either }: Alternatives): Condition[] {
  const prefixes = (values.get("prefixes") ?? []).map((prefix) => `${prefix}*`);
  const texts = [...(values.get("words") ?? []), ...(values.get("phrases") ?? []), ...prefixes];
  return [...texts.map((text) => [text]), ...either];
}

/** The conditions that hold if all of one alternative hold: one of each, in every choice. */
function conditionsOfAll(alternatives: readonly (readonly Condition[])[]): Condition[] {
  const count = alternatives.reduce((product, own) => product * own.length, 1);
  if (count > MAX_CLAUSES) throw new HttpError(400, "The query has too many alternatives.", "Search for fewer at once.");
  const choices = alternatives.reduce<Condition[]>((before, own) => before.flatMap((one) => own.map((texts) => [...one, ...texts])), [[]]);
  return choices.map((texts) => [...new Set(texts)]);
}
