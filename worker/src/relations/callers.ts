/** Finds the callers of a definition and the callers of these, as a tree. Mirrors `feeder.relations.callers`. */

import { isTestPath } from "../store/scope.ts";
import type { RelatedNode } from "../store/relations.ts";
import { type Definition, typeKey, unindexedReferences } from "./modules.ts";
import type { ReferenceFinder } from "./references.ts";
import type { Reference, ReferenceFilter } from "./sites.ts";
import type { Target } from "./targets.ts";

/** A node that refers to a definition, with the nodes that refer to it; `omitted` counts those beyond a limit. */
export interface Caller {
  readonly node: RelatedNode;
  readonly resolved: boolean;
  readonly lines: readonly number[];
  callers: Caller[];
  omitted: number;
}

/** The callers of a target; `total` counts all of the tree, with the omitted ones. */
export interface CallerTree {
  readonly target: Definition;
  readonly callers: readonly Caller[];
  readonly omitted: number;
  readonly total: number;
  readonly atLeast: boolean;
  /** Without a caller, the references that are none. */
  readonly excluded: number;
  /** Without any reference, the other nodes of code that have the name. */
  readonly nodesWithName: number;
}

/** The tree of callers down to a depth, with at most `requested.limit` nodes. */
export async function findCallers(
  finder: ReferenceFinder,
  target: Target,
  text: string,
  requested: ReferenceFilter,
  depth: number,
): Promise<CallerTree> {
  const definition = await finder.reader.definition(target, text);
  const root: { callers: Caller[]; omitted: number } = { callers: [], omitted: 0 };
  const seen = new Set([typeKey(definition.path, definition.symbol)]);
  let level: { parent: typeof root; called: Definition }[] = [{ parent: root, called: definition }];
  const isConstructor = await finder.reader.isConstructor(target, definition);
  const baseCalls = isConstructor ? await finder.subtypes.constructorCalls(definition) : [];
  let left = requested.limit;
  let isStopped = false; // by the limit, before the callers of all nodes were looked for
  for (let at = 0; at < depth && level.length > 0; at += 1) {
    await Promise.all(level.map(({ called }) => finder.prefetch(`${called.path}#${called.symbol}`)));
    const following: typeof level = [];
    for (const { parent, called } of level) {
      const callers = await callersOf(finder, called, requested, called === definition ? baseCalls : []);
      parent.callers = callers.slice(0, Math.max(left, 0));
      parent.omitted = callers.length - parent.callers.length;
      left -= parent.callers.length;
      following.push(...(await toFollow(finder, parent.callers, seen)));
    }
    isStopped ||= left <= 0 && at + 1 < depth && following.length > 0;
    level = left > 0 ? following : [];
  }
  if (requested.tests === "only") root.callers = leadingToTests(root.callers);
  const all = allCallers(root.callers);
  const omittedBelow = all.reduce((sum, one) => sum + one.omitted, 0);
  const total = all.length + omittedBelow + root.omitted;
  const excluded = total > 0 ? 0 : (await finder.references(definition)).length;
  const answered = await finder.reader.inAnswer(definition, root.callers.length > 0);
  const isCut = finder.reader.isCut || unindexedReferences(answered) !== "";
  const isUnused = total === 0 && excluded === 0;
  return {
    target: answered,
    callers: root.callers,
    omitted: root.omitted,
    total,
    excluded,
    nodesWithName: isUnused ? await finder.reader.countNodesWithName(definition) : 0,
    atLeast: isCut || isStopped || omittedBelow > 0 || root.omitted > 0,
  };
}

/** The nodes that refer to a definition, except for imports; `baseCalls` are calls of a constructor by those below its type. */
async function callersOf(
  finder: ReferenceFinder,
  definition: Definition,
  requested: ReferenceFilter,
  baseCalls: readonly Reference[],
): Promise<Caller[]> {
  const byNode = new Map<string, Reference[]>();
  for (const one of [...(await finder.references(definition)), ...baseCalls]) {
    if (isRequested(one, requested)) byNode.set(one.node.id, [...(byNode.get(one.node.id) ?? []), one]);
  }
  const others = [...byNode.values()].filter(([one]) => {
    return one!.node.path !== definition.path || one!.node.symbol !== definition.symbol;
  });
  return others.map((references) => ({
    node: references[0]!.node,
    resolved: references.some(({ resolved }) => resolved),
    lines: [...new Set(references.map(({ line }) => line))].sort((one, other) => one - other),
    callers: [],
    omitted: 0,
  }));
}

function isRequested({ kind, path }: Reference, { kinds, tests }: ReferenceFilter): boolean {
  if (kind === "import" && !kinds.includes(kind)) return false;
  if (kinds.length > 0 && !kinds.includes(kind)) return false;
  return tests !== "no" || !isTestPath(path);
}

/** The callers whose own callers are looked for: not those that stand elsewhere in the tree. */
async function toFollow(finder: ReferenceFinder, callers: readonly Caller[], seen: Set<string>) {
  const selected = callers.filter(({ node, resolved }) => {
    const key = typeKey(node.path, node.symbol ?? "");
    if (!resolved || !node.symbol || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  const definitions = await Promise.all(selected.map(({ node }) => finder.reader.namedDefinitions(node.symbol!)));
  return selected.flatMap((parent, at) => {
    const { path, symbol } = parent.node;
    const own = definitions[at]!.find(({ hit }) => hit.path === path && hit.symbol === symbol);
    return own ? [{ parent, called: own.definition }] : [];
  });
}

function allCallers(callers: readonly Caller[]): Caller[] {
  return callers.flatMap((one) => [one, ...allCallers(one.callers)]);
}

function leadingToTests(callers: readonly Caller[]): Caller[] {
  const kept = callers.map((one) => ({ ...one, callers: leadingToTests(one.callers) }));
  return kept.filter((one) => one.callers.length > 0 || isTestPath(one.node.path));
}
