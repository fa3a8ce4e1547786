/**
 * Resolves a member of a type by its receiver: the object itself, a base, or a value of a type. Mirrors
 * `feeder.relations.member_resolution`.
 */

import { constants } from "../../build/worker_data.json";
import { Pattern } from "../python_regex.ts";
import { compareText, partition, rpartition } from "../python_strings.ts";
import { CALL, hasKind, LITERAL, MENTION, type Relation } from "../relation.ts";
import { decodeRelations, lineNumbers, type RelatedNode } from "../store/relations.ts";
import { traits } from "../traits.ts";
import { type FileFacts, kindsOfLocalBases, packagesOf, SELF_NAMES } from "./file_facts.ts";
import { type Definition, inSamePackage, typeKey } from "./modules.ts";
import type { NameResolver } from "./name_resolution.ts";
import { elsewhere, isElsewhere, isResolved, possible, RESOLVED, type Resolution, resolvedIf } from "./outcomes.ts";
import { type Family, isBuiltIn, ReceiverTypes } from "./receiver_types.ts";
import { lastName } from "../text.ts";

const COMPOUND = new Pattern(constants.member_resolution.COMPOUND_PATTERN);

/** The path and the symbol of a type; the symbol is empty outside of types. */
type Place = readonly [path: string, symbol: string];

/** Resolves sites of a member of a type; `owner` is the definition of that type. */
export class MemberResolver {
  readonly #definition: Definition;
  readonly #types: ReceiverTypes;

  constructor(
    private readonly names: NameResolver,
    private readonly owner: Definition,
    private readonly family: Family,
  ) {
    this.#definition = names.definition;
    this.#types = new ReceiverTypes(names, owner, family);
  }

  /** A member of a type, by its receiver. */
  resolve(facts: FileFacts, node: RelatedNode, relation: Relation, line: number): Resolution {
    const { qualifier: receiver } = relation;
    const own = traits(node.language);
    const place = this.#place(facts, node);
    if (!receiver) {
      const mayBeImplicit = relation.kind === CALL || relation.kind === MENTION;
      const mayBeImported = own.implicitReceiver || own.imports === "crates";
      if (!mayBeImplicit || !mayBeImported) return elsewhere("NO_MEMBER");
      if (this.#isImportedMember(facts, place, relation.name)) return RESOLVED;
      if (!own.implicitReceiver) return elsewhere("NO_MEMBER");
      if (!place[1] && own.lendsReceivers) return this.#orOfLocalType(node, this.#byLentReceiver(facts, node, relation.name));
      if (this.#mayBeLent(node, line)) return possible("RECEIVER");
      return this.#orOfLocalType(node, this.#inClass(place, true));
    }
    if (receiver === "super()" || receiver === "super" || receiver === own.baseReceiver) {
      const { owner } = this;
      if (place[0] === owner.path && place[1] === owner.symbol) return elsewhere("BASE_MEMBER");
      return resolvedIf(this.family.allBelow.has(typeKey(...place)), "BASE");
    }
    if (SELF_NAMES.has(receiver)) {
      const extended = place[1] ? "" : extendedType(facts, node);
      return extended ? this.#types.resolve(facts, node, extended) : this.#orOfLocalType(node, this.#inClass(place, false));
    }
    if (receiver === LITERAL) return this.family.isClosed ? elsewhere("BUILT_IN") : possible("RECEIVER");
    const last = rpartition(receiver, ".")[1];
    if (last.endsWith("()")) {
      if (this.family.makers.length > 0 && this.#isChained(facts, node, receiver)) return RESOLVED;
      return this.#types.resolve(facts, node, last.slice(0, -2));
    }
    let types = facts.typesOf(node.symbol, receiver, line);
    if (types.length === 0 && this.#isField(facts, node, receiver, line)) return RESOLVED;
    const other = types.length === 0 ? this.names.ofOtherModule(facts, receiver) : null;
    if (other) {
      const isType = receiver.includes(".") || (facts.imports.get(receiver) ?? []).some(({ name }) => name !== "");
      return isType && !this.family.isClosed ? possible("RECEIVER") : other;
    }
    const isField = own.imports === "folders" && facts.hasType(node.symbol, rpartition(receiver, ".")[0], line);
    if (types.length === 0 && !isField && this.#mayBeType(facts, last)) {
      const isPath = own.imports !== "folders" && !SELF_NAMES.has(partition(receiver, ".")[0]);
      types = [isPath ? receiver : last];
    }
    if (types.length > 0) return this.#isOfTypes(facts, node, types);
    if (isTypeName(receiver) && this.#isBuiltIn(facts, receiver)) return elsewhere("BUILT_IN");
    const isPlainType = own.variableSigil !== "" && /^\p{L}/u.test(receiver) && !receiver.includes("(");
    const isOtherType = isPlainType || this.#isBuiltIn(facts, partition(receiver, ".")[0]);
    const isOnly = this.names.isUnique && relation.kind === CALL && !isOtherType && COMPOUND.test(relation.name);
    return resolvedIf(isOnly, "RECEIVER");
  }

  /** A member of the type around the site, of a path and symbol. Outside of a type, `this` is a value of any one. */
  #inClass([path, ownClass]: Place, isImplicit: boolean): Resolution {
    for (let symbol = ownClass; symbol; symbol = isImplicit ? rpartition(symbol, ".")[0] : "") {
      if (this.family.own.has(typeKey(path, symbol))) return RESOLVED;
      const isIn = (one: Definition) => one.owner === symbol && one.path === path;
      if (this.names.others.some(isIn)) return this.names.another(isIn);
    }
    if (isImplicit && !ownClass) return elsewhere("NO_MEMBER");
    return possible(ownClass ? "BASE" : "RECEIVER");
  }

  /**
   * A member of the type around a site, or of an anonymous or local class inside the node: `refresh()` in
   * `new Listener() { … }`. Where its body ends is not known.
   */
  #orOfLocalType(node: RelatedNode, result: Resolution): Resolution {
    const kinds = kindsOfLocalBases(node);
    if (!hasKind(node.relations, ...kinds)) return result;
    const bases = decodeRelations(node).filter(({ kind }) => kinds.includes(kind)).map(({ name }) => lastName(name));
    const { names } = this.family;
    const isChanging = (base: string) =>
      isResolved(result) ? this.names.hasMember(base) && !names.has(base) : names.has(base);
    return bases.some(isChanging) ? possible("RECEIVER") : result;
  }

  /**
   * Returns true if a name in a method may be a member of a value: `with(cart) { add(item) }`.
   *
   * False if no other type has a member of this name. Where the block ends is not known.
   */
  #mayBeLent(node: RelatedNode, line: number): boolean {
    const { lendingCalls } = traits(node.language);
    const isOther = ({ path, owner }: Definition) => owner !== "" && !this.family.allBelow.has(typeKey(path, owner));
    if (lendingCalls.length === 0 || !this.names.others.some(isOther)) return false;
    return decodeRelations(node).some(
      (one) => one.kind === CALL && lendingCalls.includes(one.name.toLowerCase()) && Math.min(...lineNumbers(node, one)) <= line,
    );
  }

  /**
   * A name outside of a type, which may be a member of a value: `with(cart) { add(item) }`. In an extension of Kotlin,
   * the value is one of the extended type. A function of this name comes first.
   */
  #byLentReceiver(facts: FileFacts, node: RelatedNode, name: string): Resolution {
    if ((facts.imports.get(name) ?? []).length > 0) return elsewhere("ANOTHER_MODULE");
    const isGlobal = traits(node.language).globalScope;
    const isVisible = (one: Definition) =>
      isGlobal || one.path === facts.path || inSamePackage(facts.path, facts.package, one);
    const isFunction = (one: Definition) => one.owner === "" && isVisible(one);
    const named = this.names.another(isFunction);
    if (named.definition) return named;
    const extended = extendedType(facts, node);
    return extended ? this.#types.resolve(facts, node, extended) : possible("RECEIVER");
  }

  /** A label of a call that constructs a value: `Cart(total=3)`. */
  resolveLabel(facts: FileFacts, node: RelatedNode, typeName: string): Resolution {
    const result = this.#types.resolve(facts, node, typeName);
    if (isResolved(result)) {
      const names = [lastName(typeName), ...(facts.imports.get(typeName) ?? []).map(({ name }) => name)];
      return resolvedIf(!names.some((name) => this.family.withConstructor.has(name)), "RECEIVER");
    }
    const isKnown = facts.imports.has(typeName) || facts.declaresType(typeName);
    const isOther = isKnown && isElsewhere(this.names.typeRefers(facts, typeName, this.owner));
    return isOther ? elsewhere("ANOTHER_TYPE") : result;
  }

  /**
   * Returns true if an imported module is the type around the definition, as in `import static
   * shop.Cart.open`, or its name within the file's package. A type of Rust is imported by the path of its module:
   * `use crate::color::Color::*`.
   */
  isOwner(facts: FileFacts, module: string): boolean {
    const { owner, language } = this.#definition;
    const isPath = traits(language).imports === "crates";
    return [module, `${facts.package}.${module}`].includes(owner) || (isPath && `.${module}`.endsWith(`.${owner}`));
  }

  /**
   * Returns true if an imported module is around the type, and has no such member itself: `import ops.shout` of Scala
   * may name a member of `extension (text: String)` in `ops`.
   */
  isAroundOwner(facts: FileFacts, module: string): boolean {
    const { owner } = this.#definition;
    const modules = [module, `${facts.package}.${module}`];
    const dot = owner.lastIndexOf(".");
    const isOther = this.names.others.some((one) => modules.includes(one.owner));
    return dot > 0 && modules.includes(owner.slice(0, dot)) && !isOther;
  }

  /**
   * Returns true if a file imports the member under a name, which means no other one there. A member of the type
   * around the site comes first, unless the name is an alias.
   */
  #isImportedMember(facts: FileFacts, [path, ownClass]: Place, name: string): boolean {
    const own = this.#definition.name;
    const isAlias = name !== own;
    if (!isAlias && this.names.others.some((one) => one.path === path && one.owner === ownClass)) return false;
    const wildcards = isAlias ? [] : (facts.imports.get("*") ?? []);
    const imports = [...(facts.imports.get(name) ?? []), ...wildcards];
    return imports.some((one) => [own, "*"].includes(one.name) && this.isOwner(facts, one.module));
  }

  /** The path and symbol of the type around a node; in C++ also one of a header. */
  #place(facts: FileFacts, node: RelatedNode): Place {
    const ownClass = facts.enclosingClass(node.symbol);
    const [outer] = rpartition(node.symbol ?? "", ".");
    if (ownClass || !outer || traits(node.language).family !== "c") return [facts.path, ownClass];
    const definition = this.#definition;
    const owners = new Set(this.names.others.map(({ path, owner }) => typeKey(path, owner)));
    owners.delete(typeKey(definition.path, definition.owner));
    const isOuter = (key: string) => `.${partition(key, "\0")[1]}`.endsWith(`.${outer}`);
    const below = [...this.family.allBelow].filter(isOuter).sort(compareText);
    const others = [...owners].filter((key) => isOuter(key) && !this.family.allBelow.has(key));
    const near = others.filter((key) => {
      const [path, symbol] = partition(key, "\0");
      return path === facts.path && symbol !== definition.owner;
    });
    const [nearest] = near.sort(compareText);
    if (nearest !== undefined) return partition(nearest, "\0");
    const [own] = below;
    const [other] = others;
    const isAlone = other === undefined || facts.path === definition.path;
    if (own !== undefined && (isAlone || this.names.importsModuleOf(facts, this.owner))) return partition(own, "\0");
    if (own === undefined && other !== undefined && others.length === 1) return partition(other, "\0");
    return [facts.path, others.length > 0 ? outer : ""];
  }

  /** Returns true if a receiver that no declaration binds is a type, as in `Cart.create()`. */
  #mayBeType(facts: FileFacts, name: string): boolean {
    const isKnown = facts.imports.has(name) || this.names.hasMember(name);
    return this.family.names.has(name) || (isKnown && /^\p{Lu}/u.test(name));
  }

  /** Returns true if a receiver is a field of the owner's type, in a type of another file. */
  #isField(facts: FileFacts, node: RelatedNode, receiver: string, line: number): boolean {
    const [outer, field] = rpartition(receiver, ".");
    if (!outer || this.family.holders.size === 0) return false;
    const [type] = facts.typesOf(node.symbol, outer, line);
    if (type === undefined) return false;
    const holders = this.family.holders.get(`${lastName(type)}.${field}`) ?? [];
    return holders.some((holder) => traits(holder.language).imports !== "folders" || this.names.isSeen(facts, type, holder));
  }

  /** A receiver of the first of these types that has such a member, as far as is known. */
  #isOfTypes(facts: FileFacts, node: RelatedNode, types: readonly string[]): Resolution {
    let result = possible("RECEIVER");
    for (const typeName of types) {
      if (typeName.endsWith("()")) result = resolvedIf(this.#isMade(facts, typeName.slice(0, -2)), "RECEIVER");
      else result = this.#types.resolve(facts, node, typeName);
      if (result.outcome !== "POSSIBLE" || this.names.hasMember(lastName(typeName))) return result;
    }
    return result;
  }

  /**
   * Returns true if a call as a receiver in Go, such as `NewCart()`, returns the owner.
   *
   * False if the node calls functions of several packages by this name.
   */
  #isChained(facts: FileFacts, node: RelatedNode, receiver: string): boolean {
    const name = receiver.slice(0, -2);
    const packages = [...new Set((packagesOf(node).get(name) ?? new Map<number, string>()).values())];
    if (name.includes(".") || packages.length !== 1) return false;
    return this.#isMade(facts, packages[0] ? `${packages[0]}.${name}` : name);
  }

  /** Returns true if a function that a file calls returns the owner. */
  #isMade(facts: FileFacts, called: string): boolean {
    const [module, name] = rpartition(called, ".");
    return this.family.makers
      .filter((maker) => maker.name === name)
      .some((maker) => {
        return module ? this.names.hasPackage(facts, module, maker) : inSamePackage(facts.path, facts.package, maker);
      });
  }

  #isBuiltIn(facts: FileFacts, typeName: string): boolean {
    return isBuiltIn(facts, typeName, this.#definition, this.family);
  }
}

/** The type that an extension of Kotlin outside of a type extends; empty for other nodes. */
function extendedType(facts: FileFacts, { symbol, nodeType, language }: RelatedNode): string {
  const [outer] = rpartition(symbol ?? "", ".");
  const isExtension = traits(language).extensionReceivers && outer !== facts.package && nodeType === "method";
  return isExtension ? lastName(outer) : "";
}

/** Returns true if a receiver is no variable: `Time` and `u32`; `str` may be one. */
function isTypeName(receiver: string): boolean {
  return /^\p{Lu}|\p{Nd}$/u.test(receiver);
}
