/** Which nodes does a question name? Those called so; else those nearly so, or a file. */

import shared from "../../build/shared.json";
import { casefold, rpartition, strip } from "../letters.ts";
import { remembered } from "../memory.ts";
import { sorted, type Key } from "../order.ts";
import { named, type Named } from "../store/named.ts";
import { isTest } from "../store/tests_by_path.ts";
import { dotted, endsWith } from "../symbols.ts";
import { stems, type Asked } from "./asked.ts";
import type { Member } from "./found.ts";
import type { Scores } from "./fusion.ts";
import { isDocument, TEST } from "./kinds.ts";

const { MIN_SIMILAR_LETTERS: ALIKE_LETTERS, RARE_COMPOUND_NODES: COMPOUND_IN, RARE_WORD_NODES: RARE_IN, MAX_NAME_WORDS: SPELLED_WORDS } = shared.constants.names;
const { DEFINITION_TYPES: DEFINITIONS, DECLARATION_SUFFIXES: DECLARED_IN } = shared.constants.names;

type Rows = readonly (readonly unknown[])[];

/**
 * The ids of the nodes that a question names, the best first, and of nodes of a path.
 *
 * `spelled` are nodes whose names are made of its words, by how well these agree; `written` those
 * of them that are made of no others.
 */
export interface Names {
  called: readonly string[];
  written: readonly string[];
  ofPath: readonly string[];
  spelled: Scores;
}

/** Whether something is just what was asked for. */
export function areThere(known: Names): boolean {
  return known.called.length > 0 || known.ofPath.length > 0;
}

/** What the index says; types come before their members, definitions before declarations. */
export function names(asked: Asked, answers: readonly Rows[]): Names {
  const [byName = [], byWords = [], ...byPath] = answers.map(named);
  const text = asked.name || strip(asked.text);
  const wanted = meant(text);
  const found = byName.filter((node) => isNamed(node, wanted));
  const agreeing = new Map(byWords.map((node) => [node.id, bestSpelling(node.name, asked)]));
  const known = new Set(found.map((node) => node.id));
  const written = byWords.filter((node) => agreeing.get(node.id) === 1 && !known.has(node.id));
  const asksTests = asked.says(TEST.askedBy);
  return {
    called: ids(inOrder(found, text)),
    written: ids(inOrder(written.filter((node) => asksTests || !isTest(node.path)), text)),
    ofPath: ids(byPath.flat()),
    spelled: new Map(sorted(agreeing, ([, score]) => [-score])),
  };
}

/** Whether names are looked for that are made of its words: of a longer question none is. */
export function maySpell(asked: Asked): boolean {
  return asked.parts.length > 0 && asked.parts.length <= SPELLED_WORDS;
}

/** How well a question's words and those of a name's last part are the same ones, up to 1. */
export function agreement(symbol: string, asked: ReadonlySet<string>): number {
  return common(nameStems(last(symbol)), asked);
}

function bestSpelling(name: string, asked: Asked): number {
  return Math.max(spelling(name, asked.stems), spelling(name, asked.allStems));
}

/** The same, or with those of its owner where that is better: `request finalize`. */
function spelling(symbol: string, asked: ReadonlySet<string>): number {
  const [owner, own] = rpartition(symbol, ".");
  const both = new Set([...nameStems(own), ...nameStems(last(owner))]);
  return Math.max(agreement(symbol, asked), common(both, asked));
}

/** The harmonic mean of what part of each is in the other. */
function common(own: ReadonlySet<string>, asked: ReadonlySet<string>): number {
  let both = 0;
  for (const stem of own) if (asked.has(stem)) both++;
  return (2 * both) / (own.size + asked.size || 1);
}

/** The words that a name is made of, without their endings. */
const nameStems = remembered((name) => stems([name]));

/** How many nodes that have the name are asked for, where those nearly called so are. */
export function mostHaving(asked: Asked): number {
  return asked.parts.length > 1 ? COMPOUND_IN : RARE_IN;
}

/** Whether a name is asked for that others can be nearly called. */
export function mayBeNearly(asked: Asked): boolean {
  return [...last(asked.name)].length >= ALIKE_LETTERS;
}

/** The member that the query names, as `meant` has it, alone (`RED`) or with its owner. */
export function member(owner: string | null, members: string, wanted: string): Member | null {
  if (!members) return null;
  const name = meant(owner ?? "");
  if (name && endsWith(name, wanted)) return null;
  return membersOf(members).find((one) => endsWith(`${name}.${casefold(one.name)}`, wanted)) ?? null;
}

/** A name or a query as they are compared: its parts joined by dots, in any case of letters. */
export const meant = remembered((text) => casefold(dotted(text)));

/** Whether the query, as `meant` has it, is a name or its last parts. */
export function isCalled(name: string, wanted: string): boolean {
  return endsWith(meant(name), wanted);
}

/** What the index keeps as `4f5e RED:3 GREEN:4`. */
export function membersOf(text: string): Member[] {
  const said = text.split(" ").slice(1).map((one) => rpartition(one, ":"));
  return said.map(([name, line]) => ({ name, line: Number(line) }));
}

/** The nodes as typed before other case, sources before tests, types before members. */
function inOrder(nodes: Iterable<Named>, text: string): Named[] {
  return sorted(nodes, (node) => order(node, text));
}

/** What puts nodes in order, the longest first of what is equal otherwise. */
export function order(node: Named, text: string): Key {
  const at = DEFINITIONS.indexOf(node.nodeType);
  return [
    isDocument(node.path),
    at < 0,
    !node.name.endsWith(text),
    isTest(node.path),
    at < 0 ? DEFINITIONS.length : at,
    DECLARED_IN.some((ending) => node.path.endsWith(ending)),
    -node.lines,
    node.path,
    node.startLine,
  ];
}

/** The ids of nodes. */
export function ids(nodes: readonly Named[]): string[] {
  return nodes.map((node) => node.id);
}

/** What stands after a name's last dot. */
export function last(name: string): string {
  return rpartition(name, ".")[1];
}

function isNamed(node: Named, wanted: string): boolean {
  return isCalled(node.name, wanted) || member(node.name, node.members, wanted) !== null;
}
