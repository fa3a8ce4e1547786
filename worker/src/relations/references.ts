/**
 * Finds the sites that refer to a definition, and the types below a type. Mirrors `feeder.relations.references`.
 *
 * Start with `findReferences` and `findImplementations`. What they need is read ahead in two batches by
 * `ReferenceFinder.prefetch`; whatever that misses is read when it is needed, in batches of its own.
 */

import { HttpError } from "../http_error.ts";
import { rpartition } from "../python_strings.ts";
import { sortBy } from "../sorting.ts";
import { decodeRelations, isSearchable, lineNumbers, type NamedNode, type RelatedNode } from "../store/relations.ts";
import { lastName, normalizeSymbol, symbolEndsWith } from "../text.ts";
import type { SearchContext } from "../corpus/context.ts";
import { withSitesThroughTypes } from "./bases.ts";
import { FamilyFinder, mayBeField } from "./families.ts";
import { GoMembers, symbolsOfGo } from "./go_members.ts";
import { LocalTypeFinder } from "./local_types.ts";
import { type Definition, sayNoneListed, sayNothingRefers, unindexedReferences } from "./modules.ts";
import { CONSTRUCTORS } from "./node_definitions.ts";
import { OtherNames } from "./other_names.ts";
import { RelationReader } from "./relation_reader.ts";
import { hasPart, SiteFinder } from "./site_finder.ts";
import {
  distinctReferences,
  type Implementation,
  OVERRIDE,
  passesTests,
  placeKey,
  type Reference,
  type ReferenceFilter,
  referenceOrder,
} from "./sites.ts";
import { SubtypeFinder } from "./subtypes.ts";
import { resolveTarget, type Target } from "./targets.ts";

/** Owners of members of one name whose types below are read ahead. */
const MAX_PREFETCHED_OWNERS = 3;
/** Sites whose lines are read ahead. */
const MAX_PREFETCHED_SITES = 200;
const LINES = /:\d+(?:-\d+|:\d+)?$/;

/**
 * References from an offset on out of `total`, or more than `total` where `atLeast`: some were not read, or are of a kind
 * that is not indexed.
 */
export interface ReferencePage {
  readonly target: Definition;
  readonly references: readonly Reference[];
  readonly total: number;
  readonly resolved: number;
  readonly atLeast: boolean;
  readonly offset: number;
  /** The lines with the name that mean something else. */
  readonly leftOut: number;
  /** The other nodes of code that have the name, counted only if there is no reference. */
  readonly nodesWithName: number;
  /** The references that the filters leave out. */
  readonly excluded: number;
}

/** Why no reference is listed; empty if there is one. */
export function reasonForNone({ total, excluded, target, nodesWithName, leftOut }: ReferencePage): string {
  if (total > 0) return "";
  return excluded > 0 ? sayNoneListed(target, excluded) : sayNothingRefers(target, nodesWithName, leftOut);
}

/** Finds references; each file, name and type is read once. */
export class ReferenceFinder {
  /** Called with the lines that may be shown, so that their text is read with the second batch. */
  onSites: (sites: [path: string, line: number][]) => Promise<void> = async () => {};
  readonly reader: RelationReader;
  readonly subtypes: SubtypeFinder;
  readonly localTypes: LocalTypeFinder;
  readonly families: FamilyFinder;
  readonly sites: SiteFinder;
  readonly #go: GoMembers;
  readonly #otherNames: OtherNames;

  constructor(context: Pick<SearchContext, "database" | "repo">) {
    this.reader = new RelationReader(context);
    this.#go = new GoMembers(this.reader);
    this.subtypes = new SubtypeFinder(this.reader, this.#go);
    this.localTypes = new LocalTypeFinder(this.reader, this.subtypes);
    this.families = new FamilyFinder(this.reader, this.subtypes, this.#go);
    this.sites = new SiteFinder(this.reader);
    this.#otherNames = new OtherNames(this.sites, this.families);
  }

  /** Resolves a target and reads ahead what its references need, in two batches; a line of a file takes more. */
  async target(text: string): Promise<Target> {
    const [target] = await Promise.all([resolveTarget(this.reader, text), this.prefetch(text)]);
    return target;
  }

  /**
   * Reads what the references to a name need: its nodes and definitions, then their files and the types below.
   *
   * `text` is a symbol, if need be with a path and `#` before it; nothing is read for lines of a file.
   */
  async prefetch(text: string): Promise<void> {
    const [path, symbol] = LINES.test(text) ? ["", ""] : rpartition(text, "#");
    const requested = normalizeSymbol(symbol);
    const name = lastName(requested);
    if (!isSearchable(name)) return;
    const [nodes, named] = await Promise.all([
      this.reader.nodes(name),
      this.reader.nodesNamed(name),
      this.reader.membersNamed(name),
      this.reader.exports.readPaths(),
    ]);
    const targets = named.filter((node) => {
      return symbolEndsWith(node.symbol ?? "", requested) && (!path || `/${node.path}`.endsWith(`/${path}`));
    });
    const isConstructor = ({ symbol }: NamedNode) => CONSTRUCTORS.has(name) || ownerName(symbol) === name;
    const members = targets.filter((node) => node.isInType || node.nodeType === "method");
    const owners = [...new Set(members.map((node) => ownerName(node.symbol)))].filter(isSearchable);
    const types = targets.some(({ nodeType }) => nodeType === "class") ? [name] : [];
    const first = owners.slice(0, MAX_PREFETCHED_OWNERS);
    const isGo = members.some(({ language }) => language === "go");
    const called = members.some(isConstructor) ? first : [];
    const goSymbols = symbolsOfGo(members.slice(0, MAX_PREFETCHED_OWNERS), named);
    await Promise.all([
      this.reader.facts([...targets, ...nodes].map((node) => node.path)),
      this.reader.memberDefinitions(name),
      this.onSites(sitesOf(nodes, name)),
      ...[...types, ...first].map((owner) => this.reader.nodesNamed(owner)),
      ...[...new Set([...types, ...first])].map((type) => this.subtypes.readSubtypes(type)),
      ...called.map((type) => this.reader.nodes(type)),
      ...goSymbols.map((symbols) => this.#go.load(symbols)),
      ...targets.slice(0, MAX_PREFETCHED_OWNERS).map((node) => this.#prefetchExports(node)),
      ...(mayBeField(nodes, name) || isGo ? first : []).map((type) => this.reader.nodesWithType(type)),
    ]);
  }

  /** Reads the exports of a definition, or of the type around it in its file. */
  async #prefetchExports(node: NamedNode): Promise<void> {
    const { path, symbol, isInType } = node;
    const language = node.language ?? "";
    const [owner] = rpartition(symbol ?? "", ".");
    if (!isInType) await this.reader.exports.read(await this.reader.definitionOf(node));
    else if (!owner.includes(".")) {
      await this.reader.exports.read({ path, language, symbol: owner, name: owner, owner: "", isType: true, isLocal: false });
    }
  }

  /** The sites of a definition's name, without their text; the surest and nearest first. */
  async references(definition: Definition): Promise<Reference[]> {
    const resolver = await this.families.resolver(definition);
    const own = await this.sites.sites(definition, resolver, definition.name, null);
    const sites = [...own, ...(await this.#otherNames.sites(definition, resolver, own))];
    const all = definition.owner
      ? await withSitesThroughTypes(this.sites, this.families, this.subtypes, definition, sites)
      : sites;
    return sortBy(distinctReferences(all), (one) => referenceOrder(one, definition));
  }

  /** The lines that declare a member in objects and in classes without a name. */
  async unnamedOverrides(definition: Definition): Promise<Implementation[]> {
    const resolver = await this.families.resolver(definition);
    const sites = await this.sites.sites(definition, resolver, definition.name, null);
    const overriding = sites.filter(({ kind }) => kind === OVERRIDE);
    return sortBy(overriding, (one) => referenceOrder(one, definition)).map(({ path, line, node, resolved }) => {
      return { path, start_line: line, end_line: line, symbol: node.symbol ?? "", resolved, depth: 1, is_local: true };
    });
  }
}

/** The page of references to a target; throws an HttpError if it is no declaration. */
export async function findReferences(
  finder: ReferenceFinder,
  target: Target,
  text: string,
  requested: ReferenceFilter,
): Promise<ReferencePage> {
  const definition = await finder.reader.definition(target, text);
  const { kinds, tests, offset, limit } = requested;
  const sites = await finder.references(definition);
  const isConstructor = await finder.reader.isConstructor(target, definition);
  const baseCalls = isConstructor ? await finder.subtypes.constructorCalls(definition) : [];
  const overriding = await finder.subtypes.overriding(definition);
  const all = sortBy([...sites, ...baseCalls, ...overriding], (one) => referenceOrder(one, definition));
  if (all.length === 0) await finder.reader.checkRelations();
  const matches = all.filter(
    (one) => (kinds.length === 0 || kinds.includes(one.kind)) && passesTests(one.path, tests),
  );
  const references = matches.slice(offset, offset + limit);
  const resolved = matches.filter((one) => one.resolved).length;
  const answered = await finder.reader.inAnswer(definition, all.length > 0);
  const listed = new Set(all.map(({ path, line }) => placeKey(path, line)));
  return {
    target: answered,
    references,
    total: matches.length,
    resolved,
    atLeast: finder.reader.isCut || unindexedReferences(answered) !== "",
    offset,
    leftOut: [...finder.sites.leftOut].filter((place) => !listed.has(place)).length,
    nodesWithName: all.length > 0 ? 0 : await finder.reader.countNodesWithName(definition),
    excluded: all.length - matches.length,
  };
}

/** The definition, with the types below a type or the members that override a member. */
export async function findImplementations(
  finder: ReferenceFinder,
  target: Target,
  text: string,
): Promise<{ definition: Definition; implementations: Implementation[] }> {
  const definition = await finder.reader.inAnswer(await finder.reader.definition(target, text));
  if (definition.isType) {
    const [named, local] = [await finder.subtypes.implementations(definition), await finder.localTypes.typesBelow(definition)];
    return { definition, implementations: [...named, ...local] };
  }
  if (!definition.owner) {
    throw new HttpError(400, `${definition.symbol} is neither a type nor a member of one.`, "Use the name of a type.");
  }
  const below = await finder.subtypes.membersBelow(definition);
  const implementations = below.map(({ node: { path, firstLine, lastLine, symbol }, resolved, depth }) => {
    return { path, start_line: firstLine, end_line: lastLine, symbol: symbol ?? "", resolved, depth, is_local: false };
  });
  implementations.push(...(await finder.subtypes.implementingFields(definition)));
  const unnamed = await finder.unnamedOverrides(definition);
  const possible = await finder.localTypes.possibleOverrides(definition, implementations, unnamed);
  return { definition, implementations: [...implementations, ...unnamed, ...possible] };
}

/** The last part of the type around a symbol. */
function ownerName(symbol: string | null): string {
  return lastName(rpartition(symbol ?? "", ".")[0]);
}

/** The lines on which nodes may refer to a name; none if there are many more than are shown. */
function sitesOf(nodes: readonly RelatedNode[], name: string): [string, number][] {
  if (nodes.length > MAX_PREFETCHED_SITES) return [];
  const sites = nodes.flatMap((node) => {
    const relations = decodeRelations(node).filter((one) => one.name === name || hasPart(one, name));
    const lines = relations.flatMap((relation) => lineNumbers(node, relation));
    return lines.map((line): [string, number] => [node.path, line]);
  });
  return sites.length > MAX_PREFETCHED_SITES ? [] : sites;
}
