/**
 * Finds the types below a type, and the members there that override a member of it. Mirrors
 * `feeder.relations.subtypes`.
 */

import { constants } from "../../build/worker_data.json";
import { groupBy } from "../collections.ts";
import { memoized } from "../memoize.ts";
import { rpartition } from "../python_strings.ts";
import { CALL, hasNamed, IMPLEMENTS, IMPORT, INHERITS, moduleAndAlias, qualifiedText } from "../relation.ts";
import { sortBy } from "../sorting.ts";
import {
  decodeRelations,
  filesOfSubtypes,
  hasTrigrams,
  lineNumbers,
  namedNode,
  type NamedNode,
  type RelatedNode,
  sortNodes,
} from "../store/relations.ts";
import { traits } from "../traits.ts";
import { factsByPath, type FileFacts, kindsOfLocalBases } from "./file_facts.ts";
import type { GoMembers } from "./go_members.ts";
import { type Definition, typeKey } from "./modules.ts";
import { CONSTRUCTORS, memberKey } from "./node_definitions.ts";
import { isElsewhere, isResolved, type Resolution } from "./outcomes.ts";
import type { RelationReader } from "./relation_reader.ts";
import { Resolver } from "./resolution.ts";
import { type Implementation, KIND_NAMES, OVERRIDE, type Reference } from "./sites.ts";
import { lastName } from "../text.ts";

const { MAX_DEPTH, MAX_TYPES } = constants.subtypes;
const { MAX_REMOTE_TYPES } = constants.relations;

interface SitesOfBase {
  readonly node: RelatedNode;
  readonly results: { readonly line: number; readonly result: Resolution }[];
}

interface Subtype {
  readonly implementation: Implementation;
  readonly parentKey: string;
}

/** Finds the types below types, those of each type once. */
export class SubtypeFinder {
  readonly #subtypes = new Map<string, { nodes: RelatedNode[]; types: Definition[] }>();
  readonly #below = new Map<string, Promise<Subtype[]>>();

  constructor(
    private readonly reader: RelationReader,
    private readonly go: GoMembers,
  ) {}

  /** Reads the files of a type and of all types below it in one statement; not if there are too many. */
  async readSubtypes(type: string): Promise<void> {
    const [rows = []] = await this.reader.database.run([filesOfSubtypes(this.reader.repo, type)]);
    const rowsOf = groupBy(rows, ([kind]) => String(kind));
    const nodesOf = (kind: string) => (rowsOf.get(kind) ?? []).map(([, ...row]) => namedNode(row));
    if (Number(rowsOf.get("count")?.[0]?.[6]) > MAX_REMOTE_TYPES) return;
    const names = (rowsOf.get("name") ?? []).map((row) => String(row[5])).filter(hasTrigrams);
    const nodes: RelatedNode[] = sortNodes(nodesOf("node"));
    const types = sortBy(nodesOf("type"), ({ symbol, path, startLine }) => [symbol!.length, path, startLine]);
    const paths = [...new Set(nodes.map(({ path }) => path))];
    const read = factsByPath(paths, nodes);
    this.reader.addFacts(read);
    for (const name of new Set(names)) {
      const own = types.filter(({ symbol }) => lastName(symbol!) === name);
      const definitions = await Promise.all(own.map((node) => this.reader.definitionOf(node)));
      this.#subtypes.set(name, { nodes: nodes.filter((node) => mayInherit(node, name)), types: definitions });
    }
  }

  /** The types below a type, level by level, each with its parent; each once. */
  typesBelow(owner: Definition): Promise<Subtype[]> {
    return memoized(this.#below, typeKey(owner.path, owner.symbol), () => this.#findTypesBelow(owner));
  }

  async #findTypesBelow(owner: Definition): Promise<Subtype[]> {
    const found: Subtype[] = [];
    const seen = new Set([typeKey(owner.path, owner.symbol)]);
    let level: { type: Definition; isSure: boolean }[] = [{ type: owner, isSure: true }];
    for (let depth = 1; depth <= MAX_DEPTH && level.length > 0; depth += 1) {
      const below: typeof level = [];
      const subtypes = await Promise.all(level.map(({ type }) => this.#directSubtypes(type)));
      for (const [at, { type: parent, isSure }] of level.entries()) {
        for (const { node, resolved } of subtypes[at]!) {
          const symbol = node.symbol ?? "";
          const key = typeKey(node.path, symbol);
          if (seen.has(key) || seen.size > MAX_TYPES) {
            this.reader.isCut ||= seen.size > MAX_TYPES;
            continue;
          }
          seen.add(key);
          const sure = isSure && resolved;
          const { path, firstLine: start_line, lastLine: end_line } = node;
          const implementation = { path, start_line, end_line, symbol, resolved: sure, depth, is_local: false };
          found.push({ implementation, parentKey: typeKey(parent.path, parent.symbol) });
          const facts = await this.reader.fileFacts(path);
          below.push({ type: typeDefinition(facts, node.language ?? "", symbol), isSure: sure });
        }
      }
      level = below;
    }
    return found;
  }

  /**
   * The calls of a type's constructor by constructors below it: `super().__init__()`.
   *
   * A type below without a constructor passes the call on. One with several bases may call another one's.
   */
  async constructorCalls(owner: Definition): Promise<Reference[]> {
    const { baseConstructors, baseReceiver } = traits(owner.language);
    const receivers = ["super()", "super", baseReceiver, ""];
    const passing = new Set([typeKey(owner.path, owner.symbol)]);
    const found: Reference[] = [];
    for (const { implementation, parentKey } of baseConstructors.length > 0 ? await this.typesBelow(owner) : []) {
      if (!passing.has(parentKey)) continue;
      const { path, symbol: type, resolved: isSure } = implementation;
      const facts = await this.reader.fileFacts(path);
      const members = facts.nodes.filter(({ symbol }) => symbol === type || rpartition(symbol ?? "", ".")[0] === type);
      const relations = members.flatMap((node) => decodeRelations(node).map((relation) => ({ node, relation })));
      const resolved = isSure && relations.filter(({ relation }) => relation.kind === INHERITS).length <= 1;
      for (const { node, relation } of relations) {
        const { kind, name, qualifier: receiver } = relation;
        if (kind !== CALL || !baseConstructors.includes(name) || !receivers.includes(receiver)) continue;
        const common = { path, column: 0, kind: KIND_NAMES[CALL]!, resolved, text: "", node, name, receiver };
        found.push(...lineNumbers(node, relation).map((line) => ({ ...common, line })));
      }
      const constructors = [...CONSTRUCTORS, lastName(type)].map((name) => `${type}.${name}`);
      if (!constructors.some((symbol) => facts.symbols.has(symbol))) passing.add(typeKey(path, type));
    }
    return found;
  }

  /** The types below a type, then those that implement it by their methods in Go. */
  async implementations(owner: Definition): Promise<Implementation[]> {
    const below = (await this.typesBelow(owner)).map((one) => one.implementation);
    const known = new Set(below.map((one) => typeKey(one.path, one.symbol)));
    const byMethods = traits(owner.language).structuralInterfaces ? await this.go.implementing(owner) : [];
    return [...below, ...byMethods.filter((one) => !known.has(typeKey(one.path, one.symbol)))];
  }

  async #directSubtypes(parent: Definition): Promise<{ node: RelatedNode; resolved: boolean }[]> {
    const variants = (await this.reader.fileFacts(parent.path)).nodes.filter((node) => isVariant(node, parent));
    const subtypes = (await this.sitesOfBase(parent, false))
      .filter(({ results }) => results.some(({ result }) => !isElsewhere(result)))
      .map(({ node, results }) => ({ node, resolved: results.some(({ result }) => isResolved(result)) }));
    return [...variants.map((node) => ({ node, resolved: true })), ...subtypes];
  }

  /**
   * The nodes that name a type as a base, with the lines where they do: classes with it as their own base, or nodes
   * with anonymous and local classes.
   */
  async sitesOfBase(parent: Definition, isLocal: boolean): Promise<SitesOfBase[]> {
    const read = (name: string) => (isLocal ? this.reader.nodes(name) : this.#nodesOfSubtypes(name));
    const named = await read(parent.name);
    const exported = (await this.reader.exports.read(parent)).otherNames(parent.name);
    const names = new Set([parent.name, ...named.flatMap((node) => aliasesIn(node, parent.name)), ...exported]);
    const others = [...names].filter((name) => name !== parent.name).sort();
    const aliased = await Promise.all(others.map(read));
    const distinct = new Map([...named, ...aliased.flat()].map((node) => [node.id, node]));
    const nodes = [...distinct.values()].filter((node) => {
      return [...names].some((name) => kindsOfBases(node, isLocal).some((kind) => hasNamed(node.relations, name, kind)));
    });
    const types = await this.#typesNamed(parent.name);
    const resolver = new Resolver(parent, types.length > 0 ? types : [parent], null, this.reader.exports);
    const facts = await this.reader.facts(nodes.map(({ path }) => path));
    const resultsOf = (node: RelatedNode): SitesOfBase => {
      const kinds = kindsOfBases(node, isLocal);
      const inherited = decodeRelations(node).filter(({ kind, name }) => kinds.includes(kind) && names.has(name));
      const results = inherited.flatMap((one) => {
        const at = (line: number) => resolver.resolve(facts.get(node.path)!, node, one, line);
        return lineNumbers(node, one).map((line) => ({ line, result: at(line) }));
      });
      return { node, results };
    };
    return this.reader.exports.settled(() => nodes.map(resultsOf));
  }

  async #nodesOfSubtypes(name: string): Promise<RelatedNode[]> {
    return this.#subtypes.get(name)?.nodes ?? this.reader.nodes(name);
  }

  async #typesNamed(name: string): Promise<Definition[]> {
    const known = this.#subtypes.get(name);
    if (known) return known.types;
    return (await this.reader.namedDefinitions(name)).map((one) => one.definition).filter(({ isType }) => isType);
  }

  /**
   * The members of a member's name in the types below its own, as references to it.
   *
   * The line is the first one of the node until `withText` finds the declaration.
   */
  async overriding(definition: Definition): Promise<Reference[]> {
    const { name, owner, isType } = definition;
    if (!owner || isType) return [];
    const below = await this.membersBelow(definition);
    const places = below.map(({ node, resolved }) => ({ node: node as RelatedNode, line: node.startLine, resolved }));
    for (const { field, type: { resolved } } of await this.fieldsBelow(definition)) {
      const nodes = (await this.reader.fileFacts(field.path)).nodes.filter((node) => {
        return node.symbol === field.owner && node.nodeType === "class";
      });
      for (const node of nodes) {
        const lines = linesOf(field).filter((line) => node.firstLine <= line && line <= node.lastLine);
        places.push(...lines.map((line) => ({ node, line, resolved })));
      }
    }
    return places.map(({ node, line, resolved }) => {
      return { path: node.path, line, column: 0, kind: OVERRIDE, resolved, text: "", node, name, receiver: "" };
    });
  }

  /** The members that override a member, with the state and the level of the type around each. */
  async membersBelow(definition: Definition): Promise<{ node: NamedNode; resolved: boolean; depth: number }[]> {
    const named = (await this.reader.namedDefinitions(definition.name)).filter((one) => !one.definition.isType);
    const members = new Map(named.map(({ definition: one, hit }) => [memberKey(one), hit]));
    members.delete(memberKey(definition));
    if (members.size === 0) return [];
    const { language } = definition;
    const around = await this.reader.typeAround(definition);
    if (!around) return [];
    const found: { node: NamedNode; resolved: boolean; depth: number }[] = [];
    for (const { implementation: { path, symbol, resolved, depth } } of await this.typesBelow(around)) {
      const key = memberKey({ path, language, owner: symbol });
      const node = members.get(key);
      if (node) found.push({ node, resolved, depth });
      members.delete(key);
    }
    if (!definition.isAbstract) return found;
    const implementing = await this.go.implementingMembers(definition, around, named.map((one) => one.definition));
    for (const { member, isSure } of implementing) {
      const node = members.get(memberKey(member));
      if (node) found.push({ node, resolved: isSure, depth: 1 });
    }
    return found;
  }

  /** The fields that declare a member again, each with the type around it. */
  async fieldsBelow(definition: Definition): Promise<{ field: Definition; type: Implementation }[]> {
    const { language, name } = definition;
    if (!traits(language).redeclaredFields) return [];
    const fields = new Map((await this.reader.memberDefinitions(name)).map((one) => [memberKey(one), one]));
    fields.delete(memberKey(definition));
    const around = fields.size > 0 ? await this.reader.typeAround(definition) : null;
    const found: { field: Definition; type: Implementation }[] = [];
    for (const { implementation: type } of around ? await this.typesBelow(around) : []) {
      const key = memberKey({ path: type.path, language, owner: type.symbol });
      const field = fields.get(key);
      if (field) found.push({ field, type });
      fields.delete(key);
    }
    return found;
  }

  /** The members that declare a field again: fields, accessors and methods. */
  async redeclared(definition: Definition): Promise<Definition[]> {
    const named = await this.reader.namedDefinitions(definition.name);
    const byId = new Map(named.map(({ definition: one, hit }) => [hit.id, one]));
    const nodes = (await this.membersBelow(definition)).map(({ node }) => byId.get(node.id)!);
    return [...nodes, ...(await this.fieldsBelow(definition)).map(({ field }) => field)];
  }

  /** The lines of the fields that declare a member again. */
  async implementingFields(definition: Definition): Promise<Implementation[]> {
    return (await this.fieldsBelow(definition)).flatMap(({ field, type }) => {
      return linesOf(field).map((line) => ({ ...type, start_line: line, end_line: line, symbol: field.symbol }));
    });
  }
}

/** The lines that declare a field. */
function linesOf({ ownLines }: Definition): number[] {
  return [...(ownLines ?? [])].sort((left, right) => left - right);
}

/** The definition of a type, whose owner is the type around it in its file. */
export function typeDefinition(facts: FileFacts, language: string, symbol: string): Definition {
  const [outer, name] = rpartition(symbol, ".");
  const owner = facts.classes.has(outer) ? outer : "";
  return { path: facts.path, language, symbol, name, owner, isType: true, isLocal: false };
}

/** Tells whether a class is a constant with a body of its own, of an enum in the same file. */
export function isVariant({ symbol, relations }: RelatedNode, { symbol: enumeration, name }: Definition): boolean {
  return rpartition(symbol ?? "", ".")[0] === enumeration && relations.includes(qualifiedText(INHERITS, name));
}

/** The kinds of a class' own bases, or of the bases of anonymous and local classes in a node. */
function kindsOfBases(node: RelatedNode, isLocal: boolean): string[] {
  if (isLocal) return kindsOfLocalBases(node);
  return node.nodeType === "class" ? [INHERITS, IMPLEMENTS] : [];
}

/** Returns true for a node that inherits a name, or imports it. */
function mayInherit({ relations }: RelatedNode, name: string): boolean {
  return [INHERITS, IMPLEMENTS, IMPORT].some((kind) => hasNamed(relations, name, kind));
}

/** The other names by which a node imports a name. */
function aliasesIn(node: RelatedNode, name: string): string[] {
  if (!hasNamed(node.relations, name, IMPORT)) return [];
  const imports = decodeRelations(node).filter((one) => one.kind === IMPORT && one.name === name);
  return imports.map((one) => moduleAndAlias(one)[1]).filter(Boolean);
}
