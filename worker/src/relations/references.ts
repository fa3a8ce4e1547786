/**
 * Finds the sites that refer to a definition, and the types below a type. Mirrors `feeder.relations.references`.
 *
 * Start with `findReferences` and `findImplementations`. What they need is read ahead in two batches by
 * `ReferenceFinder.prefetch`; whatever that misses is read when it is needed, in batches of its own.
 */

import { constants } from "../../build/worker_data.json";
import { groupBy } from "../collections.ts";
import { HttpError } from "../http_error.ts";
import { matchAtStart, Pattern } from "../python_regex.ts";
import { characterColumns, partition, rpartition } from "../python_strings.ts";
import {
  BINDING,
  CALL,
  hasKind,
  hasNamed,
  IMPLEMENTS,
  IMPORT,
  INHERITS,
  macroOf,
  MENTION,
  moduleAndAlias,
  PARAMETER,
  type Relation,
  RETURNS,
  USE,
} from "../relation.ts";
import { sortBy, type SortKey } from "../sorting.ts";
import type { Hit } from "../store/hits.ts";
import { JoinedBatches } from "../store/joined_batches.ts";
import {
  decodeRelations,
  filesOfSubtypes,
  goPackagesInFolder,
  countNodesWithWord,
  hasTrigrams,
  isSearchable,
  lineNumbers,
  namedNode,
  type NamedNode,
  nodesNamed,
  nodesWithName,
  nodesWithType,
  relatedNode,
  relatedNodesWithWord,
  type RelatedNode,
  relationsOfFiles,
  sortNodes,
} from "../store/relations.ts";
import { isTestPath } from "../store/scope.ts";
import * as sql from "../store/statements.ts";
import { normalizeSymbol, symbolEndsWith } from "../text.ts";
import { traits } from "../traits.ts";
import type { SearchContext } from "../corpus/context.ts";
import { DEFAULT, type Exports, ExportFinder } from "./exports.ts";
import { GoTypes, type TypePlace } from "./go_interfaces.ts";
import { withSitesThroughBases } from "./bases.ts";
import { type Definition, isSameDefinition, MODULE_EXPORTS } from "./modules.ts";
import { dirname } from "../posix_paths.ts";
import { parseMembers } from "../ranking/name_matching.ts";
import { isElsewhere, isResolved } from "./outcomes.ts";
import {
  areCompatible,
  type Family,
  declarations,
  factsByPath,
  FileFacts,
  type Implementing,
  NO_FAMILY,
  Resolver,
  typeKey,
} from "./resolution.ts";
import { isNamedByArgument, resolveTarget, type Target, targetNode } from "./targets.ts";

const { MAX_DEPTH, MAX_TYPES } = constants.subtypes;
const { MAX_HELD_TYPES } = constants.families;
const { MAX_NAMES } = constants.go_members;
const { MAX_EMBEDDED, MAX_GO_TYPES } = constants.go_interfaces;
const { MAX_NAMED_HITS } = constants.hits;
const CHAINED = new Pattern(matchAtStart(constants.families.CHAINED_PATTERN));
const { MAX_REMOTE_ROWS, MAX_REMOTE_FILES, MAX_REMOTE_TYPES } = constants.relations;
export const KIND_NAMES: Readonly<Record<string, string>> = constants.sites.KIND_NAMES;
const { OVERRIDE } = constants.sites;
const { DECLARATION_LINES } = constants.site_text;
const { MAX_ALIAS_NODES, MAX_MACROS } = constants.other_names;
const { MAX_MODIFIERS } = constants.node_definitions;
const COMMENT = new Pattern(matchAtStart(constants.site_text.COMMENT_PATTERN));
const PRIVATE = new Pattern(matchAtStart(constants.node_definitions.PRIVATE_PATTERN));
const FUNCTION = new Pattern(constants.node_definitions.FUNCTION_PATTERN);
const OPEN_TYPE = new Pattern(constants.families.OPEN_TYPE_PATTERN);
const CONSTRUCTORS = new Set(constants.node_definitions.CONSTRUCTORS);
/** Owners of members of one name whose types below are read ahead. */
const MAX_PREFETCHED_OWNERS = 3;
/** Sites whose lines are read ahead. */
const MAX_PREFETCHED_SITES = 200;
const LINES = /:\d+(?:-\d+|:\d+)?$/;

/** A site that refers to a definition, or may; `column` is 0 with an empty `text` if the line is not stored. */
export interface Reference {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly kind: string;
  readonly resolved: boolean;
  readonly text: string;
  readonly node: RelatedNode;
  readonly name: string;
  readonly receiver: string;
  /** The member of a base that the site names, and that the definition overrides. */
  readonly through?: string;
}

/** The kind of a reference, with the member of a base that the site names: `call through Pump.flow`. */
export function detailOf({ kind, through }: Reference): string {
  return through ? `${kind} through ${through}` : kind;
}

/** References from an offset on out of `total`, or more than `total` where `atLeast`. */
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

/** A type below a type, or a member that overrides a member; `depth` counts levels from 1. */
export interface Implementation {
  readonly path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly symbol: string;
  readonly resolved: boolean;
  readonly depth: number;
}

/** Selects the references of a page; no kinds mean all. */
export interface ReferenceFilter {
  readonly kinds: readonly string[];
  readonly tests: string | null;
  readonly limit: number;
  readonly offset: number;
}

/** A definition with its node. */
export interface NamedDefinition {
  readonly definition: Definition;
  readonly hit: NamedNode;
}

interface Subtype {
  readonly implementation: Implementation;
  readonly parentKey: string;
}

/** Reads relations, those of each file and of each name once. */
export class ReferenceFinder {
  isCut = false;
  /** Called with the lines that may be shown, so that their text is read with the second batch. */
  /** Lines with a definition's name that mean something else. */
  readonly leftOut = new Set<string>();

  onSites: (sites: [path: string, line: number][]) => Promise<void> = async () => {};
  readonly database: JoinedBatches;
  readonly repo: string;
  readonly #facts = new Map<string, Promise<FileFacts>>();
  readonly #named = new Map<string, Promise<NamedNode[]>>();
  readonly #cutNames = new Set<string>();
  readonly #definitions = new Map<string, Promise<NamedDefinition[]>>();
  readonly #nodes = new Map<string, Promise<RelatedNode[]>>();
  readonly #related = new Map<string, Promise<RelatedNode[]>>();
  readonly #subtypes = new Map<string, { nodes: RelatedNode[]; types: Definition[] }>();
  readonly #below = new Map<string, Promise<Subtype[]>>();
  readonly #goTypes: GoTypes;
  readonly #cutNodes = new Set<string>();
  readonly exports: ExportFinder;

  constructor(context: Pick<SearchContext, "database" | "repo">) {
    this.database = new JoinedBatches(context.database);
    this.repo = context.repo;
    this.#goTypes = new GoTypes(this.database, this.repo);
    this.exports = new ExportFinder(this.database, this.repo, async (name) => {
      const nodes = await this.#nodes.get(name);
      return nodes && !this.#cutNodes.has(name) ? nodes : null;
    }, async (name) => (await this.#nodesNamed(name)).filter(({ symbol }) => symbol === name).map(({ path }) => path));
  }

  /** The number of other nodes of code that have a definition's name; read only if nothing refers to it. */
  async countNodesWithName(definition: Definition): Promise<number> {
    const { name, path, symbol } = definition;
    if (!isSearchable(name)) return 0;
    const [rows = []] = await this.database.run([countNodesWithWord(this.repo, name, path, symbol)]);
    return Number(rows[0]?.[0] ?? 0);
  }

  /** Throws an HttpError for an index without relations; sends no request if some have been read. */
  async checkRelations(): Promise<void> {
    const facts = await Promise.all(this.#facts.values());
    if (facts.some(({ nodes }) => nodes.some(({ relations }) => relations))) return;
    const [rows = []] = await this.database.run([sql.anyRelation(this.repo)]);
    if (rows.length > 0) return;
    throw new HttpError(
      400,
      `The index of ${this.repo} has no relations: it was made by an earlier version, or its languages have none.`,
      "Bring it up to date: feeder sync",
    );
  }

  /** Resolves a target and reads ahead what its references need, in two batches; a line of a file takes more. */
  async target(text: string): Promise<Target> {
    const [target] = await Promise.all([resolveTarget(this, text), this.prefetch(text)]);
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
    const [nodes, named] = await Promise.all([this.nodes(name), this.#nodesNamed(name), this.exports.readPaths()]);
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
      this.facts([...targets, ...nodes].map((node) => node.path)),
      this.onSites(sitesOf(nodes, name)),
      ...[...types, ...first].map((owner) => this.#nodesNamed(owner)),
      ...[...new Set([...types, ...first])].map((type) => this.#readSubtypes(type)),
      ...called.map((type) => this.nodes(type)),
      ...goSymbols.map((symbols) => this.#goTypes.load(symbols)),
      ...targets.slice(0, MAX_PREFETCHED_OWNERS).map((node) => this.#prefetchExports(node)),
      ...(mayBeField(nodes, name) || isGo ? first : []).map((type) => this.#nodesWithType(type)),
    ]);
  }

  /** Reads the exports of a definition, or of the type around it in its file. */
  async #prefetchExports(node: NamedNode): Promise<void> {
    const { path, symbol, isInType } = node;
    const language = node.language ?? "";
    const [owner] = rpartition(symbol ?? "", ".");
    if (!isInType) await this.exports.read(await this.definitionOf(node));
    else if (!owner.includes(".")) {
      await this.exports.read({ path, language, symbol: owner, name: owner, owner: "", isType: true, isLocal: false });
    }
  }

  /** The definition that a target names: a node's symbol, or a member of a node. */
  async definition(target: Target, text: string): Promise<Definition> {
    const hit = target.lines ? await targetNode(this, target) : firstNamed(target);
    const name = lastName(normalizeSymbol(rpartition(text, "#")[1]));
    const isMember = parseMembers(hit.members).some((member) => member.name === name);
    if (!target.lines && isMember && name !== lastName(hit.symbol ?? "")) {
      return this.memberDefinition(hit, name);
    }
    if (hit.symbol && !isNamedByArgument(hit)) return this.definitionOf(hit);
    throw new HttpError(
      400,
      `${hit.path}:${hit.startLine} is no declaration.`,
      "Give the symbol of a class, method or function, or a line of one.",
    );
  }

  /** The definition of a member of a class, or of a file, as a constant in a chunk. */
  async memberDefinition(hit: Hit, name: string): Promise<Definition> {
    const owner = hit.nodeType === "class" && hit.symbol ? hit.symbol : "";
    const one = { path: hit.path, language: hit.language ?? "", symbol: owner ? `${owner}.${name}` : name, name, owner, isType: false, isLocal: false };
    const { packageScope } = traits(hit.language);
    if (owner || packageScope === "") return one;
    const ofFile = (await this.fileFacts(hit.path)).package;
    if (packageScope === "package") return { ...one, packageName: ofFile };
    // a file of constants alone has no symbol with its package
    const packageName = partition(ofFile, ".")[0] || (await this.#goPackageOfFolder(dirname(hit.path)));
    return { ...one, packageName };
  }

  /** The package of a folder: not `main` beside another one; empty if there is none or several others. */
  async #goPackageOfFolder(folder: string): Promise<string> {
    const [rows = []] = await this.database.run([goPackagesInFolder(this.repo, folder)]);
    const names = rows.map(([name]) => String(name));
    const others = names.filter((name) => name !== "main");
    const [name, another] = others.length > 0 ? others : names;
    return another === undefined ? (name ?? "") : "";
  }

  async definitionOf(hit: Hit | NamedNode): Promise<Definition> {
    const symbol = hit.symbol ?? "";
    const [outer, name] = rpartition(symbol, ".");
    const isType = hit.nodeType === "class";
    if (isExtension(hit)) {
      const [path, language] = [hit.path, "kotlin"];
      const isLocal = isPrivate(hit);
      return { path, language, symbol, name, owner: "", isType, isLocal, isExtension: true, isFunction: !isType };
    }
    const isInType = "isInType" in hit ? hit.isInType : (await this.fileFacts(hit.path)).classes.has(outer);
    let owner = isInType ? outer : "";
    if (!owner && outer && hit.nodeType === "method") owner = await this.#typeOfMember(outer);
    const [path, language] = [hit.path, hit.language ?? ""];
    const [outside, ownerName] = rpartition(owner, ".");
    if (owner && (CONSTRUCTORS.has(name) || name === ownerName)) {
      const types = (await this.#named.get(ownerName)) ?? [];
      const type = types.find((node) => node.nodeType === "class" && node.path === path && node.symbol === owner);
      const isInner = type ? type.isInType : (await this.fileFacts(path)).classes.has(outside);
      const outerType = isInner ? outside : "";
      return { path, language, symbol: owner, name: ownerName, owner: outerType, isType: true, isLocal: false };
    }
    const signature = hit.signature ?? "";
    const { family } = traits(language);
    const isLocalOfC = signature.startsWith("static ") && family === "c" && !isType && !isHeader(path);
    const isLocal = isLocalOfC || (family === "scripts" && symbol === MODULE_EXPORTS) || isPrivate(hit);
    const isAbstract = language === "go" && isBodyless(hit) && owner !== "" && !isType;
    const isFunction = hit.nodeType === "method" && (language !== "kotlin" || FUNCTION.test(signature));
    return { path, language, symbol, name, owner, isType, isLocal, isAbstract, isFunction };
  }

  /** The type of a member that is declared in another file, as in Go, C++ or Swift. */
  async #typeOfMember(outer: string): Promise<string> {
    const named = await this.#nodesNamed(lastName(outer));
    return named.some((node) => node.symbol === outer && node.nodeType === "class") ? outer : "";
  }

  /** All definitions of a name, or of a qualified one, in the index. */
  namedDefinitions(name: string): Promise<NamedDefinition[]> {
    return memoized(this.#definitions, name, () => this.#readDefinitions(normalizeSymbol(name)));
  }

  async #readDefinitions(requested: string): Promise<NamedDefinition[]> {
    const matches = new Map<string, NamedNode>();
    if (await this.isNameCut(requested)) this.isCut = true;
    for (const hit of await this.#nodesNamed(lastName(requested))) {
      const key = typeKey(hit.path, hit.symbol ?? "");
      if (`.${hit.symbol ?? ""}`.endsWith(`.${requested}`) && !matches.has(key)) matches.set(key, hit);
    }
    return Promise.all([...matches.values()].map(async (hit) => ({ definition: await this.definitionOf(hit), hit })));
  }

  /** Returns true if more nodes define a name than are read. */
  async isNameCut(name: string): Promise<boolean> {
    const last = lastName(normalizeSymbol(name));
    await this.#nodesNamed(last);
    return this.#cutNames.has(last);
  }

  /** The declarations whose symbols end with a name. */
  #nodesNamed(name: string): Promise<NamedNode[]> {
    return memoized(this.#named, name, async () => {
      if (!isSearchable(name)) return [];
      const [rows = []] = await this.database.run([nodesNamed(this.repo, name)]);
      if (rows.length > MAX_NAMED_HITS) this.#cutNames.add(name);
      return rows.slice(0, MAX_NAMED_HITS).map(namedNode).filter((node) => !isNamedByArgument(node));
    });
  }

  /** The facts of files, read together; of more files than the limit those of the first ones. */
  async facts(paths: Iterable<string>): Promise<Map<string, FileFacts>> {
    const requested = [...new Set(paths)];
    const missing = requested.filter((path) => !this.#facts.has(path));
    const batch = missing.slice(0, MAX_REMOTE_FILES);
    if (batch.length < missing.length) this.isCut = true;
    const reading = batch.length > 0 ? this.#readFacts(batch) : Promise.resolve(new Map<string, FileFacts>());
    for (const path of batch) this.#facts.set(path, reading.then((facts) => facts.get(path)!));
    const entries = requested.map(async (path) => [path, (await this.#facts.get(path)) ?? new FileFacts(path, [])] as const);
    return new Map(await Promise.all(entries));
  }

  async #readFacts(paths: readonly string[]): Promise<Map<string, FileFacts>> {
    const [rows = []] = await this.database.run([relationsOfFiles(this.repo, paths)]);
    return factsByPath(paths, sortNodes(rows.map(relatedNode)));
  }

  async fileFacts(path: string): Promise<FileFacts> {
    return (await this.facts([path])).get(path)!;
  }

  /** The nodes whose relations have a name. */
  nodes(name: string): Promise<RelatedNode[]> {
    return memoized(this.#nodes, name, async () => {
      if (!isSearchable(name)) return [];
      const [rows = []] = await this.database.run([nodesWithName(this.repo, name)]);
      if (rows.length > MAX_REMOTE_ROWS) this.#cutNodes.add(name);
      if (rows.length > MAX_REMOTE_ROWS) this.isCut = true;
      return sortNodes(rows.slice(0, MAX_REMOTE_ROWS).map(relatedNode));
    });
  }

  /** The nodes that declare a variable or field of a type, or return it; those of all types of this name. */
  #nodesWithType(type: string): Promise<RelatedNode[]> {
    return memoized(this.#related, type, async () => {
      if (!isSearchable(type)) return [];
      const [rows = []] = await this.database.run([nodesWithType(this.repo, type)]);
      if (rows.length > MAX_REMOTE_ROWS) this.isCut = true;
      return sortNodes(rows.slice(0, MAX_REMOTE_ROWS).map(relatedNode));
    });
  }

  /** Reads the files of a type and of all types below it in one statement; not if there are too many. */
  async #readSubtypes(type: string): Promise<void> {
    const [rows = []] = await this.database.run([filesOfSubtypes(this.repo, type)]);
    const rowsOf = groupBy(rows, ([kind]) => String(kind));
    const nodesOf = (kind: string) => (rowsOf.get(kind) ?? []).map(([, ...row]) => namedNode(row));
    if (Number(rowsOf.get("count")?.[0]?.[6]) > MAX_REMOTE_TYPES) return;
    const names = (rowsOf.get("name") ?? []).map((row) => String(row[5])).filter(hasTrigrams);
    const nodes: RelatedNode[] = sortNodes(nodesOf("node"));
    const types = sortBy(nodesOf("type"), ({ symbol, path, startLine }) => [symbol!.length, path, startLine]);
    const paths = [...new Set(nodes.map(({ path }) => path))];
    const read = factsByPath(paths, nodes);
    for (const [path, facts] of read) if (!this.#facts.has(path)) this.#facts.set(path, Promise.resolve(facts));
    for (const name of new Set(names)) {
      const own = types.filter(({ symbol }) => lastName(symbol!) === name);
      const definitions = await Promise.all(own.map((node) => this.definitionOf(node)));
      this.#subtypes.set(name, { nodes: nodes.filter((node) => mayInherit(node, name)), types: definitions });
    }
  }

  /** The resolver of a definition, with the types below its owner. */
  async resolver(definition: Definition): Promise<Resolver> {
    const [named] = await Promise.all([this.namedDefinitions(definition.name), this.exports.readPaths()]);
    const others = otherDefinitions(definition, named);
    if (definition.isExtension) {
      return new Resolver(definition, others, null, this.exports, await this.#extendedFamily(definition));
    }
    if (!definition.owner || definition.isType) return new Resolver(definition, others, null, this.exports);
    const owners = (await this.namedDefinitions(lastName(definition.owner))).map((one) => one.definition);
    const same = owners.filter((one) => one.symbol === definition.owner);
    const owner = same.find((one) => one.path === definition.path) ?? same[0] ?? null;
    const overriding = new Set(others.map((one) => typeKey(one.path, one.owner)));
    const family = owner ? await this.#closedFamily(owner, overriding) : NO_FAMILY;
    const isGo = owner?.language === "go";
    const [makers, dispatch] = isGo
      ? await Promise.all([this.#makers(owner), this.#dispatch(definition, others)])
      : [[], new Map<string, Implementing[]>()];
    const isOnly = owner !== null && owners.filter(({ isType }) => isType).length === 1;
    const known = [...dispatch.values()].flat().filter((one) => one.implements === "YES");
    const holding = [...(isOnly ? [owner] : []), ...known.slice(0, MAX_HELD_TYPES).map(({ type }) => type)];
    const isChained = mayBeField(await this.nodes(definition.name), definition.name);
    const holders = isChained ? await this.#holders(holding) : new Map<string, Definition[]>();
    return new Resolver(definition, others, owner, this.exports, family, makers, holders, dispatch);
  }

  /** The types below the type that an extension of Kotlin extends, if the index has it. */
  async #extendedFamily({ symbol }: Definition): Promise<Family> {
    const extended = lastName(rpartition(symbol, ".")[0]);
    const type = (await this.namedDefinitions(extended)).find(({ definition }) => definition.isType);
    return type ? this.#closedFamily(type.definition, new Set()) : NO_FAMILY;
  }

  async #closedFamily(owner: Definition, overriding: ReadonlySet<string>): Promise<Family> {
    const family = await this.#family(owner, overriding);
    return { ...family, isClosed: await this.#isClosed(owner) };
  }

  /**
   * Returns true if no type of a library can be above a type, or below it.
   *
   * Below it may be one to which a trait, protocol or module is added.
   */
  async #isClosed(owner: Definition): Promise<boolean> {
    const named = await this.namedDefinitions(owner.name);
    const same = named.filter(({ definition }) => isSameDefinition(definition, owner));
    if (same.some(({ hit }) => OPEN_TYPE.test(hit.signature ?? ""))) return false;
    if (traits(owner.language).builtinTypes.includes(owner.name)) return false;
    const { nodes } = await this.fileFacts(owner.path);
    const own = nodes.filter(({ symbol, nodeType }) => symbol === owner.symbol && nodeType === "class");
    return !own.some(({ relations }) => hasKind(relations, INHERITS) || hasKind(relations, IMPLEMENTS));
  }

  /** The types with fields of some types, by their last names and the name of the field after a dot. */
  async #holders(types: readonly Definition[]): Promise<Map<string, Definition[]>> {
    const holders = new Map<string, Definition[]>();
    const nodes = await Promise.all(types.map((type) => this.#nodesWithType(type.name)));
    for (const [at, type] of types.entries()) {
      for (const node of nodes[at]!) {
        const symbol = (node.nodeType === "class" ? node.symbol : rpartition(node.symbol ?? "", ".")[0]) ?? "";
        const [path, language, name] = [node.path, node.language ?? "", lastName(symbol)];
        const holder = { path, language, symbol, name, owner: "", isType: true, isLocal: false };
        for (const one of decodeRelations(node)) {
          if ((one.kind !== BINDING && one.kind !== PARAMETER) || one.qualifier !== type.name) continue;
          if (!mayHold(node, one, type)) continue;
          const key = `${name}.${one.name}`;
          holders.set(key, [...(holders.get(key) ?? []), holder]);
        }
      }
    }
    return holders;
  }

  /**
   * The types of Go whose member of a name may stand for a definition, by their last names.
   *
   * Of a type's method these are the interfaces, of an interface's method the types.
   */
  async #dispatch(definition: Definition, others: readonly Definition[]): Promise<Map<string, Implementing[]>> {
    const own = placeOf(definition.path, definition.owner);
    const dispatch = new Map<string, Implementing[]>();
    for (const { path, owner } of await this.#goMembers(definition, others)) {
      const name = lastName(owner);
      const type = { path, language: "go", symbol: owner, name, owner: "", isType: true, isLocal: false };
      const other = placeOf(path, owner);
      const [place, interfacePlace] = definition.isAbstract ? [other, own] : [own, other];
      const implementing = { type, implements: this.#goTypes.implements(place, interfacePlace) };
      dispatch.set(name, [...(dispatch.get(name) ?? []), implementing]);
    }
    return dispatch;
  }

  /** Reads the types of Go that a member's type is compared with; returns their members. */
  async #goMembers({ owner, isAbstract = false }: Definition, others: readonly Definition[]): Promise<Definition[]> {
    const differing = others.filter((one) => {
      return one.language === "go" && one.owner && !one.isType && (one.isAbstract ?? false) !== isAbstract;
    });
    const members = [...new Map(differing.map((one) => [memberKey(one), one])).values()];
    if (members.length > 0) await this.#goTypes.load([owner, ...members.map((one) => one.owner)]);
    return members;
  }

  /** The functions of a type's package in Go that return it. */
  async #makers(owner: Definition): Promise<Definition[]> {
    const nodes = (await this.#nodesWithType(owner.name)).filter(({ relations }) => {
      return hasNamed(relations, owner.name, RETURNS);
    });
    return nodes.flatMap(({ path, symbol }) => {
      const [packageName, name, ...others] = (symbol ?? "").split(".");
      if (!packageName || !name || others.length > 0 || dirname(path) !== dirname(owner.path)) return [];
      return { path, language: "go", symbol: symbol!, name, owner: "", isType: false, isLocal: false };
    });
  }

  /** The types below a type; those in `overriding` have members of their own. */
  async #family(owner: Definition, overriding: ReadonlySet<string>): Promise<Family> {
    const ownerKey = typeKey(owner.path, owner.symbol);
    const [own, allBelow] = [new Set([ownerKey]), new Set([ownerKey])];
    const inheriting = new Map([[ownerKey, true]]);
    for (const { implementation, parentKey } of await this.typesBelow(owner)) {
      const key = typeKey(implementation.path, implementation.symbol);
      allBelow.add(key);
      const inherits = (inheriting.get(parentKey) ?? false) && !overriding.has(key);
      inheriting.set(key, inherits);
      if (inherits) own.add(key);
    }
    const names = new Set([...own].map((key) => lastName(rpartition(key, "\0")[1])));
    return { own, names, allBelow };
  }

  /** The types below a type, level by level, each with its parent; each once. */
  typesBelow(owner: Definition): Promise<Subtype[]> {
    return memoized(this.#below, typeKey(owner.path, owner.symbol), () => this.#findTypesBelow(owner));
  }

  async #findTypesBelow(owner: Definition): Promise<Subtype[]> {
    const found: Subtype[] = [];
    const seen = new Set([typeKey(owner.path, owner.symbol)]);
    let level: { type: Definition; isSure: boolean }[] = [{ type: owner, isSure: true }];
    for (let depth = 1; depth <= MAX_DEPTH && level.length > 0; depth += 1) {
      const below: typeof level = [];
      const subtypes = await Promise.all(level.map(({ type }) => this.#directSubtypes(type)));
      for (const [at, { type: parent, isSure }] of level.entries()) {
        for (const { node, resolved } of subtypes[at]!) {
          const symbol = node.symbol ?? "";
          const key = typeKey(node.path, symbol);
          if (seen.has(key) || seen.size > MAX_TYPES) {
            this.isCut ||= seen.size > MAX_TYPES;
            continue;
          }
          seen.add(key);
          const sure = isSure && resolved;
          const { path, firstLine: start_line, lastLine: end_line } = node;
          const implementation = { path, start_line, end_line, symbol, resolved: sure, depth };
          found.push({ implementation, parentKey: typeKey(parent.path, parent.symbol) });
          below.push({ type: typeDefinition(node, await this.fileFacts(node.path)), isSure: sure });
        }
      }
      level = below;
    }
    return found;
  }

  /** The types below a type, then those that implement it by their methods in Go. */
  async implementations(owner: Definition): Promise<Implementation[]> {
    const below = (await this.typesBelow(owner)).map((one) => one.implementation);
    const known = new Set(below.map((one) => typeKey(one.path, one.symbol)));
    const byMethods = owner.language === "go" ? await this.#implementing(owner) : [];
    return [...below, ...byMethods.filter((one) => !known.has(typeKey(one.path, one.symbol)))];
  }

  /** The types that have all methods of an interface of Go, in the order of paths. */
  async #implementing(type: Definition): Promise<Implementation[]> {
    const [types, place] = [this.#goTypes, placeOf(type.path, type.symbol)];
    await types.load([type.symbol]);
    if (!types.isInterface(place)) return [];
    const owners = await this.#typesWithAny([...types.methodSet(place).methods.keys()]);
    const symbols = [...owners, ...(await types.symbolsEmbedding(owners))];
    if (owners.length > MAX_EMBEDDED || symbols.length > MAX_GO_TYPES) this.isCut = true;
    await types.load(symbols);
    if (types.isCut) this.isCut = true;
    const places = [...new Set(symbols)].flatMap((symbol) => types.places(symbol));
    return sortBy(places, ({ folder, symbol }) => [folder, symbol]).flatMap((other) => {
      const [node, isImplementing] = [types.node(other), types.implements(other, place)];
      if (!node || isImplementing === "NO" || !types.hasNames(other, place)) return [];
      const { path, firstLine: start_line, lastLine: end_line } = node;
      return [{ path, start_line, end_line, symbol: other.symbol, resolved: isImplementing === "YES", depth: 1 }];
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
      const named = await this.#nodesNamed(name);
      const methods = named.filter(({ language, nodeType }) => language === "go" && nodeType === "method");
      owners = [...new Set(methods.map(({ symbol }) => rpartition(symbol!, ".")[0]))];
      isCut = this.#cutNames.has(name);
      if (!isCut) break;
    }
    if (isCut) this.isCut = true;
    return owners;
  }

  async #directSubtypes(parent: Definition): Promise<{ node: RelatedNode; resolved: boolean }[]> {
    const named = await this.#nodesOfSubtypes(parent.name);
    const exported = (await this.exports.read(parent)).otherNames(parent.name);
    const names = new Set([parent.name, ...named.flatMap((node) => aliasesIn(node, parent.name)), ...exported]);
    const others = [...names].filter((name) => name !== parent.name).sort();
    const aliased = await Promise.all(others.map((alias) => this.#nodesOfSubtypes(alias)));
    const distinct = new Map([...named, ...aliased.flat()].map((node) => [node.id, node]));
    const nodes = [...distinct.values()].filter(({ nodeType }) => nodeType === "class");
    const types = await this.#typesNamed(parent.name);
    const resolver = new Resolver(parent, types.length > 0 ? types : [parent], null, this.exports);
    const facts = await this.facts(nodes.map(({ path }) => path));
    const resultsOf = (node: RelatedNode) => {
      const inherited = decodeRelations(node).filter(
        ({ kind, name }) => (kind === INHERITS || kind === IMPLEMENTS) && names.has(name),
      );
      return { node, results: inherited.map((one) => resolver.resolve(facts.get(node.path)!, node, one, node.startLine)) };
    };
    const subtypes = await this.exports.settled(() => nodes.map(resultsOf));
    return subtypes
      .filter(({ results }) => results.some((result) => !isElsewhere(result)))
      .map(({ node, results }) => ({ node, resolved: results.some(isResolved) }));
  }

  async #nodesOfSubtypes(name: string): Promise<RelatedNode[]> {
    return this.#subtypes.get(name)?.nodes ?? this.nodes(name);
  }

  async #typesNamed(name: string): Promise<Definition[]> {
    const known = this.#subtypes.get(name);
    if (known) return known.types;
    return (await this.namedDefinitions(name)).map((one) => one.definition).filter(({ isType }) => isType);
  }

  /**
   * The members of a member's name in the types below its own, as references to it.
   *
   * The line is the first one of the node until `withText` finds the declaration.
   */
  async overriding(definition: Definition): Promise<Reference[]> {
    const { name, owner, isType } = definition;
    if (!owner || isType) return [];
    return (await this.membersBelow(definition)).map(({ node, resolved }) => {
      return { path: node.path, line: node.startLine, column: 0, kind: OVERRIDE, resolved, text: "", node, name, receiver: "" };
    });
  }

  /** The members that override a member, with the state and the level of the type around each. */
  async membersBelow(definition: Definition): Promise<{ node: NamedNode; resolved: boolean; depth: number }[]> {
    const named = (await this.namedDefinitions(definition.name)).filter((one) => !one.definition.isType);
    const members = new Map(named.map(({ definition: one, hit }) => [memberKey(one), hit]));
    if (members.size <= 1) return [];
    const { language } = definition;
    const around = await this.typeAround(definition);
    if (!around) return [];
    const found: { node: NamedNode; resolved: boolean; depth: number }[] = [];
    for (const { implementation: { path, symbol, resolved, depth } } of await this.typesBelow(around)) {
      const key = memberKey({ path, language, owner: symbol });
      const node = members.get(key);
      if (node) found.push({ node, resolved, depth });
      members.delete(key);
    }
    if (!definition.isAbstract) return found;
    const place = placeOf(around.path, around.symbol);
    for (const one of await this.#goMembers(definition, named.map((one) => one.definition))) {
      const other = placeOf(one.path, one.owner);
      const isImplementing = this.#goTypes.implements(other, place);
      const node = members.get(memberKey(one));
      if (!node || isImplementing === "NO" || !this.#goTypes.hasNames(other, place)) continue;
      found.push({ node, resolved: isImplementing === "YES", depth: 1 });
    }
    return found;
  }

  /** The definition of the type around a member; one in the member's own file comes first. */
  async typeAround({ owner, path }: Definition): Promise<Definition | null> {
    const types = (await this.namedDefinitions(lastName(owner))).map((one) => one.definition);
    const same = types.filter((one) => one.symbol === owner && one.isType);
    return same.find((one) => one.path === path) ?? same[0] ?? null;
  }

  /** The sites of a definition's name, without their text; the surest and nearest first. */
  async references(definition: Definition): Promise<Reference[]> {
    const resolver = await this.resolver(definition);
    const matches = await this.sites(definition, resolver, definition.name, null);
    const isReexported = traits(definition.language).reexports;
    const others = isReexported ? this.#exportedSites(definition, resolver) : this.#aliasedSites(definition, resolver, matches);
    matches.push(...(await others));
    if (traits(definition.language).family === "c") matches.push(...(await this.#macroSites(definition, resolver, matches)));
    if (traits(definition.language).caseInsensitive) {
      for (const spelling of await this.#spellings(definition.name)) {
        matches.push(...(await this.sites(definition, resolver, spelling, null, null, true)));
      }
    }
    if (definition.language === "ruby") matches.push(...(await this.#rubyAliasSites(definition, matches)));
    const all = definition.owner ? await withSitesThroughBases(this, definition, matches) : matches;
    return sortBy(distinctReferences(all), (one) => referenceOrder(one, definition));
  }

  /** The sites of the other names by which files import a definition. */
  async #aliasedSites(definition: Definition, resolver: Resolver, found: readonly Reference[]): Promise<Reference[]> {
    const aliases = new Map<string, Set<string>>();
    for (const { kind, receiver, path } of found) {
      const [, alias] = kind === "import" ? moduleAndAlias({ qualifier: receiver }) : ["", ""];
      if (alias && alias !== definition.name) aliases.set(alias, (aliases.get(alias) ?? new Set()).add(path));
    }
    const ofEach = [...aliases].map(([alias, paths]) => this.sites(definition, resolver, alias, paths));
    return (await Promise.all(ofEach)).flat();
  }

  /** The sites of the other names by which files import or export a definition. */
  async #exportedSites(definition: Definition, resolver: Resolver): Promise<Reference[]> {
    const exports = await this.exports.read(definition);
    if (exports.isCut || this.exports.isCut) this.isCut = true;
    const ofEach = exports.otherNames(definition.name).map(async (name) => {
      const isRare = !definition.isLocal && (await this.#isRare(name));
      return this.sites(definition, resolver, name, isRare ? null : pathsExporting(exports, name));
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
    const nodes = (await this.nodes(name)).filter((node) => mentions(node, name));
    return nodes.length <= MAX_ALIAS_NODES && !this.#cutNodes.has(name);
  }

  /** The other spellings of a name in a language in which `Total` and `TOTAL` are equal. */
  async #spellings(name: string): Promise<string[]> {
    if (!isSearchable(name)) return [];
    const [rows = []] = await this.database.run([relatedNodesWithWord(this.repo, name)]);
    const spelled = new Set(rows.map(relatedNode).flatMap((node) => decodeRelations(node).map((one) => one.name)));
    return [...spelled].filter((one) => one !== name && one.toLowerCase() === name.toLowerCase()).sort();
  }

  /** The sites of a method's aliases, and of aliases of these, in the type around each. */
  async #rubyAliasSites(definition: Definition, found: readonly Reference[]): Promise<Reference[]> {
    const matches: Reference[] = [];
    const followed = new Set([definition.symbol]);
    const others = async (sites: readonly Reference[]) => {
      return (await this.#rubyAliases(sites)).filter(({ symbol }) => !followed.has(symbol));
    };
    let aliases = await others(found);
    while (aliases.length > 0) {
      if (followed.size + aliases.length > MAX_MACROS) this.isCut = true;
      aliases = aliases.slice(0, Math.max(MAX_MACROS - followed.size, 0));
      for (const { symbol } of aliases) followed.add(symbol);
      const ofEach = aliases.map(async (one) => this.sites(one, await this.resolver(one), one.name, null));
      const sites = (await Promise.all(ofEach)).flat();
      matches.push(...sites);
      aliases = await others(sites);
    }
    return matches;
  }

  /** The methods that resolved sites declare as aliases, sorted by symbol. */
  async #rubyAliases(sites: readonly Reference[]): Promise<Definition[]> {
    const aliases = new Map<string, Definition>();
    for (const { resolved, receiver, path, node } of sites) {
      const name = macroOf(receiver);
      if (!resolved || !name) continue;
      const owner = (await this.fileFacts(path)).enclosingClass(node.symbol);
      const symbol = owner ? `${owner}.${name}` : name;
      const alias = { path, language: "ruby", symbol, name, owner, isType: false, isLocal: false };
      if (!aliases.has(symbol)) aliases.set(symbol, alias);
    }
    return sortBy(aliases.values(), ({ symbol }) => [symbol]);
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
      this.isCut ||= macros.length < pathsOf.size;
      const sites: Reference[] = [];
      for (const [macro, paths] of macros) {
        followed.add(macro);
        sites.push(...(await this.sites(definition, resolver, macro, null, paths)));
      }
      matches.push(...sites);
      pathsOf = macrosAround(sites, followed);
    }
    return matches;
  }

  /**
   * The sites of the definition's name, of an alias in `paths`, or of a macro.
   *
   * `macroPaths` are the files with macros of this name whose text has the definition's. One that `isOwnName` is the
   * definition's in other letters, as `TOTAL` for `Total`.
   */
  async sites(
    definition: Definition,
    resolver: Resolver,
    name: string,
    paths: ReadonlySet<string> | null,
    macroPaths: ReadonlySet<string> | null = null,
    isOwnName = false,
  ): Promise<Reference[]> {
    const ofMacros = macroPaths && ![...macroPaths].some(isHeader) ? macroPaths : paths;
    const only = definition.isLocal && paths === null ? new Set([definition.path]) : ofMacros; // needs no facts of other files
    const read = await this.nodes(name);
    const isCut = only !== null && this.#cutNodes.has(name);
    const found = isCut ? [...(await this.facts(only)).values()].flatMap(({ nodes }) => nodes) : read;
    const nodes = found.filter(({ path }) => only === null || only.has(path));
    const allFacts = await this.facts(nodes.map(({ path }) => path));
    const isMember = definition.owner !== "" && !definition.isType;
    const { sites, leftOut } = await this.exports.settled(() => {
      return sitesIn(definition, resolver, name, nodes, allFacts, isMember, macroPaths, isOwnName);
    });
    for (const place of leftOut) this.leftOut.add(place);
    return sites;
  }
}

/** The sites of a name in some nodes; `settled`, because they may lack what has to be read first. */
function sitesIn(
  definition: Definition,
  resolver: Resolver,
  name: string,
  nodes: readonly RelatedNode[],
  allFacts: ReadonlyMap<string, FileFacts>,
  isMember: boolean,
  macroPaths: ReadonlySet<string> | null,
  isOwnName: boolean,
): { sites: Reference[]; leftOut: string[] } {
  const sites: Reference[] = [];
  const leftOut: string[] = [];
  for (const node of nodes) {
    const facts = allFacts.get(node.path)!;
    if (!areCompatible(node.language, definition.language)) continue;
    if (macroPaths && !macroPaths.has(node.path) && facts.symbols.has(name)) continue;
    for (const relation of decodeRelations(node)) {
      let kind = KIND_NAMES[relation.kind];
      if (!kind) continue;
      if (relation.kind === USE && isOwnBlock(definition, node)) continue;
      let meant = relation;
      if (relation.name !== name) {
        if (isMember || relation.kind === IMPORT || !hasPart(relation, name)) continue;
        meant = { name, kind: MENTION, qualifier: "", lines: relation.lines };
        kind = KIND_NAMES[MENTION]!;
      }
      if (macroOf(relation.qualifier)) meant = { ...meant, qualifier: "" };
      if (macroPaths || isOwnName) meant = { ...meant, name: definition.name };
      // `Cart` in `Cart.shared.add()` is one site, and receiver in two relations
      const receiver = relation.name === name ? relation.qualifier : "";
      const common = { path: node.path, column: 0, kind, text: "", node, name, receiver };
      for (const [line, result] of resolver.resolveLines(facts, node, meant)) {
        if (isElsewhere(result)) leftOut.push(placeKey(node.path, line));
        else sites.push({ ...common, line, resolved: isResolved(result) });
      }
    }
  }
  return { sites, leftOut };
}

/** A line of a file, as one text. */
function placeKey(path: string, line: number): string {
  return `${path}\0${line}`;
}

/** The page of references to a target; throws an HttpError if it is no declaration. */
export async function findReferences(
  finder: ReferenceFinder,
  target: Target,
  text: string,
  requested: ReferenceFilter,
): Promise<ReferencePage> {
  const definition = await finder.definition(target, text);
  const { kinds, tests, offset, limit } = requested;
  const sites = await finder.references(definition);
  const overriding = await finder.overriding(definition);
  const all = sortBy([...sites, ...overriding], (one) => referenceOrder(one, definition));
  if (all.length === 0) await finder.checkRelations();
  const matches = all.filter(
    (one) => (kinds.length === 0 || kinds.includes(one.kind)) && passesTests(one.path, tests),
  );
  const references = matches.slice(offset, offset + limit);
  const resolved = matches.filter((one) => one.resolved).length;
  const listed = new Set(all.map(({ path, line }) => placeKey(path, line)));
  return {
    target: definition,
    references,
    total: matches.length,
    resolved,
    atLeast: finder.isCut,
    offset,
    leftOut: [...finder.leftOut].filter((place) => !listed.has(place)).length,
    nodesWithName: all.length > 0 ? 0 : await finder.countNodesWithName(definition),
    excluded: all.length - matches.length,
  };
}

/** Returns true for a file that a filter `yes`, `no` or `only` of tests selects. */
export function passesTests(path: string, tests: string | null): boolean {
  return tests === null || tests === "yes" || isTestPath(path) === (tests === "only");
}

/** The definition, with the types below a type or the members that override a member. */
export async function findImplementations(
  finder: ReferenceFinder,
  target: Target,
  text: string,
): Promise<{ definition: Definition; implementations: Implementation[] }> {
  const definition = await finder.definition(target, text);
  if (definition.isType) {
    return { definition, implementations: await finder.implementations(definition) };
  }
  if (!definition.owner) {
    throw new HttpError(400, `${definition.symbol} is neither a type nor a member of one.`, "Give a type.");
  }
  const below = await finder.membersBelow(definition);
  const implementations = below.map(({ node: { path, firstLine, lastLine, symbol }, resolved, depth }) => {
    return { path, start_line: firstLine, end_line: lastLine, symbol: symbol ?? "", resolved, depth };
  });
  return { definition, implementations };
}

/** The references with the text of their lines and the columns of the names; of a line that is unknown, without. */
export function withText(references: readonly Reference[], lineOf: (path: string, line: number) => string | null): Reference[] {
  const used = new Map<string, number>();
  return references.map((found) => {
    const one = atDeclaration(found, lineOf);
    const text = lineOf(one.path, one.line);
    const key = `${one.path}\0${one.line}\0${one.name}`;
    const nth = used.get(key) ?? 0;
    used.set(key, nth + 1);
    if (text === null) return one;
    return { ...one, text: text.replace(/\r+$/, ""), column: columnOf(text, one.name, nth) };
  });
}

/** The line of a reference; of an override, which may begin with comments, the first ones. */
export function linesOf({ path, line, kind, node }: Reference): [path: string, first: number, last: number] {
  const last = kind === OVERRIDE ? Math.min(node.lastLine, line + DECLARATION_LINES - 1) : line;
  return [path, line, Math.max(line, last)];
}

/** An override on the first line that is no comment and has its name; others as they are. */
function atDeclaration(one: Reference, lineOf: (path: string, line: number) => string | null): Reference {
  if (one.kind !== OVERRIDE) return one;
  const name = wholeWord(one.name);
  const [path, first, last] = linesOf(one);
  for (let line = first; line <= last; line += 1) {
    const text = lineOf(path, line) ?? "";
    if (text.search(name) >= 0 && !COMMENT.test(text)) return { ...one, line };
  }
  return one;
}

/** The reference as JSON. */
export function referenceJson(one: Reference): object {
  const { id, symbol, nodeType: node_type, firstLine: start_line, lastLine: end_line } = one.node;
  return {
    path: one.path,
    line: one.line,
    column: one.column,
    kind: one.kind,
    resolved: one.resolved,
    text: one.text,
    enclosing: { id, symbol, node_type, start_line, end_line },
    is_test: isTestPath(one.path),
    ...(one.through ? { through: one.through } : {}),
  };
}

/** The column of the nth whole word `name` in a line, from 1; of the last if there are fewer. */
function columnOf(text: string, name: string, nth: number): number {
  const matches = [...text.matchAll(wholeWord(name))];
  const match = matches[Math.min(nth, matches.length - 1)];
  return match ? characterColumns(text)(match.index) + 1 : 1;
}

function wholeWord(name: string): RegExp {
  const source = name.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  return new RegExp(`(?<![\\p{L}\\p{N}_])${source}(?![\\p{L}\\p{N}_])`, "gu");
}

function memoized<Value>(cache: Map<string, Promise<Value>>, key: string, read: () => Promise<Value>): Promise<Value> {
  let value = cache.get(key);
  if (!value) {
    value = read();
    cache.set(key, value);
  }
  return value;
}


export function lastName(symbol: string): string {
  return rpartition(symbol, ".")[1];
}

/** The last part of the type around a symbol. */
function ownerName(symbol: string | null): string {
  return lastName(rpartition(symbol ?? "", ".")[0]);
}

function isExtension(hit: Hit | NamedNode): boolean {
  const name = lastName(hit.symbol ?? "");
  const at = (hit.signature ?? "").indexOf(`.${name}`);
  return hit.language === "kotlin" && at >= 0 && "(:= ".includes(hit.signature![at + name.length + 1] ?? "?");
}

/** Returns true if only its own file sees a declaration: `private fun add()`. */
function isPrivate({ language, signature }: Hit | NamedNode): boolean {
  return traits(language).filePrivate && PRIVATE.test(signature ?? "");
}

/** Returns true if a method of Go is one of an interface. */
function isBodyless({ signature }: Hit | NamedNode): boolean {
  return !(signature ?? "").startsWith("func");
}

function firstNamed(target: Target): Hit {
  if (target.isFile) {
    throw new HttpError(400, `${target.path} is a file.`, `Give a symbol in it, or a line: ${target.path}#SYMBOL`);
  }
  return target.hits[0]!;
}

/** The definition of a type, whose owner is the type around it in its file. */
function typeDefinition(node: RelatedNode, facts: FileFacts): Definition {
  const symbol = node.symbol ?? "";
  const [outer, name] = rpartition(symbol, ".");
  const owner = facts.classes.has(outer) ? outer : "";
  return { path: node.path, language: node.language ?? "", symbol, name, owner, isType: true, isLocal: false };
}

/**
 * All definitions of a definition's name, with itself.
 *
 * In C and C++ the prototypes of a function are the same definition, unless they are static, and so are the
 * declarations of a type, as in `typedef struct cart cart`.
 */
function otherDefinitions(definition: Definition, named: readonly NamedDefinition[]): Definition[] {
  let matches = named.filter((one) => !isSameDefinition(one.definition, definition) && !isAddedTo(one.hit));
  if (traits(definition.language).family === "c" && !definition.isLocal) {
    const { symbol, isType } = definition;
    const declarations = named.filter(({ definition: one }) => {
      return one.symbol === symbol && traits(one.language).family === "c" && one.isType === isType && !one.isLocal;
    });
    const withBody = declarations.filter(({ hit }) => hit.lastLine > hit.firstLine + 1);
    const bodies = new Set(withBody.map(({ hit }) => hit.path));
    const ids = new Set(declarations.map(({ hit }) => hit.id));
    if ([...bodies].filter((path) => isType || !isHeader(path)).length <= 1) matches = matches.filter(({ hit }) => !ids.has(hit.id));
  }
  return [definition, ...matches.map((one) => one.definition)];
}

/** Returns true if a node adds to a type of its name, as `impl Cart` and `extension Cart` do. */
function isAddedTo({ language, nodeType, signature }: NamedNode): boolean {
  const word = traits(language).addingBlock;
  const words = partition(signature ?? "", " {")[0].replaceAll("<", " ").split(/\s+/).filter(Boolean);
  return word !== "" && nodeType === "class" && words.slice(0, MAX_MODIFIERS).includes(word);
}

/** Returns true if a node is a block of a type in its own file: `impl Cart` below `Cart`. */
function isOwnBlock({ path, symbol }: Definition, node: RelatedNode): boolean {
  const hasBlocks = traits(node.language).addingBlock !== "" && node.nodeType === "class";
  return hasBlocks && node.path === path && node.symbol === symbol;
}

function isHeader(path: string): boolean {
  return rpartition(path, ".")[1].startsWith("h");
}

/** Returns true for a node that inherits a name, or imports it. */
function mayInherit({ relations }: RelatedNode, name: string): boolean {
  return [INHERITS, IMPLEMENTS, IMPORT].some((kind) => hasNamed(relations, name, kind));
}

/** Returns true if a receiver of a name may be a field of another file's type, as in `crawler.signals.connect`. */
function mayBeField(nodes: readonly RelatedNode[], name: string): boolean {
  return nodes.some((node) => {
    return decodeRelations(node).some((one) => one.name === name && CHAINED.test(one.qualifier));
  });
}

/** Returns true if a field may have a type; in Go a type of the own package has no other one. */
function mayHold(node: RelatedNode, field: Relation, owner: Definition): boolean {
  const isOwn = dirname(node.path) === dirname(owner.path);
  const isDeclared = () => declarations(node, field).some(({ typeName }) => !typeName.includes(".") === isOwn);
  return owner.language !== "go" || isDeclared();
}

/** The symbols of the types and interfaces of Go whose methods each of some methods is compared with. */
function symbolsOfGo(methods: readonly NamedNode[], named: readonly NamedNode[]): string[][] {
  const isMethod = ({ language, nodeType, symbol }: NamedNode) => {
    return language === "go" && nodeType === "method" && symbol!.split(".").length > 2;
  };
  return methods.filter(isMethod).flatMap((method) => {
    const others = named.filter((one) => isMethod(one) && isBodyless(one) !== isBodyless(method));
    const symbols = [method, ...others].map(({ symbol }) => rpartition(symbol!, ".")[0]);
    return others.length > 0 ? [symbols] : [];
  });
}

/** A key of the type around a member: its file, in Go its folder, and its symbol. */
function memberKey({ path, language, owner }: Pick<Definition, "path" | "language" | "owner">): string {
  return typeKey(language === "go" ? dirname(path) : path, owner);
}

function placeOf(path: string, symbol: string): TypePlace {
  return { folder: dirname(path), symbol };
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

/** The other names by which a node imports a name. */
function aliasesIn(node: RelatedNode, name: string): string[] {
  if (!hasNamed(node.relations, name, IMPORT)) return [];
  const imports = decodeRelations(node).filter((one) => one.kind === IMPORT && one.name === name);
  return imports.map((one) => moduleAndAlias(one)[1]).filter(Boolean);
}

/** Returns true if the receiver begins with a name, as in `Cart.create` or `Cart()`. */
function hasPart({ kind, qualifier }: Relation, name: string): boolean {
  return (kind === CALL || kind === MENTION) && partition(qualifier, ".")[0] === name;
}

function distinctReferences(references: readonly Reference[]): Reference[] {
  const keyed = references.map((one): [string, Reference] => {
    const { path, line, kind, resolved, node, name, receiver } = one;
    return [[path, line, kind, resolved, node.id, name, receiver].join("\0"), one];
  });
  return [...new Map(keyed).values()];
}

/** Resolved sites first, code before tests, overrides last, then the nearest file and line. */
function referenceOrder(one: Reference, definition: Definition): SortKey {
  const ownFolders = definition.path.split("/").slice(0, -1);
  const folders = one.path.split("/").slice(0, -1);
  const differing = folders.findIndex((folder, at) => ownFolders[at] !== folder);
  const common = differing < 0 ? Math.min(folders.length, ownFolders.length) : differing;
  const distance = ownFolders.length + folders.length - 2 * common;
  const [isTest, isOverride, isElsewhere] = [isTestPath(one.path), one.kind === OVERRIDE, one.path !== definition.path];
  return [!one.resolved, isTest, isOverride, isElsewhere, distance, one.path, one.line, one.kind];
}

