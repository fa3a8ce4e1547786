/** Defines what a name may refer to, and how its language sees it from another file. Mirrors `feeder.relations.modules`. */

import { countOf, formatNumber } from "../escaping.ts";
import { constants } from "../../build/worker_data.json";
import { dirname } from "../posix_paths.ts";
import { rpartition } from "../python_strings.ts";
import { traits } from "../traits.ts";

export const { MODULE_EXPORTS } = constants.modules;
export const COMMONJS_RECEIVERS: ReadonlySet<string> = new Set(constants.modules.COMMONJS_RECEIVERS);

/**
 * A definition that names may refer to; `owner` is the symbol of the type around it, empty without one.
 *
 * A static function of C, outside of headers, is local: no other file can refer to it. An extension of Kotlin is
 * imported from its package like a function; its symbol has the extended type. A method of an interface of Go is
 * abstract. `packageName` is that of a constant or variable of Go, whose symbol has none; empty if no symbol of its file
 * has it. A declaration that is private to its file is local too. A function or method `isFunction`.
 */
export interface Definition {
  readonly path: string;
  readonly language: string;
  readonly symbol: string;
  readonly name: string;
  readonly owner: string;
  readonly isType: boolean;
  readonly isLocal: boolean;
  readonly isExtension?: boolean;
  readonly isAbstract?: boolean;
  readonly packageName?: string;
  readonly isFunction?: boolean;
  /** A macro of Rust, which is visible without an import. */
  readonly isEverywhere?: boolean;
  /** The lines that declare a member which has no node of its own. */
  readonly ownLines?: ReadonlySet<number>;
  /** The declaration of a function or method. */
  readonly signature?: string;
  /** The index has relations of its file; set only in answers. */
  readonly hasRelations?: boolean;
}

export function isSameDefinition(one: Definition, other: Definition): boolean {
  return (
    one.path === other.path &&
    one.symbol === other.symbol &&
    one.owner === other.owner &&
    one.isType === other.isType &&
    one.isLocal === other.isLocal &&
    one.language === other.language
  );
}

/** The answer if no site refers to a definition, or if its language has no relations. */
export function sayNothingRefers(definition: Definition, nodesWithName = 0, leftOut = 0): string {
  const { symbol } = definition;
  const reason = unindexedReferences(definition);
  if (reason) return `What refers to ${symbol} is unknown: ${reason}`;
  if (nodesWithName === 0) return `Nothing in the index refers to ${symbol}.`;
  const have = nodesWithName === 1 ? "has" : "have";
  return `No resolved reference to ${symbol}; ${countOf(nodesWithName, "other node")} ${have} the word${sayLeftOut(leftOut)}.`;
}

/** The end of an answer's counts: `; 12 left out because they mean something else`, or nothing. */
export function sayLeftOut(leftOut: number): string {
  if (leftOut === 0) return "";
  const meaning = leftOut === 1 ? "it means something else" : "they mean something else";
  return `; ${formatNumber(leftOut)} left out because ${meaning}`;
}

/** The end of an answer's counts: `; Objective-C messages are not indexed`, or nothing. */
export function sayUnindexed(definition: Definition): string {
  const reason = unindexedReferences(definition);
  return reason ? `; ${reason.replace(/\.$/, "")}` : "";
}

/** The answer for a local name, a section or a chunk, to which no reference is recorded. */
export function sayNoReferences(name: string): string {
  return `References to ${name} are not indexed: it is a local name or not a declaration.`;
}

/** The answer if a definition has references, but none of those that were asked for. */
export function sayNoneListed({ symbol }: Definition, excluded: number): string {
  const references = excluded === 1 ? "the only reference" : `all ${formatNumber(excluded)} references`;
  return `The filters exclude ${references} to ${symbol}. Leave them out to list more.`;
}

/** The answer if a definition has references, but none of them is a caller. */
export function sayNoCaller({ symbol }: Definition, excluded: number): string {
  const why = "imports, calls from itself, or calls that the filters exclude";
  return `${symbol} has ${countOf(excluded, "reference")}, but no caller: only ${why}.`;
}

/** The answer if nothing implements a definition, or if its language has no relations. */
export function sayNothingImplements({ language, symbol, hasRelations }: Definition): string {
  const reason = unindexedRelations(language, hasRelations);
  if (reason) return `What implements ${symbol} is unknown: ${reason}`;
  return `Nothing in the index implements ${symbol}. ${traits(language).unseenImplementations}`.trimEnd();
}

/** The answer if a node or a file refers to nothing, or why its references are not indexed. */
export function sayRefersToNothing(name: string, reason: string): string {
  return reason ? `What ${name} refers to is unknown: ${reason}` : `${name} refers to nothing that the index defines.`;
}

/** Why the index has not all references to a definition; empty if it has. */
export function unindexedReferences(definition: Definition): string {
  const { language, name, owner, isType, signature, hasRelations } = definition;
  if (!/[\p{L}\p{N}_]/u.test(name)) return UNINDEXED_OPERATORS;
  if (isType && name.includes("[")) return UNINDEXED_INSTANCES; // given Show[Item] with …
  const { unindexedMembers, syntaxCalls } = traits(language);
  if (unindexedMembers && owner !== "" && !isType) return unindexedMembers;
  for (const [calls, pattern] of isType ? [] : Object.entries(syntaxCalls)) {
    if (new RegExp(pattern).test(signature || name)) return `${calls} are not indexed.`;
  }
  return unindexedRelations(language, hasRelations);
}

/**
 * Why the index has not all that code of a language refers to; empty if it has.
 *
 * `hasSome` tells whether the index has relations of the file. A function of Objective-C may send messages too.
 */
export function unindexedUses(language: string | null, hasSome: boolean): string {
  return traits(language).unindexedMembers || unindexedRelations(language, hasSome);
}

const UNINDEXED_OPERATORS = "uses of operators are not indexed.";
const UNINDEXED_INSTANCES = "implicit uses of instances without a name are not indexed.";

/**
 * Why nothing is known of the relations of a language; empty if they are indexed.
 *
 * A grammar file of a user may add them: then the index has some.
 */
function unindexedRelations(language: string | null, hasSome = false): string {
  if (language && traits(language).onlyImports) return `of ${language}, only imports are indexed.`;
  if (!language || hasSome || traits(language).hasRelations) return "";
  return `relations of ${language} are not indexed, unless a grammar file adds them.`;
}

/** The qualifier of names of the file, such as `acme.shop`; may be empty. */
export function packageOf(definition: Definition): string {
  return definition.packageName || rpartition(definition.owner || definition.symbol, ".")[0];
}

/** Returns true if a package has the definition; the extended type of an extension has unknown parts. */
export function isInPackage(definition: Definition, packageName: string): boolean {
  if (definition.isExtension) return definition.symbol.startsWith(`${packageName}.`);
  return packageName === packageOf(definition);
}

/** Returns true for a variable, constant or macro of a file or a package. */
export function isVariable({ owner, isType, isFunction }: Definition): boolean {
  return !(owner || isType || isFunction);
}

/** A type of a symbol; what stands before its name counts as a type around it. */
export function typeOf(path: string, symbol: string, language: string): Definition {
  const [owner, name] = rpartition(symbol, ".");
  return { path, language, symbol, name, owner, isType: true, isLocal: false };
}

/** Returns true if a file of a package sees the definition without an import. */
export function inSamePackage(path: string, packageName: string, definition: Definition): boolean {
  const { packageScope } = traits(definition.language);
  if (packageScope === "folder") return dirname(path) === dirname(definition.path);
  return packageScope === "package" && packageName !== "" && isInPackage(definition, packageName);
}

/**
 * Returns true if neither a file nor a definition is in a package; PHP then looks there anyway.
 *
 * A type that is nested in another one has that as its package.
 */
export function inNoPackage(packageName: string, definition: Definition): boolean {
  const own = traits(definition.language);
  const isOutside = packageName === "" || own.variableSigil !== "";
  return own.packageScope === "package" && isOutside && packageOf(definition) === "";
}

/** A key of a type: its path and symbol. */
export function typeKey(path: string, symbol: string): string {
  return `${path}\0${symbol}`;
}

/**
 * The symbol that a name means by the innermost of the modules around its site; empty for none.
 *
 * `Base` in `Shop.Cart.add` is `Shop.Base`, if there is no `Shop.Cart.add.Base` or `Shop.Cart.Base`, and the
 * outermost `Base` otherwise.
 */
export function nearestSymbol(around: string, name: string, symbols: ReadonlySet<string>): string {
  for (let outer = around; outer; outer = rpartition(outer, ".")[0]) {
    if (symbols.has(`${outer}.${name}`)) return `${outer}.${name}`;
  }
  return symbols.has(name) ? name : "";
}
