/** Which part of lines does a reader need? Not what all of them begin with, nor what is not seen. */

import * as harmless from "../shown.ts";

/** What Python calls a blank at the end of a line. */
const BLANK_END = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/;
const MARGIN = /^[\t ]*/;

export function code(lines: string[]): string {
  const text = dedent(lines).join("\n").replace(/^\n+|\n+$/g, "");
  return harmless.lines(text.split("\n").map((one) => one.replace(BLANK_END, "")).join("\n"));
}

/** As Python's `textwrap.dedent`: lines of blanks alone have no say, and become empty. */
function dedent(lines: string[]): string[] {
  const all = lines.map((one) => (/^[\t ]+$/.test(one) ? "" : one));
  const margins = all.filter(Boolean).map((one) => MARGIN.exec(one)![0]);
  const common = margins.reduce((before, one) => shared(before, one), margins[0] ?? "");
  return all.map((one) => (one ? one.slice(common.length) : one));
}

function shared(one: string, other: string): string {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return one.slice(0, at);
}
