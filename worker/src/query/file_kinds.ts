/** Kinds of files by their paths: tests, documents, data, examples and minified code weigh less than code. */

import { constants } from "../../build/worker_data.json";
import { groupBy } from "../collections.ts";
import { memoize } from "../memoize.ts";
import { Pattern, type RegexSources } from "../python_regex.ts";
import type { Hit } from "../store/hits.ts";
import { isTestPath } from "../store/scope.ts";
import type { QueryText } from "./query_text.ts";

/** A file kind: the weight of its nodes, and the pattern of queries for which the weight does not apply. */
export interface FileKind {
  name: string;
  weight: number;
  queryPattern: Pattern;
}

const { file_kinds: kinds } = constants;
const DOCUMENT_TYPES = new Set(kinds.DOCUMENT_NODE_TYPES);
const DATA_TYPES = new Set(kinds.DATA_NODE_TYPES);
const DOCUMENTS = new Pattern(kinds.DOCUMENT_PATH_PATTERN);
const EXAMPLES = new Pattern(kinds.EXAMPLE_PATH_PATTERN);

export const TEST_KIND = fileKind(kinds.TEST);
const DOCUMENT = fileKind(kinds.DOCUMENT);
const EXAMPLE = fileKind(kinds.EXAMPLE);
const DATA = fileKind(kinds.DATA);

/** The kind and weight of each candidate, by id. */
export function kindWeights(hits: readonly Hit[], queryText: QueryText): Map<string, [string, number]> {
  const minified = minifiedIds(hits);
  return new Map(
    hits.map((hit) => {
      const [kind, weight] = kindWeight(hit, queryText);
      return [hit.id, minified.has(hit.id) ? [kind || kinds.MINIFIED, weight * kinds.MINIFIED_WEIGHT] : [kind, weight]];
    }),
  );
}

/** The ids of the named candidates that share their only line with enough others. */
function minifiedIds(hits: readonly Hit[]): Set<string> {
  const named = hits.filter((hit) => hit.symbol && hit.startLine === hit.endLine);
  const lines = groupBy(named, (hit) => JSON.stringify([hit.repo, hit.path, hit.startLine]));
  const crowded = Array.from(lines.values()).filter((own) => own.length >= kinds.MIN_NODES_ON_LINE);
  return new Set(crowded.flat().map((hit) => hit.id));
}

/** The kind and weight of a node; the weight is 1 for code and for kinds that the query names. */
export function kindWeight(hit: Hit, queryText: QueryText): [string, number] {
  const kind = kindOf(hit);
  if (kind && queryText.matches(kind.queryPattern)) return ["", 1];
  const { name, weight } = kind ?? { name: "", weight: 1 };
  return queryText.title && !hit.symbol ? [name || kinds.UNNAMED, weight * kinds.UNNAMED_WEIGHT] : [name, weight];
}

/** Returns true for a document. */
export const isDocument = memoize((path) => DOCUMENTS.test(path));

const isExample = memoize((path) => EXAMPLES.test(path));

function kindOf(hit: Hit): FileKind | null {
  if (isTestPath(hit.path)) return TEST_KIND;
  const type = hit.nodeType.split("_", 1)[0]!;
  if (isDocument(hit.path) || DOCUMENT_TYPES.has(type)) return DOCUMENT;
  if (DATA_TYPES.has(type)) return DATA;
  return isExample(hit.path) ? EXAMPLE : null;
}

function fileKind(kind: { name: string; weight: number; query_pattern: RegexSources }): FileKind {
  return { name: kind.name, weight: kind.weight, queryPattern: new Pattern(kind.query_pattern) };
}
