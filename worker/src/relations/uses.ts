/** Finds the definitions that a node or a file itself refers to. Mirrors `feeder.relations.uses`. */

import { constants } from "../../build/worker_data.json";
import { sortBy } from "../sorting.ts";
import type { Relation } from "../relation.ts";
import { decodeRelations, lineNumbers, type NamedNode, type RelatedNode } from "../store/relations.ts";
import { type FoundDefinition, foundDefinition } from "./definitions.ts";
import { type Definition, typeKey, unindexedUses } from "./modules.ts";
import type { ReferenceFinder } from "./references.ts";
import { KIND_NAMES, passesTests, type Reference, type ReferenceFilter } from "./sites.ts";
import { isElsewhere, isResolved } from "./outcomes.ts";
import type { FileFacts } from "./file_facts.ts";
import type { Resolver } from "./resolution.ts";
import { type Target, targetNode } from "./targets.ts";

const { MAX_DEFINITIONS } = constants.uses;

/** A site in the target and a definition that it refers to, or may refer to. */
export interface Use {
  readonly reference: Reference;
  readonly definition: FoundDefinition;
}

/** Uses from an offset on; `symbol` is empty if the target is a file or has no name. */
export interface UsePage {
  readonly path: string;
  readonly symbol: string;
  readonly language: string | null;
  readonly uses: readonly Use[];
  readonly total: number;
  readonly resolved: number;
  readonly atLeast: boolean;
  readonly offset: number;
  /** Why the index has not all uses; empty if it has. */
  readonly unindexed: string;
}

/** The page of what the nodes of a target, with those inside of them, refer to. */
export async function findUses(finder: ReferenceFinder, target: Target, requested: ReferenceFilter): Promise<UsePage> {
  const hits = target.lines ? [await targetNode(finder.reader, target)] : target.hits;
  const facts = await finder.reader.fileFacts(target.path);
  const nodes = facts.nodes.filter((node) =>
    hits.some((hit) => hit.startLine <= node.startLine && node.endLine <= hit.endLine),
  );
  const useFinder = new UseFinder(finder);
  const { kinds, tests, offset, limit } = requested;
  const uses = (await useFinder.uses(facts, nodes)).filter(
    ({ reference, definition }) =>
      (kinds.length === 0 || kinds.includes(reference.kind)) && passesTests(definition.path, tests),
  );
  const language = hits[0]?.language ?? null;
  const unindexed = unindexedUses(language, facts.nodes.some(({ relations }) => relations !== ""));
  return {
    path: target.path,
    symbol: (!target.isFile && hits[0]?.symbol) || "",
    language,
    uses: uses.slice(offset, offset + limit),
    total: uses.length,
    resolved: uses.filter(({ reference }) => reference.resolved).length,
    atLeast: useFinder.isCut || unindexed !== "",
    offset,
    unindexed,
  };
}

/** Resolves the relations of nodes to definitions. */
class UseFinder {
  isCut = false;
  readonly #resolvers = new Map<string, Promise<Resolver>>();

  constructor(private readonly finder: ReferenceFinder) {}

  /** The uses of nodes of one file; resolved ones first, then in the order of their lines. */
  async uses(facts: FileFacts, nodes: readonly RelatedNode[]): Promise<Use[]> {
    const sites = nodes.flatMap((node) =>
      decodeRelations(node)
        .filter(({ kind, name }) => KIND_NAMES[kind] && name)
        .map((relation) => ({ node, relation })),
    );
    const uses = await Promise.all(sites.map(({ node, relation }) => this.#usesOfRelation(facts, node, relation)));
    const keyed = uses.flat().map((use): [string, Use] => [useKey(use), use]);
    return sortBy(new Map(keyed).values(), ({ reference, definition }) => [
      !reference.resolved,
      reference.line,
      definition.path,
      definition.start_line,
      reference.kind,
    ]);
  }

  async #usesOfRelation(facts: FileFacts, node: RelatedNode, relation: Relation): Promise<Use[]> {
    const states = new Map<string, NamedNode[]>();
    const candidates = (await this.#candidates(facts, relation.name)).filter(({ hit }) => {
      return node.path !== hit.path || node.symbol !== hit.symbol; // no recursive call
    });
    const resolvers = await Promise.all(candidates.map(({ definition }) => this.#resolver(definition)));
    const resolved = await this.finder.reader.exports.settled(() =>
      resolvers.map((resolver) => resolver.resolveLines(facts, node, relation)),
    );
    for (const [at, { hit }] of candidates.entries()) {
      for (const [line, result] of resolved[at]!) {
        if (isElsewhere(result)) continue;
        const key = `${line} ${isResolved(result)}`;
        states.set(key, [...(states.get(key) ?? []), hit]);
      }
    }
    const common = { path: node.path, column: 0, kind: KIND_NAMES[relation.kind]!, text: "", node, name: relation.name };
    return lineNumbers(node, relation).flatMap((line) => {
      const resolved = states.has(`${line} true`);
      return (states.get(`${line} ${resolved}`) ?? []).map((hit) => ({
        reference: { ...common, resolved, line, receiver: relation.qualifier },
        definition: foundDefinition(hit, resolved),
      }));
    });
  }

  /** The definitions of a name, or of the name that the file imports under this one. */
  async #candidates(facts: FileFacts, name: string): Promise<{ definition: Definition; hit: NamedNode }[]> {
    const imported = (facts.imports.get(name) ?? []).flatMap((one) => one.name || []);
    const names = [...new Set([name, ...imported])];
    const candidates = (await Promise.all(names.map((one) => this.finder.reader.namedDefinitions(one)))).flat();
    if (candidates.length <= MAX_DEFINITIONS) return candidates;
    this.isCut = true;
    return sortBy(candidates, ({ hit }) => [-commonFolders(facts.path, hit.path)]).slice(0, MAX_DEFINITIONS);
  }

  #resolver(definition: Definition): Promise<Resolver> {
    const { path, symbol, owner, isType } = definition;
    const key = `${typeKey(path, symbol)}\0${owner}\0${isType}`;
    const resolver = this.#resolvers.get(key) ?? this.finder.families.resolver(definition);
    this.#resolvers.set(key, resolver);
    return resolver;
  }
}

function useKey({ reference: one, definition }: Use): string {
  const site = [one.path, one.line, one.kind, one.resolved, one.node.id, one.name, one.receiver];
  return [...site, definition.path, definition.start_line, definition.end_line, definition.symbol].join("\0");
}

/** The number of leading folders in common; more for the same file. */
function commonFolders(path: string, other: string): number {
  if (path === other) return path.length;
  const [own, others] = [path.split("/").slice(0, -1), other.split("/").slice(0, -1)];
  const shorter = Math.min(own.length, others.length);
  const differing = own.slice(0, shorter).findIndex((folder, at) => others[at] !== folder);
  return differing < 0 ? own.length : differing;
}
