/** What is a file for? Tests, documents, data and examples count less unless they are asked for. */

import shared from "../../build/shared.json";
import { remembered } from "../memory.ts";
import { Pattern, type Written } from "../patterns.ts";
import { isTest } from "../store/tests_by_path.ts";
import type { Asked } from "./asked.ts";
import type { Hit } from "./found.ts";

/** A kind of files: how much its nodes count, and which words ask for it. */
export interface Kind {
  name: string;
  share: number;
  askedBy: Pattern;
}

const { kinds } = shared.constants;
const DOCUMENT_TYPES = new Set(kinds.DOCUMENT_NODE_TYPES);
const DATA_TYPES = new Set(kinds.DATA_NODE_TYPES);
const DOCUMENTS = new Pattern(kinds.DOCUMENT_PATH_PATTERN);
const EXAMPLES = new Pattern(kinds.EXAMPLE_PATH_PATTERN);

export const TEST = written(kinds.TEST);
const DOCUMENT = written(kinds.DOCUMENT);
const EXAMPLE = written(kinds.EXAMPLE);
const DATA = written(kinds.DATA);

/** What kind a node is of and how much it counts; 1 for code and for what is asked for. */
export function share(hit: Hit, asked: Asked): [string, number] {
  const kind = kindOf(hit);
  return kind && !asked.says(kind.askedBy) ? [kind.name, kind.share] : ["", 1];
}

/** Whether it is for people to read. */
export const isDocument = remembered((path) => DOCUMENTS.test(path));

const isExample = remembered((path) => EXAMPLES.test(path));

function kindOf(hit: Hit): Kind | null {
  if (isTest(hit.path)) return TEST;
  const type = hit.nodeType.split("_", 1)[0]!;
  if (isDocument(hit.path) || DOCUMENT_TYPES.has(type)) return DOCUMENT;
  if (DATA_TYPES.has(type)) return DATA;
  return isExample(hit.path) ? EXAMPLE : null;
}

function written(kind: { name: string; weight: number; query_pattern: Written }): Kind {
  return { name: kind.name, share: kind.weight, askedBy: new Pattern(kind.query_pattern) };
}
