/** Which nodes are called nearly as a question says? By the three letters in a row they share. */

import shared from "../../build/shared.json";
import { rpartition } from "../python_strings.ts";
import { sortBy } from "../sorting.ts";
import { namedNodes, type NamedNode } from "../store/name_search.ts";
import type { QueryText } from "./asked.ts";
import { hasExactMatch, nodeIds, lastNamePart, maxNodesWithWord, nameOrder, type NamedCandidates } from "./name_matching.ts";

const { MAX_SIMILAR, CONTAINS_BONUS, MIN_SIMILARITY } = shared.constants.names;


/**
 * The ids of the few nodes that have the word asked for, and of those whose name begins so; of
 * those whose name is like it, where it is in none.
 */
export interface FuzzyMatches {
  having: readonly string[];
  ids: readonly string[];
}

/** What the index says; nothing where a node is called so, or where it is a word of many nodes. */
export function fuzzyMatches(asked: QueryText, known: NamedCandidates, answers: readonly Rows[]): FuzzyMatches {
  const [there, beginning, like] = answers;
  if (hasExactMatch(known) || !there || !beginning || !like) return { having: [], ids: [] };
  if (!there.length) return { having: [], ids: alike(asked, like) };
  const ids = there.map(([id]) => String(id));
  return {
    having: ids.length <= maxNodesWithWord(asked) ? ids : [],
    ids: known.spelled.size ? [] : begun(namedNodes(beginning), asked.name),
  };
}

/** Those of a name that is in none. */
function alike(asked: QueryText, rows: Rows): string[] {
  const name = lastNamePart(asked.name);
  const grams = gramsOf(name);
  const scored = namedNodes(rows).map((node) => ({ node, score: likeness(name, grams, node) }));
  const near = sortBy(
    scored.filter(({ score }) => score > MIN_SIMILARITY),
    ({ node, score }) => [-score, -owned(node, asked.name), ...nameOrder(node, name)],
  );
  return nodeIds(near.map(({ node }) => node)).slice(0, MAX_SIMILAR);
}

/**
 * Those whose last part begins with a name's: `RealCal` is in the middle of typing `RealCall`.
 *
 * Those of an owner like its own come first.
 */
function begun(nodes: readonly NamedNode[], name: string): string[] {
  const own = lastNamePart(name);
  const begins = nodes.filter((node) => letters(lastNamePart(node.name)).startsWith(letters(own)));
  return nodeIds(sortBy(begins, (node) => [-owned(node, name), ...nameOrder(node, own)])).slice(0, MAX_SIMILAR);
}

function likeness(name: string, grams: Grams, node: NamedNode): number {
  const own = letters(lastNamePart(node.name));
  return sharedBy(grams, gramsOf(own)) + CONTAINS_BONUS * Number(own.includes(letters(name)));
}

/** How like the node's owner is to the one that the name has, up to 1; 0 where it has none. */
function owned(node: NamedNode, name: string): number {
  const [owner, own] = [name, node.name].map((one) => lastNamePart(rpartition(one, ".")[0]));
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
