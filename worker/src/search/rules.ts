/**
 * What makes a node rise, beside what found it? Its file, its path and its name.
 *
 * Each rule gives a share of the best node's score.
 */

import shared from "../../build/shared.json";
import { groupBy } from "../collections.ts";
import { rpartition } from "../python_strings.ts";
import { memoize } from "../memoize.ts";
import { fsum } from "../fsum.ts";
import { lowercaseParts } from "../text.ts";
import { MIN_WORD_LETTERS, type QueryText } from "./asked.ts";
import type { Hit } from "./found.ts";
import { maximum, type Scores } from "./fusion.ts";
import { wordOverlap } from "./name_matching.ts";

const { FILE_BOOST, PATH_BOOST, NAME_BOOST } = shared.constants.rules;
const { MIN_SHARE_OF_BEST, MIN_PATH_SHARE } = shared.constants.rules;

/** A file's best node rises by what the file's nodes have together, as a share of the most. */
export function fileBoost(hits: readonly Hit[], scores: Scores): Map<string, number> {
  const least = MIN_SHARE_OF_BEST * maximum(scores.values());
  const files = groupBy(hits, (hit) => `${hit.repo}\0${hit.path}`);
  const sums = new Map(Array.from(files.values(), (file) => together(file, scores, least)));
  const greatest = maximum(sums.values()) || 1;
  return new Map(Array.from(sums, ([id, one]) => [id, (FILE_BOOST * one) / greatest]));
}

/** A file's best node, and the sum of those that count. */
function together(file: readonly Hit[], scores: Scores, least: number): [string, number] {
  const own = file.map((hit) => scores.get(hit.id)!);
  const best = file[own.indexOf(maximum(own))]!;
  return [best.id, fsum(own.filter((score) => score >= least))];
}

/** By what part of the question's words the names of file and folder have, or begin with. */
export function pathBoost(hits: readonly Hit[], asked: QueryText): Map<string, number> {
  if (!asked.keys.size) return new Map();
  const paths = new Set(hits.map((hit) => hit.path));
  const shares = new Map(Array.from(paths, (path) => [path, met(path, asked.keys)]));
  const rising = hits.filter((hit) => shares.get(hit.path)! >= MIN_PATH_SHARE);
  return new Map(rising.map((hit) => [hit.id, PATH_BOOST * shares.get(hit.path)!]));
}

function met(path: string, keys: ReadonlySet<string>): number {
  const own = pathParts(path);
  const those = [...keys].filter((key) => own.some((part) => begins(key, part)));
  return those.length / keys.size;
}

/** Whether one is the beginning of the other: `route` of `router`. */
function begins(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return one === other || (long.startsWith(short) && [...short].length >= MIN_WORD_LETTERS);
}

const pathParts = memoize((path) => {
  const [folder, name] = rpartition(path, "/");
  const [, above] = rpartition(folder, "/");
  return [...new Set([...lowercaseParts(stem(name)), ...lowercaseParts(above)])];
});

/** A file's name without its last ending. */
function stem(name: string): string {
  const at = name.lastIndexOf(".");
  return at > 0 && at < name.length - 1 ? name.slice(0, at) : name;
}

/** By how well the words of the question and those that a name is made of are the same ones. */
export function nameBoost(hits: readonly Hit[], asked: QueryText): Map<string, number> {
  if (asked.name || !asked.stems.size) return new Map();
  const shares = hits.map((hit): [string, number] => [hit.id, naming(hit.symbol ?? "", asked)]);
  return new Map(shares.filter(([, one]) => one).map(([id, one]) => [id, NAME_BOOST * one]));
}

function naming(symbol: string, asked: QueryText): number {
  const [, last] = rpartition(symbol, ".");
  return asked.identifiers.has(last.toLowerCase()) ? 1 : wordOverlap(symbol, asked.stems);
}
