/** Which part of lines does a reader need? Not what all of them begin with, nor what is not seen. */

import { stripEnd } from "../python_strings.ts";
import * as harmless from "../escaping.ts";

const MARGIN = /^[\t ]*/;

export function formatCode(lines: string[]): string {
  const text = dedent(lines).join("\n").replace(/^\n+|\n+$/g, "");
  return harmless.escapeLines(text.split("\n").map(stripEnd).join("\n"));
}

/** As Python's `textwrap.dedent`: lines of blanks alone have no say, and become empty. */
function dedent(lines: string[]): string[] {
  const all = lines.map((one) => (/^[\t ]+$/.test(one) ? "" : one));
  const margins = all.filter(Boolean).map((one) => MARGIN.exec(one)![0]);
  const common = margins.reduce((before, one) => commonPrefix(before, one), margins[0] ?? "");
  return all.map((one) => (one ? one.slice(common.length) : one));
}

function commonPrefix(one: string, other: string): string {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return one.slice(0, at);
}
