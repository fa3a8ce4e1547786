/** How is a name written, and when is one meant? Its parts stand joined by dots, as in the index. */

import { SPACE, strip } from "./letters.ts";

// an operator is made of such signs too: what joins has a name behind it
const JOINTS = new RegExp(`(?:::|->|#| > )(?=[^:>#${SPACE}])`, "g");
const DOTS = /^\.+|(?<!\.)\.+$/g;

/** `A::b()`, `A#b` and `A > b` as `A.b`; an operator, such as `List.::`, as it is. */
export function dotted(name: string): string {
  const typed = strip(name).replace(/\(\)$/, "");
  return typed.replace(JOINTS, ".").replace(DOTS, "") || typed;
}

/** Whether a name is the one asked for or ends with its parts; both are as `dotted` writes them. */
export function endsWith(name: string, asked: string): boolean {
  return `.${name}`.endsWith(`.${asked}`);
}
