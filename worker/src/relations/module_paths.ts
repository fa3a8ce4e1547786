/**
 * Compares the modules that files import with the files and packages that define a name.
 *
 * Start with `ModulePaths.names`. `ModulePaths.ends` are the ends of the paths that a module may mean, `fileEnds` those by
 * which a file may be imported. A module may be a file if they have one in common: `acme.shop` of Python each file that
 * ends in `acme/shop.py`, `./cart` exactly one. Mirrors `feeder.relations.module_paths`.
 */

import { constants } from "../../build/worker_data.json";
import { memoize } from "../memoize.ts";
import { dirname, joinPaths, normalizeParts } from "../posix_paths.ts";
import { Pattern } from "../python_regex.ts";
import { partition, rpartition } from "../python_strings.ts";
import { traits } from "../traits.ts";
import { Manifests } from "./manifests.ts";
import { type Definition, isInPackage, packageOf } from "./modules.ts";

const EXTENSION = new Pattern(constants.module_paths.EXTENSION);
const SASS_PART = new Pattern(constants.module_paths.SASS_PART);
const SCRIPT_EXTENSION = new Pattern(constants.module_paths.SCRIPT_EXTENSION);
export const CRATE_KEYWORDS: ReadonlySet<string> = new Set(constants.module_paths.CRATE_KEYWORDS);
const STANDARD_CRATES = new Set(constants.module_paths.STANDARD_CRATES);
const NODE_MODULES = new Set(constants.module_paths.NODE_MODULES);
const PYTHON_MODULES = new Set(constants.module_paths.PYTHON_MODULES);
const PREFERRED_EXTENSIONS: Record<"ts" | "js", Partial<Record<string, readonly string[]>>> = constants.module_paths.PREFERRED_EXTENSIONS;
export const { INDEX_FILES } = constants.module_paths;

/**
 * Compares modules with files; knows the names that a repository's manifests export. `hasFile` tells whether the index
 * has a file.
 */
export class ModulePaths {
  readonly #ends = new Map<string, readonly string[]>();

  constructor(
    readonly manifests: Manifests,
    private readonly hasFile: (path: string) => boolean,
  ) {}

  /** Returns true if an imported module is the one that has the definition. */
  names(module: string, importingPath: string, definition: Definition): boolean {
    const { language, path, owner, symbol } = definition;
    const { imports } = traits(language);
    if (imports === "symbols") {
      return isInPackage(definition, module) || module === (owner || packageOf(definition)) || module === symbol;
    }
    if (imports === "folders") return isGoPackage(module, definition);
    if (imports === "crates" && packageOf(definition)) return this.#namesInlineModule(module, importingPath, definition);
    return this.namesFile(module, importingPath, path, language);
  }

  /** Compares a module of Rust with one inside of a file: `crate::a::inner` with `a.rs`. */
  #namesInlineModule(module: string, importingPath: string, definition: Definition): boolean {
    const { path, language } = definition;
    const own = `.${packageOf(definition)}`;
    if (!`.${module}`.endsWith(own)) return this.namesFile(module, importingPath, path, language);
    const outer = `.${module}`.slice(0, -own.length).replace(/^\.+/, "");
    if ((outer === "" || CRATE_KEYWORDS.has(outer)) && importingPath === path) return true;
    return outer !== "" && this.namesFile(outer, importingPath, path, language);
  }

  /** Returns true if a module may be a file: if they have an end in common. */
  namesFile(module: string, importingPath: string, path: string, language: string): boolean {
    const own = fileEnds(path);
    const isNamed = this.ends(module, importingPath, language).some((end) => own.has(end));
    return isNamed && !this.#isSecond(importingPath, path);
  }

  /**
   * Returns true if a module is not the definition's file, but one of the same name beside it.
   *
   * `./store.js` in TypeScript is `store.ts`, even if there is a `store.js`.
   */
  namesFileBeside(module: string, importingPath: string, { path, language }: Definition): boolean {
    if (traits(language).family !== "scripts") return false;
    const own = fileEnds(path);
    const isNamed = this.ends(module, importingPath, language).some((end) => own.has(end));
    return isNamed && this.#isSecond(importingPath, path);
  }

  /** Returns true if an import of a file's name means another file. */
  #isSecond(importingPath: string, path: string): boolean {
    return preferredFiles(importingPath, path).some((one) => this.hasFile(one));
  }

  /**
   * Returns true if a module is a file; stricter than `namesFile`.
   *
   * If the module has whole paths, as `./cart` has `/src/cart`, its other ends do not count. In Rust a module without a
   * whole path, as in `use {matcher::Match}`, is in the importing file's crate.
   */
  leadsTo(module: string, importingPath: string, path: string, language: string): boolean {
    const ends = this.ends(module, importingPath, language);
    const whole = ends.filter((end) => end.startsWith("/"));
    const isOfOwnCrate = whole.length === 0 && traits(language).imports === "crates";
    if (isOfOwnCrate && crateFolder(importingPath) !== crateFolder(path)) return false;
    const own = fileEnds(path);
    const isNamed = (whole.length > 0 ? whole : ends).some((end) => own.has(end));
    return isNamed && !this.#isSecond(importingPath, path);
  }

  /** Returns true if the module is a package around the definition's file. */
  isParent(module: string, importingPath: string, definition: Definition): boolean {
    if (traits(definition.language).imports === "folders") return false;
    if (this.namesFileBeside(module, importingPath, definition)) return false;
    const stem = withoutExtension(definition.path);
    const isAround = this.ends(module, importingPath, definition.language).some((end) => {
      const folder = withoutIndexFile(end);
      return folder !== "" && `/${stem}/`.includes(`/${folder}/`.replaceAll("//", "/"));
    });
    return isAround || namesWorkspaceFolder(module, definition);
  }

  /**
   * The ends of the paths that a module may mean, with a leading `/` for a whole path.
   *
   * `./cart` in `src/use.ts` → `/src/cart`; `acme.shop` of Python → `acme/shop`.
   */
  ends(module: string, importingPath: string, language: string): readonly string[] {
    const key = `${module}\0${importingPath}\0${language}`;
    let ends = this.#ends.get(key);
    if (!ends) {
      ends = this.#findEnds(module, importingPath, language);
      this.#ends.set(key, ends);
    }
    return ends;
  }

  #findEnds(module: string, importingPath: string, language: string): string[] {
    const { family, imports } = traits(language);
    const hasNames = imports !== "modules" && !module.startsWith("."); // Python has none
    let whole = hasNames ? this.manifests.paths(module, importingPath).map((path) => `/${path}`) : [];
    if (family === "scripts") whole = [...whole, ...whole.map(withoutScriptExtension)];
    if (imports === "crates") whole = whole.map(withoutExtension);
    return [...new Set([...whole, ...wantedPaths(module, importingPath, imports)])];
  }
}

function isGoPackage(module: string, definition: Definition): boolean {
  const folder = dirname(definition.path);
  if (folder.includes("/") && module.endsWith(`/${folder}`)) return true; // lib/cart/v2
  const unversioned = module.replace(/\/v\p{Nd}+$/u, "");
  if (folder) return unversioned === folder || unversioned.endsWith(`/${folder}`);
  const last = rpartition(unversioned, "/")[1];
  return [last, last.replace(/^go-/, "")].includes(partition(packageOf(definition), ".")[0]);
}

/**
 * Returns true if a package of the same repository has the definition's file in its folder.
 *
 * Packages often have a longer name than their folder: the crate `grep_searcher` is in `crates/searcher`, and the npm
 * package `@acme/server` in `packages/server`.
 */
function namesWorkspaceFolder(module: string, { path, language }: Definition): boolean {
  const folders = new Set(dirname(path).split("/").map((part) => part.replaceAll("-", "_")));
  const { imports, family } = traits(language);
  if (imports === "crates") {
    const parts = module.split(".").filter((part) => !CRATE_KEYWORDS.has(part));
    if (parts.length === 0 || STANDARD_CRATES.has(parts[0]!)) return false;
    return parts.some((part) => folders.has(part) || folders.has(partition(part, "_")[1]));
  }
  if (family !== "scripts" || !module.startsWith("@") || !module.includes("/")) return false;
  return folders.has(module.split("/")[1]!.replaceAll("-", "_"));
}

/** Returns true if a module is a standard one of its language: `os.path`, `node:fs`, `std.fs`. */
export function isStandardModule(module: string, language: string): boolean {
  const { imports, family } = traits(language);
  if (imports === "modules") return PYTHON_MODULES.has(partition(module, ".")[0]);
  if (imports === "crates") return STANDARD_CRATES.has(partition(module, ".")[0]);
  return family === "scripts" && NODE_MODULES.has(partition(module.replace(/^node:/, ""), "/")[0]);
}

/**
 * The ends of a path by which the file may be imported, with a leading `/` for the whole path.
 *
 * `a/shop/index.ts`: `/a/shop/index`, `a/shop/index`, `shop/index`, `index`, `/a/shop`, `a/shop`, `shop`, and those with
 * the extension.
 */
export const fileEnds: (path: string) => ReadonlySet<string> = memoize((path: string) => {
  const ends = new Set<string>();
  for (const stem of moduleStems(path)) {
    ends.add(`/${stem}`);
    const parts = stem.split("/");
    for (const first of parts.keys()) ends.add(parts.slice(first).join("/"));
  }
  ends.delete("");
  return ends;
});

/** The files that an import means rather than one, if they exist: see `PREFERRED_EXTENSIONS`. */
export function preferredFiles(importingPath: string, path: string): string[] {
  const importing = SCRIPT_EXTENSION.for(importingPath).exec(importingPath)?.[0];
  const own = SCRIPT_EXTENSION.for(path).exec(path)?.[0];
  if (importing === undefined || own === undefined) return [];
  const extensions = PREFERRED_EXTENSIONS[importing.includes("ts") ? "ts" : "js"][own] ?? [];
  return extensions.map((extension) => path.slice(0, -own.length) + extension);
}

/** The paths by which a module is named: `a/index.ts`, `a/index`, and `a`. */
function moduleStems(path: string): string[] {
  const stem = withoutExtension(path);
  const folders = INDEX_FILES.filter((name) => `/${stem}`.endsWith(name));
  const whole = withoutSassSign(path);
  const named = whole === path ? [] : moduleStems(whole);
  return [path, stem, ...folders.map((name) => stem.slice(0, Math.max(stem.length - name.length, 0))), ...named];
}

/** The ends of paths that a module may mean, with a leading `/` for a whole path. */
function wantedPaths(module: string, importingPath: string, imports: string): string[] {
  let folder = dirname(importingPath);
  if (imports === "modules") {
    const name = module.replace(/^\.+/, "");
    const ups = module.length - name.length;
    if (ups === 0) return [name.replaceAll(".", "/")];
    for (let up = 1; up < ups; up += 1) folder = dirname(folder);
    return [`/${joinPaths(folder, name.replaceAll(".", "/")).replace(/\/+$/, "")}`];
  }
  if (imports === "crates" && !module.startsWith("./")) return rustPaths(module, importingPath);
  const plain = module.replace(/^package:/, "");
  if (!plain.startsWith(".")) return [plain.replace(/^(?:[@~#]?\/|\$(?=lib\/))/, "")];
  const path = normalizeParts(joinPaths(folder, plain));
  return [path === "." ? "/" : `/${path}`, withoutScriptExtension(`/${path}`)];
}

/** The ends of paths that a module of Rust may mean; `super` and `self` are also those of a module within the file. */
function rustPaths(module: string, importingPath: string): string[] {
  const stem = withoutExtension(importingPath);
  const own = withoutIndexFile(stem);
  const [first, others] = partition(module, ".");
  const rest = others.replaceAll(".", "/");
  if (!CRATE_KEYWORDS.has(first)) return [module.replaceAll(".", "/")];
  const source = crateFolder(own);
  const inCrate = source ? [source] : [];
  const ownModule = first === "self" && own !== stem ? [own] : [own, dirname(own)]; // a/mod.rs is the module a
  const folders = first === "crate" ? inCrate : ownModule;
  const paths = folders.map((folder) => `/${joinPaths(folder, rest).replace(/\/+$/, "")}`);
  return rest ? [...paths, rest] : paths;
}

/** The folder of a crate's sources: `crates/cli/src`; empty for a file outside of one. */
function crateFolder(path: string): string {
  return /^(?:.*\/)?src(?=\/|$)/.exec(path)?.[0] ?? "";
}

/** The words by which an import names a file: `shop/cart.ts` → `cart`, `shop/index.ts` → `shop`. */
export function moduleWords(path: string): string[] {
  const stem = withoutExtension(withoutSassSign(path));
  const folders = INDEX_FILES.filter((name) => `/${stem}`.endsWith(name)).map((name) => stem.slice(0, -name.length));
  return [stem, ...folders].map((one) => rpartition(one, "/")[1]).filter(Boolean);
}

function withoutIndexFile(path: string): string {
  const ending = INDEX_FILES.find((name) => path.endsWith(name));
  return ending === undefined ? path : path.slice(0, -ending.length);
}

function withoutExtension(path: string): string {
  return path.replace(EXTENSION.for(path), "");
}

/** The path of a stylesheet's part as an import may name it: `_mixins.scss` → `mixins.scss`. */
function withoutSassSign(path: string): string {
  return path.replace(SASS_PART.for(path), "");
}

function withoutScriptExtension(path: string): string {
  return path.replace(SCRIPT_EXTENSION.for(path), "");
}
