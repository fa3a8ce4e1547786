/** Which nodes are called nearly as a question says? By the three letters in a row they share. */

import shared from "../../build/shared.json";
import { rpartition } from "../letters.ts";
import { sorted } from "../order.ts";
import { named, type Named } from "../store/named.ts";
import type { Asked } from "./asked.ts";
import { areThere, ids, last, mostHaving, order, type Names } from "./names.ts";

const { MAX_SIMILAR: ALIKE, CONTAINS_BONUS: HAS_IT, MIN_SIMILARITY: LEAST_ALIKE } = shared.constants.names;

type Rows = readonly (readonly unknown[])[];
type Grams = ReadonlyMap<string, number>;

/**
 * The ids of the few nodes that have the word asked for, and of those whose name begins so; of
 * those whose name is like it, where it is in none.
 */
export interface Nearly {
  having: readonly string[];
  ids: readonly string[];
}

/** What the index says; nothing where a node is called so, or where it is a word of many nodes. */
export function nearly(asked: Asked, known: Names, answers: readonly Rows[]): Nearly {
  const [there, beginning, like] = answers;
  if (areThere(known) || !there || !beginning || !like) return { having: [], ids: [] };
  if (!there.length) return { having: [], ids: alike(asked, like) };
  const ids = there.map(([id]) => String(id));
  return {
    having: ids.length <= mostHaving(asked) ? ids : [],
    ids: known.spelled.size ? [] : begun(named(beginning), asked.name),
  };
}

/** Those of a name that is in none. */
function alike(asked: Asked, rows: Rows): string[] {
  const name = last(asked.name);
  const grams = gramsOf(name);
  const scored = named(rows).map((node) => ({ node, score: likeness(name, grams, node) }));
  const near = sorted(
    scored.filter(({ score }) => score > LEAST_ALIKE),
    ({ node, score }) => [-score, -owned(node, asked.name), ...order(node, name)],
  );
  return ids(near.map(({ node }) => node)).slice(0, ALIKE);
}

/**
 * Those whose last part begins with a name's: `RealCal` is in the middle of typing `RealCall`.
 *
 * Those of an owner like its own come first.
 */
function begun(nodes: readonly Named[], name: string): string[] {
  const own = last(name);
  const begins = nodes.filter((node) => letters(last(node.name)).startsWith(letters(own)));
  return ids(sorted(begins, (node) => [-owned(node, name), ...order(node, own)])).slice(0, ALIKE);
}

function likeness(name: string, grams: Grams, node: Named): number {
  const own = letters(last(node.name));
  return sharedBy(grams, gramsOf(own)) + HAS_IT * Number(own.includes(letters(name)));
}

/** How like the node's owner is to the one that the name has, up to 1; 0 where it has none. */
function owned(node: Named, name: string): number {
  const [owner, own] = [name, node.name].map((one) => last(rpartition(one, ".")[0]));
  return owner && own ? sharedBy(gramsOf(owner), gramsOf(own)) : 0;
}

/** Of two names' trigrams, those that both have. */
function sharedBy(grams: Grams, others: Grams): number {
  let both = 0;
  for (const [gram, count] of grams) both += Math.min(count, others.get(gram) ?? 0);
  return (2 * both) / (total(grams) + total(others));
}

function total(grams: Grams): number {
  return [...grams.values()].reduce((sum, count) => sum + count, 0);
}

function letters(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}

function gramsOf(name: string): Grams {
  const padded = [..."  ", ...letters(name), " "];
  const counts = new Map<string, number>();
  for (let at = 0; at < padded.length - 2; at++) {
    const gram = padded.slice(at, at + 3).join("");
    counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  return counts;
}
