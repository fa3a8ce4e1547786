/** Which files are tests? By what their path says: globs that SQL, Python and this read alike. */

import shared from "../../build/shared.json";
import { memoize } from "../memoize.ts";

const SYNTAX = /[\\^$.*+?(){}|/]/g;
const IS_TEST = new RegExp(shared.constants.tests.map(searched).join("|"));

/** Whether a file is a test, or lies among them. */
export const isTest = memoize((path) => IS_TEST.test(`/${path}`));

/** What finds a glob's texts, stars at its ends being any text before and after. */
function searched(glob: string): string {
  const [first, last] = [glob.startsWith("*") ? "" : "^", glob.endsWith("*") ? "" : "$"];
  const parts = glob.replace(/^\*|\*$/g, "").split("*");
  const escaped = parts.map((part) => part.replace(SYNTAX, "\\$&"));
  return first + escaped.join("[^]*") + last;
}
