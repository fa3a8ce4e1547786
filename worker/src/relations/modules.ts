/** Compares the modules that files import with the files and packages that define a name. */

import { constants } from "../../build/worker_data.json";
import { Pattern } from "../python_regex.ts";
import { rpartition } from "../python_strings.ts";
import { traits } from "../traits.ts";

export const { MODULE_EXPORTS } = constants.modules;
export const COMMONJS_RECEIVERS: ReadonlySet<string> = new Set(constants.modules.COMMONJS_RECEIVERS);
const { INDEX_FILES } = constants.module_paths;
const CRATE_KEYWORDS = new Set(constants.module_paths.CRATE_KEYWORDS);
const STANDARD_CRATES = new Set(constants.module_paths.STANDARD_CRATES);
const EXTENSION = new Pattern(constants.module_paths.EXTENSION);

/**
 * A definition that names may refer to; `owner` is the symbol of the type around it, empty without one.
 *
 * A static function of C, outside of headers, is local: no other file can refer to it. An extension of Kotlin is
 * imported from its package like a function; its symbol has the extended type. A method of an interface of Go is
 * abstract. `packageName` is that of a constant or variable of Go, whose symbol has none; empty if no symbol of its file
 * has it.
 */
export interface Definition {
  readonly path: string;
  readonly language: string;
  readonly symbol: string;
  readonly name: string;
  readonly owner: string;
  readonly isType: boolean;
  readonly isLocal: boolean;
  readonly isExtension?: boolean;
  readonly isAbstract?: boolean;
  readonly packageName?: string;
}

export function isSameDefinition(one: Definition, other: Definition): boolean {
  return (
    one.path === other.path &&
    one.symbol === other.symbol &&
    one.owner === other.owner &&
    one.isType === other.isType &&
    one.isLocal === other.isLocal &&
    one.language === other.language
  );
}

/** The answer if no site refers to a definition, or if its language has no relations. */
export function sayNothingRefers({ language, symbol, owner, isType }: Definition): string {
  const reason = language === "objc" && owner && !isType ? UNINDEXED_MESSAGES : unindexedRelations(language);
  return reason ? `What refers to ${symbol} is unknown: ${reason}` : `Nothing in the index refers to ${symbol}.`;
}

/** The answer if nothing implements a definition, or if its language has no relations. */
export function sayNothingImplements({ language, symbol }: Definition): string {
  const reason = unindexedRelations(language);
  return reason ? `What implements ${symbol} is unknown: ${reason}` : `Nothing in the index implements ${symbol}.`;
}

/**
 * The answer if a node or a file refers to nothing, or if its references are not indexed.
 *
 * A function of Objective-C may send messages too.
 */
export function sayRefersToNothing(name: string, language: string | null): string {
  const reason = language === "objc" ? UNINDEXED_MESSAGES : unindexedRelations(language);
  return reason ? `What ${name} refers to is unknown: ${reason}` : `${name} refers to nothing that the index defines.`;
}

const UNINDEXED_MESSAGES = "messages of Objective-C are not indexed.";

/** Why nothing is known of the relations of a language; empty if they are indexed. */
function unindexedRelations(language: string | null): string {
  if (!language || traits(language).hasRelations) return "";
  return `relations of ${language} are not indexed, unless a grammar file adds them.`;
}

/** The qualifier of names of the file, such as `acme.shop`; may be empty. */
export function packageOf(definition: Definition): string {
  return definition.packageName || rpartition(definition.owner || definition.symbol, ".")[0];
}

/** Returns true if a package has the definition; the extended type of an extension has unknown parts. */
function isInPackage(definition: Definition, packageName: string): boolean {
  if (definition.isExtension) return definition.symbol.startsWith(`${packageName}.`);
  return packageName === packageOf(definition);
}

/** Returns true if a file of a package sees the definition without an import. */
export function inSamePackage(path: string, packageName: string, definition: Definition): boolean {
  const { packageScope } = traits(definition.language);
  if (packageScope === "folder") return folderOf(path) === folderOf(definition.path);
  return packageScope === "package" && packageName !== "" && isInPackage(definition, packageName);
}

/**
 * Returns true if neither a file nor a definition is in a package; PHP then looks there anyway.
 *
 * A type that is nested in another one has that as its package.
 */
export function inNoPackage(packageName: string, definition: Definition): boolean {
  const own = traits(definition.language);
  const isOutside = packageName === "" || own.variableSigil !== "";
  return own.packageScope === "package" && isOutside && packageOf(definition) === "";
}

/** Returns true if an imported module is the one that has the definition. */
export function namesModule(module: string, importingPath: string, definition: Definition): boolean {
  const { language, path } = definition;
  const { imports } = traits(language);
  if (imports === "symbols") {
    return isInPackage(definition, module) || module === definition.owner || module === definition.symbol;
  }
  if (imports === "folders") {
    const folder = folderOf(path);
    if (folder.includes("/") && module.endsWith(`/${folder}`)) return true; // lib/cart/v2
    const unversioned = module.replace(/\/v\p{Nd}+$/u, "");
    if (folder) return unversioned === folder || unversioned.endsWith(`/${folder}`);
    const last = rpartition(unversioned, "/")[1];
    return [last, last.replace(/^go-/, "")].includes(packageOf(definition).split(".")[0]!);
  }
  const stems = moduleStems(path);
  return wantedPaths(module, importingPath, imports).some((wanted) => stems.some((stem) => endsWith(stem, wanted)));
}

/** Returns true if the module is a package around the definition's file, which may export it. */
export function isParentModule(module: string, importingPath: string, definition: Definition): boolean {
  const { imports } = traits(definition.language);
  if (imports === "folders") return false;
  const stem = withoutExtension(definition.path);
  const isAround = wantedPaths(module, importingPath, imports).some((wanted) => {
    const folder = withoutIndexFile(wanted);
    return folder !== "" && `/${stem}/`.includes(`/${folder}/`.replaceAll("//", "/"));
  });
  return isAround || namesWorkspaceFolder(module, definition);
}

/** Returns true if a package of the same repository has the definition's file in its folder. */
function namesWorkspaceFolder(module: string, { path, language }: Definition): boolean {
  const folders = new Set(folderOf(path).split("/").map((part) => part.replaceAll("-", "_")));
  const { imports, family } = traits(language);
  if (imports === "crates") {
    const parts = module.split(".").filter((part) => !CRATE_KEYWORDS.has(part));
    if (parts.length === 0 || STANDARD_CRATES.has(parts[0]!)) return false;
    return parts.some((part) => folders.has(part) || folders.has(part.includes("_") ? part.slice(part.indexOf("_") + 1) : ""));
  }
  if (family !== "scripts" || !module.startsWith("@") || !module.includes("/")) return false;
  return folders.has(module.split("/")[1]!.replaceAll("-", "_"));
}

function withoutIndexFile(path: string): string {
  const ending = INDEX_FILES.find((name) => path.endsWith(name));
  return ending === undefined ? path : path.slice(0, -ending.length);
}

function moduleStems(path: string): string[] {
  const stem = withoutExtension(path);
  const folders = INDEX_FILES.filter((name) => stem.endsWith(name)).map((name) => stem.slice(0, -name.length));
  return [path, stem, ...folders];
}

/** The ends of paths that a module may mean, with a leading `/` for a whole path. */
function wantedPaths(module: string, importingPath: string, imports: string): string[] {
  let folder = folderOf(importingPath);
  if (imports === "modules") {
    const name = module.replace(/^\.+/, "");
    const ups = module.length - name.length;
    if (ups === 0) return [name.replaceAll(".", "/")];
    for (let up = 1; up < ups; up += 1) folder = folderOf(folder);
    return [`/${joinPath(folder, name.replaceAll(".", "/")).replace(/\/+$/, "")}`];
  }
  if (imports === "crates") return rustPaths(module, importingPath);
  const plain = module.startsWith("package:") ? module.slice("package:".length) : module;
  if (!plain.startsWith(".")) return [plain.replace(/^(?:[@~#]\/|\$(?=lib\/))/, "")];
  const joined = normalizePath(joinPath(folder, plain));
  const path = `/${joined.startsWith("./") ? joined.slice(2) : joined}`;
  return [path, path.replace(/\.[mc]?[jt]sx?$/, "")];
}

/** The ends of paths that a module of Rust may mean; `super` and `self` are also those of a module within the file. */
function rustPaths(module: string, importingPath: string): string[] {
  const own = withoutIndexFile(withoutExtension(importingPath));
  const [first = "", ...others] = module.split(".");
  const rest = others.join("/");
  if (!CRATE_KEYWORDS.has(first)) return [module.replaceAll(".", "/")];
  const source = /^(?:.*\/)?src(?=\/|$)/.exec(own);
  const inCrate = source ? [source[0]] : [];
  const folders = first === "crate" ? inCrate : [own, folderOf(own)];
  const paths = folders.map((folder) => `/${joinPath(folder, rest).replace(/\/+$/, "")}`);
  return rest ? [...paths, rest] : paths;
}

function endsWith(path: string, wanted: string): boolean {
  if (wanted.startsWith("/")) return `/${path}` === wanted;
  return wanted !== "" && (path === wanted || path.endsWith(`/${wanted}`));
}

function withoutExtension(path: string): string {
  return path.replace(EXTENSION.for(path), "");
}

/** Mirrors `posixpath.dirname` for relative paths. */
export function folderOf(path: string): string {
  return rpartition(path, "/")[0];
}

/** Mirrors `posixpath.join` for two parts. */
function joinPath(folder: string, name: string): string {
  if (name.startsWith("/") || !folder) return name;
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

/** Mirrors `posixpath.normpath` for relative paths. */
function normalizePath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return parts.join("/") || ".";
}
