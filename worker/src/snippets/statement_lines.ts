/** Finds the last line of a statement from its first one, for a constant that is longer than its node. */

import { constants } from "../../build/worker_data.json";
import { stripEnd } from "../python_strings.ts";

const { MAX_STATEMENT_LINES, CONTINUED_ENDS, TEXT_SIGN } = constants.statement_lines;
const TEXT_DELIMITER = new RegExp(constants.statement_lines.TEXT_DELIMITER.ascii);
const QUOTED = new RegExp(constants.layout.QUOTED_PATTERN.ascii, "g");

/**
 * The last row of the statement that begins in `row`: where its brackets and texts are closed.
 *
 * `row` itself if that is not the case within the lines that are searched.
 */
export function statementEnd(lines: readonly string[], row: number): number {
  let [depth, delimiter] = [0, ""];
  for (let at = row; at < Math.min(lines.length, row + MAX_STATEMENT_LINES); at++) {
    const [code, open] = withoutTexts(lines[at]!, delimiter);
    delimiter = open;
    depth += code.split(/[([{]/).length - code.split(/[)\]}]/).length;
    if (depth <= 0 && !delimiter && !CONTINUED_ENDS.some((end) => stripEnd(code).endsWith(end))) return at;
  }
  return row;
}

/** The line with a sign for each quoted text, and the delimiter of the text that is open at its end. */
function withoutTexts(line: string, before: string): [code: string, delimiter: string] {
  let [code, rest, delimiter] = ["", line, before];
  while (rest) {
    if (delimiter) {
      const at = rest.indexOf(delimiter);
      rest = at < 0 ? "" : rest.slice(at + delimiter.length);
      delimiter = at < 0 ? delimiter : "";
      continue;
    }
    const opened = TEXT_DELIMITER.exec(rest);
    code += opened ? rest.slice(0, opened.index) + TEXT_SIGN : rest;
    delimiter = opened ? opened[0] : "";
    rest = opened ? rest.slice(opened.index + opened[0].length) : "";
  }
  return [code.replace(QUOTED, TEXT_SIGN), delimiter];
}
