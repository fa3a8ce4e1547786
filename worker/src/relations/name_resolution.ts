/**
 * Resolves a name of a module or package in a file: by the file's imports, package and own names. Mirrors
 * `feeder.relations.name_resolution`.
 */

import { casefold, compareText, partition, rpartition } from "../python_strings.ts";
import { MENTION, type Relation } from "../relation.ts";
import type { RelatedNode } from "../store/relations.ts";
import { traits } from "../traits.ts";
import { ALL, DEFAULT, type ExportFinder, type Site } from "./exports.ts";
import { type FileFacts, type Import, SELF_NAMES, withoutVersion } from "./file_facts.ts";
import { goPackageRefers } from "./go_packages.ts";
import { isStandardModule, type ModulePaths } from "./module_paths.ts";
import {
  COMMONJS_RECEIVERS,
  type Definition,
  inNoPackage,
  inSamePackage,
  isSameDefinition,
  isVariable,
  nearestSymbol,
  packageOf,
  typeKey,
  typeOf,
} from "./modules.ts";
import { Namesakes } from "./namesakes.ts";
import { elsewhere, isElsewhere, isResolved, possible, RESOLVED, type Resolution, resolvedIf, surest } from "./outcomes.ts";
import { lastName } from "../text.ts";

/**
 * Resolves names to one definition of a module or package. `exports` follows imports, inside of its `settled`.
 */
export class NameResolver extends Namesakes {
  readonly #resolvers = new Map<Definition, NameResolver>();

  constructor(
    definition: Definition,
    others: readonly Definition[],
    private readonly exports: ExportFinder,
  ) {
    super(definition, others);
  }

  /** Resolves a name without a receiver in a file to a definition of a module or package. */
  refers(facts: FileFacts, name: string): Resolution {
    const { definition, others } = this;
    if (name === definition.name && facts.path === definition.path && !definition.owner) return RESOLVED;
    const [first, ...following] = facts.imports.get(name) ?? [];
    if (first) {
      return surest([this.importRefers(facts, first), ...following.map((one) => this.importRefers(facts, one))]);
    }
    if (name === definition.name) {
      if (facts.path === definition.path) return RESOLVED;
      if (definition.isLocal) return elsewhere("NOT_VISIBLE");
      const isOfModule = (one: Definition) => one.path === facts.path && !one.owner;
      if (others.some(isOfModule)) {
        const mayBeSame = isVariable(definition) && traits(definition.language).family === "c";
        return mayBeSame ? possible("COMPETING") : this.another(isOfModule);
      }
    }
    const wildcards = (facts.imports.get(ALL) ?? []).filter((one) => one.name === ALL);
    const byWildcard = wildcards.map(({ module }) => this.importRefers(facts, { module, name }));
    if (byWildcard.some(isResolved)) return RESOLVED;
    if (name !== definition.name) return elsewhere("ANOTHER_NAME");
    if (inSamePackage(facts.path, facts.package, definition)) {
      // other types may nest one of the same name
      const isNested = definition.isType && definition.owner !== "";
      return resolvedIf(this.isUnique || !isNested, "COMPETING");
    }
    const possibly = byWildcard.find((one) => !isElsewhere(one));
    if (possibly) return possibly;
    const isVisible = definition.isEverywhere === true || traits(definition.language).globalScope;
    const isGlobal = isVisible || inNoPackage(facts.package, definition);
    return isGlobal ? resolvedIf(this.isOnlyOneIn(facts), "COMPETING") : elsewhere("NOT_VISIBLE");
  }

  get #paths(): ModulePaths {
    return this.exports.paths;
  }

  /** Resolves an import to a definition of a module or package. */
  importRefers(facts: FileFacts, imported: Import): Resolution {
    const result = this.#resolveImportIn(facts.path, imported);
    return isElsewhere(result) && this.#isRelative(facts, imported) ? RESOLVED : result;
  }

  /** Returns true if an import of Scala names a type in the file's own package: `import Money.Cents` in `shop`. */
  #isRelative(facts: FileFacts, { module, name }: Import): boolean {
    const { definition } = this;
    const isOwnName = name === definition.name || name === ALL;
    const ofPackage = traits(definition.language).packageScope === "package" && facts.package !== "";
    return ofPackage && isOwnName && definition.owner !== "" && `${facts.package}.${module}` === definition.owner;
  }

  /** Resolves the import of a name from a module, in the file at a path. */
  #resolveImportIn(path: string, { module, name }: Import): Resolution {
    const { definition, others } = this;
    const paths = this.#paths;
    const isOwnName = name === definition.name || name === ALL;
    if (isOwnName && (paths.names(module, path, definition) || this.#isInScope(module))) return RESOLVED;
    if (this.#isExported(path, module, name)) return RESOLVED;
    if (isOwnName && this.#isAround(module)) return possible("OUTER_SCOPE");
    const isAround = paths.names(module, path, definition) || paths.isParent(module, path, definition);
    if (name === DEFAULT && isAround) return possible("MODULE"); // `export default wrap(Cart)`
    if (!isOwnName) return elsewhere("ANOTHER_NAME");
    if (paths.namesFileBeside(module, path, definition)) return this.another((one) => paths.names(module, path, one));
    const isOfModule = (one: Definition) => !isSameDefinition(one, definition) && paths.names(module, path, one);
    if (others.some(isOfModule)) return this.another(isOfModule);
    if (paths.isParent(module, path, definition)) {
      const near = others.filter((one) => paths.isParent(module, path, one));
      return resolvedIf(near.length === 1, "COMPETING");
    }
    const isScript = traits(definition.language).family === "scripts";
    if (module.startsWith(".") && isScript) return resolvedIf(this.isUnique, "COMPETING");
    return this.#unfollowed({ path, language: definition.language }, module);
  }

  /** Returns true if a namespace of C++ has the definition: `using shop::add;`. */
  #isInScope(module: string): boolean {
    const ownPackage = packageOf(this.definition);
    const isNamed = ownPackage !== "" && traits(this.definition.language).family === "c";
    return isNamed && `.${ownPackage}`.endsWith(`.${module}`);
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
    if (!module) return possible("MODULE"); // Rust: use {Cart, Line}; use shop::Cart::{self}
    if (!traits(site.language).reexports || this.exports.isIndexed(module, site)) return elsewhere("ANOTHER_MODULE");
    if (module.startsWith(".")) return possible("MODULE");
    const isOutside = isStandardModule(module, site.language) || !this.exports.isInside(module);
    return isOutside ? elsewhere("DEPENDENCY") : possible("MODULE");
  }

  /**
   * The evidence that a receiver has no member of a type of the index, if there is any.
   *
   * It is a module, as `json` of Python and `strings` of Go, or a type or module of a library, as `Path` of `pathlib`,
   * `fs` of `node:fs` and `std::path::PathBuf`.
   */
  ofOtherModule(facts: FileFacts, receiver: string): Resolution | null {
    const { language } = this.definition;
    const own = traits(language);
    if (own.imports === "folders") return facts.importedPackages.has(receiver) ? elsewhere("ANOTHER_MODULE") : null;
    if (own.imports === "crates" && receiver.includes(".") && isStandardModule(receiver, language)) {
      return elsewhere("DEPENDENCY");
    }
    const imported = facts.imports.get(receiver) ?? [];
    if (!own.reexports || imported.length === 0) return null;
    if (own.family !== "scripts" && !imported.some(({ name }) => name !== "")) return elsewhere("ANOTHER_MODULE");
    const isOutside = imported.every(({ module, name }) => {
      if (name && !/^\p{Lu}/u.test(name) && !isStandardModule(module, language)) return false;
      return this.#unfollowed({ path: facts.path, language }, module).because === "DEPENDENCY";
    });
    return isOutside ? elsewhere("DEPENDENCY") : null;
  }

  /**
   * Resolves a name behind a receiver that is a module, a package or an outer type.
   *
   * The first rule that says something decides.
   */
  resolveQualified(facts: FileFacts, node: RelatedNode, relation: Relation): Resolution {
    const ownPackage = packageOf(this.definition);
    const isCaseInsensitive = traits(this.definition.language).caseInsensitive;
    if (isCaseInsensitive && casefold(relation.qualifier) === casefold(ownPackage)) return RESOLVED;
    const modules = [...this.#modulesOf(facts, relation.qualifier)];
    return (
      this.#byOwnNames(facts, relation) ??
      this.#byOwnValue(facts, node, relation) ??
      this.#byPackage(relation, modules) ??
      this.#byModules(facts, relation, modules) ??
      this.#byOtherReceivers(facts, node, relation.qualifier)
    );
  }

  /**
   * A receiver that names the file, the outer type or the package.
   *
   * `exports.add()` of CommonJS, `Cart.add()`, `shop.add()`.
   */
  #byOwnNames(facts: FileFacts, { qualifier: receiver }: Relation): Resolution | null {
    const { definition } = this;
    const isOwnModule = COMMONJS_RECEIVERS.has(receiver) && !facts.imports.has(partition(receiver, ".")[0]);
    if (isOwnModule && traits(definition.language).family === "scripts") {
      return facts.path === definition.path ? RESOLVED : elsewhere("ANOTHER_MODULE");
    }
    const isOwner = definition.owner && lastName(receiver) === lastName(definition.owner);
    const isPackage = receiver && receiver === packageOf(definition) && !definition.packageName;
    return isOwner || isPackage ? RESOLVED : null;
  }

  /** A member of the value itself in Rust, which is no function of a module: `self.add()`. */
  #byOwnValue(facts: FileFacts, node: RelatedNode, { kind, qualifier }: Relation): Resolution | null {
    const { definition } = this;
    const ownClass = qualifier === "self" ? lastName(facts.enclosingClass(node.symbol)) : "";
    if (!ownClass || traits(definition.language).imports !== "crates" || definition.isType) return null;
    if (kind === MENTION) return elsewhere("FIELD");
    return this.hasMember(ownClass) ? this.anotherOfType(ownClass) : possible("RECEIVER");
  }

  /**
   * A receiver that is a namespace, or another name of one.
   *
   * `detail::add()`, `fd::add()` with `namespace fd = fluid::detail`, `sim::RED` of an enum in `sim`.
   */
  #byPackage({ name, qualifier }: Relation, modules: readonly string[]): Resolution | null {
    const { definition } = this;
    const ownPackage = packageOf(definition);
    if (!ownPackage || traits(definition.language).imports === "folders") return null;
    if (modules.includes(ownPackage)) return RESOLVED;
    const scopes = [ownPackage];
    if (!definition.isType && !definition.isFunction) scopes.push(rpartition(ownPackage, ".")[0]);
    const isWithin = scopes.some((scope) => `.${scope}`.endsWith(`.${qualifier}`));
    if (isWithin && name === definition.name) return resolvedIf(this.isUnique, "COMPETING");
    return name === definition.name && this.#isAround(qualifier) ? possible("OUTER_SCOPE") : null;
  }

  /** Returns true if a namespace of C++ has the definition's own one inside: `geo` of `geo::inline v2`. */
  #isAround(namespace: string): boolean {
    const isNamed = namespace !== "" && traits(this.definition.language).family === "c";
    return isNamed && `.${packageOf(this.definition)}`.includes(`.${namespace}.`);
  }

  /**
   * A receiver that is an imported module: `cart.add()` with `import cart`.
   *
   * The definition may be in its file, in a module that it exports, or below it; or in a namespace of it with another
   * name: `T.cut()` with `import { Tools as T } from "./tools"`.
   */
  #byModules(facts: FileFacts, { name, qualifier }: Relation, modules: readonly string[]): Resolution | null {
    const { definition } = this;
    const { path } = facts;
    const isOwnName = name === definition.name;
    const named = isOwnName ? modules.filter((module) => this.#mayHave(module)) : [];
    if (named.some((module) => this.#paths.names(module, path, definition))) return RESOLVED;
    if (modules.some((module) => this.#isExported(path, module, name))) return RESOLVED;
    if (this.#isInSpace(facts, qualifier, name)) return RESOLVED;
    if (!isOwnName) return elsewhere("ANOTHER_NAME");
    const [first] = partition(qualifier, ".");
    for (const imported of facts.imports.get(first) ?? []) {
      if (imported.name && imported.name + qualifier.slice(first.length) === packageOf(definition)) {
        return resolvedIf(this.#paths.names(imported.module, path, definition), "MODULE");
      }
    }
    const isBelow = modules.some((module) => this.#paths.isParent(module, path, definition));
    return isBelow ? resolvedIf(this.isUnique, "MODULE") : null;
  }

  /** Returns true if a module is no other one than the type around a type, if there is one. */
  #mayHave(module: string): boolean {
    const { isType, owner } = this.definition;
    return !isType || !owner || `.${module}`.endsWith(`.${lastName(owner)}`);
  }

  /**
   * A receiver that no import leads to the definition.
   *
   * `Shelf.Line` and `self.Line` may be a type of an outer type, and `geo::kEps` a constant of a namespace of C++; of
   * other definitions, `self.Line` and `log.Line()` are members.
   */
  #byOtherReceivers(facts: FileFacts, node: RelatedNode, receiver: string): Resolution {
    const { definition } = this;
    const { family, imports, importedReceivers } = traits(definition.language);
    const [first] = partition(receiver, ".");
    if (imports === "folders") return this.goPackageRefers(facts, receiver, definition);
    if (facts.imports.has(first) || facts.imports.has(receiver)) return this.#ofImported(facts, receiver);
    const isNested = definition.isType && definition.owner !== "";
    let type = receiver;
    if (SELF_NAMES.has(receiver) && isNested) { // self.Status of a class with a class inside
      type = facts.enclosingClass(node.symbol) || receiver;
      if (facts.path === definition.path && type === definition.owner) return RESOLVED;
    } else if (SELF_NAMES.has(receiver) || (importedReceivers && !isNested)) return elsewhere("ANOTHER_TYPE");
    if (definition.isType && this.hasMember(rpartition(type, ".")[1])) return this.anotherOfType(type);
    if (definition.isType || !node.symbol) return possible("OUTER_SCOPE");
    const isConstant = !definition.owner && !definition.isFunction;
    const mayBeNamespace = isConstant && family === "c" && /^\p{L}/u.test(first);
    const isNamespace = mayBeNamespace && !facts.bindings.get(node.symbol)?.has(first);
    return isNamespace ? possible("OUTER_SCOPE") : elsewhere("ANOTHER_TYPE");
  }

  /**
   * A receiver that a file imports, which is no module that is known to have the definition.
   *
   * In Python, a package around the definition's file may export this file by another name, as
   * `from . import impl as engine`. A name with a capital letter is a type.
   */
  #ofImported({ path, imports }: FileFacts, receiver: string): Resolution {
    const { language } = this.definition;
    const [first, rest] = partition(receiver, ".");
    const mayBeIt = [...(imports.get(receiver) ?? []), ...(imports.get(first) ?? [])].some(({ module, name }) => {
      const inner = [name, rest].filter(Boolean).join(".");
      if (traits(language).imports !== "modules" || !inner || /^\p{Lu}/u.test(inner)) return false;
      if (!this.exports.paths.isParent(module, path, this.definition)) return false;
      return !this.exports.isIndexed(`${module.replace(/\.+$/, "")}.${inner}`, { path, language });
    });
    return mayBeIt ? possible("MODULE") : elsewhere("ANOTHER_MODULE");
  }

  /** The modules that a receiver may name in a file. */
  *#modulesOf(facts: FileFacts, receiver: string): Iterable<string> {
    if (traits(this.definition.language).imports === "crates") yield receiver; // a path needs no import
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

  /**
   * The symbol of a type's name: as in Ruby, the one of the innermost module around a node.
   *
   * Empty for other definitions, and if the index has none.
   */
  nearestConstant(node: RelatedNode, name: string): string {
    if (!traits(node.language).nearestTypes || !this.definition.isType) return "";
    const symbols = new Set(this.others.map(({ symbol }) => symbol).filter((symbol) => symbol !== node.symbol));
    return nearestSymbol(node.symbol ?? "", name, symbols);
  }

  /** Returns true if a name of a type, in Go with its package, is a type's in a file. */
  isSeen(facts: FileFacts, typeName: string, type: Definition): boolean {
    const [packageName, name] = rpartition(typeName, ".");
    if (packageName) return this.hasPackage(facts, packageName, type);
    return isResolved(this.typeRefers(facts, name, type));
  }

  /** Resolves a name without a receiver in a file to a type, as if no other one had it. */
  typeRefers(facts: FileFacts, name: string, type: Definition): Resolution {
    return this.resolverOfType(type).refers(facts, name);
  }

  /** Resolves names to a type, as if no other one had its name. */
  resolverOfType(type: Definition): NameResolver {
    const known = this.#resolvers.get(type);
    if (known) return known;
    const keys = new Set(this.others.map(({ path, owner }) => typeKey(path, owner)));
    keys.delete(typeKey(type.path, type.symbol));
    const others = [...keys]
      .sort(compareText)
      .map((key) => partition(key, "\0"))
      .filter(([, symbol]) => lastName(symbol) === type.name)
      .map(([path, symbol]) => typeOf(path, symbol, type.language));
    const resolver = new NameResolver(type, [type, ...others], this.exports);
    this.#resolvers.set(type, resolver);
    return resolver;
  }

  /** Returns true if a module or package, as a file writes it, has a definition. */
  hasPackage(facts: FileFacts, packageName: string, definition: Definition): boolean {
    const modules = [...new Set(this.#modulesOf(facts, packageName))];
    if (modules.some((module) => this.#paths.names(module, facts.path, definition))) return true;
    return traits(definition.language).imports === "folders" && isResolved(this.goPackageRefers(facts, packageName, definition));
  }

  /** Returns true if a file imports a module or package that has a definition. */
  importsModuleOf(facts: FileFacts, definition: Definition): boolean {
    const imports = [...facts.imports.values()].flat();
    const modules = new Set(imports.flatMap(({ module, name }) => [module, `${module}.${name}`]));
    const paths = this.#paths;
    return [...modules].some(
      (module) => paths.names(module, facts.path, definition) || paths.isParent(module, facts.path, definition),
    );
  }

  /** Compares a package of Go, as a file writes it, with a definition's package. */
  goPackageRefers(facts: FileFacts, packageName: string, definition: Definition): Resolution {
    return goPackageRefers(definition, facts, packageName, this.importsModuleOf(facts, definition));
  }
}
