/** Restricts a scope to nodes with a relation: filters such as `calls:add` and `inherits:Cart`. */

import { constants } from "../../build/worker_data.json";
import { HttpError } from "../http_error.ts";
import { aliasedText, namedText, qualifiedText } from "../relation.ts";
import type { Database, Row, Statement } from "../store/database.ts";
import { anyOf } from "../store/fts_query.ts";
import type { Scope } from "../store/scope.ts";
import { anyRelation, nodesWithRelation, nodesWithVisibility } from "../store/statements.ts";
import { normalizeSymbol } from "../text.ts";

const { EXAMPLES, MAX_NODES } = constants.relation_filters;
const KINDS: Record<string, string> = constants.relation_filters.KINDS_BY_FILTER;
const QUALIFIED: Record<string, string> = constants.relation_filters.QUALIFIED_KINDS;
const CONVENTIONAL: readonly string[] = constants.relation_filters.CONVENTIONAL;
const { OR, RELATION_OR } = constants.alternatives;
const WORD = /[\p{L}\p{N}]/u;

/**
 * Selects the ids of nodes that pass a filter, or one of several joined by `OR`, which have equal heads.
 *
 * Throws an HttpError for one without a name.
 */
export function relationStatement(filter: string, scope: Scope): Statement {
  const head = filter.slice(0, filter.indexOf(":"));
  const names = filter.split(RELATION_OR).map(filterName);
  const needles = names.flatMap((name) => needlesOf(head, name));
  if (head === "visibility" && names.some((name) => CONVENTIONAL.includes(name))) {
    return nodesWithVisibility(needles, scope, MAX_NODES + 1);
  }
  return nodesWithRelation(`body : (${anyOf(names)})`, needles, scope, MAX_NODES + 1);
}

function asTyped(filter: string): string {
  return filter.replaceAll(RELATION_OR, ` ${OR} `);
}

function filterName(filter: string): string {
  const at = filter.indexOf(":");
  const [head, typed] = [filter.slice(0, at), filter.slice(at + 1)];
  const symbol = normalizeSymbol(typed);
  const name = head === "imports" ? typed : symbol.slice(symbol.lastIndexOf(".") + 1);
  if (!WORD.test(name)) {
    const example = (EXAMPLES as Record<string, string>)[head];
    throw new HttpError(400, `${filter} has no name.`, `Write one, as in ${head}:${example}.`);
  }
  return name;
}

/** Texts of which the relations of a node that passes the filter have one. */
function needlesOf(head: string, name: string): string[] {
  const needles = [...KINDS[head]!].map((kind) => namedText(name, kind));
  const kind = QUALIFIED[head];
  return kind ? [...needles, qualifiedText(kind, name), aliasedText(kind, name)] : needles;
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
      throw new HttpError(400, `${asTyped(filters[0]!)} needs relations, ${lacks}`, "Bring it up to date: feeder sync");
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
    .map((text) => `${asTyped(text)} matches more than ${MAX_NODES.toLocaleString("en")} nodes: the first ones were searched.`);
}
