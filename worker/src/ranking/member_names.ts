/** Matches a query against the members of a node: names in it that have no node of their own. */

import { constants } from "../../build/worker_data.json";
import { memoize } from "../memoize.ts";
import { casefold, rpartition } from "../python_strings.ts";
import { isWithinOneEdit } from "../suggestions.ts";
import { lastName, normalizeSymbol, symbolEndsWith } from "../text.ts";

const { COMPANION } = constants.member_names;

/** A name in a node that has no node of its own: an enum member, a field or a constant. */
export interface Member {
  name: string;
  line: number;
}

/**
 * The member that a query names, alone (`RED`) or with its owner; null if there is none.
 *
 * If several differ only in case, the one in the query's case comes first. A chunk has no owner: its constants
 * have the names of the module or package at its `path`. Members of a companion object are named without it.
 */
export function findMember(owner: string | null, members: string, query: string, path: string): Member | null {
  const searchedName = normalizeName(query);
  // most nodes have members, and few one with the name
  if (!members || !casefold(members).includes(lastName(searchedName))) return null;
  const name = normalizeName(owner ?? "");
  if (name && symbolEndsWith(name, searchedName)) return null;
  const withoutCompanion = name.endsWith(COMPANION) ? [name.slice(0, -COMPANION.length)] : [];
  const hasOwner = name || !searchedName.includes(".");
  const owners = hasOwner ? [name, ...withoutCompanion] : ["", ...moduleNames(path)];
  const isSearched = (member: Member) =>
    owners.some((one) => symbolEndsWith(`${one}.${casefold(member.name)}`, searchedName));
  const matches = parseMembers(members).filter(isSearched);
  return matches.find((member) => member.name === lastName(normalizeSymbol(query))) ?? matches[0] ?? null;
}

/** The names by which a node is found: its symbol, or the constants in a chunk that has none. */
export function ownNames(symbol: string | null, members: string): string[] {
  if (symbol || !members) return [symbol ?? ""];
  const names = parseMembers(members).map((member) => member.name);
  return names.length > 0 ? names : [""];
}

/**
 * The first member that the query may misspell, in any case; null if it may misspell the owner.
 *
 * A misspelling is one edit away.
 */
export function findNearMember(owner: string | null, members: string, query: string): Member | null {
  const [name, ownName] = [query, owner ?? ""].map((text) => lastName(normalizeSymbol(text)).toLowerCase());
  if (isWithinOneEdit(name!, ownName!)) return null;
  return parseMembers(members).find((member) => isWithinOneEdit(name!, member.name.toLowerCase())) ?? null;
}

/**
 * Names under which other files refer to a file: as a module, and as part of a package.
 *
 * A file such as `okhttp.base-conventions.gradle.kts` is no module `okhttp`.
 */
export function moduleNames(path: string): string[] {
  const [folder, file] = rpartition(casefold(path), "/");
  const packageName = folder.replaceAll("/", ".");
  return [`${packageName}.${rpartition(file, ".")[0].replace(/\.d$/, "")}`, packageName];
}

/** Normalizes a name or query for comparison: parts joined by dots, case folded. */
export const normalizeName = memoize((text) => casefold(normalizeSymbol(text)));

/** Returns true if a normalized query equals the name or its last parts. */
export function isNamed(name: string, searchedName: string): boolean {
  return symbolEndsWith(normalizeName(name), searchedName);
}

/** Parses the members of a node, stored as `4f5e RED:3 GREEN:4`. */
export function parseMembers(text: string): Member[] {
  const members = text.split(" ").slice(1).map((one) => rpartition(one, ":"));
  return members.map(([name, line]) => ({ name, line: Number(line) }));
}
