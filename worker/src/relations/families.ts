/**
 * Collects what resolving a member needs: the types below its own, and the fields of such types. Mirrors
 * `feeder.relations.families`.
 */

import { constants } from "../../build/worker_data.json";
import { dirname } from "../posix_paths.ts";
import { matchAtStart, Pattern } from "../python_regex.ts";
import { rpartition } from "../python_strings.ts";
import { BINDING, hasKind, IMPLEMENTS, INHERITS, LITERAL_KEY, PARAMETER, type Relation } from "../relation.ts";
import { decodeRelations, type RelatedNode } from "../store/relations.ts";
import { areCompatible, traits } from "../traits.ts";
import { declarations } from "./file_facts.ts";
import type { GoMembers } from "./go_members.ts";
import { type Family, type Implementing, NO_FAMILY } from "./receiver_types.ts";
import { type Definition, isSameDefinition, isVariable, typeKey } from "./modules.ts";
import { isAddedTo, isHeader } from "./node_definitions.ts";
import type { NamedDefinition, RelationReader } from "./relation_reader.ts";
import { Resolver } from "./resolution.ts";
import type { SubtypeFinder } from "./subtypes.ts";
import { lastName } from "../text.ts";

const { MAX_HELD_TYPES, COMPANION_END } = constants.families;
const CHAINED = new Pattern(matchAtStart(constants.families.CHAINED_PATTERN));
const OPEN_TYPE = new Pattern(constants.families.OPEN_TYPE_PATTERN);
const PART = new Pattern(constants.families.PART_PATTERN);
const STATIC_TYPE = new Pattern(constants.families.STATIC_TYPE_PATTERN);

/** Makes the resolver of a definition. */
export class FamilyFinder {
  constructor(
    private readonly reader: RelationReader,
    private readonly subtypes: SubtypeFinder,
    private readonly go: GoMembers,
  ) {}

  /** The resolver of a definition, with the types below its owner. */
  async resolver(definition: Definition): Promise<Resolver> {
    const { name } = definition;
    const [named, members] = await Promise.all([
      this.reader.namedDefinitions(name),
      this.reader.memberDefinitions(name),
      this.reader.exports.readPaths(),
    ]);
    const others = otherDefinitions(definition, named, members);
    if (definition.isExtension) {
      return new Resolver(definition, others, null, this.reader.exports, await this.#extendedFamily(definition));
    }
    if (!definition.owner || definition.isType) return new Resolver(definition, others, null, this.reader.exports);
    const owners = (await this.reader.namedDefinitions(lastName(definition.owner))).map((one) => one.definition);
    const same = owners.filter((one) => one.symbol === definition.owner);
    const owner = same.find((one) => one.path === definition.path) ?? same[0] ?? null;
    const overriding = new Set(others.map((one) => typeKey(one.path, one.owner)));
    const closed = owner ? await this.#closedFamily(owner, overriding) : NO_FAMILY;
    const own = new Set([...closed.own, ...(owner ? await this.#parts(owner) : [])]);
    const isStructural = owner !== null && traits(owner.language).structuralInterfaces;
    const [makers, dispatch] = isStructural
      ? await Promise.all([this.go.makers(owner), this.go.dispatch(definition, others)])
      : [[], new Map<string, Implementing[]>()];
    const isOnly = owner !== null && owners.filter(({ isType }) => isType).length === 1;
    const known = [...dispatch.values()].flat().filter((one) => one.implements === "YES");
    const holding = [...(isOnly ? [owner] : []), ...known.slice(0, MAX_HELD_TYPES).map(({ type }) => type)];
    const isChained = mayBeField(await this.reader.nodes(definition.name), definition.name);
    const holders = isChained ? await this.#holders(holding) : new Map<string, Definition[]>();
    const hasLabels = owner !== null && traits(owner.language).constructor !== "" && isLabel(await this.reader.nodes(name), name);
    const withConstructor = hasLabels ? await this.#typesWithConstructor(owner) : new Set<string>();
    const family = { ...closed, own, makers, holders, dispatch, withConstructor };
    return new Resolver(definition, others, owner, this.reader.exports, family);
  }

  /** The types below the type that an extension of Kotlin extends, if the index has it. */
  async #extendedFamily({ symbol }: Definition): Promise<Family> {
    const extended = lastName(rpartition(symbol, ".")[0]);
    const type = (await this.reader.namedDefinitions(extended)).find(({ definition }) => definition.isType);
    return type ? this.#closedFamily(type.definition, new Set()) : NO_FAMILY;
  }

  async #closedFamily(owner: Definition, overriding: ReadonlySet<string>): Promise<Family> {
    const family = await this.#family(owner, overriding);
    return { ...family, isClosed: await this.#isClosed(owner) };
  }

  /**
   * Returns true if no type of a library can be above a type, or below it.
   *
   * Below it may be one to which a trait, protocol or module is added.
   */
  async #isClosed(owner: Definition): Promise<boolean> {
    const named = await this.reader.namedDefinitions(owner.name);
    const same = named.filter(({ definition }) => isSameDefinition(definition, owner));
    if (same.some(({ hit }) => OPEN_TYPE.test(hit.signature ?? ""))) return false;
    if (!owner.owner && same.some(({ hit }) => STATIC_TYPE.test(hit.signature ?? ""))) return false;
    if (traits(owner.language).builtinTypes.includes(owner.name)) return false;
    const { nodes } = await this.reader.fileFacts(owner.path);
    const own = nodes.filter(({ symbol, nodeType }) => symbol === owner.symbol && nodeType === "class");
    return !own.some(({ relations }) => hasKind(relations, INHERITS) || hasKind(relations, IMPLEMENTS));
  }

  /** The keys of the parts of a type of C# or Swift that are marked as such. */
  async #parts(owner: Definition): Promise<string[]> {
    if (!traits(owner.language).splitTypes) return [];
    const named = await this.reader.namedDefinitions(owner.name);
    const parts = named.filter(({ definition, hit }) => definition.symbol === owner.symbol && PART.test(hit.signature ?? ""));
    return parts.map(({ definition }) => typeKey(definition.path, definition.symbol));
  }

  /**
   * The last names of a type, and of the types below it, whose method gets the labels of a call of it: `__init__`,
   * their own or one that they inherit from such a type.
   */
  async #typesWithConstructor(owner: Definition): Promise<ReadonlySet<string>> {
    const { constructor } = traits(owner.language);
    const below = (await this.subtypes.typesBelow(owner)).map(({ implementation, parentKey }) => ({ ...implementation, parentKey }));
    const types = [{ path: owner.path, symbol: owner.symbol, parentKey: "" }, ...below];
    const facts = await this.reader.facts(types.map(({ path }) => path));
    const matches = new Map<string, string>();
    for (const { path, symbol, parentKey } of types) { // a parent comes before the types below it
      const isOwn = facts.get(path)!.symbols.has(`${symbol}.${constructor}`);
      if (isOwn || matches.has(parentKey)) matches.set(typeKey(path, symbol), lastName(symbol));
    }
    return new Set(matches.values());
  }

  /** The types with fields of some types, by their last names and the name of the field after a dot. */
  async #holders(types: readonly Definition[]): Promise<Map<string, Definition[]>> {
    const holders = new Map<string, Definition[]>();
    const nodes = await Promise.all(types.map((type) => this.reader.nodesWithType(type.name)));
    for (const [at, type] of types.entries()) {
      for (const node of nodes[at]!) {
        const symbol = (node.nodeType === "class" ? node.symbol : rpartition(node.symbol ?? "", ".")[0]) ?? "";
        const [path, language, name] = [node.path, node.language ?? "", lastName(symbol)];
        const holder = { path, language, symbol, name, owner: "", isType: true, isLocal: false };
        for (const one of decodeRelations(node)) {
          if ((one.kind !== BINDING && one.kind !== PARAMETER) || one.qualifier !== type.name) continue;
          if (!mayHold(node, one, type)) continue;
          const key = `${name}.${one.name}`;
          holders.set(key, [...(holders.get(key) ?? []), holder]);
        }
      }
    }
    return holders;
  }

  /** The types below a type; those in `overriding` have members of their own. */
  async #family(owner: Definition, overriding: ReadonlySet<string>): Promise<Family> {
    const ownerKey = typeKey(owner.path, owner.symbol);
    const [own, allBelow] = [new Set([ownerKey]), new Set([ownerKey])];
    const inheriting = new Map([[ownerKey, true]]);
    for (const { implementation, parentKey } of await this.subtypes.typesBelow(owner)) {
      const key = typeKey(implementation.path, implementation.symbol);
      allBelow.add(key);
      const inherits = (inheriting.get(parentKey) ?? false) && !overriding.has(key);
      inheriting.set(key, inherits);
      if (inherits) own.add(key);
    }
    if (owner.symbol.endsWith(COMPANION_END)) { // a class of Kotlin has the members of its companion
      const outer = typeKey(owner.path, owner.symbol.slice(0, -COMPANION_END.length));
      if (!overriding.has(outer)) own.add(outer);
    }
    const names = new Set([...own].map((key) => lastName(rpartition(key, "\0")[1])));
    return { ...NO_FAMILY, own, names, allBelow };
  }
}

/**
 * All definitions of a definition's name, with itself: nodes, fields and constants.
 *
 * In C and C++ the prototypes of a function are the same definition, unless they are static, and so are the
 * declarations of a type, as in `typedef struct cart cart`.
 */
function otherDefinitions(
  definition: Definition,
  named: readonly NamedDefinition[],
  members: readonly Definition[],
): Definition[] {
  let matches = named.filter((one) => !isSameDefinition(one.definition, definition) && !isAddedTo(one.hit));
  if (traits(definition.language).family === "c" && !definition.isLocal) {
    const { symbol, isType } = definition;
    const declarations = named.filter(({ definition: one }) => {
      return one.symbol === symbol && traits(one.language).family === "c" && one.isType === isType && !one.isLocal;
    });
    const withBody = declarations.filter(({ hit }) => hit.lastLine > hit.firstLine + 1);
    const bodies = new Set(withBody.map(({ hit }) => hit.path));
    const ids = new Set(declarations.map(({ hit }) => hit.id));
    if ([...bodies].filter((path) => isType || !isHeader(path)).length <= 1) matches = matches.filter(({ hit }) => !ids.has(hit.id));
  }
  const others = [definition, ...matches.map((one) => one.definition)];
  const existing = new Set(others.map((one) => typeKey(one.path, one.symbol)));
  const competing = members.filter((one) => {
    return areCompatible(one.language, definition.language) && !existing.has(typeKey(one.path, one.symbol));
  });
  const isSource = isVariable(definition) && !isHeader(definition.path);
  return [
    ...others,
    ...competing.filter((one) => !isCVariable(one)),
    ...competing // `static int total;` is another one, `extern int total;` is not
      .filter((one) => isCVariable(one) && isSource && !isHeader(one.path))
      .map((one) => ({ ...one, isLocal: true })),
  ];
}

/** Returns true if a member is a variable of a file of C or C++, which several may declare. */
function isCVariable({ owner, language }: Definition): boolean {
  return !owner && traits(language).family === "c";
}

/** Returns true if a call has a name as a label: `Cart(total=3)`. */
function isLabel(nodes: readonly RelatedNode[], name: string): boolean {
  return nodes.some((node) => {
    return decodeRelations(node).some((one) => one.name === name && one.qualifier.endsWith(LITERAL_KEY));
  });
}

/** Returns true if a receiver of a name may be a field of another file's type, as in `crawler.signals.connect`. */
export function mayBeField(nodes: readonly RelatedNode[], name: string): boolean {
  return nodes.some((node) => {
    return decodeRelations(node).some((one) => one.name === name && CHAINED.test(one.qualifier));
  });
}

/** Returns true if a field may have a type; in Go a type of the own package has no other one. */
function mayHold(node: RelatedNode, field: Relation, owner: Definition): boolean {
  const isOwn = dirname(node.path) === dirname(owner.path);
  const isDeclared = () => declarations(node, field).some(({ typeName }) => !typeName.includes(".") === isOwn);
  return traits(owner.language).imports !== "folders" || isDeclared();
}
