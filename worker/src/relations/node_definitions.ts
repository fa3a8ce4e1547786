/**
 * Tells which definition a node is: who can see it, and whether it adds to another one. Mirrors
 * `feeder.relations.node_definitions`.
 */

import { constants } from "../../build/worker_data.json";
import { matchAtStart, Pattern } from "../python_regex.ts";
import { dirname } from "../posix_paths.ts";
import { partition, rpartition } from "../python_strings.ts";
import type { Hit } from "../store/hits.ts";
import type { NamedNode } from "../store/relations.ts";
import { traits } from "../traits.ts";
import { type Definition, MODULE_EXPORTS, typeKey } from "./modules.ts";
import { lastName } from "../text.ts";

const { MAX_MODIFIERS } = constants.node_definitions;
const PRIVATE = new Pattern(matchAtStart(constants.node_definitions.PRIVATE_PATTERN));
export const CONSTRUCTORS = new Set(constants.node_definitions.CONSTRUCTORS);

export function isExtension(hit: Hit | NamedNode): boolean {
  const name = lastName(hit.symbol ?? "");
  const at = (hit.signature ?? "").indexOf(`.${name}`);
  return traits(hit.language).extensionReceivers && at >= 0 && "(:= ".includes(hit.signature![at + name.length + 1] ?? "?");
}

/** Returns true if only its own file sees a declaration: `private fun add()`. */
export function isPrivate({ language, signature }: Hit | NamedNode): boolean {
  return traits(language).filePrivate && PRIVATE.test(signature ?? "");
}

/** Returns true if a method of Go is one of an interface. */
export function isBodyless({ signature }: Hit | NamedNode): boolean {
  return !(signature ?? "").startsWith("func");
}

/** Returns true if a node adds to a type of its name, as `impl Cart` and `extension Cart` do. */
export function isAddedTo({ language, nodeType, signature }: NamedNode): boolean {
  const word = traits(language).addingBlock;
  const words = partition(signature ?? "", " {")[0].replaceAll("<", " ").split(/\s+/).filter(Boolean);
  return word !== "" && nodeType === "class" && words.slice(0, MAX_MODIFIERS).includes(word);
}

/** Returns true if the constants of an enum are visible without its name: `enum color { RED };`. */
export function isOpenEnum(hit: Hit): boolean {
  return hasPrefix(hit, traits(hit.language).openEnums);
}

/** Returns true if a name is the tag of a type in C: `node` in `typedef struct node { … } Node`. */
export function isTag(hit: Hit, name: string): boolean {
  const [typedef, , tag = ""] = (hit.signature ?? "").split(" ", 3);
  return traits(hit.language).family === "c" && typedef === "typedef" && tag === name;
}

/** Returns true if a declaration begins with a pattern, which a language may not have. */
export function hasPrefix({ signature }: Hit | NamedNode, pattern: string): boolean {
  return pattern !== "" && new RegExp(`^(?:${pattern})`).test(signature ?? "");
}

export function isHeader(path: string): boolean {
  return rpartition(path, ".")[1].startsWith("h");
}

/** Returns true if no other file can refer to a definition of a symbol in a node by its name. */
export function isLocalNode(hit: Hit | NamedNode, symbol: string): boolean {
  const { family } = traits(hit.language);
  const isStatic = (hit.signature ?? "").startsWith("static ") && hit.nodeType !== "class" && !isHeader(hit.path);
  return (isStatic && family === "c") || (family === "scripts" && symbol === MODULE_EXPORTS) || isPrivate(hit);
}

/** Returns true for a function or method; a property of Kotlin has a body too. */
export function isFunctionNode({ nodeType, language, signature }: Hit | NamedNode): boolean {
  const word = traits(language).functionWord;
  return nodeType === "method" && (word === "" || new RegExp(`\\b${word}\\b`).test(signature ?? ""));
}

/** A key of the type around a member: its file, in Go its folder, and its symbol. */
export function memberKey({ path, language, owner }: Pick<Definition, "path" | "language" | "owner">): string {
  const { splitTypes, packageScope } = traits(language);
  return typeKey(splitTypes ? "" : packageScope === "folder" ? dirname(path) : path, owner);
}
