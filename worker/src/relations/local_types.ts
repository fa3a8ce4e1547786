/** Finds the anonymous and local classes below a type, which have no node of their own. Mirrors `feeder.relations.local_types`. */

import { constants } from "../../build/worker_data.json";
import { rpartition } from "../python_strings.ts";
import { sortBy } from "../sorting.ts";
import { isSearchable, relatedNode, relatedNodesWithWord } from "../store/relations.ts";
import { type Definition, typeKey } from "./modules.ts";
import { isElsewhere, isResolved } from "./outcomes.ts";
import type { RelationReader } from "./relation_reader.ts";
import type { Implementation } from "./sites.ts";
import { type SubtypeFinder, typeDefinition } from "./subtypes.ts";

const { MAX_CODE_NODES } = constants.relations;

/** Finds classes without a node by the lines that name their bases. */
export class LocalTypeFinder {
  constructor(
    private readonly reader: RelationReader,
    private readonly subtypes: SubtypeFinder,
  ) {}

  /**
   * The anonymous and local classes below a type and below its named subtypes.
   *
   * One whose base may be the type, and is one of its subtypes, is only below the subtype.
   */
  async typesBelow(owner: Definition): Promise<Implementation[]> {
    const named = (await this.subtypes.typesBelow(owner)).map(async ({ implementation: one }) => {
      const type = typeDefinition(await this.reader.fileFacts(one.path), owner.language, one.symbol);
      return { type, isSure: one.resolved, depth: one.depth + 1 };
    });
    const parents = [{ type: owner, isSure: true, depth: 1 }, ...(await Promise.all(named))];
    const below = parents.map(async ({ type, isSure, depth }) => {
      const sites = (await this.subtypes.sitesOfBase(type, true)).flatMap(({ node: { path, symbol }, results }) => {
        return results
          .filter(({ result }) => !isElsewhere(result))
          .map(({ line, result }): Implementation => {
            const resolved = isSure && isResolved(result);
            return { path, start_line: line, end_line: line, symbol: symbol ?? "", resolved, depth, is_local: true };
          });
      });
      return sortBy(sites, (one) => [one.path, one.start_line, one.symbol, one.resolved]);
    });
    const found = new Map<string, Implementation>();
    for (const type of (await Promise.all(below)).flat()) {
      const key = typeKey(type.path, String(type.start_line));
      const known = found.get(key);
      if (!known || (type.resolved && !known.resolved)) found.set(key, type);
    }
    return [...found.values()];
  }

  /**
   * The types below a member's type whose members are no nodes, if they have its name: objects, anonymous and local
   * classes. `existing` members are known to override it, those that are `unnamed` in one of these types.
   */
  async possibleOverrides(
    definition: Definition,
    existing: readonly Implementation[],
    unnamed: readonly Implementation[],
  ): Promise<Implementation[]> {
    const owner = definition.isFunction ? await this.reader.typeAround(definition) : null;
    if (!owner) return [];
    const named = (await this.subtypes.typesBelow(owner)).map(({ implementation }) => implementation);
    const below = [...named, ...(await this.typesBelow(owner))];
    if (below.length === 0 || !isSearchable(definition.name)) return [];
    const [rows = []] = await this.reader.database.run([relatedNodesWithWord(this.reader.repo, definition.name)]);
    if (rows.length === MAX_CODE_NODES) this.reader.isCut = true;
    const places = new Set(rows.map(relatedNode).map(({ path, symbol }) => typeKey(path, symbol ?? "")));
    for (const { path, symbol } of existing) places.delete(typeKey(path, rpartition(symbol, ".")[0]));
    const known = new Set(unnamed.map((member) => typeAround(below, member)));
    const possible = below.filter((type) => places.has(typeKey(type.path, type.symbol)) && !known.has(type));
    return possible.map((one) => ({ ...one, resolved: false }));
  }
}

/** The last type of a member's node that begins before it, for a member of a type without a node. */
function typeAround(types: readonly Implementation[], member: Implementation): Implementation | null {
  const before = types.filter(({ path, symbol, start_line }) => {
    return path === member.path && symbol === member.symbol && start_line <= member.start_line;
  });
  return sortBy(before, ({ start_line }) => [-start_line])[0] ?? null;
}
