/** What does `read` answer? The lines of each target, as many as fit, and how to get the rest. */

import shared from "../../build/shared.json";
import type { Hit, ReadAnswer } from "../api/types.ts";
import { truncate, length } from "../python_strings.ts";
import * as harmless from "../escaping.ts";
import { formatCode } from "./code.ts";
import { truncateLines, utf8Bytes, bytesUsed } from "./token_budget.ts";
import { commandsToTools } from "./remedies.ts";
import { hitHeading, joinAnswer, budgetBeside } from "./formatting.ts";

const { named: NAMED, name_bytes: NAME_BYTES, least_bytes: LEAST_BYTES } = shared.serve.reading;

/** What fits of a target, the target of what does not, and what has to be said of it. */
interface Fitted {
  text: string;
  rest: string;
  note: string;
}

/** All that fits, the first targets first. */
export function formatPassages(passages: ReadAnswer, tokens: number): string {
  let left = budgetBeside(tokens, [passages.note]) - NAME_BYTES;
  const some: Fitted[] = [];
  for (const { target, hits, error } of passages.targets) {
    const fits = hits.length ? hits.map((hit) => () => fitted(hit, left)) : [() => told(target, error, left)];
    for (const fit of fits) {
      const one = fit();
      left -= bytesUsed(one.text);
      some.push(one);
    }
  }
  const rest = some.map((one) => one.rest).filter(Boolean);
  const texts = some.map((one) => one.text).filter(Boolean);
  return joinAnswer(texts, [notShown(rest), ...some.map((one) => one.note)], passages.note);
}

function told(target: string, error: string, left: number): Fitted {
  const text = harmless.escapeLine(commandsToTools(error));
  const rest = truncate(target, NAME_BYTES);
  return utf8Bytes(text) <= left ? { text, rest: "", note: "" } : { text: "", rest, note: "" };
}

function fitted(hit: Hit, left: number): Fitted {
  const head = hitHeading(hit);
  const lines = hit.text === null ? [] : hit.text.split("\n");
  const whole = lines.length ? `${head}\n${formatCode(lines)}` : head;
  if (utf8Bytes(whole) <= left) return { text: whole, rest: "", note: "" };
  const room = left - utf8Bytes(head) - LEAST_BYTES;
  if (room > 0 && lines.length) return beginning(hit, lines, room);
  const last = lines.length ? hit.start_line + lines.length - 1 : hit.start_line;
  return { text: "", rest: `${hit.path}:${hit.start_line}-${last}`, note: "" };
}

/** The first lines of a passage that does not fit. */
function beginning(hit: Hit, lines: string[], room: number): Fitted {
  const some = truncateLines(lines, room);
  const last = hit.start_line + some.length - 1;
  const end = hit.start_line + lines.length - 1;
  const gone = length(lines[some.length - 1]!) - length(some.at(-1)!);
  return {
    text: `${hitHeading(hit, `${hit.start_line}-${last}`)}\n${formatCode(some)}`,
    rest: last < end ? `${hit.path}:${last + 1}-${end}` : "",
    note: gone ? `Line ${last} of ${hit.path} is cut by ${gone} characters.` : "",
  };
}

function notShown(rest: string[]): string {
  if (!rest.length) return "";
  const more = rest.length > NAMED ? ` and ${rest.length - NAMED} more` : "";
  const named = rest.slice(0, NAMED).join(", ");
  return `Not shown: ${named}${more}. Read those, or take a larger budget.`;
}
