/**
 * Finds the members of Go that stand for each other: a type's methods and those of its interfaces. Mirrors
 * `feeder.relations.go_members`.
 */

import { constants } from "../../build/worker_data.json";
import { dirname } from "../posix_paths.ts";
import { rpartition } from "../python_strings.ts";
import { hasNamed, RETURNS } from "../relation.ts";
import { sortBy } from "../sorting.ts";
import type { NamedNode } from "../store/relations.ts";
import { GoTypes, type TypePlace } from "./go_interfaces.ts";
import type { Implementing } from "./receiver_types.ts";
import type { Definition } from "./modules.ts";
import { isBodyless, memberKey } from "./node_definitions.ts";
import type { RelationReader } from "./relation_reader.ts";
import type { Implementation } from "./sites.ts";
import { lastName } from "../text.ts";

const { MAX_NAMES } = constants.go_members;
const { MAX_EMBEDDED, MAX_GO_TYPES } = constants.go_interfaces;

/** Compares types of Go with interfaces, each pair once. */
export class GoMembers {
  readonly #types: GoTypes;

  constructor(private readonly reader: RelationReader) {
    this.#types = new GoTypes(reader.database, reader.repo);
  }

  /** Reads types ahead. */
  load(symbols: readonly string[]): Promise<void> {
    return this.#types.load(symbols);
  }

  /**
   * The types of Go whose member of a name may stand for a definition, by their last names.
   *
   * Of a type's method these are the interfaces, of an interface's method the types.
   */
  async dispatch(definition: Definition, others: readonly Definition[]): Promise<Map<string, Implementing[]>> {
    const own = placeOf(definition.path, definition.owner);
    const dispatch = new Map<string, Implementing[]>();
    for (const { path, owner } of await this.members(definition, others)) {
      const name = lastName(owner);
      const type = { path, language: "go", symbol: owner, name, owner: "", isType: true, isLocal: false };
      const other = placeOf(path, owner);
      const [place, interfacePlace] = definition.isAbstract ? [other, own] : [own, other];
      const implementing = { type, implements: this.#types.implements(place, interfacePlace) };
      dispatch.set(name, [...(dispatch.get(name) ?? []), implementing]);
    }
    return dispatch;
  }

  /** Reads the types of Go that a member's type is compared with; returns their members. */
  async members({ owner, language, isAbstract = false }: Definition, others: readonly Definition[]): Promise<Definition[]> {
    const differing = others.filter((one) => {
      return one.language === language && one.owner && !one.isType && (one.isAbstract ?? false) !== isAbstract;
    });
    const members = [...new Map(differing.map((one) => [memberKey(one), one])).values()];
    if (members.length > 0) await this.#types.load([owner, ...members.map((one) => one.owner)]);
    return members;
  }

  /** The functions of a type's package in Go that return it. */
  async makers(owner: Definition): Promise<Definition[]> {
    const nodes = (await this.reader.nodesWithType(owner.name)).filter(({ relations }) => {
      return hasNamed(relations, owner.name, RETURNS);
    });
    return nodes.flatMap(({ path, symbol }) => {
      const [packageName, name, ...others] = (symbol ?? "").split(".");
      if (!packageName || !name || others.length > 0 || dirname(path) !== dirname(owner.path)) return [];
      return { path, language: "go", symbol: symbol!, name, owner: "", isType: false, isLocal: false };
    });
  }

  /** The types that have all methods of an interface of Go, in the order of paths. */
  async implementing(type: Definition): Promise<Implementation[]> {
    const [types, place] = [this.#types, placeOf(type.path, type.symbol)];
    await types.load([type.symbol]);
    if (!types.isInterface(place)) return [];
    const owners = await this.#typesWithAny([...types.methodSet(place).methods.keys()]);
    const symbols = [...owners, ...(await types.symbolsEmbedding(owners))];
    if (owners.length > MAX_EMBEDDED || symbols.length > MAX_GO_TYPES) this.reader.isCut = true;
    await types.load(symbols);
    if (types.isCut) this.reader.isCut = true;
    const places = [...new Set(symbols)].flatMap((symbol) => types.places(symbol));
    return sortBy(places, ({ folder, symbol }) => [folder, symbol]).flatMap((other) => {
      const [node, isImplementing] = [types.node(other), types.implements(other, place)];
      if (!node || isImplementing === "NO" || !types.hasNames(other, place)) return [];
      const { path, firstLine: start_line, lastLine: end_line } = node;
      return [{ path, start_line, end_line, symbol: other.symbol, resolved: isImplementing === "YES", depth: 1, is_local: false }];
    });
  }

  /**
   * The symbols of types of Go with the method of these that has the longest name.
   *
   * Of a name that is too frequent to be read to its end, the next one's.
   */
  async #typesWithAny(keys: readonly string[]): Promise<string[]> {
    const names = new Set(keys.map((key) => rpartition(key, "/")[1]));
    let owners: string[] = [];
    let isCut = false;
    for (const name of sortBy(names, (one) => [-[...one].length, one]).slice(0, MAX_NAMES)) {
      const named = await this.reader.nodesNamed(name);
      const methods = named.filter(({ language, nodeType }) => language === "go" && nodeType === "method");
      owners = [...new Set(methods.map(({ symbol }) => rpartition(symbol!, ".")[0]))];
      isCut = this.reader.cutNames.has(name);
      if (!isCut) break;
    }
    if (isCut) this.reader.isCut = true;
    return owners;
  }

  /** The members of a name in types that implement a method of an interface. */
  async implementingMembers(
    definition: Definition,
    owner: Definition,
    named: readonly Definition[],
  ): Promise<{ member: Definition; isSure: boolean }[]> {
    const place = placeOf(owner.path, owner.symbol);
    return (await this.members(definition, named)).flatMap((member) => {
      const other = placeOf(member.path, member.owner);
      const isImplementing = this.#types.implements(other, place);
      if (isImplementing === "NO" || !this.#types.hasNames(other, place)) return [];
      return [{ member, isSure: isImplementing === "YES" }];
    });
  }
}

/** The symbols of the types and interfaces of Go whose methods each of some methods is compared with. */
export function symbolsOfGo(methods: readonly NamedNode[], named: readonly NamedNode[]): string[][] {
  const isMethod = ({ language, nodeType, symbol }: NamedNode) => {
    return language === "go" && nodeType === "method" && symbol!.split(".").length > 2;
  };
  return methods.filter(isMethod).flatMap((method) => {
    const others = named.filter((one) => isMethod(one) && isBodyless(one) !== isBodyless(method));
    const symbols = [method, ...others].map(({ symbol }) => rpartition(symbol!, ".")[0]);
    return others.length > 0 ? [symbols] : [];
  });
}

function placeOf(path: string, symbol: string): TypePlace {
  return { folder: dirname(path), symbol };
}
