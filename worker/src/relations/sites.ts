/** Defines a site that refers to a definition, and the order of sites. Mirrors `feeder.relations.sites`. */

import { constants } from "../../build/worker_data.json";
import type { SortKey } from "../sorting.ts";
import type { RelatedNode } from "../store/relations.ts";
import { isTestPath } from "../store/scope.ts";
import type { Definition } from "./modules.ts";

export const KIND_NAMES: Readonly<Record<string, string>> = constants.sites.KIND_NAMES;
export const { OVERRIDE } = constants.sites;

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

/** A type below a type, or a member that overrides a member; `depth` counts levels from 1. */
export interface Implementation {
  readonly path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly symbol: string;
  readonly resolved: boolean;
  readonly depth: number;
  /** An anonymous or local class: the line that names its base, and the symbol of the function or type around it. */
  readonly is_local: boolean;
}

/** Selects the references of a page; no kinds mean all. */
export interface ReferenceFilter {
  readonly kinds: readonly string[];
  readonly tests: string | null;
  readonly limit: number;
  readonly offset: number;
}

/** Returns true for a file that a filter `yes`, `no` or `only` of tests selects. */
export function passesTests(path: string, tests: string | null): boolean {
  return tests === null || tests === "yes" || isTestPath(path) === (tests === "only");
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

/** A line of a file, as one text. */
export function placeKey(path: string, line: number): string {
  return `${path}\0${line}`;
}

export function distinctReferences(references: readonly Reference[]): Reference[] {
  const keyed = references.map((one): [string, Reference] => {
    const { path, line, kind, resolved, node, name, receiver } = one;
    return [[path, line, kind, resolved, node.id, name, receiver].join("\0"), one];
  });
  return [...new Map(keyed).values()];
}

/** Resolved sites first, code before tests, overrides last, then the nearest file and line. */
export function referenceOrder(one: Reference, definition: Definition): SortKey {
  const ownFolders = definition.path.split("/").slice(0, -1);
  const folders = one.path.split("/").slice(0, -1);
  const differing = folders.findIndex((folder, at) => ownFolders[at] !== folder);
  const common = differing < 0 ? Math.min(folders.length, ownFolders.length) : differing;
  const distance = ownFolders.length + folders.length - 2 * common;
  const [isTest, isOverride, isElsewhere] = [isTestPath(one.path), one.kind === OVERRIDE, one.path !== definition.path];
  return [!one.resolved, isTest, isOverride, isElsewhere, distance, one.path, one.line, one.kind];
}
