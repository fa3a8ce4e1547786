/** Tells the name that a node declares from a local one inside it. Mirrors `feeder.search.local_names`. */

import { constants } from "../../build/worker_data.json";
import { matchAtStart, Pattern } from "../python_regex.ts";

const patterns = constants.local_names;
const SKIPPED_LINE = new Pattern(matchAtStart(patterns.SKIPPED_LINE_PATTERN));
const QUALIFIED_BEFORE = new Pattern(patterns.QUALIFIED_BEFORE);
const REFERRED_BEFORE = new Pattern(patterns.REFERRED_BEFORE);
const CALL_AFTER = new Pattern(matchAtStart(patterns.CALL_AFTER));
const ASSIGNED_AFTER = new Pattern(matchAtStart(patterns.ASSIGNED_AFTER));
const DECLARED_BEFORE = new Pattern(patterns.DECLARED_BEFORE);
const VALUE_BEFORE = new Pattern(patterns.VALUE_BEFORE);
const LOOP_BEFORE = new Pattern(patterns.LOOP_BEFORE);
const CALLED_ONLY_LANGUAGES = new Set(patterns.CALLED_ONLY_LANGUAGES);
const RESULT_LANGUAGES = new Set(patterns.RESULT_LANGUAGES);

/** The declared name, a parameter or variable, or something else. */
export type Role = "declared" | "local" | "other";

/** A name in lines: the index of the line, and where the name starts in it. */
export interface Place {
  readonly row: number;
  readonly start: number;
}

interface Text {
  readonly lines: readonly string[];
  readonly name: string;
  /** Matches the names of the language. */
  readonly word: RegExp;
}

/** Returns what the name at a place in the lines of a node with that name is. */
export function nameRole(text: Text, at: Place, language: string | null, isFunction: boolean): Role {
  const declared = declaredPlace(text);
  if (declared && at.row === declared.row && at.start === declared.start) return "declared";
  const [before, after] = around(text, at);
  if (!isFunction || CALL_AFTER.test(after)) return "other";
  if (CALLED_ONLY_LANGUAGES.has(language ?? "")) return REFERRED_BEFORE.test(before) ? "other" : "local";
  if (QUALIFIED_BEFORE.test(before)) return "other";
  if (declared && isParameter(text, declared)) return "local";
  return !RESULT_LANGUAGES.has(language ?? "") && isVariable(text) ? "local" : "other";
}

function around({ lines, name }: Text, { row, start }: Place): [before: string, after: string] {
  const line = lines[row]!;
  return [line.slice(0, start), line.slice(start + name.length)];
}

/** Yields the places of the name, except in lines of comment and of decorators. */
function* places({ lines, name, word }: Text): Generator<Place> {
  for (const [row, line] of lines.entries()) {
    if (!line.includes(name) || SKIPPED_LINE.test(line)) continue;
    for (const { 0: found, index } of line.matchAll(word)) if (found === name) yield { row, start: index };
  }
}

/** The first place, or the first one on its line that has parameters behind it. */
function declaredPlace(text: Text): Place | null {
  let first: Place | null = null;
  for (const place of places(text)) {
    if (first && place.row > first.row) break;
    first ??= place;
    if (CALL_AFTER.test(around(text, place)[1])) return place;
  }
  return first;
}

/** Returns true if the parentheses behind the declared name have the name again. */
function isParameter(text: Text, declared: Place): boolean {
  const { lines, name, word } = text;
  let depth = 0;
  for (const line of [around(text, declared)[1], ...lines.slice(declared.row + 1)]) {
    let end = line.length;
    for (let at = 0; at < line.length; at++) {
      const character = line[at]!;
      depth += Number(character === "(") - Number(character === ")");
      if ("){".includes(character) && depth <= 0) {
        end = at;
        break;
      }
    }
    for (const { 0: found, index } of line.slice(0, end).matchAll(word)) {
      const before = line.slice(0, index);
      const isNamed = found === name && !QUALIFIED_BEFORE.test(before);
      if (isNamed && !VALUE_BEFORE.test(before) && !CALL_AFTER.test(line.slice(index + name.length))) return true;
    }
    if (end < line.length) return false;
  }
  return false;
}

/** Returns true if a statement declares a variable of the name, or assigns to it. */
function isVariable(text: Text): boolean {
  for (const place of places(text)) {
    const [before, after] = around(text, place);
    if (QUALIFIED_BEFORE.test(before)) continue;
    if (DECLARED_BEFORE.test(before)) return true;
    const isArgument =
      before.split("(").length > before.split(")").length || text.lines[place.row]!.trimEnd().endsWith(",");
    if (ASSIGNED_AFTER.test(after) && (!isArgument || LOOP_BEFORE.test(before))) return true;
  }
  return false;
}
