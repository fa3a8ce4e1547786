/** Which functions does a pasted trace name? Those that were running, the innermost first. */

import shared from "../../build/shared.json";
import { rpartition } from "../python_strings.ts";
import { Pattern } from "../python_regex.ts";
import { namedNodes, type NamedNode } from "../store/name_search.ts";
import { dotted, endsWith } from "../symbols.ts";
import type { QueryText } from "./asked.ts";
import { nodeIds } from "./name_matching.ts";

const { frames: known } = shared.constants;
const PLACE = new Pattern(known.LOCATION);
const AFTER = [known.PYTHON_NAME, known.RUBY_NAME].map((written) => new Pattern(written, "y"));
const BEFORE = known.NAME_BEFORE.map((written) => new Pattern(written, "y"));
const ABOVE = known.NAME_ABOVE.map((written) => new Pattern(written, "y"));
const ANONYMOUS = new Pattern(known.ANONYMOUS_PATTERN);

/** A function that was running, by the last parts of its name, and its file's name. */
export interface StackFrame {
  name: string;
  file: string;
}

/** Of a question in several lines, each once, the innermost first. */
export function stackFrames(asked: QueryText): StackFrame[] {
  const lines = asked.text.split("\n");
  if (lines.length < 2) return [];
  const found = lines.flatMap((line, row) => frameOf(lines[row - 1] ?? "", line) ?? []);
  if (isOutermostFirst(asked.text)) found.reverse();
  const once = new Map(found.map((frame) => [`${frame.name}\n${frame.file}`, frame]));
  return [...once.values()].slice(0, known.MAX_FRAMES);
}

/** The ids of those nodes, of each frame's answer, that lie in the file which the frame names. */
export function nodesOfFrames(asked: QueryText, answers: readonly (readonly (readonly unknown[])[])[]): string[] {
  const found = stackFrames(asked).flatMap((frame, at) => inFile(frame, namedNodes(answers[at]!)));
  return [...new Set(nodeIds(found))];
}

/** The frame that a line, or one with the line above it, tells. */
function frameOf(above: string, line: string): StackFrame | null {
  const place = PLACE.for(line).exec(line);
  if (!place) return null;
  const end = place.index + place[0].length;
  const name = at(AFTER, line, end) ?? at(BEFORE, line, 0) ?? at(ABOVE, above, 0);
  return name === null ? null : { name: short(name), file: place[1]! };
}

/** What the first of the patterns that matches there has found. */
function at(patterns: readonly Pattern[], line: string, start: number): string | null {
  for (const pattern of patterns) {
    const sticky = pattern.for(line);
    sticky.lastIndex = start;
    const found = sticky.exec(line);
    if (found) return found[1]!;
  }
  return null;
}

/** The last two parts of a name, as the index writes them. */
function short(name: string): string {
  const [, own] = rpartition(name, "/");
  const plain = own.replaceAll("(*", "").replaceAll(")", "");
  return dotted(plain.replace(ANONYMOUS.for(plain), "")).split(".").slice(-2).join(".");
}

function isOutermostFirst(text: string): boolean {
  return text.includes("Traceback (most recent call last)");
}

/** Those whose owner is the frame's too, where there are any: `Mux.route`, not `node.route`. */
function inFile(frame: StackFrame, nodes: readonly NamedNode[]): readonly NamedNode[] {
  const there = nodes.filter((node) => rpartition(node.path, "/")[1] === frame.file);
  const own = there.filter((node) => endsWith(dotted(node.name), frame.name));
  return own.length ? own : there;
}
