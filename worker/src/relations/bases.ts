/**
 * Finds the sites of a member through other types: `pump.flow()` for `Steel.flow`.
 *
 * Which method runs is known only when the program does; such a site says through which member it may reach the
 * definition. Mirrors `feeder.relations.bases`.
 */

import { constants } from "../../build/worker_data.json";
import { IMPLEMENTS, INHERITS, LITERAL_KEY } from "../relation.ts";
import { decodeRelations } from "../store/relations.ts";
import { lastName } from "../text.ts";
import { traits } from "../traits.ts";
import type { FamilyFinder } from "./families.ts";
import { NO_FAMILY } from "./receiver_types.ts";
import { type Definition, typeKey } from "./modules.ts";
import { isResolved } from "./outcomes.ts";
import type { RelationReader } from "./relation_reader.ts";
import { Resolver } from "./resolution.ts";
import type { SiteFinder } from "./site_finder.ts";
import type { Reference } from "./sites.ts";
import { isVariant, type SubtypeFinder } from "./subtypes.ts";

const { MAX_BASES, MAX_MEMBERS } = constants.bases;
const DISPATCHED_KINDS = new Set(constants.bases.DISPATCHED_KINDS);

/**
 * The sites of a member, and those that name a member of another type which it may be.
 *
 * For a method these are members of the types above its own. A field may be declared again in the types below, too:
 * `basket.total` for `total` of an interface that `Basket` implements. A site that was only possible is replaced. Go is
 * left out: its interfaces have rules of their own.
 */
export async function withSitesThroughTypes(
  finder: SiteFinder,
  families: FamilyFinder,
  subtypes: SubtypeFinder,
  definition: Definition,
  sites: readonly Reference[],
): Promise<Reference[]> {
  const { redeclaredFields, structuralInterfaces } = traits(definition.language);
  const mayDispatch = definition.isFunction || redeclaredFields;
  const owner = mayDispatch ? await finder.reader.typeAround(definition) : null;
  if (!owner || structuralInterfaces) return [...sites];
  const key = ({ path, line }: Reference) => `${path}\0${line}`;
  const resolved = new Set(sites.filter((one) => one.resolved).map(key));
  const through = new Map<string, Reference>();
  const add = (found: readonly Reference[]) => {
    for (const one of found) {
      if (!resolved.has(key(one)) && !through.has(key(one))) through.set(key(one), one);
    }
  };
  for (const base of await typesAbove(finder.reader, owner)) add(await sitesOfBase(finder, base, definition));
  const below = definition.isFunction ? [] : (await subtypes.redeclared(definition)).slice(0, MAX_MEMBERS);
  for (const one of below) add(await sitesOfMember(finder, await families.resolver(one), one));
  return [...sites.filter((one) => !through.has(key(one))), ...through.values()];
}

/** The types of the index that a type inherits or implements, the nearest first. */
async function typesAbove(reader: RelationReader, owner: Definition): Promise<Definition[]> {
  const seen = new Set([typeKey(owner.path, owner.symbol)]);
  const found: Definition[] = [];
  let level = [owner];
  while (level.length > 0) {
    const above: Definition[] = [];
    for (const base of (await Promise.all(level.map((type) => directBases(reader, type)))).flat()) {
      const key = typeKey(base.path, base.symbol);
      if (seen.has(key) || seen.size > MAX_BASES) continue;
      seen.add(key);
      above.push(base);
    }
    found.push(...above);
    level = above;
  }
  return found;
}

/** The files that declare a type, its own first: several for a `partial class` of C#. */
async function pathsOfParts(reader: RelationReader, { path, symbol, name, language }: Definition): Promise<string[]> {
  const named = traits(language).splitTypes ? await reader.namedDefinitions(name) : [];
  const parts = named.filter(({ definition: one }) => one.isType && one.symbol === symbol && one.language === language);
  return [...new Set([path, ...parts.map(({ definition: one }) => one.path)])];
}

/** The definitions that a type surely names as its bases, in its own file or a part. */
async function directBases(reader: RelationReader, type: Definition): Promise<Definition[]> {
  const allFacts = await reader.facts(await pathsOfParts(reader, type));
  const nodes = [...allFacts.values()].flatMap((facts) => facts.nodes.map((node) => ({ facts, node })));
  const bases: Definition[] = [];
  for (const { facts, node } of nodes) {
    if (node.symbol !== type.symbol || node.nodeType !== "class") continue;
    const enumeration = await reader.typeAround(type);
    if (enumeration && isVariant(node, enumeration)) bases.push(enumeration);
    for (const relation of decodeRelations(node)) {
      if (!relation.name || (relation.kind !== INHERITS && relation.kind !== IMPLEMENTS)) continue;
      const named = (await reader.namedDefinitions(relation.name)).map(({ definition }) => definition);
      const types = named.filter(({ isType }) => isType);
      bases.push(
        ...types.filter((one) => {
          return isResolved(new Resolver(one, types, null, reader.exports).resolve(facts, node, relation, node.startLine));
        }),
      );
    }
  }
  return bases;
}

/** The sites of the member that a type above a definition's type has of its name. */
async function sitesOfBase(finder: SiteFinder, base: Definition, { name, isFunction }: Definition): Promise<Reference[]> {
  const { path, language } = base;
  const symbol = `${base.symbol}.${name}`;
  const common = { isType: false, isLocal: false, isFunction: Boolean(isFunction) };
  const member: Definition = { path, language, symbol, name, owner: base.symbol, ...common };
  const named = (await finder.reader.namedDefinitions(name)).map(({ definition }) => definition);
  const members = isFunction ? [] : await finder.reader.memberDefinitions(name);
  const others = [...named, ...members].filter((one) => one.symbol !== symbol);
  const family = { ...NO_FAMILY, own: new Set([typeKey(path, base.symbol)]), names: new Set([base.name]), allBelow: new Set<string>() };
  const resolver = new Resolver(member, [member, ...others], base, finder.reader.exports, family);
  const sites = await sitesOfMember(finder, resolver, member);
  // `{ total: 0 }` as a literal of the base makes no object of the type below
  return sites.filter(({ receiver }) => !receiver.endsWith(LITERAL_KEY));
}

/** The sites that name a member on a value of its type, or on the object in its methods; they go through the member. */
async function sitesOfMember(finder: SiteFinder, resolver: Resolver, member: Definition): Promise<Reference[]> {
  const owner = lastName(member.owner);
  const { methodsByPath } = traits(member.language);
  return (await finder.sites(member, resolver, member.name, null))
    .filter(({ resolved, kind, receiver }) => {
      const namesType = lastName(receiver) === owner && !methodsByPath;
      return resolved && DISPATCHED_KINDS.has(kind) && !namesType;
    })
    .map((one) => ({ ...one, through: member.symbol }));
}
