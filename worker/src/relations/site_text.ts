/** Reads the text and columns of sites, and the lines of overrides. Mirrors `feeder.relations.site_text`. */

import { constants } from "../../build/worker_data.json";
import { matchAtStart, Pattern } from "../python_regex.ts";
import { characterColumns } from "../python_strings.ts";
import { OVERRIDE, type Reference } from "./sites.ts";

const { DECLARATION_LINES } = constants.site_text;
const COMMENT = new Pattern(matchAtStart(constants.site_text.COMMENT_PATTERN));

/** The references with the text of their lines and the columns of the names; of a line that is unknown, without. */
export function withText(references: readonly Reference[], lineOf: (path: string, line: number) => string | null): Reference[] {
  const used = new Map<string, number>();
  return references.map((found) => {
    const one = atDeclaration(found, lineOf);
    const text = lineOf(one.path, one.line);
    const key = `${one.path}\0${one.line}\0${one.name}`;
    const nth = used.get(key) ?? 0;
    used.set(key, nth + 1);
    if (text === null) return one;
    return { ...one, text: text.replace(/\r+$/, ""), column: columnOf(text, one.name, nth) };
  });
}

/** The line of a reference; of an override, which may begin with comments, the first ones. */
export function linesOf({ path, line, kind, node }: Reference): [path: string, first: number, last: number] {
  const last = kind === OVERRIDE ? Math.min(node.lastLine, line + DECLARATION_LINES - 1) : line;
  return [path, line, Math.max(line, last)];
}

/** An override on the first line that is no comment and has its name; others as they are. */
function atDeclaration(one: Reference, lineOf: (path: string, line: number) => string | null): Reference {
  if (one.kind !== OVERRIDE) return one;
  const name = wholeWord(one.name);
  const [path, first, last] = linesOf(one);
  for (let line = first; line <= last; line += 1) {
    const text = lineOf(path, line) ?? "";
    if (text.search(name) >= 0 && !COMMENT.test(text)) return { ...one, line };
  }
  return one;
}

/** The column of the nth whole word `name` in a line, from 1; of the last if there are fewer. */
function columnOf(text: string, name: string, nth: number): number {
  const matches = [...text.matchAll(wholeWord(name))];
  const match = matches[Math.min(nth, matches.length - 1)];
  return match ? characterColumns(text)(match.index) + 1 : 1;
}

function wholeWord(name: string): RegExp {
  const source = name.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  return new RegExp(`(?<![\\p{L}\\p{N}_])${source}(?![\\p{L}\\p{N}_])`, "gu");
}
