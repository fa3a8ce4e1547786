/** Reads definitions, nodes with relations and facts of files from D1, each once. Mirrors `feeder.relations.relation_reader`. */

import { constants } from "../../build/worker_data.json";
import { HttpError } from "../http_error.ts";
import { memoized } from "../memoize.ts";
import { dirname } from "../posix_paths.ts";
import { partition, rpartition } from "../python_strings.ts";
import { parseMembers } from "../ranking/member_names.ts";
import type { Hit } from "../store/hits.ts";
import { JoinedBatches } from "../store/joined_batches.ts";
import {
  countNodesWithWord,
  goPackagesInFolder,
  isSearchable,
  namedNode,
  type NamedNode,
  nodesNamed,
  nodesWithName,
  nodesWithType,
  relatedNode,
  type RelatedNode,
  relationsOfFiles,
  sortNodes,
} from "../store/relations.ts";
import * as sql from "../store/statements.ts";
import { composed, lastName, normalizeSymbol, symbolEndsWith, unicodeForms } from "../text.ts";
import { areCompatible, traits } from "../traits.ts";
import type { SearchContext } from "../corpus/context.ts";
import { ExportFinder } from "./exports.ts";
import { factsByPath, FileFacts } from "./file_facts.ts";
import { type Definition, isSameDefinition, typeKey } from "./modules.ts";
import { CONSTRUCTORS, hasPrefix, isBodyless, isExtension, isFunctionNode, isLocalNode, isOpenEnum, isPrivate, isTag } from "./node_definitions.ts";
import { fileStem, isNamedByArgument } from "./repeated_definitions.ts";
import { membersNamed, type Target, targetNode } from "./targets.ts";

const { MAX_NAMED_HITS } = constants.hits;
const { MAX_REMOTE_ROWS, MAX_REMOTE_FILES } = constants.relations;

/** A definition with its node. */
export interface NamedDefinition {
  readonly definition: Definition;
  readonly hit: NamedNode;
}

/** Reads what relations need, once for each name and file; `isCut` if a list was too long to be read to its end. */
export class RelationReader {
  isCut = false;
  readonly database: JoinedBatches;
  readonly repo: string;
  readonly exports: ExportFinder;
  /** The names of which not all nodes were read. */
  readonly cutNodes = new Set<string>();
  /** The names of which not all definitions were read. */
  readonly cutNames = new Set<string>();
  readonly #facts = new Map<string, Promise<FileFacts>>();
  readonly #named = new Map<string, Promise<NamedNode[]>>();
  readonly #definitions = new Map<string, Promise<NamedDefinition[]>>();
  readonly #members = new Map<string, ReturnType<typeof membersNamed>>();
  readonly #nodes = new Map<string, Promise<RelatedNode[]>>();
  readonly #related = new Map<string, Promise<RelatedNode[]>>();

  constructor(context: Pick<SearchContext, "database" | "repo">) {
    this.database = new JoinedBatches(context.database);
    this.repo = context.repo;
    this.exports = new ExportFinder(this.database, this.repo, async (name) => {
      const nodes = await this.#nodes.get(name);
      return nodes && !this.cutNodes.has(name) ? nodes : null;
    }, async (name) => (await this.nodesNamed(name)).filter(({ symbol }) => symbol === name).map(({ path }) => path));
  }

  /** Adds files that another statement has read. */
  addFacts(read: ReadonlyMap<string, FileFacts>): void {
    for (const [path, facts] of read) if (!this.#facts.has(path)) this.#facts.set(path, Promise.resolve(facts));
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

  /** The definition that a target names: a node's symbol, or a member of a node. */
  async definition(target: Target, text: string): Promise<Definition> {
    const hit = target.lines ? await targetNode(this, target) : firstNamed(target);
    const name = lastName(normalizeSymbol(rpartition(text, "#")[1]));
    const isMember = parseMembers(hit.members).some((member) => member.name === name);
    if (!target.lines && isMember && name !== lastName(hit.symbol ?? "")) {
      return this.memberDefinition(hit, name);
    }
    if (hit.symbol && !isNamedByArgument(hit)) return this.definitionOf(hit);
    const place = target.lines ? `Line ${target.lines[0]} of ${target.path}` : `${hit.path}:${hit.startLine}`;
    throw new HttpError(
      400,
      `${place} declares no class, method or function.`,
      "Use the name of a symbol, or a line inside a class, method or function.",
    );
  }

  /** The definition of a member of a class, or of a file, as a constant in a chunk. */
  async memberDefinition(hit: Hit, name: string): Promise<Definition> {
    const type = hit.nodeType === "class" && hit.symbol ? hit.symbol : "";
    const isType = isTag(hit, name);
    const owner = isType || isOpenEnum(hit) ? "" : type;
    const ownLines = new Set(parseMembers(hit.members).filter((one) => one.name === name).map(({ line }) => line));
    const symbol = type ? `${type}.${name}` : name;
    const one = { path: hit.path, language: hit.language ?? "", symbol, name, owner, isType, isLocal: false, ownLines };
    const { packageScope } = traits(hit.language);
    if (owner || packageScope === "") return one;
    const ofFile = (await this.fileFacts(hit.path)).package;
    if (packageScope === "package") return { ...one, packageName: ofFile };
    // a file of constants alone has no symbol with its package
    const packageName = partition(ofFile, ".")[0] || (await this.#goPackageOfFolder(dirname(hit.path)));
    return { ...one, packageName };
  }

  /** The members of a name, which have no node: fields of types, and constants of files. */
  async memberDefinitions(name: string): Promise<Definition[]> {
    const { members } = await this.membersNamed(name);
    return Promise.all(members.map(({ hit, member }) => this.memberDefinition(hit, member.name)));
  }

  /** The members of a name with their nodes. */
  membersNamed(name: string): ReturnType<typeof membersNamed> {
    return memoized(this.#members, name, () => membersNamed(this, name));
  }

  /** The package of a folder: not `main` beside another one; empty if there is none or several others. */
  async #goPackageOfFolder(folder: string): Promise<string> {
    const [rows = []] = await this.database.run([goPackagesInFolder(this.repo, folder)]);
    const names = rows.map(([name]) => String(name));
    const others = names.filter((name) => name !== "main");
    const [name, another] = others.length > 0 ? others : names;
    return another === undefined ? (name ?? "") : "";
  }

  /** Returns true if a target names a constructor, whose definition is its type. */
  async isConstructor(target: Target, { isType }: Definition): Promise<boolean> {
    const hit = target.lines ? await targetNode(this, target) : firstNamed(target);
    return isType && hit.nodeType === "method";
  }

  /**
   * A definition with what an answer says of its language.
   *
   * A user's grammar file may add relations to one that has none. Then there are sites, or relations of its file.
   */
  async inAnswer(definition: Definition, hasSites = false): Promise<Definition> {
    if (traits(definition.language).hasRelations) return definition;
    const { nodes } = await this.fileFacts(definition.path);
    return { ...definition, hasRelations: hasSites || nodes.some(({ relations }) => relations !== "") };
  }

  async definitionOf(hit: Hit | NamedNode): Promise<Definition> {
    const symbol = hit.symbol ?? "";
    const [outer, name] = rpartition(symbol, ".");
    const isType = hit.nodeType === "class";
    if (isExtension(hit)) {
      const { path } = hit;
      const language = hit.language ?? "";
      const isLocal = isPrivate(hit);
      const signature = hit.signature ?? "";
      return { path, language, symbol, name, owner: "", isType, isLocal, isExtension: true, isFunction: !isType, signature };
    }
    const isInType = "isInType" in hit ? hit.isInType : (await this.fileFacts(hit.path)).classes.has(outer);
    let owner = isInType ? outer : "";
    if (!owner && outer && hit.nodeType === "method") {
      owner = (await this.#typeNodes(outer, hit.language ?? "")).length > 0 ? outer : "";
    }
    const [path, language] = [hit.path, hit.language ?? ""];
    const [outside, ownerName] = rpartition(owner, ".");
    if (owner && (CONSTRUCTORS.has(name) || name === ownerName)) {
      // Cart::Cart() outside of its header
      if (!isInType) return this.definitionOf(nearestFile(await this.#typeNodes(owner, language), path));
      const types = (await this.#named.get(ownerName)) ?? [];
      const type = types.find((node) => node.nodeType === "class" && node.path === path && node.symbol === owner);
      const isInner = type ? type.isInType : (await this.fileFacts(path)).classes.has(outside);
      const outerType = isInner ? outside : "";
      return { path, language, symbol: owner, name: ownerName, owner: outerType, isType: true, isLocal: false };
    }
    const isAbstract = traits(language).structuralInterfaces && isBodyless(hit) && owner !== "" && !isType;
    const [isLocal, isFunction] = [isLocalNode(hit, symbol), isFunctionNode(hit)];
    const isEverywhere = hasPrefix(hit, traits(language).globalNames);
    const signature = isType ? "" : (hit.signature ?? "");
    return { path, language, symbol, name, owner, isType, isLocal, isAbstract, isFunction, isEverywhere, signature };
  }

  /** The nodes that declare a type, in files of a language or of one that shares its names. */
  async #typeNodes(symbol: string, language: string): Promise<NamedNode[]> {
    const named = await this.nodesNamed(lastName(symbol));
    const types = named.filter((node) => node.symbol === symbol && node.nodeType === "class");
    return types.filter((node) => areCompatible(language, node.language ?? ""));
  }

  /** All definitions of a name, or of a qualified one, in the index. */
  namedDefinitions(name: string): Promise<NamedDefinition[]> {
    return memoized(this.#definitions, name, () => this.#readDefinitions(normalizeSymbol(name)));
  }

  async #readDefinitions(requested: string): Promise<NamedDefinition[]> {
    const matches = new Map<string, NamedNode>();
    for (const form of unicodeForms(requested)) {
      if (await this.isNameCut(form)) this.isCut = true;
      for (const hit of await this.nodesNamed(lastName(form))) {
        const key = typeKey(hit.path, hit.symbol ?? "");
        if (symbolEndsWith(composed(hit.symbol ?? ""), composed(requested)) && !matches.has(key)) matches.set(key, hit);
      }
    }
    const pairs = await Promise.all(
      [...matches.values()].map(async (hit) => ({ definition: await this.definitionOf(hit), hit })),
    );
    const isOwn = ({ definition, hit }: NamedDefinition) => definition.path === hit.path;
    const own = pairs.filter(isOwn).map(({ definition }) => definition);
    return pairs.filter((pair) => isOwn(pair) || !own.some((one) => isSameDefinition(one, pair.definition)));
  }

  /** Returns true if more nodes define a name than are read. */
  async isNameCut(name: string): Promise<boolean> {
    const last = lastName(normalizeSymbol(name));
    await this.nodesNamed(last);
    return this.cutNames.has(last);
  }

  /** The declarations whose symbols end with a name. */
  nodesNamed(name: string): Promise<NamedNode[]> {
    return memoized(this.#named, name, async () => {
      if (!isSearchable(name)) return [];
      const [rows = []] = await this.database.run([nodesNamed(this.repo, name)]);
      if (rows.length > MAX_NAMED_HITS) this.cutNames.add(name);
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
      if (rows.length > MAX_REMOTE_ROWS) this.cutNodes.add(name);
      if (rows.length > MAX_REMOTE_ROWS) this.isCut = true;
      return sortNodes(rows.slice(0, MAX_REMOTE_ROWS).map(relatedNode));
    });
  }

  /** The nodes that declare a variable or field of a type, or return it; those of all types of this name. */
  nodesWithType(type: string): Promise<RelatedNode[]> {
    return memoized(this.#related, type, async () => {
      if (!isSearchable(type)) return [];
      const [rows = []] = await this.database.run([nodesWithType(this.repo, type)]);
      if (rows.length > MAX_REMOTE_ROWS) this.isCut = true;
      return sortNodes(rows.slice(0, MAX_REMOTE_ROWS).map(relatedNode));
    });
  }

  /** The definition of the type around a member; one in the member's own file comes first. */
  async typeAround({ owner, path }: Definition): Promise<Definition | null> {
    const types = (await this.namedDefinitions(lastName(owner))).map((one) => one.definition);
    const same = types.filter((one) => one.symbol === owner && one.isType);
    return same.find((one) => one.path === path) ?? same[0] ?? null;
  }
}

/** The node in a file that is named as another one up to the first dot, or the first node. */
function nearestFile(nodes: readonly NamedNode[], path: string): NamedNode {
  return nodes.find((node) => fileStem(node.path) === fileStem(path)) ?? nodes[0]!;
}

function firstNamed(target: Target): Hit {
  if (target.isFile) {
    const remedy = `Name a symbol or a line in it: ${target.path}#SYMBOL or ${target.path}:LINE`;
    throw new HttpError(400, `${target.path} is a file.`, remedy);
  }
  return target.hits[0]!;
}
