/** Restricts a scope to nodes with a relation: filters such as `calls:add` and `inherits:Cart`. */

import { constants } from "../../build/worker_data.json";
import { HttpError } from "../http_error.ts";
import { aliasedText, namedText, qualifiedText } from "../relation.ts";
import type { Database, Row, Statement } from "../store/database.ts";
import { ftsPhrase } from "../store/fts_query.ts";
import type { Scope } from "../store/scope.ts";
import { anyRelation, nodesWithRelation, nodesWithVisibility } from "../store/statements.ts";
import { normalizeSymbol } from "../text.ts";

const { EXAMPLES, MAX_NODES } = constants.relation_filters;
const KINDS: Record<string, string> = constants.relation_filters.KINDS_BY_FILTER;
const QUALIFIED: Record<string, string> = constants.relation_filters.QUALIFIED_KINDS;
const CONVENTIONAL: readonly string[] = constants.relation_filters.CONVENTIONAL;
const WORD = /[\p{L}\p{N}]/u;

/** Selects the ids of nodes that pass a filter; throws an HttpError for one without a name. */
export function relationStatement(filter: string, scope: Scope): Statement {
  const at = filter.indexOf(":");
  const [head, typed] = [filter.slice(0, at), filter.slice(at + 1)];
  const symbol = normalizeSymbol(typed);
  const name = head === "imports" ? typed : symbol.slice(symbol.lastIndexOf(".") + 1);
  if (!WORD.test(name)) {
    const example = (EXAMPLES as Record<string, string>)[head];
    throw new HttpError(400, `${filter} has no name.`, `Write one, as in ${head}:${example}.`);
  }
  const needles = [...KINDS[head]!].map((kind) => namedText(name, kind));
  if (head === "visibility" && CONVENTIONAL.includes(name)) return nodesWithVisibility(needles, scope, MAX_NODES + 1);
  const kind = QUALIFIED[head];
  if (kind) needles.push(qualifiedText(kind, name), aliasedText(kind, name));
  return nodesWithRelation(`body : ${ftsPhrase(name)}`, needles, scope, MAX_NODES + 1);
}

/** The ids that pass all filters, given the rows of each; throws an HttpError for an index without relations. */
export async function idsWithRelations(
  database: Database,
  filters: readonly string[],
  answers: readonly (readonly Row[])[],
  scope: Scope,
): Promise<string[]> {
  if (scope.repos?.length && answers.every((rows) => rows.length === 0)) {
    const existing = await database.run(scope.repos.map(anyRelation));
    if (existing.every((rows) => rows.length === 0)) {
      const lacks = "which this index lacks: it was made by an earlier version, or its languages have none.";
      throw new HttpError(400, `${filters[0]} needs relations, ${lacks}`, "Bring it up to date: feeder sync");
    }
  }
  const [first = [], ...others] = answers.map((rows) => rows.map(([id]) => String(id)));
  const allowed = others.map((ids) => new Set(ids));
  return first.filter((id) => allowed.every((ids) => ids.has(id))).slice(0, MAX_NODES);
}

/** A note for each filter that more nodes pass than are searched. */
export function relationNotes(filters: readonly string[], answers: readonly (readonly Row[])[]): string[] {
  return filters
    .filter((_, at) => answers[at]!.length > MAX_NODES)
    .map((text) => `${text} matches more than ${MAX_NODES.toLocaleString("en")} nodes: the first ones were searched.`);
}
