/**
 * Finds the names by which files import a definition, also through files that export it again.
 *
 * Entry points: `ExportFinder.read`, and `ExportFinder.settled` around what asks `has`. Each import is taken for an
 * export of the importing file: what no file imports from there costs nothing. Imports of all names, as
 * `from .impl import *`, and of whole modules, as `import * as K`, are only read where an import of the name leads to no
 * file that is known to export it.
 * Mirrors `feeder.relations.exports`.
 */

import { constants } from "../../build/worker_data.json";
import { Pattern } from "../python_regex.ts";
import { rpartition } from "../python_strings.ts";
import { EXPORT, IMPORT, moduleAndAlias, type Relation } from "../relation.ts";
import type { JoinedBatches } from "../store/joined_batches.ts";
import {
  decodeRelations,
  isSearchable,
  manifestNodes,
  nodesExporting,
  nodesImportingAll,
  nodesImportingModule,
  relatedNode,
  type RelatedNode,
  sortNodes,
} from "../store/relations.ts";
import type { Row, Statement } from "../store/database.ts";
import { traits } from "../traits.ts";
import { IndexedPaths } from "./indexed_paths.ts";
import { Manifests } from "./manifests.ts";
import { CRATE_KEYWORDS, isStandardModule, fileEnds, ModulePaths, moduleWords, preferredFiles } from "./module_paths.ts";
import { type Definition, MODULE_EXPORTS } from "./modules.ts";

const { MAX_EXPORTS, WHOLE } = constants.exports;
const { MAX_REMOTE_ROWS } = constants.relations;
export const { ALL, DEFAULT } = constants.exports;
const UNNAMED: ReadonlySet<string> = new Set([DEFAULT, WHOLE]);
const WORD = new Pattern(constants.exports.WORD);
const WORDS = new Pattern(constants.exports.WORD, "g");

/** The path and language of an importing file. */
export interface Site {
  readonly path: string;
  readonly language: string;
}

/** An import in a node, or in a file of JavaScript an export of a name by another one. */
export interface ImportSite {
  readonly node: RelatedNode;
  readonly relation: Relation;
}

/** What is read next: imports of names, those of files as a default, and all of files. */
interface Unread {
  readonly names: readonly string[];
  readonly modules: readonly string[];
  readonly allOf: readonly string[];
}

/**
 * The names by which each file exports a definition, as far as its imports are read.
 *
 * `defaultImports` are those of it as a default. `spaces` are, by file and by the name that it gives to a whole module,
 * the names by which that module exports the definition. `isCut` tells that it has more names than are followed.
 */
export class Exports {
  readonly names = new Map<string, Set<string>>();
  readonly defaultImports: ImportSite[] = [];
  readonly spaces = new Map<string, { path: string; space: string; names: Set<string> }>();
  isCut = false;
  followsAll = false;
  /** The ends of modules that define the name themselves. */
  readonly #otherEnds = new Set<string>();
  /** The paths by the ends of modules that name them. */
  readonly #paths = new Map<string, string[]>();
  readonly #read = new Set<string>();
  /** The imports that lead to no file which is known to export the definition. */
  readonly #pending = new Map<string, ImportSite>();

  constructor(
    path: string,
    name: string,
    private readonly language: string,
  ) {
    this.#add(path, new Set([name]));
  }

  /**
   * Returns true if a module, as a file writes it, exports the definition by a name.
   *
   * What CommonJS exports as a whole is the default export too.
   */
  has(module: string, importingPath: string, name: string, paths: ModulePaths): boolean {
    const exported = this.#namesOf(module, importingPath, paths);
    return exported.has(name) || (UNNAMED.has(name) && exported.has(WHOLE));
  }

  /**
   * Returns true if a module exports a whole module by a name, which exports the definition.
   *
   * `K` and `fire` of `import { K } from "./mid"; K.fire()` are the names of both.
   */
  hasInSpace(module: string, importingPath: string, space: string, name: string, paths: ModulePaths): boolean {
    return [...this.spaces.values()].some((one) => {
      const isOfName = one.space === space && one.names.has(name);
      return isOfName && paths.leadsTo(module, importingPath, one.path, this.language);
    });
  }

  /** The names by which files import or export it, other than a name; sorted. */
  otherNames(name: string): string[] {
    const names = new Set([...this.names.values()].flatMap((own) => [...own]));
    return [...names].filter((one) => one !== name && !UNNAMED.has(one)).sort();
  }

  /** Returns what has to be read to follow it further, once. */
  unread(): Unread {
    const names = this.#once("name", this.otherNames(WHOLE));
    if (names.length > MAX_EXPORTS) this.isCut = true;
    const entries = [...this.names];
    const unnamed = entries.filter(([, names]) => [...names].some((name) => UNNAMED.has(name)));
    const named = entries.filter(([, names]) => [...names].some((name) => !UNNAMED.has(name)));
    const pathsOf = (some: typeof entries) => some.map(([path]) => path);
    return {
      names: names.slice(0, MAX_EXPORTS),
      modules: this.#once("module", pathsOf(unnamed)),
      allOf: this.followsAll ? this.#once("all", pathsOf(named)) : [],
    };
  }

  #once(kind: string, keys: readonly string[]): string[] {
    const unread = keys.filter((key) => !this.#read.has(`${kind} ${key}`));
    for (const key of unread) this.#read.add(`${kind} ${key}`);
    return unread;
  }

  /** Adds the names that imports bind, those that were read and others that wait for them. */
  follow(sites: readonly ImportSite[], paths: ModulePaths): void {
    for (const site of sites) {
      const { name, kind, qualifier, lines } = site.relation;
      const key = [site.node.id, name, kind, qualifier, lines].join("\0");
      if (sharesModules(site.node.language, this.language)) this.#pending.set(key, site);
    }
    let isChanged = true;
    while (isChanged) {
      isChanged = false;
      for (const [key, site] of [...this.#pending]) {
        const bound = this.#boundBy(site, paths);
        if (bound.size === 0) continue;
        if (site.relation.name !== ALL && site.relation.name !== WHOLE) this.#pending.delete(key);
        if (site.relation.name === DEFAULT) this.defaultImports.push(site);
        if (this.#add(site.node.path, bound)) isChanged = true;
      }
    }
  }

  /** Adds files that define the name themselves: imports from there are not open. */
  addOthers(paths: readonly string[]): void {
    for (const path of paths) {
      if (!this.names.has(path)) for (const end of fileEnds(path)) this.#otherEnds.add(end);
    }
  }

  /** Returns true if a followed name is imported where no module is known to export it. */
  hasOpenImports(paths: ModulePaths): boolean {
    return [...this.#pending.values()].some(({ node, relation }) => {
      const isNamed = !UNNAMED.has(relation.name) && relation.name !== ALL;
      return relation.kind === IMPORT && isNamed && this.mayExport(moduleAndAlias(relation)[0], node.path, paths);
    });
  }

  /** Returns true if a module may export it: no standard one, none that defines the name. */
  mayExport(module: string, importingPath: string, paths: ModulePaths): boolean {
    if (isStandardModule(module, this.language)) return false;
    return !paths.ends(module, importingPath, this.language).some((end) => this.#otherEnds.has(end));
  }

  /** The names that an import binds to the definition, of which it may be a space too. */
  #boundBy({ node, relation }: ImportSite, paths: ModulePaths): Set<string> {
    const { name, kind, qualifier } = relation;
    if (kind === EXPORT) return new Set(this.names.get(node.path)?.has(name) ? [qualifier] : []);
    const [module, alias] = moduleAndAlias(relation);
    const exported = this.#namesOf(module, node.path, paths);
    if (name === ALL) return new Set([...exported].filter((one) => !UNNAMED.has(one)));
    if (name === DEFAULT) return new Set(exported.has(DEFAULT) || exported.has(WHOLE) ? [alias || DEFAULT] : []);
    if (name === WHOLE && alias) {
      const key = `${node.path}\0${alias}`;
      const space = this.spaces.get(key) ?? { path: node.path, space: alias, names: new Set<string>() };
      this.spaces.set(key, space);
      for (const one of exported) if (one !== WHOLE) space.names.add(one);
      return new Set(exported.has(WHOLE) ? [alias] : []);
    }
    return new Set(exported.has(name) ? [alias || name] : []);
  }

  /** The names that a module exports to a file. */
  #namesOf(module: string, importingPath: string, paths: ModulePaths): Set<string> {
    const ends = paths.ends(module, importingPath, this.language);
    const named = new Set(ends.flatMap((end) => this.#paths.get(end) ?? []));
    named.delete(importingPath);
    const leading = [...named].filter((path) => paths.leadsTo(module, importingPath, path, this.language));
    return new Set(leading.flatMap((path) => [...this.names.get(path)!]));
  }

  /** Adds names by which a file exports the definition; returns false if it has them all. */
  #add(path: string, names: ReadonlySet<string>): boolean {
    let own = this.names.get(path);
    if (!own) {
      own = new Set();
      this.names.set(path, own);
      for (const end of fileEnds(path)) this.#paths.set(end, [...(this.#paths.get(end) ?? []), path]);
    }
    const before = own.size;
    for (const name of names) own.add(name);
    return own.size > before;
  }
}

/** What a resolution lacked: exports of definitions, and imports of all names. */
interface Lacking {
  readonly definitions: Map<string, Definition>;
  readonly all: Set<Exports>;
}

/**
 * Follows imports from a definition's file to those that import it, once for a definition.
 *
 * `has`, `isIndexed` and `isInside` answer from what has been read; `settled` reads what they lacked.
 */
export class ExportFinder {
  isCut = false;
  #paths: ModulePaths | null = null;
  #readingPaths: Promise<void> | null = null;
  #lacking = nothingLacking();
  readonly #exports = new Map<string, Exports>();
  readonly #reading = new Map<string, Promise<Exports>>();
  readonly #followingAll = new Map<Exports, Promise<void>>();
  readonly #complete = new Set<Exports>();
  readonly #ofNames = new Map<string, Promise<RelatedNode[]>>();
  readonly #indexed: IndexedPaths;

  /**
   * `known` returns the nodes with a name that have been read; null if they have not, or not all of them. `defining`
   * returns the files that define a name.
   */
  constructor(
    private readonly database: JoinedBatches,
    private readonly repo: string,
    private readonly known: (name: string) => Promise<readonly RelatedNode[] | null>,
    private readonly defining: (name: string) => Promise<string[]>,
  ) {
    this.#indexed = new IndexedPaths(database, repo);
  }

  /** Reads the manifests. */
  readPaths(): Promise<void> {
    return (this.#readingPaths ??= this.#nodes(manifestNodes(this.repo)).then((nodes) => {
      this.#paths = new ModulePaths(new Manifests(nodes), (path) => this.#indexed.hasFile(path));
    }));
  }

  /** The modules of the repository, with its manifests; after `readPaths`. */
  get paths(): ModulePaths {
    if (!this.#paths) throw new Error("the manifests have not been read");
    return this.#paths;
  }

  /** The exports of a definition that is no member; only its own name elsewhere. */
  read(definition: Definition): Promise<Exports> {
    const key = keyOf(definition);
    const reading = this.#reading.get(key) ?? this.#readExports(definition, key);
    this.#reading.set(key, reading);
    return reading;
  }

  async #readExports(definition: Definition, key: string): Promise<Exports> {
    const own = definition.symbol === MODULE_EXPORTS ? WHOLE : definition.name;
    await this.readPaths();
    const exports = new Exports(definition.path, own, definition.language);
    if (isFollowed(definition)) {
      const [others] = await Promise.all([this.defining(definition.name), this.#follow(exports)]);
      exports.addOthers(others);
      if (exports.hasOpenImports(this.paths)) await this.#followAll(exports);
    }
    this.#exports.set(key, exports);
    return exports;
  }

  /** Returns true if a module, as a file writes it, exports a definition by a name; inside of `settled`. */
  has(definition: Definition, module: string, importing: Site, name: string): boolean {
    if (!isFollowed(definition)) return false;
    const key = keyOf(definition);
    const exports = this.#exports.get(key);
    if (!exports) {
      this.#lacking.definitions.set(key, definition);
      return false;
    }
    if (exports.has(module, importing.path, name, this.paths)) return true;
    const [outer] = rpartition(module, ".");
    const isInline = traits(importing.language).imports === "crates" && !CRATE_KEYWORDS.has(outer);
    if (isInline && outer && !this.isIndexed(module, importing)) return this.has(definition, outer, importing, name); // a module inside of a file
    if (!this.#complete.has(exports) && exports.mayExport(module, importing.path, this.paths)) this.#lacking.all.add(exports);
    return false;
  }

  /** Returns true if a module exports by a name a whole one, which exports a definition; inside of `settled`. */
  hasInSpace(definition: Definition, module: string, importing: Site, space: string, name: string): boolean {
    if (!isFollowed(definition)) return false;
    const exports = this.#exports.get(keyOf(definition)); // `has` comes first
    return exports?.hasInSpace(module, importing.path, space, name, this.paths) ?? false;
  }

  /** Resolves, and once more each time after what that lacked has been read. */
  async settled<Result>(resolve: () => Result): Promise<Result> {
    await this.readPaths();
    for (;;) {
      this.#lacking = nothingLacking();
      const result = resolve();
      const { definitions, all } = this.#lacking;
      const readingPaths = this.#indexed.read();
      if (definitions.size + all.size === 0 && !(await readingPaths)) return result;
      await Promise.all([
        ...[...definitions.values()].map((one) => this.read(one)),
        ...[...all].map((exports) => this.#followAll(exports)),
        readingPaths,
      ]);
    }
  }

  /** Follows imports of all names and of whole modules too. */
  #followAll(exports: Exports): Promise<void> {
    const following = this.#followingAll.get(exports) ?? this.#completed(exports);
    this.#followingAll.set(exports, following);
    return following;
  }

  async #completed(exports: Exports): Promise<void> {
    exports.followsAll = true;
    await this.#follow(exports);
    this.#complete.add(exports);
  }

  /** Follows imports until no further file exports the definition. */
  async #follow(exports: Exports): Promise<void> {
    for (;;) {
      const unread = exports.unread();
      if (unread.names.length + unread.modules.length + unread.allOf.length === 0) return;
      const sites = await this.#sitesOf(unread);
      await this.#readPreferred([...exports.names.keys(), ...sites.map(({ node }) => node.path)]);
      exports.follow(sites, this.paths);
    }
  }

  /** Reads which files exist beside some, that imports may mean instead. */
  async #readPreferred(paths: readonly string[]): Promise<void> {
    for (const path of paths) for (const importing of ["a.ts", "a.js"]) preferredFiles(importing, path).forEach((one) => this.#indexed.hasFile(one));
    await this.#indexed.read();
  }

  /** The imports of names, and of files as a whole or with all names. */
  async #sitesOf({ names, modules, allOf }: Unread): Promise<ImportSite[]> {
    const [ofModules, ofAll, ...ofNames] = await Promise.all([
      this.#importsOfFiles(modules, nodesImportingModule, UNNAMED),
      this.#importsOfFiles(allOf, nodesImportingAll, new Set([ALL, WHOLE])),
      ...names.map(async (name) => {
        const nodes = await this.#nodesOfName(name);
        return sitesIn(nodes, (one) => one.name === name && (one.kind === IMPORT || one.kind === EXPORT));
      }),
    ]);
    return [...ofNames.flat(), ...ofModules, ...ofAll];
  }

  #nodesOfName(name: string): Promise<RelatedNode[]> {
    const reading = this.#ofNames.get(name) ?? this.#readNodesOfName(name);
    this.#ofNames.set(name, reading);
    return reading;
  }

  async #readNodesOfName(name: string): Promise<RelatedNode[]> {
    if (!isSearchable(name)) return [];
    const known = await this.known(name);
    return known ? [...known] : this.#nodes(nodesExporting(this.repo, name));
  }

  /** The imports of modules that may be files, which have some names. */
  async #importsOfFiles(
    paths: readonly string[],
    statement: (repo: string, words: readonly string[]) => Statement,
    names: ReadonlySet<string>,
  ): Promise<ImportSite[]> {
    const words = new Set(paths.flatMap((path) => [...moduleWords(path), ...this.#manifestWords(path)]));
    const searchable = [...words].filter(isSearchable).sort();
    if (searchable.length === 0) return [];
    const nodes = await this.#nodes(statement(this.repo, searchable));
    return sitesIn(nodes, (one) => one.kind === IMPORT && names.has(one.name));
  }

  /** The last words of the names by which manifests export a file. */
  #manifestWords(path: string): string[] {
    return this.paths.manifests.namesOf(path).flatMap((name) => name.match(WORDS.for(name))?.slice(-1) ?? []);
  }

  async #nodes(statement: Statement): Promise<RelatedNode[]> {
    const [rows = []]: Row[][] = await this.database.run([statement]);
    if (rows.length > MAX_REMOTE_ROWS) this.isCut = true;
    return sortNodes(rows.map(relatedNode));
  }

  /** Returns true if the index has a file that a module may be; inside of `settled`. */
  isIndexed(module: string, importing: Site): boolean {
    return this.#indexed.hasEnd(this.paths.ends(module, importing.path, importing.language));
  }

  /** Returns true if a module's name begins with a folder or file of the repository; inside of `settled`. */
  isInside(module: string): boolean {
    return this.#indexed.hasEnd(WORD.for(module).exec(module)?.slice(0, 1) ?? []);
  }
}

/** Returns true if files may export a definition again: no member, in a language with files. */
export function isFollowed({ language, owner }: Definition): boolean {
  return traits(language).reexports && !owner;
}

function nothingLacking(): Lacking {
  return { definitions: new Map(), all: new Set() };
}

function keyOf({ path, symbol, owner, language }: Definition): string {
  return [path, symbol, owner, language].join("\0");
}

function sitesIn(nodes: readonly RelatedNode[], matches: (one: Relation) => boolean): ImportSite[] {
  return nodes.flatMap((node) => decodeRelations(node).filter(matches).map((relation) => ({ node, relation })));
}

/** Returns true if files of two languages import each other's names. */
function sharesModules(language: string | null, other: string): boolean {
  const { family } = traits(language);
  return language === other || (family !== "" && family === traits(other).family);
}
