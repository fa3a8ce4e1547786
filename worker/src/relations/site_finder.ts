/** Finds the sites of one name that refer to a definition, or may. Mirrors `feeder.relations.site_finder`. */

import { partition } from "../python_strings.ts";
import { CALL, IMPORT, LITERAL_KEY, macroOf, MENTION, type Relation, UNNAMED_MEMBER, USE } from "../relation.ts";
import { decodeRelations, type RelatedNode } from "../store/relations.ts";
import { composed } from "../text.ts";
import { areCompatible, traits } from "../traits.ts";
import type { FileFacts } from "./file_facts.ts";
import type { Definition } from "./modules.ts";
import { isHeader } from "./node_definitions.ts";
import { isElsewhere, isResolved } from "./outcomes.ts";
import type { RelationReader } from "./relation_reader.ts";
import type { Resolver } from "./resolution.ts";
import { KIND_NAMES, OVERRIDE, placeKey, type Reference } from "./sites.ts";

/** Finds sites. */
export class SiteFinder {
  /** Lines with a definition's name that mean something else. */
  readonly leftOut = new Set<string>();

  constructor(readonly reader: RelationReader) {}

  /**
   * The sites of a name that refer to a definition, or may, in all files or in `paths`.
   *
   * The name is the definition's own; with `isSpelling` another form of it, as `TOTAL` for `Total`; an alias, which counts
   * in `paths`; or a macro whose text has the definition's name. `macroPaths` are the files that define the macro.
   */
  async sites(
    definition: Definition,
    resolver: Resolver,
    name: string,
    paths: ReadonlySet<string> | null,
    macroPaths: ReadonlySet<string> | null = null,
    isSpelling = false,
  ): Promise<Reference[]> {
    const ofMacros = macroPaths && ![...macroPaths].some(isHeader) ? macroPaths : paths;
    const only = definition.isLocal && paths === null ? new Set([definition.path]) : ofMacros; // needs no facts of other files
    const read = await this.reader.nodes(name);
    const isCut = only !== null && this.reader.cutNodes.has(name);
    const found = isCut ? [...(await this.reader.facts(only)).values()].flatMap(({ nodes }) => nodes) : read;
    const nodes = found.filter(({ path }) => only === null || only.has(path));
    const allFacts = await this.reader.facts(nodes.map(({ path }) => path));
    const isMember = definition.owner !== "" && !definition.isType;
    const { sites, leftOut } = await this.reader.exports.settled(() => {
      return sitesIn(definition, resolver, name, nodes, allFacts, isMember, macroPaths, isSpelling);
    });
    for (const place of leftOut) this.leftOut.add(place);
    return sites;
  }
}

/** The sites of a name in some nodes; `settled`, because they may lack what has to be read first. */
function sitesIn(
  definition: Definition,
  resolver: Resolver,
  name: string,
  nodes: readonly RelatedNode[],
  allFacts: ReadonlyMap<string, FileFacts>,
  isMember: boolean,
  macroPaths: ReadonlySet<string> | null,
  isSpelling: boolean,
): { sites: Reference[]; leftOut: string[] } {
  const sites: Reference[] = [];
  const leftOut: string[] = [];
  // files have the imports of a name in their own Unicode form only
  const isOtherForm = isSpelling && composed(name) === composed(definition.name);
  for (const node of nodes) {
    const facts = allFacts.get(node.path)!;
    if (!areCompatible(node.language, definition.language)) continue;
    if (macroPaths && !macroPaths.has(node.path) && facts.symbols.has(name)) continue;
    for (const relation of decodeRelations(node)) {
      let kind = KIND_NAMES[relation.kind];
      if (!kind) continue;
      let meant = relation;
      if (relation.name !== name) {
        if (isMember || relation.kind === IMPORT || !hasPart(relation, name)) continue;
        meant = { name, kind: MENTION, qualifier: "", lines: relation.lines };
        kind = KIND_NAMES[MENTION]!;
      }
      if (macroOf(relation.qualifier)) meant = { ...meant, qualifier: "" };
      if (macroPaths || isSpelling) meant = { ...meant, name: definition.name };
      // `Cart` in `Cart.shared.add()` is one site, and receiver in two relations
      const receiver = relation.name === name ? relation.qualifier : "";
      const own = declares(definition, relation) ? OVERRIDE : kind;
      const common = { path: node.path, column: 0, kind: own, text: "", node, name, receiver };
      const isOwn = relation.kind === USE && isOwnBlock(definition, node);
      const isKey = relation.qualifier === LITERAL_KEY && node.path === definition.path;
      for (const [line, result] of resolver.resolveLines(facts, node, meant)) {
        if (isKey && definition.ownLines?.has(line)) continue;
        if ((isOwn || isElsewhere(result)) && !isOtherForm) leftOut.push(placeKey(node.path, line));
        else sites.push({ ...common, line, resolved: !isOwn && isResolved(result) });
      }
    }
  }
  return { sites, leftOut };
}

/**
 * Tells whether a site declares the member in a class without a name or an object of its type:
 * `const cart: Cart = { add() { … } }`.
 */
function declares({ isFunction = false }: Definition, { qualifier }: Relation): boolean {
  const isKey = qualifier.endsWith(LITERAL_KEY) && qualifier !== LITERAL_KEY;
  return qualifier.endsWith(UNNAMED_MEMBER) || (isKey && isFunction);
}

/** Returns true if a node is a block of a type in its own file: `impl Cart` below `Cart`. */
function isOwnBlock({ path, symbol }: Definition, node: RelatedNode): boolean {
  const hasBlocks = traits(node.language).addingBlock !== "" && node.nodeType === "class";
  return hasBlocks && node.path === path && node.symbol === symbol;
}

/** Returns true if the receiver begins with a name, as in `Cart.create` or `Cart()`. */
export function hasPart({ kind, qualifier }: Relation, name: string): boolean {
  return (kind === CALL || kind === MENTION) && partition(qualifier, ".")[0] === name;
}
