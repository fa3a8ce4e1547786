/**
 * Decides whether a site refers to a definition, from what the files say: imports, enclosing class, declared types
 * of receivers, package, and uniqueness of the name. Mirrors `feeder.relations.resolution`.
 */

import {
  CALL,
  hasNamed,
  IMPLEMENTS,
  IMPORT,
  INHERITS,
  LITERAL_KEY,
  MENTION,
  moduleAndAlias,
  PARAMETER,
  type Relation,
  UNNAMED,
  UNNAMED_MEMBER,
  USE,
} from "../relation.ts";
import { lineNumbers, type RelatedNode } from "../store/relations.ts";
import { areCompatible, traits } from "../traits.ts";
import type { ExportFinder } from "./exports.ts";
import { type FileFacts, SELF_NAMES } from "./file_facts.ts";
import { MemberResolver } from "./member_resolution.ts";
import { type Family, isBuiltIn, NO_FAMILY } from "./receiver_types.ts";
import { type Definition, typeKey } from "./modules.ts";
import { NameResolver } from "./name_resolution.ts";
import { elsewhere, isResolved, possible, RESOLVED, type Resolution, resolvedIf } from "./outcomes.ts";
import { lastName } from "../text.ts";

/**
 * Resolves sites of one definition's name.
 *
 * `others` are all definitions of that name. `owner` is the definition of the type around it, null for a name of a
 * module. `exports` follows imports, inside of its `settled`.
 */
export class Resolver {
  readonly #names: NameResolver;
  readonly #members: MemberResolver | null;

  constructor(
    private readonly definition: Definition,
    others: readonly Definition[],
    owner: Definition | null,
    exports: ExportFinder,
    private readonly family: Family = NO_FAMILY,
  ) {
    this.#names = new NameResolver(definition, others, exports);
    this.#members = owner && !definition.isType ? new MemberResolver(this.#names, owner, family) : null;
  }

  /** Each line of a relation with its resolution; see `resolve`. */
  resolveLines(facts: FileFacts, node: RelatedNode, relation: Relation): [line: number, resolved: Resolution][] {
    const [first = 0, ...others] = lineNumbers(node, relation);
    const resolved = this.resolve(facts, node, relation, first);
    const mayBeLent = !relation.qualifier && traits(node.language).lendingCalls.length > 0;
    const hasTypes = mayBeLent || facts.hasTypes(node.symbol, relation.qualifier);
    const mayVary = others.length > 0 && this.#members !== null && hasTypes;
    const resolve = (line: number) => (mayVary ? this.resolve(facts, node, relation, line) : resolved);
    return [[first, resolved], ...others.map((line): [number, Resolution] => [line, resolve(line)])];
  }

  /** Resolves a relation; only the receiver, or its type, depends on the line. */
  resolve(facts: FileFacts, node: RelatedNode, site: Relation, line: number): Resolution {
    let relation = site;
    if (!areCompatible(node.language, this.definition.language)) return elsewhere("ANOTHER_LANGUAGE");
    if (relation.kind === IMPORT) return this.#resolveImport(facts, relation);
    if (relation.qualifier.endsWith(".")) {
      // start..size(), cart..add() of Dart
      relation = { ...relation, qualifier: traits(node.language).cascades ? relation.qualifier.slice(0, -1) : "" };
    }
    if (isParameter(node, relation)) return elsewhere("LOCAL");
    if (relation.qualifier.endsWith(UNNAMED_MEMBER)) return this.#resolveUnnamed(facts, node, relation, line);
    const other = this.#knownOther(facts, node, relation);
    if (other) return other;
    if (relation.qualifier === LITERAL_KEY) return this.#resolveKey(facts, relation.name);
    if (relation.qualifier.endsWith(LITERAL_KEY)) {
      const type = relation.qualifier.slice(0, -LITERAL_KEY.length);
      if (this.#members && traits(node.language).constructor) return this.#members.resolveLabel(facts, node, type);
      relation = { ...relation, qualifier: type };
    }
    if (this.definition.isExtension && (relation.kind === CALL || relation.kind === MENTION)) {
      return this.#resolveExtension(facts, node, relation, line);
    }
    if (this.#members) return this.#members.resolve(facts, node, relation, line);
    const mayBeQualified = [CALL, MENTION, INHERITS, IMPLEMENTS, UNNAMED, USE].includes(relation.kind);
    if (relation.qualifier && mayBeQualified) return this.#names.resolveQualified(facts, node, relation);
    const nearest = this.#names.nearestConstant(node, relation.name);
    if (nearest && nearest !== this.definition.symbol) return this.#names.another(({ symbol }) => symbol === nearest);
    if (nearest.includes(".")) return RESOLVED;
    return this.#names.refers(facts, relation.name);
  }

  /** A member of a class without a name, whose base is the definition's type or one below. */
  #resolveUnnamed(facts: FileFacts, node: RelatedNode, relation: Relation, line: number): Resolution {
    const base = relation.qualifier.slice(0, -UNNAMED_MEMBER.length);
    if (!this.#members) return elsewhere("ANOTHER_TYPE");
    const result = this.#members.resolve(facts, node, { ...relation, qualifier: base }, line);
    if (isResolved(result)) return result;
    const names = new Set([lastName(base), ...(facts.imports.get(base) ?? []).map(({ name }) => name)]);
    const isBelow = [...this.family.allBelow].some((key) => names.has(lastName(key.split("\0")[1]!)));
    return isBelow ? possible("COMPETING") : elsewhere("ANOTHER_TYPE");
  }

  /** The evidence that a site's form or file alone gives, if any. */
  #knownOther(facts: FileFacts, node: RelatedNode, relation: Relation): Resolution | null {
    const { isFunction = false, isLocal, isType, path } = this.definition;
    const isKey = relation.qualifier.endsWith(LITERAL_KEY);
    // in TypeScript it may be a method: { add() {} }
    if (isKey && traits(node.language).family === "scripts") return this.#members ? null : elsewhere("ANOTHER_TYPE");
    if (isKey && isFunction) return elsewhere("NOT_FUNCTION");
    const isOfType = isKey && relation.qualifier !== LITERAL_KEY;
    // in Go, an embedded field is named as its type
    if (isOfType && isType && traits(node.language).imports !== "folders") return elsewhere("ANOTHER_TYPE");
    const isApart = isFunction && traits(node.language).functionsApart;
    if (relation.kind === USE && isApart) return elsewhere("NOT_FUNCTION");
    if (!this.#members) return null;
    if (isLocal && facts.path !== path) return elsewhere("NOT_VISIBLE");
    return isApart && this.#isFieldAccess(node, relation) ? elsewhere("FIELD") : null;
  }

  /** A name before `:` in a literal: a field, or a constant if the type is a map. */
  #resolveKey(facts: FileFacts, name: string): Resolution {
    if (this.#members) return possible("RECEIVER");
    const result = this.#names.refers(facts, name);
    return isResolved(result) ? possible("RECEIVER") : result;
  }

  /** A call of an extension of Kotlin, whose receiver is a value of the extended type. */
  #resolveExtension(facts: FileFacts, node: RelatedNode, relation: Relation, line: number): Resolution {
    const { name, qualifier: receiver } = relation;
    const { names, own } = this.family;
    const result = this.#names.refers(facts, name);
    if (!isResolved(result)) return result;
    if (!this.#names.isUnique && !facts.imports.has(name)) return possible("COMPETING");
    if (!receiver || names.size === 0) return result;
    if (SELF_NAMES.has(receiver)) {
      return resolvedIf(own.has(typeKey(facts.path, facts.enclosingClass(node.symbol))), "RECEIVER");
    }
    const made = lastName(receiver);
    const ofMade = made.endsWith("()") ? [made.slice(0, -2)] : null; // Builder().signed(name)
    const [type] = ofMade ?? facts.typesOf(node.symbol, receiver, line).map(lastName);
    if (type !== undefined && isBuiltIn(facts, type, this.definition, this.family)) return elsewhere("BUILT_IN");
    return resolvedIf(type !== undefined && names.has(type), "RECEIVER");
  }

  /**
   * Returns true if a site is a field, where the definition is a method: `cart.size`.
   *
   * A path of Rust, as in `Cart::size`, may be a method as a value.
   */
  #isFieldAccess({ language }: RelatedNode, { kind, qualifier }: Relation): boolean {
    if (kind !== MENTION || !qualifier) return false;
    if (!traits(language).methodsByPath) return language === this.definition.language;
    const last = lastName(qualifier);
    return /^\p{Ll}/u.test(last) && !traits(language).builtinTypes.includes(last);
  }

  #resolveImport(facts: FileFacts, { name, ...relation }: Relation): Resolution {
    const [module] = moduleAndAlias(relation);
    if (!this.#members) return this.#names.importRefers(facts, { module, name });
    if (this.#members.isOwner(facts, module)) return RESOLVED;
    return this.#members.isAroundOwner(facts, module) ? possible("OUTER_SCOPE") : elsewhere("ANOTHER_MODULE");
  }
}

/**
 * Returns true if a name without a receiver is a parameter of the method or function around it.
 *
 * Parameters of functions inside of it, and those that a language's queries do not capture, are not known. Python's
 * queries leave out parameters, but a default value of the same name, as in `token=token`, is a reference.
 */
function isParameter(node: RelatedNode, { name, kind, qualifier }: Relation): boolean {
  if (qualifier || node.nodeType !== "method" || traits(node.language).omitsParameters) return false;
  if (kind !== MENTION && (kind !== CALL || traits(node.language).methodFirst)) return false;
  return hasNamed(node.relations, name, PARAMETER);
}
