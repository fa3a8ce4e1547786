/** Maps the names of modules that manifests export to paths. Mirrors `feeder.relations.manifests`. */

import { constants } from "../../build/worker_data.json";
import { dirname, joinPaths, normalizeParts } from "../posix_paths.ts";
import { partition, rpartition } from "../python_strings.ts";
import { EXPORT, moduleAndAlias } from "../relation.ts";
import { decodeRelations, type RelatedNode } from "../store/relations.ts";

/** Folders of a package whose files are built from those in `src`, and often not in git. */
const BUILT_FOLDERS = new Set(constants.manifests.BUILT_FOLDERS);

/**
 * A name by which files below a folder import the path `target`, which is from that folder.
 *
 * `*` in a name stands for any text, which replaces the `*` of the target. Files of the whole repository may use a name
 * unless it `isLocal`.
 */
interface ModuleName {
  readonly folder: string;
  readonly name: string;
  readonly target: string;
  readonly isLocal: boolean;
}

/** The names of modules that a repository's manifests export. */
export class Manifests {
  readonly #names = new Map<string, ModuleName[]>();

  constructor(nodes: Iterable<RelatedNode> = []) {
    for (const one of moduleNames(nodes)) {
      const first = firstPart(one.name);
      this.#names.set(first, [...(this.#names.get(first) ?? []), one]);
    }
  }

  /**
   * The paths that a module may be, without an ending where the manifest has none.
   *
   * The names of a config above the importing file count before those of other configs.
   */
  paths(module: string, importingPath: string): string[] {
    const named = [...(this.#names.get(firstPart(module)) ?? []), ...(this.#names.get("*") ?? [])];
    const near = named.filter(({ isLocal, folder }) => !isLocal || isBelow(importingPath, folder));
    return (near.length > 0 ? near : named).flatMap((one) => {
      const path = targetPath(one, module);
      return path === null ? [] : withSources(path, one.folder);
    });
  }

  /** The names of modules whose target may be a file, without their `*`. */
  namesOf(path: string): string[] {
    const named = [...this.#names.values()].flat();
    const own = named.filter(({ folder, target }) => isBelow(path, dirname(pathOf(folder, target))));
    return own.map(({ name }) => name.replace(/[/*]+$/, ""));
  }
}

function* moduleNames(nodes: Iterable<RelatedNode>): Iterable<ModuleName> {
  for (const node of nodes) {
    const [folder, fileName] = rpartition(node.path, "/");
    for (const relation of decodeRelations(node)) {
      if (relation.kind !== EXPORT || relation.name) continue;
      const [name, target] = moduleAndAlias(relation);
      yield { folder, name, target, isLocal: name.startsWith("#") || fileName.includes("config") };
    }
  }
}

/** The part of a module's name that a lookup begins with: `@acme/fmt/x` → `@acme`. */
function firstPart(name: string): string {
  return name.startsWith("*") ? "*" : name.split(/[/.*]/, 1)[0] || name.slice(0, 1);
}

/** The path that a module's name stands for; null if it is not this name's. */
function targetPath({ folder, name, target }: ModuleName, module: string): string | null {
  if (name.includes("*")) {
    const [before, after] = partition(name, "*");
    if (!module.startsWith(before) || !module.endsWith(after)) return null;
    const matched = module.slice(before.length, Math.max(module.length - after.length, before.length));
    return pathOf(folder, target.replaceAll("*", () => matched));
  }
  if (module === name) return pathOf(folder, target);
  const isCrate = target.endsWith(".rs");
  const separator = isCrate ? "." : "/";
  if (!module.startsWith(name + separator)) return null;
  const rest = module.slice(name.length + 1).replaceAll(separator, "/");
  if (isCrate) return pathOf(folder, dirname(target), rest);
  const isFile = target !== "." && /[^/.][^/]*\.[^/]*$/.test(target);
  return isFile ? null : pathOf(folder, target, rest);
}

/** A path, and the one in `src` that it may be built from or short for. */
function withSources(path: string, folder: string): string[] {
  const inside = folder ? path.slice(folder.length + 1) : path;
  const [first, rest] = partition(inside, "/");
  if (BUILT_FOLDERS.has(first) && rest) return [path, pathOf(folder, "src", rest)];
  return first === "src" ? [path] : [path, pathOf(folder, "src", inside)];
}

function pathOf(folder: string, ...parts: string[]): string {
  const path = normalizeParts(joinPaths(folder, ...parts));
  return path === "." ? "" : path;
}

function isBelow(path: string, folder: string): boolean {
  return !folder || path.startsWith(`${folder}/`);
}
