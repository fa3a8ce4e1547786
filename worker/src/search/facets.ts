/** By what can an answer be narrowed? Its hits by language, folder, type and tests, counted. */

import shared from "../../build/shared.json";
import { rpartition } from "../python_strings.ts";
import { sortBy } from "../sorting.ts";
import { isTest } from "../store/tests_by_path.ts";
import type { Result } from "./found.ts";

const { MAX_FACET_VALUES } = shared.constants.facets;

export type Facets = Record<"language" | "path" | "node_type" | "tests", Record<string, number>>;

/** Hits by each value of the filter that it is called after, the most first. */
export function countFacets(found: readonly Result[]): Facets {
  const hits = found.map((one) => one.hit);
  return {
    language: counts(hits.flatMap((hit) => hit.language || [])),
    path: counts(folders(hits.map((hit) => hit.path))),
    node_type: counts(hits.map((hit) => hit.nodeType)),
    tests: counts(hits.map((hit) => (isTest(hit.path) ? "only" : "no"))),
  };
}

function counts(values: readonly string[]): Record<string, number> {
  const counted = new Map<string, number>();
  for (const value of values) counted.set(value, (counted.get(value) ?? 0) + 1);
  return Object.fromEntries(sortBy(counted, ([, count]) => [-count]).slice(0, MAX_FACET_VALUES));
}

/** Where the folders of paths part: `/src/a` and `/src/b`, from the root. */
function folders(paths: readonly string[]): string[] {
  const parts = paths.map((path) => rpartition(path, "/")[0].split("/").filter(Boolean));
  const [first = []] = parts;
  const apart = first.findIndex((part, at) => parts.some((own) => own[at] !== part));
  const depth = apart < 0 ? first.length : apart;
  const below = parts.filter((own) => own.length > depth);
  return below.map((own) => `/${own.slice(0, depth + 1).join("/")}`);
}
