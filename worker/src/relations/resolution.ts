/**
 * Decides whether a site refers to a definition, from what the files say: imports, enclosing class, declared types
 * of receivers, package, and uniqueness of the name. Mirrors `feeder.relations.resolution`.
 */

import { constants } from "../../build/worker_data.json";
import { groupBy } from "../collections.ts";
import { Pattern } from "../python_regex.ts";
import { partition, rpartition } from "../python_strings.ts";
import {
  BINDING,
  CALL,
  hasKind,
  hasNamed,
  IMPLEMENTS,
  IMPORT,
  INHERITS,
  LITERAL_KEY,
  MENTION,
  moduleAndAlias,
  PARAMETER,
  type Relation,
  USE,
} from "../relation.ts";
import { sortBy } from "../sorting.ts";
import { decodeRelations, lineNumbers, type RelatedNode } from "../store/relations.ts";
import { traits } from "../traits.ts";
import type { Implements } from "./go_interfaces.ts";
import {
  COMMONJS_RECEIVERS,
  type Definition,
  inNoPackage,
  inSamePackage,
  isSameDefinition,
  packageOf,
} from "./modules.ts";
import { ALL, DEFAULT, type ExportFinder, type Site } from "./exports.ts";
import { isStandardModule, type ModulePaths } from "./module_paths.ts";
import { elsewhere, isElsewhere, isResolved, possible, RESOLVED, type Resolution, resolvedIf, surest } from "./outcomes.ts";

const SELF_NAMES = new Set(constants.file_facts.SELF_NAMES);
const { UNKNOWN_PACKAGE } = constants.file_facts;
const COMPOUND = new Pattern(constants.member_resolution.COMPOUND_PATTERN);

/** An imported name, empty for the module itself and `*` for all its names. */
interface Import {
  readonly module: string;
  readonly name: string;
}

/**
 * The line that declares a variable, and its type, or `NewCart()` for the result of a call.
 *
 * In Go a type of another package has the package before it, as in `shop.Cart`, or `?` if the line has the name with
 * several.
 */
interface Binding {
  readonly line: number;
  readonly typeName: string;
}

type Bindings = ReadonlyMap<string, readonly Binding[]>;

/** The imports, types and declared variables of a file. */
export class FileFacts {
  #imports: Map<string, Import[]> | undefined;
  #packageNames: Set<string> | undefined;
  #package: string | undefined;
  #classes: Set<string> | undefined;
  #symbols: Set<string> | undefined;
  #bindings: Map<string, Map<string, Binding[]>> | undefined;
  #bindingsOfTypes: Map<string, Bindings[]> | undefined;

  constructor(
    readonly path: string,
    readonly nodes: readonly RelatedNode[],
  ) {}

  /** Imports by the local name that they bind; wildcard imports are under `*`. */
  get imports(): ReadonlyMap<string, readonly Import[]> {
    return (this.#imports ??= readImports(this.nodes));
  }

  /** The names of packages that the file imports, as its code writes them. */
  get importedPackages(): ReadonlySet<string> {
    const modules = [...this.imports.keys()].map(withoutVersion);
    return (this.#packageNames ??= new Set(modules.map((module) => rpartition(module, "/")[1])));
  }

  /** The prefix of all qualified symbols of the file, such as `acme.shop`. */
  get package(): string {
    return (this.#package ??= this.#readPackage());
  }

  #readPackage(): string {
    const all = this.nodes.flatMap(({ symbol }) => symbol || []);
    const types = this.nodes.flatMap(({ symbol, nodeType }) => (nodeType === "class" && symbol) || []);
    const [first, ...others] = types.length > 0 ? types : all;
    if (first === undefined) return "";
    const shortest = others.reduce((best, one) => ([...one].length < [...best].length ? one : best), first);
    return rpartition(shortest, ".")[0];
  }

  /** The symbols of the file's types. */
  get classes(): ReadonlySet<string> {
    return (this.#classes ??= new Set(
      this.nodes.flatMap(({ symbol, nodeType }) => (nodeType === "class" && symbol) || []),
    ));
  }

  /** The symbols of the file's types and of its nodes with relations. */
  get symbols(): ReadonlySet<string> {
    return (this.#symbols ??= new Set(this.nodes.flatMap(({ symbol }) => symbol || [])));
  }

  /**
   * The declarations of each variable, field and parameter, by the symbol of the node.
   *
   * A name has several where closures have parameters of the same name.
   */
  get bindings(): ReadonlyMap<string, Bindings> {
    return (this.#bindings ??= readBindings(this.nodes));
  }

  /** The bindings of each type and of its members, in the order of the file. */
  #bindingsOfType(owner: string): readonly Bindings[] {
    if (!this.#bindingsOfTypes) {
      this.#bindingsOfTypes = new Map();
      for (const [symbol, own] of this.bindings) {
        for (const name of new Set([symbol, rpartition(symbol, ".")[0]])) {
          this.#bindingsOfTypes.set(name, [...(this.#bindingsOfTypes.get(name) ?? []), own]);
        }
      }
    }
    return this.#bindingsOfTypes.get(owner) ?? [];
  }

  /** Returns true if each binding is a declaration: elsewhere it may be another assignment. */
  get #isShadowing(): boolean {
    return traits(this.nodes[0]?.language ?? null).redeclaresNames;
  }

  declaresType(name: string): boolean {
    return [...this.classes].some((symbol) => rpartition(symbol, ".")[1] === name);
  }

  /** The symbol of the innermost type around a node, or of the node itself. */
  enclosingClass(symbol: string | null): string {
    for (let outer = symbol ?? ""; outer; outer = rpartition(outer, ".")[0]) {
      if (this.classes.has(outer)) return outer;
    }
    return "";
  }

  /**
   * The types that a receiver may have on a line of a node, the most probable first.
   *
   * Empty if the file does not say any. Of a name that is declared anew in closures and blocks, the last declaration
   * above the line comes first.
   */
  typesOf(symbol: string | null, receiver: string, line: number): string[] {
    let [first = "", ...fields] = receiver.split(".");
    const isMember = SELF_NAMES.has(first);
    if (isMember) [first = "", ...fields] = fields;
    let types = this.#typesOfName(symbol, first.replace(/^\$+/, ""), line, isMember);
    for (const field of fields) {
      const owners = [...this.classes].filter((one) => types.includes(rpartition(one, ".")[1]));
      types = owners.flatMap((one) => this.#typesOfMember(one, field) ?? []);
    }
    return types;
  }

  /** Returns true if the first name of a receiver has several types in a node, one by one. */
  hasTypes(symbol: string | null, receiver: string): boolean {
    if (!this.#isShadowing) return false;
    const [first] = partition(receiver, ".");
    const declared = this.bindings.get(symbol ?? "")?.get(first.replace(/^\$+/, ""));
    return declared !== undefined && !onlyType(declared);
  }

  /**
   * Returns true if a file says the type of a receiver's first name, or another package does.
   *
   * The result of a function of the own package, or of a method, may have any type.
   */
  hasType(symbol: string | null, receiver: string, line: number): boolean {
    const [first] = partition(receiver, ".");
    const types = first ? this.typesOf(symbol, first, line) : [];
    return types.some((type) => !type.endsWith("()") || this.importedPackages.has(partition(type, ".")[0]));
  }

  #typesOfName(symbol: string | null, name: string, line: number, isMember: boolean): string[] {
    const own = isMember ? undefined : this.bindings.get(symbol ?? "")?.get(name);
    if (own) return typesAt(own, line, this.#isShadowing);
    const owner = this.enclosingClass(symbol);
    const types = owner ? this.#typesOfMember(owner, name) : null;
    return types ?? nonEmpty(onlyType(this.bindings.get("")?.get(name) ?? []));
  }

  /** The type of a field; null if the type does not declare it here. */
  #typesOfMember(owner: string, name: string): string[] | null {
    const declared = this.#bindingsOfType(owner).find((own) => own.has(name))?.get(name);
    return declared ? nonEmpty(onlyType(declared)) : null;
  }
}

/** The type of all declarations of a name; empty if they have several. */
function onlyType(declared: readonly Binding[]): string {
  const types = new Set(declared.map(({ typeName }) => typeName));
  return types.size === 1 ? [...types][0]! : "";
}

/** The types of a name on a line, the last declaration above it first. */
function typesAt(declared: readonly Binding[], line: number, isShadowing: boolean): string[] {
  const only = onlyType(declared);
  if (only || !isShadowing) return nonEmpty(only);
  const above = declared.filter((one) => one.line < line);
  const nearest = sortBy(above, ({ line, typeName }) => [line, typeName]).reverse();
  const beside = declared.filter((one) => one.line === line);
  return [...new Set([...nearest, ...beside].map(({ typeName }) => typeName))].filter(Boolean);
}

function nonEmpty(name: string): string[] {
  return name ? [name] : [];
}

function readImports(nodes: readonly RelatedNode[]): Map<string, Import[]> {
  const imports = new Map<string, Import[]>();
  for (const node of nodes) {
    if (!hasKind(node.relations, IMPORT)) continue;
    for (const relation of decodeRelations(node)) {
      if (relation.kind !== IMPORT) continue;
      const { name } = relation;
      const [module, alias] = moduleAndAlias(relation);
      const local = alias || name || module;
      imports.set(local, [...(imports.get(local) ?? []), { module, name }]);
    }
  }
  return imports;
}

function readBindings(nodes: readonly RelatedNode[]): Map<string, Map<string, Binding[]>> {
  const bindings = new Map<string, Map<string, Binding[]>>();
  for (const node of nodes) {
    const own = bindings.get(node.symbol ?? "") ?? new Map<string, Binding[]>();
    bindings.set(node.symbol ?? "", own);
    if (!hasKind(node.relations, BINDING, PARAMETER)) continue;
    for (const relation of decodeRelations(node)) {
      const { name, kind, qualifier } = relation;
      if ((kind !== BINDING && kind !== PARAMETER) || !qualifier) continue;
      own.set(name, [...(own.get(name) ?? []), ...declarations(node, relation)]);
    }
  }
  for (const own of bindings.values()) {
    for (const [name, declared] of own) {
      const typeOf = (type: string) => (own.has(type) ? onlyType(own.get(type)!) : type); // self.cart = cart
      own.set(name, declared.map(({ line, typeName }) => ({ line, typeName: typeOf(typeName) })));
    }
  }
  return bindings;
}

/** The declarations of a variable, field or parameter, one for each line. */
export function declarations(node: RelatedNode, relation: Relation): Binding[] {
  const name = relation.qualifier;
  const isType = node.language === "go" && /^\p{Lu}/u.test(name);
  const packages = (isType && packagesOf(node).get(name)) || new Map<number, string>();
  return lineNumbers(node, relation).map((line) => {
    const packageName = packages.get(line);
    return { line, typeName: packageName ? `${packageName}.${name}` : name };
  });
}

type Packages = ReadonlyMap<string, ReadonlyMap<number, string>>;

/** Cached, because they are read for each field of a struct. */
const packagesOfNodes = new WeakMap<RelatedNode, Packages>();

/** The packages before the names of types by the lines of a node of Go; `?` if they differ. */
function packagesOf(node: RelatedNode): Packages {
  const known = packagesOfNodes.get(node);
  if (known) return known;
  const packages = new Map<string, Map<number, string>>();
  for (const one of decodeRelations(node)) {
    if (one.kind !== USE && one.kind !== CALL) continue;
    const lines = packages.get(one.name) ?? new Map<number, string>();
    packages.set(one.name, lines);
    for (const line of lineNumbers(node, one)) {
      const first = lines.get(line) ?? one.qualifier;
      lines.set(line, first === one.qualifier ? first : UNKNOWN_PACKAGE);
    }
  }
  packagesOfNodes.set(node, packages);
  return packages;
}

/** The path and the symbol of a type; the symbol is empty outside of types. */
type Place = readonly [path: string, symbol: string];

/** A key of a type: its path and symbol. */
export function typeKey(path: string, symbol: string): string {
  return `${path}\0${symbol}`;
}

/**
 * The types whose members of a name are the definition's, as keys.
 *
 * `own` are the owner and the types below it that do not define the name again; `names` their last parts.
 * `allBelow` includes those that define it again. A family `isClosed` if no other type, as of a library, can be above
 * the owner, or below it without a line in the index that says it.
 */
export interface Family {
  readonly own: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  readonly allBelow: ReadonlySet<string>;
  readonly isClosed?: boolean;
}

/** A type of Go, and whether it or the definition's own type implements the other one. */
export interface Implementing {
  readonly type: Definition;
  readonly implements: Implements;
}

export const NO_FAMILY: Family = { own: new Set(), names: new Set(), allBelow: new Set() };

/**
 * Resolves sites of one definition's name; `others` are all definitions of that name. `exports` follows imports, inside
 * of its `settled`.
 *
 * `makers` are functions of the owner's package that return it, `holders` the types with fields that have its type,
 * by their last names and the name of the field after a dot. `dispatch` has, by their last names, the interfaces of Go
 * that the owner may implement, of an interface the types that may implement it.
 */
export class Resolver {
  readonly #isUnique: boolean;
  readonly #resolvers = new Map<Definition, Resolver>();

  constructor(
    private readonly definition: Definition,
    private readonly others: readonly Definition[],
    private readonly owner: Definition | null,
    private readonly exports: ExportFinder,
    private readonly family: Family = NO_FAMILY,
    private readonly makers: readonly Definition[] = [],
    private readonly holders: ReadonlyMap<string, readonly Definition[]> = new Map(),
    private readonly dispatch: ReadonlyMap<string, readonly Implementing[]> = new Map(),
  ) {
    const known = others.filter(({ isLocal }) => !isLocal);
    this.#isUnique = new Set(known.map(({ path, symbol }) => typeKey(path, symbol))).size <= 1;
  }

  /** Each line of a relation with its resolution; see `resolve`. */
  resolveLines(facts: FileFacts, node: RelatedNode, relation: Relation): [line: number, resolved: Resolution][] {
    const [first = 0, ...others] = lineNumbers(node, relation);
    const resolved = this.resolve(facts, node, relation, first);
    const mayVary = others.length > 0 && this.#isMember && facts.hasTypes(node.symbol, relation.qualifier);
    const resolve = (line: number) => (mayVary ? this.resolve(facts, node, relation, line) : resolved);
    return [[first, resolved], ...others.map((line): [number, Resolution] => [line, resolve(line)])];
  }

  /** Resolves a relation; only the receiver's type depends on the line. */
  resolve(facts: FileFacts, node: RelatedNode, relation: Relation, line: number): Resolution {
    if (!areCompatible(node.language, this.definition.language)) return elsewhere("ANOTHER_LANGUAGE");
    if (relation.kind === IMPORT) return this.#resolveImport(facts, relation);
    if (isParameter(node, relation)) return elsewhere("LOCAL");
    const other = this.#knownOther(facts, node, relation);
    if (other) return other;
    if (relation.qualifier === LITERAL_KEY) return this.#resolveKey(facts, relation.name);
    if (this.definition.isExtension && (relation.kind === CALL || relation.kind === MENTION)) {
      return this.#resolveExtension(facts, node, relation, line);
    }
    if (this.#isMember) return this.#resolveMember(facts, node, relation, line);
    const mayBeQualified = [CALL, MENTION, INHERITS, IMPLEMENTS, USE].includes(relation.kind);
    if (relation.qualifier && mayBeQualified) return this.#resolveQualified(facts, node, relation);
    const nearest = this.#nearestConstant(node, relation.name);
    if (nearest && nearest !== this.definition.symbol) return this.#another(({ symbol }) => symbol === nearest);
    if (nearest.includes(".")) return RESOLVED;
    return this.#refers(facts, relation.name);
  }

  /** The evidence that a site's form or file alone gives, if any. */
  #knownOther(facts: FileFacts, node: RelatedNode, relation: Relation): Resolution | null {
    const { isFunction = false, isLocal, path } = this.definition;
    if (relation.qualifier === LITERAL_KEY && isFunction) return elsewhere("NOT_FUNCTION");
    const isApart = isFunction && traits(node.language).functionsApart;
    if (relation.kind === USE && isApart) return elsewhere("NOT_FUNCTION");
    if (!this.#isMember) return null;
    if (isLocal && facts.path !== path) return elsewhere("NOT_VISIBLE");
    return isApart && this.#isFieldAccess(node, relation) ? elsewhere("FIELD") : null;
  }

  /** A name before `:` in a literal: a field, or a constant if the type is a map. */
  #resolveKey(facts: FileFacts, name: string): Resolution {
    if (this.#isMember) return possible("RECEIVER");
    const result = this.#refers(facts, name);
    return isResolved(result) ? possible("RECEIVER") : result;
  }

  /** A call of an extension of Kotlin, whose receiver is a value of the extended type. */
  #resolveExtension(facts: FileFacts, node: RelatedNode, relation: Relation, line: number): Resolution {
    const { name, qualifier: receiver } = relation;
    const { names, own } = this.family;
    const result = this.#refers(facts, name);
    if (!isResolved(result)) return result;
    if (!this.#isUnique && !facts.imports.has(name)) return possible("COMPETING");
    if (!receiver || names.size === 0) return result;
    if (SELF_NAMES.has(receiver)) {
      return resolvedIf(own.has(typeKey(facts.path, facts.enclosingClass(node.symbol))), "RECEIVER");
    }
    const made = lastName(receiver);
    const ofMade = made.endsWith("()") ? [made.slice(0, -2)] : null; // Builder().signed(name)
    const [type] = ofMade ?? facts.typesOf(node.symbol, receiver, line).map(lastName);
    if (type !== undefined && this.#isBuiltIn(facts, type)) return elsewhere("BUILT_IN");
    return resolvedIf(type !== undefined && names.has(type), "RECEIVER");
  }

  /** Returns true if a type is one of the language, which cannot have the definition. */
  #isBuiltIn(facts: FileFacts, typeName: string): boolean {
    const isKnown = traits(this.definition.language).builtinTypes.includes(typeName);
    return (this.family.isClosed ?? false) && isKnown && !facts.imports.has(typeName) && !facts.declaresType(typeName);
  }

  /**
   * Returns true if a site is a field, where the definition is a method: `cart.size`.
   *
   * A path of Rust, as in `Cart::size`, may be a method as a value.
   */
  #isFieldAccess({ language }: RelatedNode, { kind, qualifier }: Relation): boolean {
    if (kind !== MENTION || !qualifier) return false;
    if (language !== "rust") return language === this.definition.language;
    const last = lastName(qualifier);
    return /^\p{Ll}/u.test(last) && !traits("rust").builtinTypes.includes(last);
  }

  /**
   * The symbol of a type's name in Ruby: the one of the innermost module around a node.
   *
   * Empty for other definitions, and if the index has none.
   */
  #nearestConstant(node: RelatedNode, name: string): string {
    if (node.language !== "ruby" || !this.definition.isType) return "";
    const symbols = new Set(this.others.map(({ symbol }) => symbol).filter((symbol) => symbol !== node.symbol));
    let [outer, symbol] = [node.symbol ?? "", ""];
    while (symbol !== name) {
      symbol = outer ? `${outer}.${name}` : name;
      if (symbols.has(symbol)) return symbol;
      outer = rpartition(outer, ".")[0];
    }
    return "";
  }

  get #isMember(): boolean {
    return this.owner !== null && !this.definition.isType;
  }

  /** The first other definition that matches, as what a site refers to instead. */
  #another(matches: (one: Definition) => boolean): Resolution {
    const others = this.others.filter((one) => !isSameDefinition(one, this.definition));
    return elsewhere("ANOTHER_DEFINITION", others.find(matches));
  }

  /** The member of another type, by the type's last name. */
  #anotherOfType(typeName: string): Resolution {
    const name = lastName(typeName);
    return this.#another(({ owner }) => lastName(owner) === name);
  }

  #resolveImport(facts: FileFacts, relation: Relation): Resolution {
    const [module] = moduleAndAlias(relation);
    if (this.#isMember) return this.#isOwner(facts, module) ? RESOLVED : elsewhere("ANOTHER_MODULE");
    return this.#resolveImportIn(facts.path, { module, name: relation.name });
  }

  /** Resolves a name without a receiver in a file to a definition of a module or package. */
  #refers(facts: FileFacts, name: string): Resolution {
    const { definition, others } = this;
    if (name === definition.name && facts.path === definition.path && !definition.owner) return RESOLVED;
    const [first, ...following] = facts.imports.get(name) ?? [];
    if (first) {
      return surest([this.#resolveImportIn(facts.path, first), ...following.map((one) => this.#resolveImportIn(facts.path, one))]);
    }
    if (name === definition.name) {
      if (facts.path === definition.path) return RESOLVED;
      if (definition.isLocal) return elsewhere("NOT_VISIBLE");
      const isOfModule = (one: Definition) => one.path === facts.path && !one.owner;
      if (others.some(isOfModule)) return this.#another(isOfModule);
    }
    const wildcards = (facts.imports.get(ALL) ?? []).filter((one) => one.name === ALL);
    const byWildcard = wildcards.map(({ module }) => this.#resolveImportIn(facts.path, { module, name }));
    if (byWildcard.some(isResolved)) return RESOLVED;
    if (name !== definition.name) return elsewhere("ANOTHER_NAME");
    if (inSamePackage(facts.path, facts.package, definition)) {
      // other types may nest one of the same name
      const isNested = definition.isType && definition.owner !== "";
      return resolvedIf(this.#isUnique || !isNested, "COMPETING");
    }
    const possibly = byWildcard.find((one) => !isElsewhere(one));
    if (possibly) return possibly;
    const isGlobal = traits(definition.language).globalScope || inNoPackage(facts.package, definition);
    return isGlobal ? resolvedIf(this.#isUnique, "COMPETING") : elsewhere("NOT_VISIBLE");
  }

  get #paths(): ModulePaths {
    return this.exports.paths;
  }

  /** Resolves the import of a name from a module, in the file at a path. */
  #resolveImportIn(path: string, { module, name }: Import): Resolution {
    const { definition, others } = this;
    const paths = this.#paths;
    const isOwnName = name === definition.name || name === ALL;
    if (isOwnName && paths.names(module, path, definition)) return RESOLVED;
    if (this.#isExported(path, module, name)) return RESOLVED;
    const isAround = paths.names(module, path, definition) || paths.isParent(module, path, definition);
    if (name === DEFAULT && isAround) return possible("MODULE"); // `export default wrap(Cart)`
    if (!isOwnName) return elsewhere("ANOTHER_NAME");
    const isOfModule = (one: Definition) => !isSameDefinition(one, definition) && paths.names(module, path, one);
    if (others.some(isOfModule)) return this.#another(isOfModule);
    if (paths.isParent(module, path, definition)) {
      const near = others.filter((one) => paths.isParent(module, path, one));
      return resolvedIf(near.length === 1, "COMPETING");
    }
    const isScript = traits(definition.language).family === "scripts";
    if (module.startsWith(".") && isScript) return resolvedIf(this.#isUnique, "COMPETING");
    return this.#unfollowed({ path, language: definition.language }, module);
  }

  /** Returns true if a module exports the definition by a name, as far as files say. */
  #isExported(path: string, module: string, name: string): boolean {
    return this.exports.has(this.definition, module, { path, language: this.definition.language }, name);
  }

  /**
   * Returns true if a receiver is a module that another one exports by a name.
   *
   * `K.fire()` with `import { K } from "./mid"`, `All.K.fire()` with `import * as All`.
   */
  #isInSpace(facts: FileFacts, receiver: string, name: string): boolean {
    const [first, rest] = partition(receiver, ".");
    const site = { path: facts.path, language: this.definition.language };
    return (facts.imports.get(first) ?? []).some((one) => {
      const isWhole = one.name === "" || one.name === ALL;
      if ((rest !== "") !== isWhole) return false;
      return this.exports.hasInSpace(this.definition, one.module, site, rest || one.name, name);
    });
  }

  /**
   * An import that leads to no file with the definition, or cannot be followed.
   *
   * `import { add } from "left-pad"` means a dependency if no folder or file is called `left`.
   */
  #unfollowed(site: Site, module: string): Resolution {
    if (!traits(site.language).reexports || this.exports.isIndexed(module, site)) return elsewhere("ANOTHER_MODULE");
    if (module.startsWith(".")) return possible("MODULE");
    const isOutside = isStandardModule(module, site.language) || !this.exports.isInside(module);
    return isOutside ? elsewhere("DEPENDENCY") : possible("MODULE");
  }

  /**
   * Returns true if an imported module is the type around the definition, as in `import static
   * shop.Cart.open`, or its name within the file's package.
   */
  #isOwner(facts: FileFacts, module: string): boolean {
    return [module, `${facts.package}.${module}`].includes(this.definition.owner);
  }

  /** Returns true if a file imports the member, and the type around the site has none. */
  #isImportedMember(facts: FileFacts, [path, ownClass]: Place): boolean {
    if (this.others.some((one) => one.path === path && one.owner === ownClass)) return false;
    const { name } = this.definition;
    const imports = [...(facts.imports.get(name) ?? []), ...(facts.imports.get("*") ?? [])];
    return imports.some((one) => [name, "*"].includes(one.name) && this.#isOwner(facts, one.module));
  }

  /** The path and symbol of the type around a node; in C++ also one of a header. */
  #place(facts: FileFacts, node: RelatedNode): Place {
    const ownClass = facts.enclosingClass(node.symbol);
    const [outer] = rpartition(node.symbol ?? "", ".");
    if (ownClass || !outer || traits(node.language).family !== "c") return [facts.path, ownClass];
    const owners = this.others.map(({ path, owner }) => typeKey(path, owner));
    const [key, another] = [...new Set([...owners, ...this.family.allBelow])].filter((one) => {
      return `.${partition(one, "\0")[1]}`.endsWith(`.${outer}`);
    });
    return key === undefined || another !== undefined ? [facts.path, ""] : partition(key, "\0");
  }

  /** A name of a module with a receiver: a module, a package or an outer type. */
  #resolveQualified(facts: FileFacts, node: RelatedNode, { name, qualifier: receiver }: Relation): Resolution {
    const { definition } = this;
    const { owner, language } = definition;
    const [first] = partition(receiver, ".");
    const isImported = facts.imports.has(first); // import * as module from "./cart.js"
    const isOwnModule = COMMONJS_RECEIVERS.has(receiver) && !isImported;
    if (isOwnModule && traits(language).family === "scripts") {
      return facts.path === definition.path ? RESOLVED : elsewhere("ANOTHER_MODULE");
    }
    if (owner && rpartition(receiver, ".")[1] === rpartition(owner, ".")[1]) return RESOLVED;
    if (receiver && receiver === packageOf(definition) && !definition.packageName) return RESOLVED;
    const paths = this.#paths;
    const modules = [...this.#modulesOf(facts, receiver)];
    const isOwnName = name === definition.name;
    if (isOwnName && modules.some((one) => paths.names(one, facts.path, definition))) return RESOLVED;
    if (modules.some((one) => this.#isExported(facts.path, one, name))) return RESOLVED;
    if (this.#isInSpace(facts, receiver, name)) return RESOLVED;
    if (!isOwnName) return elsewhere("ANOTHER_NAME");
    if (modules.some((one) => paths.isParent(one, facts.path, definition))) return resolvedIf(this.#isUnique, "MODULE");
    if (language === "go") return goPackageRefers(definition, facts, receiver, importsModuleOf(paths, facts, definition));
    if (isImported || facts.imports.has(receiver)) return elsewhere("ANOTHER_MODULE");
    if (SELF_NAMES.has(receiver) || traits(language).importedReceivers) return elsewhere("ANOTHER_TYPE");
    if (definition.isType && this.#hasMember(rpartition(receiver, ".")[1])) return this.#anotherOfType(receiver);
    return definition.isType || !node.symbol ? possible("OUTER_SCOPE") : elsewhere("ANOTHER_TYPE");
  }

  /** The modules that a receiver may name in a file. */
  *#modulesOf(facts: FileFacts, receiver: string): Iterable<string> {
    if (this.definition.language === "rust") yield receiver; // a path needs no import
    const [first, rest] = partition(receiver, ".");
    const suffix = rest ? `.${rest}` : "";
    for (const { module, name } of [...(facts.imports.get(receiver) ?? []), ...(facts.imports.get(first) ?? [])]) {
      if (!name) yield facts.imports.has(receiver) ? module : module + suffix;
      else if (name === "*" || name === "default") yield module;
      else yield `${module}${module.endsWith(".") ? "" : "."}${name}${suffix}`;
    }
    for (const imports of facts.imports.values()) {
      for (const { module, name } of imports) {
        const isNamed = module === receiver || rpartition(withoutVersion(module), "/")[1] === receiver;
        if (!name && isNamed) yield module;
      }
    }
  }

  /** A member of a type, by its receiver. */
  #resolveMember(facts: FileFacts, node: RelatedNode, relation: Relation, line: number): Resolution {
    const { qualifier: receiver } = relation;
    const { language } = node;
    const own = traits(language);
    const place = this.#place(facts, node);
    if (!receiver) {
      const mayBeImplicit = relation.kind === CALL || relation.kind === MENTION;
      if (!mayBeImplicit || !own.implicitReceiver) return elsewhere("NO_MEMBER");
      if (this.#isImportedMember(facts, place)) return RESOLVED;
      return this.#inClass(place, true);
    }
    if (receiver === "super()" || receiver === "super" || receiver === own.baseReceiver) {
      const { owner } = this;
      if (owner && place[0] === owner.path && place[1] === owner.symbol) return elsewhere("BASE_MEMBER");
      const isBelow = this.family.allBelow.has(typeKey(...place));
      if (isBelow || language !== "csharp") return resolvedIf(isBelow, "BASE");
    }
    if (SELF_NAMES.has(receiver)) return this.#inClass(place, false);
    const last = rpartition(receiver, ".")[1];
    if (last.endsWith("()")) {
      if (language === "go" && this.#isChained(facts, node, receiver)) return RESOLVED;
      return this.#isInFamily(facts, last.slice(0, -2));
    }
    let types = facts.typesOf(node.symbol, receiver, line);
    if (types.length === 0 && this.#isField(facts, node, receiver, line)) return RESOLVED;
    const isField = node.language === "go" && facts.hasType(node.symbol, rpartition(receiver, ".")[0], line);
    if (types.length === 0 && !isField && this.#mayBeType(facts, last)) types = [last];
    if (types.length > 0) return this.#isOfTypes(facts, types);
    if (isTypeName(receiver) && this.#isBuiltIn(facts, receiver)) return elsewhere("BUILT_IN");
    const isPlainType = own.variableSigil !== "" && /^\p{L}/u.test(receiver) && !receiver.includes("(");
    const isOtherType = isPlainType || this.#isBuiltIn(facts, partition(receiver, ".")[0]);
    const isOnly = this.#isUnique && relation.kind === CALL && !isOtherType && COMPOUND.test(relation.name);
    return resolvedIf(isOnly, "RECEIVER");
  }

  /** A member of the type around the site, of a path and symbol. */
  #inClass([path, ownClass]: Place, isImplicit: boolean): Resolution {
    for (let symbol = ownClass; symbol; symbol = isImplicit ? rpartition(symbol, ".")[0] : "") {
      if (this.family.own.has(typeKey(path, symbol))) return RESOLVED;
      const isIn = (one: Definition) => one.owner === symbol && one.path === path;
      if (this.others.some(isIn)) return this.#another(isIn);
    }
    return ownClass ? possible("BASE") : elsewhere("NO_MEMBER");
  }

  /** Returns true if a receiver that no declaration binds is a type, as in `Cart.create()`. */
  #mayBeType(facts: FileFacts, name: string): boolean {
    const isKnown = facts.imports.has(name) || this.#hasMember(name);
    return this.family.names.has(name) || (isKnown && /^\p{Lu}/u.test(name));
  }

  /** Returns true if a receiver is a field of the owner's type, in a type of another file. */
  #isField(facts: FileFacts, node: RelatedNode, receiver: string, line: number): boolean {
    const [outer, field] = rpartition(receiver, ".");
    if (!outer || this.holders.size === 0) return false;
    const [type] = facts.typesOf(node.symbol, outer, line);
    if (type === undefined) return false;
    const holders = this.holders.get(`${lastName(type)}.${field}`) ?? [];
    return holders.some((holder) => holder.language !== "go" || this.#isSeen(facts, type, holder));
  }

  /** A receiver of the first of these types that has such a member, as far as is known. */
  #isOfTypes(facts: FileFacts, types: readonly string[]): Resolution {
    let result = possible("RECEIVER");
    for (const typeName of types) {
      if (typeName.endsWith("()")) result = resolvedIf(this.#isMade(facts, typeName.slice(0, -2)), "RECEIVER");
      else if (typeName.startsWith(UNKNOWN_PACKAGE)) result = possible("RECEIVER");
      else result = this.#isInFamily(facts, typeName);
      if (result.outcome !== "POSSIBLE" || this.#hasMember(lastName(typeName))) return result;
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
    return this.makers
      .filter((maker) => maker.name === name)
      .some((maker) => {
        return module ? this.#hasPackage(facts, module, maker) : inSamePackage(facts.path, facts.package, maker);
      });
  }

  /** Returns true if a type defines a member of this name. */
  #hasMember(typeName: string): boolean {
    return this.others.some((one) => rpartition(one.owner, ".")[1] === typeName);
  }

  /** A receiver of a declared type: another type with such a member is another definition. */
  #isInFamily(facts: FileFacts, typeName: string): Resolution {
    const { owner } = this;
    const name = lastName(typeName);
    const isOwn = owner !== null && name === lastName(this.definition.owner);
    const mayBeOwn = isOwn || facts.imports.has(typeName);
    if (mayBeOwn && owner && this.#isSeen(facts, typeName, owner)) return RESOLVED;
    const implementing = this.#implementing(facts, typeName);
    if (implementing.length > 0) return commonResolution(implementing);
    if (isOwn) return this.#isOfModule(facts, typeName, owner);
    const imported = facts.imports.get(typeName) ?? [];
    const { names } = this.family;
    if (names.has(name) || imported.some((one) => names.has(one.name))) return RESOLVED;
    if (!this.#hasMember(name)) return this.#isBuiltIn(facts, typeName) ? elsewhere("BUILT_IN") : possible("RECEIVER");
    // Go: an interface's method may be this one, or the interface's be called on this type
    const ofType = this.others.filter((one) => lastName(one.owner) === name);
    const isDynamic = [this.definition, ...ofType].some((one) => one.isAbstract);
    return isDynamic ? possible("RECEIVER") : this.#anotherOfType(name);
  }

  /** Returns true if a name of a type, in Go with its package, is a type's in a file. */
  #isSeen(facts: FileFacts, typeName: string, type: Definition): boolean {
    const [packageName, name] = rpartition(typeName, ".");
    if (packageName) return this.#hasPackage(facts, packageName, type);
    const resolver = this.#resolvers.get(type) ?? new Resolver(type, [type], null, this.exports);
    this.#resolvers.set(type, resolver);
    return isResolved(resolver.#refers(facts, name));
  }

  /** Returns true if a module or package, as a file writes it, has a definition. */
  #hasPackage(facts: FileFacts, packageName: string, definition: Definition): boolean {
    const modules = [...new Set(this.#modulesOf(facts, packageName))];
    if (modules.some((module) => this.#paths.names(module, facts.path, definition))) return true;
    if (definition.language !== "go") return false;
    const isInImport = importsModuleOf(this.#paths, facts, definition);
    return isResolved(goPackageRefers(definition, facts, packageName, isInImport));
  }

  /** A receiver of a type with the owner's name, which the file does not declare or import. */
  #isOfModule(facts: FileFacts, typeName: string, owner: Definition): Resolution {
    if (facts.imports.has(typeName) || facts.declaresType(typeName)) return elsewhere("ANOTHER_TYPE");
    const [packageName] = rpartition(typeName, "."); // as in `shop.Cart()`
    if (packageName && owner.language === "go") {
      return goPackageRefers(owner, facts, packageName, importsModuleOf(this.#paths, facts, owner));
    }
    if (packageName || !importsModuleOf(this.#paths, facts, owner)) {
      return owner.language === "go" ? elsewhere("ANOTHER_TYPE") : possible("RECEIVER");
    }
    const same = this.others.filter((one) => one.owner === owner.symbol);
    return resolvedIf(new Set(same.map((one) => typeKey(one.path, one.owner))).size === 1, "COMPETING");
  }

  /** For each type of Go that a name may mean, whether it stands for the owner. */
  #implementing(facts: FileFacts, typeName: string): Implements[] {
    const same = this.dispatch.get(lastName(typeName)) ?? [];
    const seen = same.filter(({ type }) => this.#isSeen(facts, typeName, type));
    const isExact = seen.length > 0 || typeName.includes(".");
    const visible = isExact ? seen : same.filter(({ type }) => importsModuleOf(this.#paths, facts, type));
    return visible.map((one) => one.implements);
  }
}

/** The resolution of a member of one of some types, which is only possible if they differ. */
function commonResolution(implementing: readonly Implements[]): Resolution {
  const [first, ...others] = new Set(implementing);
  if (others.length > 0 || first === "UNKNOWN") return possible("INTERFACE");
  return first === "YES" ? RESOLVED : elsewhere("ANOTHER_TYPE");
}

/**
 * Returns true if a name without a receiver is a parameter of the method or function around it.
 *
 * Parameters of functions inside of it, and those that a language's queries do not capture, are not known. The
 * parser leaves out Python's parameters, but a default value of the same name, as in `token=token`, is a reference.
 */
function isParameter(node: RelatedNode, { name, kind, qualifier }: Relation): boolean {
  if (qualifier || node.nodeType !== "method" || node.language === "python") return false;
  if (kind !== MENTION && (kind !== CALL || traits(node.language).methodFirst)) return false;
  return hasNamed(node.relations, name, PARAMETER);
}

/** Returns true if a receiver is no variable: `Time` and `u32`; `str` may be one. */
function isTypeName(receiver: string): boolean {
  return /^\p{Lu}|\p{Nd}$/u.test(receiver);
}

function lastName(symbol: string): string {
  return rpartition(symbol, ".")[1];
}

/** A module without its major version, as in `github.com/go-chi/chi/v5`. */
function withoutVersion(module: string): string {
  return module.replace(/\/v\p{Nd}+$/u, "");
}

/** Returns true if a file imports a module or package that has a definition. */
function importsModuleOf(paths: ModulePaths, facts: FileFacts, definition: Definition): boolean {
  const imports = [...facts.imports.values()].flat();
  const modules = new Set(imports.flatMap(({ module, name }) => [module, `${module}.${name}`]));
  return [...modules].some(
    (module) => paths.names(module, facts.path, definition) || paths.isParent(module, facts.path, definition),
  );
}

/**
 * Resolves a package of Go to that of a definition if no imported path has its folder.
 *
 * The folder may have another name than its package. Of the module's root the path is not known, so that the name
 * decides. By name only if no symbol of the definition's file has the package, or if none of the paths says what the
 * receiver is.
 */
function goPackageRefers(
  definition: Definition,
  facts: FileFacts,
  receiver: string,
  isInImport: boolean,
): Resolution {
  const [packageName] = partition(packageOf(definition), ".");
  if (receiver.includes(".") || receiver.endsWith("()") || (packageName && receiver !== packageName)) {
    return elsewhere("ANOTHER_MODULE");
  }
  const isImported = facts.importedPackages.has(receiver);
  if (!definition.path.includes("/")) {
    if (isImported) return resolvedIf(packageName !== "", "MODULE");
    return packageName ? possible("MODULE") : elsewhere("ANOTHER_MODULE");
  }
  if (isImported) return elsewhere("ANOTHER_MODULE");
  if (packageName) return resolvedIf(isInImport, "MODULE");
  return isInImport ? possible("MODULE") : elsewhere("ANOTHER_MODULE");
}

/** Returns true if code of one language can refer to names of another one. */
export function areCompatible(language: string | null, other: string): boolean {
  if (language === other) return true;
  const { family } = traits(language);
  return family !== "" && family === traits(other).family;
}

/** The nodes of files by path, as facts. */
export function factsByPath(paths: readonly string[], nodes: readonly RelatedNode[]): Map<string, FileFacts> {
  const byPath = groupBy(nodes, (node) => node.path);
  return new Map(paths.map((path) => [path, new FileFacts(path, byPath.get(path) ?? [])]));
}
