/**
 * Finds the sites that refer to a definition by another name: an alias, a macro, another spelling. Mirrors
 * `feeder.relations.other_names`.
 */

import { constants } from "../../build/worker_data.json";
import { CALL, IMPORT, macroOf, MENTION, moduleAndAlias, USE } from "../relation.ts";
import { sortBy } from "../sorting.ts";
import { unicodeForms } from "../text.ts";
import {
  decodeRelations,
  isSearchable,
  lineNumbers,
  relatedNode,
  type RelatedNode,
  relatedNodesWithWord,
} from "../store/relations.ts";
import { areCompatible, traits } from "../traits.ts";
import { DEFAULT, type Exports } from "./exports.ts";
import type { FamilyFinder } from "./families.ts";
import type { Definition } from "./modules.ts";
import type { RelationReader } from "./relation_reader.ts";
import type { Resolver } from "./resolution.ts";
import { hasPart, type SiteFinder } from "./site_finder.ts";
import { KIND_NAMES, type Reference } from "./sites.ts";

const { MAX_ALIAS_NODES, MAX_MACROS } = constants.other_names;

/** Finds sites by the names that files give to a definition, or that macros around it have. */
export class OtherNames {
  private readonly reader: RelationReader;

  constructor(
    private readonly finder: SiteFinder,
    private readonly families: FamilyFinder,
  ) {
    this.reader = finder.reader;
  }

  /** The sites by other names; `own` are those by the definition's own name. */
  async sites(definition: Definition, resolver: Resolver, own: readonly Reference[]): Promise<Reference[]> {
    const { reexports, family, caseInsensitive, attributeEnding, methodAliases, setterEnding } = traits(definition.language);
    const matches = await (reexports
      ? this.#exportedSites(definition, resolver)
      : this.#aliasedSites(definition, resolver, own));
    if (family === "c") matches.push(...(await this.#macroSites(definition, resolver, [...own, ...matches])));
    for (const spelling of caseInsensitive ? await this.#spellings(definition.name) : []) {
      matches.push(...(await this.finder.sites(definition, resolver, spelling, null, null, true)));
    }
    for (const form of unicodeForms(definition.name).slice(1)) {
      matches.push(...(await this.finder.sites(definition, resolver, form, null, null, true)));
    }
    const isEnded = definition.isType && attributeEnding !== "" && definition.name.endsWith(attributeEnding);
    const short = isEnded ? definition.name.slice(0, -attributeEnding.length) : "";
    if (short) {
      matches.push(...(await this.#attributeSites(definition, resolver, short)));
    }
    const isSetter = definition.isFunction === true && setterEnding !== "" && definition.name.endsWith(setterEnding);
    const setter = isSetter ? definition.name.slice(0, -setterEnding.length) : "";
    if (setter) matches.push(...(await this.#setterSites(definition, resolver, setter)));
    if (methodAliases) {
      matches.push(...(await this.#methodAliasSites(definition, [...own, ...matches])));
    }
    return matches;
  }

  /**
   * The attributes of C# without the end of their type's name, unless another type has it.
   *
   * An attribute with arguments looks like a call, and may be a call of a method.
   */
  async #attributeSites(definition: Definition, resolver: Resolver, short: string): Promise<Reference[]> {
    const all = (await this.reader.namedDefinitions(short)).map((one) => one.definition);
    const named = all.filter(({ language }) => areCompatible(language, definition.language));
    if (named.some(({ isType }) => isType)) return [];
    const sites = await this.finder.sites(definition, resolver, short, null, null, true);
    const kinds = [USE, ...(named.length > 0 ? [] : [CALL])].map((kind) => KIND_NAMES[kind]);
    return sites.filter(({ kind, receiver }) => !receiver && kinds.includes(kind));
  }

  /**
   * The sites of a setter of Ruby: `cart.total = 3` calls `total=`.
   *
   * They are possible, because `cart.total` may be read there.
   */
  async #setterSites(definition: Definition, resolver: Resolver, name: string): Promise<Reference[]> {
    const kinds = [CALL, MENTION].map((kind) => KIND_NAMES[kind]);
    const sites = await this.finder.sites(definition, resolver, name, null, null, true);
    return sites.filter(({ kind, receiver }) => receiver && kinds.includes(kind)).map((site) => ({ ...site, resolved: false }));
  }

  /** The sites of the other names by which files import a definition. */
  async #aliasedSites(definition: Definition, resolver: Resolver, found: readonly Reference[]): Promise<Reference[]> {
    const aliases = new Map<string, Set<string>>();
    for (const { kind, receiver, path } of found) {
      const [, alias] = kind === "import" ? moduleAndAlias({ qualifier: receiver }) : ["", ""];
      if (alias && alias !== definition.name) aliases.set(alias, (aliases.get(alias) ?? new Set()).add(path));
    }
    const ofEach = [...aliases].map(([alias, paths]) => this.finder.sites(definition, resolver, alias, paths));
    return (await Promise.all(ofEach)).flat();
  }

  /** The sites of the other names by which files import or export a definition. */
  async #exportedSites(definition: Definition, resolver: Resolver): Promise<Reference[]> {
    const exports = await this.reader.exports.read(definition);
    if (exports.isCut || this.reader.exports.isCut) this.reader.isCut = true;
    const ofEach = exports.otherNames(definition.name).map(async (name) => {
      const isRare = !definition.isLocal && (await this.#isRare(name));
      return this.finder.sites(definition, resolver, name, isRare ? null : pathsExporting(exports, name));
    });
    const defaults = exports.defaultImports.flatMap(({ node, relation }) => {
      const name = moduleAndAlias(relation)[1] || DEFAULT;
      const common = { path: node.path, column: 0, kind: KIND_NAMES[IMPORT]!, resolved: true, text: "", node, name, receiver: "" };
      return lineNumbers(node, relation).map((line) => ({ ...common, line }));
    });
    return [...(await Promise.all(ofEach)).flat(), ...defaults];
  }

  /** Returns true if a name has few nodes, which are all read; of more, those of the files that import it are. */
  async #isRare(name: string): Promise<boolean> {
    const nodes = (await this.reader.nodes(name)).filter((node) => mentions(node, name));
    return nodes.length <= MAX_ALIAS_NODES && !this.reader.cutNodes.has(name);
  }

  /** The other spellings of a name in a language in which `Total` and `TOTAL` are equal. */
  async #spellings(name: string): Promise<string[]> {
    if (!isSearchable(name)) return [];
    const [rows = []] = await this.reader.database.run([relatedNodesWithWord(this.reader.repo, name)]);
    const spelled = new Set(rows.map(relatedNode).flatMap((node) => decodeRelations(node).map((one) => one.name)));
    return [...spelled].filter((one) => one !== name && one.toLowerCase() === name.toLowerCase()).sort();
  }

  /**
   * The sites of the macros whose text has a definition's name, and of macros around these.
   *
   * A macro of a source file is used in this file, one of a header in all files but those with a
   * macro of their own that has its name.
   */
  async #macroSites(definition: Definition, resolver: Resolver, found: readonly Reference[]): Promise<Reference[]> {
    const matches: Reference[] = [];
    const followed = new Set([definition.name]);
    let pathsOf = macrosAround(found, followed);
    while (pathsOf.size > 0) {
      const macros = sortBy(pathsOf, ([macro]) => [macro]).slice(0, MAX_MACROS + 1 - followed.size);
      this.reader.isCut ||= macros.length < pathsOf.size;
      const sites: Reference[] = [];
      for (const [macro, paths] of macros) {
        followed.add(macro);
        sites.push(...(await this.finder.sites(definition, resolver, macro, null, paths)));
      }
      matches.push(...sites);
      pathsOf = macrosAround(sites, followed);
    }
    return matches;
  }

  /** The sites of a method's aliases, and of aliases of these, in the type around each. */
  async #methodAliasSites(definition: Definition, found: readonly Reference[]): Promise<Reference[]> {
    const matches: Reference[] = [];
    const followed = new Set([definition.symbol]);
    const others = async (sites: readonly Reference[]) => {
      return (await this.#methodAliases(definition.language, sites)).filter(({ symbol }) => !followed.has(symbol));
    };
    let aliases = await others(found);
    while (aliases.length > 0) {
      if (followed.size + aliases.length > MAX_MACROS) this.reader.isCut = true;
      aliases = aliases.slice(0, Math.max(MAX_MACROS - followed.size, 0));
      for (const { symbol } of aliases) followed.add(symbol);
      const ofEach = aliases.map(async (one) => this.finder.sites(one, await this.families.resolver(one), one.name, null));
      const sites = (await Promise.all(ofEach)).flat();
      matches.push(...sites);
      aliases = await others(sites);
    }
    return matches;
  }

  /** The methods that resolved sites declare as aliases, sorted by symbol. */
  async #methodAliases(language: string, sites: readonly Reference[]): Promise<Definition[]> {
    const aliases = new Map<string, Definition>();
    for (const { resolved, receiver, path, node } of sites) {
      const name = macroOf(receiver);
      if (!resolved || !name) continue;
      const owner = (await this.reader.fileFacts(path)).enclosingClass(node.symbol);
      const symbol = owner ? `${owner}.${name}` : name;
      const alias = { path, language, symbol, name, owner, isType: false, isLocal: false };
      if (!aliases.has(symbol)) aliases.set(symbol, alias);
    }
    return sortBy(aliases.values(), ({ symbol }) => [symbol]);
  }
}

/** The macros in whose text sites are, other than `followed`, each with its files. */
function macrosAround(sites: readonly Reference[], followed: ReadonlySet<string>): Map<string, Set<string>> {
  const pathsOf = new Map<string, Set<string>>();
  for (const { receiver, path } of sites) {
    const macro = macroOf(receiver);
    if (!macro || followed.has(macro)) continue;
    pathsOf.set(macro, (pathsOf.get(macro) ?? new Set()).add(path));
  }
  return pathsOf;
}

/** The files that export a definition by a name. */
function pathsExporting({ names }: Exports, name: string): Set<string> {
  return new Set([...names].filter(([, own]) => own.has(name)).map(([path]) => path));
}

/** Returns true if a node refers to a name, also as a receiver. */
function mentions(node: RelatedNode, name: string): boolean {
  return decodeRelations(node).some((one) => KIND_NAMES[one.kind] && (one.name === name || hasPart(one, name)));
}
