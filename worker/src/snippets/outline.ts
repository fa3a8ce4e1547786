/** The outline of files: symbols and sections with their lines, nested. */

import { constants } from "../../build/worker_data.json";
import { groupBy } from "../collections.ts";
import { sortBy } from "../sorting.ts";
import type { Row } from "../store/database.ts";
import type { Hit } from "../store/hits.ts";
import { parseMembers } from "../ranking/member_names.ts";

const { MEMBER_TYPE } = constants.outline;
const { MAX_GAP_LINES } = constants.node_parts;
const UNNAMED_TYPES = new Set(constants.outline.UNNAMED_TYPES);
const MEMBER_OWNER_TYPES = new Set(constants.outline.MEMBER_OWNER_TYPES);

/** A node and its nesting depth. */
interface NestedHit {
  readonly hit: Hit;
  readonly depth: number;
}

/** The outline entries of each file in line order, and the lines that its grammar does not know; docs/reference/http-api.md describes them. */
export function outlineFiles(paths: readonly string[], hits: readonly Hit[], unparsedRows: readonly Row[] = []): object[] {
  const files = groupBy(hits, (hit) => hit.path);
  const unparsed = new Map(unparsedRows.map(([path, lines]) => [String(path), String(lines)]));
  return paths.map((path) => ({ path, nodes: fileEntries(files.get(path) ?? []), unparsed: unparsed.get(path) ?? null }));
}

/** The entries of named nodes and of the members of chunks and classes, in the order of their lines. */
function fileEntries(hits: readonly Hit[]): object[] {
  const nodes = nestedHits(mergeParts(hits));
  const owners = hits.filter((hit) => MEMBER_OWNER_TYPES.has(hit.nodeType) && hit.members);
  const members = owners.flatMap((owner) => memberHits(owner, memberDepth(owner, nodes)));
  return sortBy([...nodes, ...members], ({ hit }) => [hit.startLine]).map(({ hit, depth }) => entry(hit, depth));
}

/** One more than the depth of the entry with the class's lines; 0 for a chunk. */
function memberDepth(owner: Hit, nodes: readonly NestedHit[]): number {
  const around = nodes.filter(
    ({ hit }) =>
      owner.symbol && hit.symbol === owner.symbol && hit.startLine <= owner.startLine && owner.endLine <= hit.endLine,
  );
  return Math.max(0, ...around.map(({ depth }) => depth + 1));
}

function memberHits(owner: Hit, depth: number): NestedHit[] {
  return parseMembers(owner.members).map(({ name, line }) => {
    const symbol = owner.symbol ? `${owner.symbol}.${name}` : name;
    const hit = { ...owner, nodeType: MEMBER_TYPE, symbol, signature: null, startLine: line, endLine: line };
    return { hit, depth };
  });
}

/** The named nodes, with the parts of a node merged. */
function mergeParts(hits: readonly Hit[]): Hit[] {
  const named = hits.filter((hit) => !UNNAMED_TYPES.has(hit.nodeType) && nameOf(hit));
  const byIdentity = groupBy(named, (hit) => JSON.stringify([hit.nodeType, nameOf(hit), hit.signature]));
  const merged = [...byIdentity.values()].flatMap(mergeAdjacent);
  return sortBy(merged, (hit) => [hit.startLine, -hit.endLine]);
}

/**
 * Merges adjacent parts of a node, which may share lines.
 *
 * Two adjacent nodes with the same name and signature are merged as well: only their text, which
 * the Worker does not read here, could tell them apart.
 */
function mergeAdjacent(hits: readonly Hit[]): Hit[] {
  const merged: Hit[] = [];
  for (const hit of hits) {
    const previous = merged.at(-1);
    const isPart = previous && hit.startLine <= previous.endLine + MAX_GAP_LINES;
    if (isPart) merged.splice(-1, 1, { ...previous, endLine: Math.max(previous.endLine, hit.endLine) });
    else merged.push(hit);
  }
  return merged;
}

function nestedHits(hits: readonly Hit[]): NestedHit[] {
  const outer: Hit[] = [];
  return hits.map((hit) => {
    while (outer.length > 0 && !contains(outer.at(-1)!, hit)) outer.pop();
    const depth = outer.length;
    outer.push(hit);
    return { hit, depth };
  });
}

function entry(hit: Hit, depth: number): object {
  const { id, nodeType, symbol, logicalPath, signature, language, startLine, endLine } = hit;
  const names = { id, node_type: nodeType, symbol, logical_path: logicalPath, signature, language };
  return { ...names, start_line: startLine, end_line: endLine, state: "same", depth };
}

/** Returns true if `outer`, which begins no later, contains the hit; for equal lines the names decide. */
function contains(outer: Hit, hit: Hit): boolean {
  if (outer.startLine !== hit.startLine || outer.endLine !== hit.endLine) {
    return hit.endLine <= outer.endLine;
  }
  const [name, innerName] = [nameOf(outer), nameOf(hit)];
  const rest = innerName.startsWith(name) ? innerName.slice(name.length) : innerName;
  return rest !== innerName && rest !== "" && !/^[\p{L}\p{N}]/u.test(rest);
}

function nameOf(hit: Hit): string {
  return hit.symbol || hit.logicalPath || "";
}
