/**
 * The imports, types and declared variables of a file, as its relations say them. Mirrors
 * `feeder.relations.file_facts`.
 */

import { constants } from "../../build/worker_data.json";
import { groupBy } from "../collections.ts";
import { partition, rpartition } from "../python_strings.ts";
import { BINDING, CALL, hasKind, IMPLEMENTS, IMPORT, INHERITS, MENTION, moduleAndAlias, PARAMETER, type Relation, UNNAMED, USE } from "../relation.ts";
import { sortBy } from "../sorting.ts";
import { decodeRelations, lineNumbers, type RelatedNode } from "../store/relations.ts";
import { lastName } from "../text.ts";
import { traits } from "../traits.ts";

export const SELF_NAMES = new Set(constants.file_facts.SELF_NAMES);
export const { UNKNOWN_PACKAGE } = constants.file_facts;

/** An imported name, empty for the module itself and `*` for all its names. */
export interface Import {
  readonly module: string;
  readonly name: string;
}

/**
 * The line that declares a variable, and its type, or `NewCart()` for the result of a call.
 *
 * A type has its package, module, namespace or outer type before it where the line has, as in `shop.Cart`, or `?` if
 * the line has the name with several.
 */
interface Binding {
  readonly line: number;
  readonly typeName: string;
}

/** The kinds of the bases of anonymous and local classes in a node. */
export function kindsOfLocalBases({ nodeType }: RelatedNode): string[] {
  return nodeType === "class" ? [UNNAMED] : [INHERITS, IMPLEMENTS, UNNAMED];
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

  /**
   * The prefix of all qualified symbols of the file, such as `acme.shop`. Without a type, a type in it is one that
   * functions of Kotlin extend: `acme.shop.Cart.add`.
   */
  get package(): string {
    return (this.#package ??= this.#readPackage());
  }

  #readPackage(): string {
    const all = this.nodes.flatMap(({ symbol }) => symbol || []);
    const types = this.nodes.flatMap(({ symbol, nodeType }) => (nodeType === "class" && symbol) || []);
    const [first, ...others] = types.length > 0 ? types : all;
    if (first === undefined) return "";
    const shortest = others.reduce((best, one) => ([...one].length < [...best].length ? one : best), first);
    const mayExtend = types.length === 0 && traits(this.nodes[0]!.language).extensionReceivers;
    let [packageName] = rpartition(shortest, ".");
    while (mayExtend && /^\p{Lu}/u.test(rpartition(packageName, ".")[1])) [packageName] = rpartition(packageName, ".");
    return packageName;
  }

  /** The symbols of the file's types. */
  get classes(): ReadonlySet<string> {
    return (this.#classes ??= new Set(
      this.nodes.flatMap(({ symbol, nodeType }) => (nodeType === "class" && symbol) || []),
    ));
  }

  /**
   * Returns true if the file may name what is inside a type without the type's own name: it has members of the type,
   * or a type that extends it.
   */
  seesInside(typeSymbol: string): boolean {
    return (
      [...this.symbols].some((symbol) => `${symbol}.`.startsWith(`${typeSymbol}.`)) || this.extends(lastName(typeSymbol))
    );
  }

  /** Returns true if a type of the file extends one of a last name. */
  extends(typeName: string): boolean {
    const extendsIt = ({ name, kind }: Relation) => name === typeName && (kind === INHERITS || kind === IMPLEMENTS);
    return this.nodes.some((node) => node.relations.includes(typeName) && decodeRelations(node).some(extendsIt));
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
  const isInFolders = traits(node.language).imports === "folders";
  const packages = isInFolders
    ? (/^\p{Lu}/u.test(name) && packagesOf(node).get(name)) || new Map<number, string>()
    : qualifiersOfType(node, name);
  return lineNumbers(node, relation).map((line) => {
    const packageName = packages.get(line);
    return { line, typeName: packageName ? `${packageName}.${name}` : name };
  });
}

/**
 * What stands before a type's name by the lines of a node; `?` if it differs on a line.
 *
 * It is `List` for `List::Cursor`, and empty for the type around the site: `Self::Cursor`.
 */
function qualifiersOfType(node: RelatedNode, name: string): ReadonlyMap<number, string> {
  const qualifiers = new Map<number, string>();
  const named = decodeRelations(node).filter((one) => one.name === name);
  for (const kind of [USE, CALL, MENTION]) {
    // the value of a declared type may be of another one
    const known = new Set(qualifiers.keys());
    for (const one of named.filter((relation) => relation.kind === kind)) {
      const qualifier = SELF_NAMES.has(one.qualifier) ? "" : one.qualifier;
      for (const line of lineNumbers(node, one)) {
        if (known.has(line)) continue;
        const first = qualifiers.get(line) ?? qualifier;
        qualifiers.set(line, first === qualifier ? first : UNKNOWN_PACKAGE);
      }
    }
  }
  return qualifiers;
}

type Packages = ReadonlyMap<string, ReadonlyMap<number, string>>;

/** Cached, because they are read for each field of a struct. */
const packagesOfNodes = new WeakMap<RelatedNode, Packages>();

/** The packages before the names of types by the lines of a node of Go; `?` if they differ. */
export function packagesOf(node: RelatedNode): Packages {
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

/** A module without its major version, as in `github.com/go-chi/chi/v5`. */
export function withoutVersion(module: string): string {
  return module.replace(/\/v\p{Nd}+$/u, "");
}

/** The nodes of files by path, as facts. */
export function factsByPath(paths: readonly string[], nodes: readonly RelatedNode[]): Map<string, FileFacts> {
  const byPath = groupBy(nodes, (node) => node.path);
  return new Map(paths.map((path) => [path, new FileFacts(path, byPath.get(path) ?? [])]));
}
