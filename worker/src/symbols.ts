/** How is a name written, and when is one meant? Its parts stand joined by dots, as in the index. */

import shared from "../build/shared.json";
import { strip } from "./python_strings.ts";
import { memoize } from "./memoize.ts";
import { Pattern } from "./python_regex.ts";

const JOINTS = new Pattern(shared.constants.symbols.SEPARATOR_PATTERN, "g");
const DOTS = /^\.+|(?<!\.)\.+$/g;

/** `A::b()`, `A#b` and `A > b` as `A.b`; an operator, such as `List.::`, as it is. */
export const dotted = memoize((name) => {
  const stripped = strip(name);
  const typed = stripped.endsWith("()") ? stripped.slice(0, -2) : stripped;
  return typed.replace(JOINTS.for(typed), ".").replace(DOTS, "") || typed;
});

/** Whether a name, as `dotted` writes it, is the one asked for or ends with its parts. */
export function endsWith(name: string, asked: string): boolean {
  return `.${name}`.endsWith(`.${asked}`);
}
