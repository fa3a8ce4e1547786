/**
 * Tells whether the declared type of a receiver is one whose members are a definition's. Mirrors
 * `feeder.relations.receiver_types`.
 */

import { compareText, partition, rpartition } from "../python_strings.ts";
import { type Relation, USE } from "../relation.ts";
import type { RelatedNode } from "../store/relations.ts";
import { lastName } from "../text.ts";
import { traits } from "../traits.ts";
import { type FileFacts, UNKNOWN_PACKAGE } from "./file_facts.ts";
import type { Implements } from "./go_interfaces.ts";
import { type Definition, nearestSymbol, typeKey, typeOf } from "./modules.ts";
import type { NameResolver } from "./name_resolution.ts";
import { elsewhere, isElsewhere, possible, RESOLVED, type Resolution, resolvedIf, surest } from "./outcomes.ts";

/**
 * The types whose members of a name are the definition's, as keys.
 *
 * `own` are the owner and the types below it that do not define the name again; `names` their last parts.
 * `allBelow` includes those that define it again. `makers` are functions of the owner's package that return it,
 * `holders` the types with fields that have its type, by their last names and the name of the field after a dot.
 * `dispatch` has, by their last names, the interfaces of Go that the owner may implement, of an interface the types
 * that may implement it. A family `isClosed` if no other type, as of a library, can be above
 * the owner, or below it without a line in the index that says it. `withConstructor` are the types with a
 * method that gets the labels of `Cart(total=3)`, by their last names.
 */
export interface Family {
  readonly own: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  readonly allBelow: ReadonlySet<string>;
  readonly makers: readonly Definition[];
  readonly holders: ReadonlyMap<string, readonly Definition[]>;
  readonly dispatch: ReadonlyMap<string, readonly Implementing[]>;
  readonly isClosed: boolean;
  readonly withConstructor: ReadonlySet<string>;
}

/** A type of Go, and whether it or the definition's own type implements the other one. */
export interface Implementing {
  readonly type: Definition;
  readonly implements: Implements;
}

export const NO_FAMILY: Family = {
  own: new Set(),
  names: new Set(),
  allBelow: new Set(),
  makers: [],
  holders: new Map(),
  dispatch: new Map(),
  isClosed: false,
  withConstructor: new Set(),
};

/** Compares types, as a file writes them, with the types of a member's family; `owner` is the member's own type. */
export class ReceiverTypes {
  readonly #definition: Definition;
  readonly #ownSymbols: ReadonlySet<string>;

  constructor(
    private readonly names: NameResolver,
    private readonly owner: Definition,
    private readonly family: Family,
  ) {
    this.#definition = names.definition;
    this.#ownSymbols = new Set([owner.symbol, ...[...family.own].map((key) => partition(key, "\0")[1])]);
  }

  /**
   * A receiver of a declared type: another type with such a member is another definition.
   *
   * A type may have its outer type, namespace or module before it: `List.Cursor`.
   */
  resolve(facts: FileFacts, node: RelatedNode, typeName: string): Resolution {
    return this.#ofInnerScope(facts, node, typeName) ?? this.#compare(facts, node, typeName);
  }

  #compare(facts: FileFacts, node: RelatedNode, typeName: string): Resolution {
    const { owner } = this;
    const [qualifier, name] = rpartition(typeName, ".");
    if (qualifier === UNKNOWN_PACKAGE && this.#isInFolders) return possible("RECEIVER");
    const isOwn = name === lastName(this.#definition.owner);
    if (qualifier && !this.#isInFolders) {
      if (isOwn || this.family.names.has(name)) return this.#byQualifier(facts, node, qualifier, name);
      typeName = name;
    }
    const mayBeOwn = isOwn || facts.imports.has(typeName);
    if (mayBeOwn && this.names.isSeen(facts, typeName, owner)) return RESOLVED;
    const implementing = this.#implementing(facts, typeName);
    if (implementing.length > 0) return commonResolution(implementing);
    if (isOwn) return this.#isOfModule(facts, typeName, owner);
    const imported = facts.imports.get(typeName) ?? [];
    const { names } = this.family;
    if (names.has(name) || imported.some((one) => names.has(one.name))) return RESOLVED;
    if (!this.names.hasMember(name)) {
      if (isBuiltIn(facts, typeName, this.#definition, this.family)) return elsewhere("BUILT_IN");
      const other = this.family.isClosed ? this.names.ofOtherModule(facts, typeName) : null;
      return other ?? possible("RECEIVER");
    }
    // Go: an interface's method may be this one, or the interface's be called on this type
    const ofType = this.names.others.filter((one) => lastName(one.owner) === name);
    const isDynamic = [this.#definition, ...ofType].some((one) => one.isAbstract);
    return isDynamic ? possible("RECEIVER") : this.names.anotherOfType(name);
  }

  /** Returns true for Go, where each type of another package has it before. */
  get #isInFolders(): boolean {
    return traits(this.owner.language).imports === "folders";
  }

  /**
   * Another type that has such a member, if a type's name means that one in a node.
   *
   * `Cursor` in a function of `List` is `List.Cursor`, and `List.Cursor` is no other `Cursor`. An imported type
   * comes first.
   */
  #ofInnerScope(facts: FileFacts, node: RelatedNode, typeName: string): Resolution | null {
    if (this.#isInFolders || facts.imports.has(partition(typeName, ".")[0])) return null;
    const own = this.#ownSymbols;
    const name = lastName(typeName);
    const named = [...own].filter((symbol) => lastName(symbol) === name);
    if (named.length === 0) return null;
    const { globalScope, packageScope } = traits(node.language);
    const isShared = globalScope || packageScope === "package";
    const visible = new Set(
      this.names.others
        .filter(({ path, owner }) => lastName(owner) === name && !own.has(owner) && (isShared || path === facts.path))
        .map(({ owner }) => owner),
    );
    if (visible.size === 0) return null;
    const nearest = nearestSymbol(node.symbol ?? "", typeName, new Set([...visible, ...own]));
    const outer = [...visible, ...named]
      .filter((symbol) => symbol !== nearest)
      .map((symbol) => lastName(rpartition(symbol, ".")[0]))
      .filter(Boolean);
    const isInherited = typeName === name && outer.some((symbol) => facts.extends(symbol)); // one of them
    if (isInherited) return possible("COMPETING");
    if (own.has(nearest) || !visible.has(nearest)) return null;
    return this.names.another(({ owner }) => owner === nearest);
  }

  /**
   * A receiver of a type behind a module, namespace or outer type: the owner, or one below it that has the owner's
   * member.
   */
  #byQualifier(facts: FileFacts, node: RelatedNode, qualifier: string, name: string): Resolution {
    if (qualifier.includes(UNKNOWN_PACKAGE)) return possible("RECEIVER"); // also a template: `List<T>::Cursor`
    const written: Relation = { name, kind: USE, qualifier, lines: "" };
    const { symbol: ownSymbol, language } = this.owner;
    const below = [...this.family.own]
      .sort(compareText)
      .map((key) => partition(key, "\0"))
      .filter(([, symbol]) => lastName(symbol) === name && symbol !== ownSymbol)
      .map(([path, symbol]) => typeOf(path, symbol, language));
    const types = name === lastName(ownSymbol) ? [this.owner, ...below] : below;
    const [first, ...others] = types.map((type) => this.names.resolverOfType(type).resolveQualified(facts, node, written));
    return surest([first!, ...others]);
  }

  /** A receiver of a type with the owner's name, which the file does not declare or import. */
  #isOfModule(facts: FileFacts, typeName: string, owner: Definition): Resolution {
    if (facts.imports.has(typeName)) {
      const isOther = isElsewhere(this.names.typeRefers(facts, typeName, owner));
      return isOther ? elsewhere("ANOTHER_TYPE") : possible("RECEIVER");
    }
    if (facts.declaresType(typeName)) return elsewhere("ANOTHER_TYPE");
    const [packageName] = rpartition(typeName, "."); // as in `shop.Cart()`
    const isInFolder = traits(owner.language).imports === "folders";
    if (packageName && isInFolder) {
      return this.names.goPackageRefers(facts, packageName, owner);
    }
    if (packageName || !this.names.importsModuleOf(facts, owner)) {
      return isInFolder ? elsewhere("ANOTHER_TYPE") : possible("RECEIVER");
    }
    const same = this.names.others.filter((one) => one.owner === owner.symbol);
    return resolvedIf(new Set(same.map((one) => typeKey(one.path, one.owner))).size === 1, "COMPETING");
  }

  /** For each type of Go that a name may mean, whether it stands for the owner. */
  #implementing(facts: FileFacts, typeName: string): Implements[] {
    const same = this.family.dispatch.get(lastName(typeName)) ?? [];
    const seen = same.filter(({ type }) => this.names.isSeen(facts, typeName, type));
    const isExact = seen.length > 0 || typeName.includes(".");
    const visible = isExact ? seen : same.filter(({ type }) => this.names.importsModuleOf(facts, type));
    return visible.map((one) => one.implements);
  }
}

/** Returns true if a type is one of the language, which cannot have the definition. */
export function isBuiltIn(facts: FileFacts, typeName: string, { language }: Definition, { isClosed }: Family): boolean {
  const isKnown = traits(language).builtinTypes.includes(typeName);
  return isClosed && isKnown && !facts.imports.has(typeName) && !facts.declaresType(typeName);
}

/** The resolution of a member of one of some types, which is only possible if they differ. */
function commonResolution(implementing: readonly Implements[]): Resolution {
  const [first, ...others] = new Set(implementing);
  if (others.length > 0 || first === "UNKNOWN") return possible("INTERFACE");
  return first === "YES" ? RESOLVED : elsewhere("ANOTHER_TYPE");
}
