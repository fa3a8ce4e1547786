/**
 * The relation of a node, and the codec of the column `relations`: no other module knows its stored form.
 *
 * Mirrors `feeder.relation`.
 */

import { constants } from "../build/worker_data.json";
import { Pattern } from "./python_regex.ts";
import { partition } from "./python_strings.ts";

export const { CALL, EXPORT, IMPLEMENTS, IMPORT, INHERITS, MENTION, UNNAMED, USE, BINDING, PARAMETER, RETURNS, LITERAL } =
  constants.relation;
export const { LITERAL_KEY, UNNAMED_MEMBER } = constants.relation;
const ITEM = new Pattern(constants.relation.ITEM_PATTERN, "g");

/** One relation of a node; `lines` is encoded, see `linesOf`. */
export interface Relation {
  readonly name: string;
  readonly kind: string;
  readonly qualifier: string;
  readonly lines: string;
}

/** Decodes all relations. */
export function decodeStored(stored: string): Relation[] {
  return Array.from(stored.matchAll(ITEM.for(stored)), ([, name, kind, qualifier, lines]): Relation => {
    return { name: name!, kind: kind!, qualifier: qualifier!, lines: lines! };
  });
}

/** The lines of the sites of a relation, given the first line of its node. */
export function linesOf({ lines }: Relation, firstLine: number): number[] {
  return lines.split(",").map((line) => firstLine + Number(line));
}

/** The module of an import, and the other name by which it binds its name, which may be empty. */
export function moduleAndAlias({ qualifier }: Pick<Relation, "qualifier">): [module: string, alias: string] {
  return partition(qualifier, "=");
}

/** The macro in whose text a site is, or the alias in Ruby; empty for another receiver. */
export function macroOf(receiver: string): string {
  return receiver.startsWith("=") ? receiver.slice(1) : "";
}

/** Returns false if no relation is of one of some kinds. */
export function hasKind(stored: string, ...kinds: string[]): boolean {
  return kinds.some((kind) => stored.includes(kind));
}

/** Returns true if a name has a relation of a kind. */
export function hasNamed(stored: string, name: string, kind: string): boolean {
  return stored.includes(namedText(name, kind));
}

/** The text that a node's relations contain if a name has one of a kind. */
export function namedText(name: string, kind: string): string {
  return ` ${name}${kind}`;
}

/** The text that they contain if one of a kind has a qualifier and no alias. */
export function qualifiedText(kind: string, qualifier: string): string {
  return `${kind}${qualifier}:`;
}

/** The text that they contain if an import from a module has an alias. */
export function aliasedText(kind: string, qualifier: string): string {
  return `${kind}${qualifier}=`;
}
