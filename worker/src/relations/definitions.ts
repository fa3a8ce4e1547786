/** Finds where a name is defined, also the name at a position in a file. Mirrors `feeder.relations.definitions`. */

import { constants } from "../../build/worker_data.json";
import { NotInIndexError } from "../corpus/unread_files.ts";
import { HttpError } from "../http_error.ts";
import { parseMembers } from "../ranking/member_names.ts";
import { characterColumns, length, rpartition } from "../python_strings.ts";
import { BINDING, MENTION, PARAMETER, type Relation } from "../relation.ts";
import { sortBy } from "../sorting.ts";
import type { Hit } from "../store/hits.ts";
import {
  decodeRelations,
  lineNumbers,
  type NamedNode,
  type RelatedNode,
} from "../store/relations.ts";
import type { Definition } from "./modules.ts";
import type { ReferenceFinder } from "./references.ts";
import { isElsewhere, isResolved, type Resolution } from "./outcomes.ts";
import { traits } from "../traits.ts";
import type { FileFacts } from "./file_facts.ts";
import { checkNoFile, EMPTY_TARGET_ERROR, listFirst, membersNamed, resolveTarget, type Target } from "./targets.ts";

export const { MEMBER_TYPE } = constants.outline;
/** The type of a local variable or parameter, which the index has no node of. */
export const { LOCAL_TYPE } = constants.found_definition;
const WORD = /[\p{L}\p{N}_$]+/gu;
/** A name of Ruby, which may end with `?` or `!`. */
const LINE = /^.*[./].*:\d+$/s;
const POSITION = /^(.+):(\d+):(\d+)$/s;

/**
 * A node or member that defines the name, `resolved` if the position cannot mean another one.
 *
 * A member is a constant or field, which has one line and no node of its own.
 */
export interface FoundDefinition {
  readonly path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly symbol: string;
  readonly node_type: string;
  readonly resolved: boolean;
}

/**
 * The definitions of a name, the surest first; there are more if `atLeast`.
 *
 * `isPossible` is false if the name at a position can be none of them, such as a local variable.
 */
export interface Definitions {
  readonly isPossible: boolean;
  readonly name: string;
  readonly definitions: readonly FoundDefinition[];
  readonly atLeast: boolean;
}

/** Returns the text of a line of a file; null if it is not available. */
export type ReadLine = (path: string, line: number) => Promise<string | null>;

export function isPosition(text: string): boolean {
  return POSITION.test(text);
}

/** The definitions of a name, or with `path:line:column` of the name that stands there. */
export async function findDefinitions(finder: ReferenceFinder, text: string, readLine: ReadLine): Promise<Definitions> {
  if (!text.trim()) throw new HttpError(404, ...EMPTY_TARGET_ERROR);
  const position = POSITION.exec(text);
  if (!position) return definitionsOfName(finder, text);
  const [, path = "", line, column] = position;
  return definitionsAt(finder, path, Number(line), Number(column), readLine);
}

/**
 * The target that a text names, and its name; of `path:line:column` the definition of the name that stands there.
 *
 * Throws an HttpError if there is none, or if the files do not say which of several it is.
 */
export async function resolveDefinition(
  finder: ReferenceFinder,
  text: string,
  readLine: ReadLine,
): Promise<{ target: Target; name: string }> {
  if (!isPosition(text)) return { target: await finder.target(text), name: text };
  const found = await findDefinitions(finder, text, readLine);
  const [first] = found.definitions;
  if (first?.node_type === LOCAL_TYPE) {
    const [owner] = rpartition(first.symbol, ".");
    throw new HttpError(
      404,
      `${found.name} at ${text} is a local of ${owner}, line ${first.start_line}.`,
      "References to local names are not indexed; read the function.",
    );
  }
  const names = found.definitions.map(({ path, symbol }) => `${path}#${symbol}`);
  const [name] = names as [string];
  if (!found.isPossible || (names.length > 1 && !found.definitions[0]!.resolved)) {
    const subject = `${found.name} at ${text}`;
    const listed = `${listFirst(names)}.`;
    throw found.isPossible
      ? new HttpError(404, `${subject} may be one of these definitions: ${listed}`, "Choose one of them.")
      : new HttpError(404, `${subject} is a local name or text, not one of these definitions: ${listed}`, "Choose the one you mean.");
  }
  return { target: await finder.target(name), name };
}

async function definitionsOfName(finder: ReferenceFinder, name: string): Promise<Definitions> {
  const [path, symbol] = rpartition(name, "#");
  const named = await namedDefinitions(finder, symbol);
  const ending = `/${path.replace(/^\.\//, "").replace(/^\/+/, "")}`;
  const isInFile = path.includes("/");
  const matches = named.matches.filter(({ found }) => !isInFile || `/${found.path}`.endsWith(ending));
  const { isCut } = named;
  if (matches.length === 0 && named.matches.length > 0) {
    const remedy = `Definitions in other files: feeder definition ${symbol}`;
    throw new NotInIndexError(`The index has no definition of '${symbol}' in ${path}.`, remedy);
  }
  if (matches.length === 0) {
    if (LINE.test(name)) throw new HttpError(400, `${name} has no column.`, `Add it: feeder definition ${name}:COLUMN`);
    await checkNoFile(finder.reader, name);
    throw new NotInIndexError(`The index has no definition of '${name}'.`, `Search for it: feeder search ${name}`);
  }
  const ordered = sortBy(matches.map(({ found }) => found), ({ path, start_line }) => [path, start_line]);
  const isOnly = matches.length === 1 && !isCut;
  return { name, definitions: ordered.map((found) => ({ ...found, resolved: isOnly })), atLeast: isCut, isPossible: true };
}

/** The definitions of a name; there may be more if `isCut`. */
interface NamedMatches {
  readonly matches: readonly { definition: Definition; found: FoundDefinition }[];
  readonly isCut: boolean;
}

/** The nodes of a name, else the members of it. */
async function namedDefinitions(finder: ReferenceFinder, name: string): Promise<NamedMatches> {
  const named = await finder.reader.namedDefinitions(name);
  if (named.length > 0) {
    const matches = named.map(({ definition, hit }) => ({ definition, found: foundDefinition(hit, false) }));
    return { matches, isCut: await finder.reader.isNameCut(name) };
  }
  const { members, isCut } = await membersNamed(finder.reader, name);
  const definitions = await Promise.all(members.map(({ hit, member }) => finder.reader.memberDefinition(hit, member.name)));
  const matches = definitions.map((definition, at) => {
    const { path, symbol } = definition;
    const { line } = members[at]!.member;
    const lines = { start_line: line, end_line: line };
    return { definition, found: { path, ...lines, symbol, node_type: MEMBER_TYPE, resolved: false } };
  });
  return { matches, isCut };
}

async function definitionsAt(
  finder: ReferenceFinder,
  path: string,
  line: number,
  column: number,
  readLine: ReadLine,
): Promise<Definitions> {
  const target = await resolveTarget(finder.reader, `${path}:${line}`);
  const [facts, text] = await Promise.all([finder.reader.fileFacts(target.path), readLine(target.path, line)]);
  const { nameEndings: endings, nameSigil: sigil } = traits(target.hits[0]?.language ?? null);
  const word = endings ? new RegExp(`${WORD.source}(?:[${endings}](?!=))?`, WORD.flags) : WORD;
  let name = wordAt(text ?? "", column, word);
  if (sigil && name.startsWith(sigil)) name = name.slice(sigil.length);
  if (!name) {
    throw new HttpError(404, `There is no name at ${target.path}:${line}:${column}.`, "Use the column of a name.");
  }
  if (relationsAt(facts, name, line).every(({ relation }) => isDeclaration(relation))) {
    const declared = (await memberAt(finder, target.hits, name, line)) ?? localAt(facts, name, line);
    if (declared) return { name, definitions: [declared], atLeast: false, isPossible: true };
  }
  let { matches, isCut } = await searchableDefinitions(finder, name);
  if (matches.length === 0 && endings.includes(name.slice(-1))) {
    name = name.slice(0, -1); // valid?1:2
    ({ matches, isCut } = await searchableDefinitions(finder, name));
  }
  if (matches.length === 0) {
    const isName = relationsAt(facts, name, line).length > 0; // and no keyword
    throw new NotInIndexError(`The index has no definition of '${name}'.`, "", isName ? name : "");
  }
  const isAround = ({ found: { path, start_line, end_line } }: NamedMatches["matches"][number]) =>
    path === target.path && start_line <= line && line <= end_line;
  const around = matches.filter(isAround).map(({ found }) => found);
  const existing = relationsAt(facts, name, line);
  if (around.length > 0 && existing.length === 0) {
    // the name in its own declaration
    const [innermost] = sortBy(around, ({ start_line, end_line }) => [end_line - start_line]);
    return { name, definitions: [{ ...innermost!, resolved: true }], atLeast: false, isPossible: true };
  }
  const relations = existing.length > 0 ? existing : mentionAt(facts, name, line);
  const results: { states: Resolution[]; found: FoundDefinition }[] = [];
  for (const { definition, found } of matches) {
    const resolver = await finder.families.resolver(definition);
    const states = await finder.reader.exports.settled(() =>
      relations.map(({ node, relation }) => resolver.resolve(facts, node, relation, line)),
    );
    results.push({ states, found });
  }
  const sure = results.filter(({ states }) => states.some(isResolved));
  const possible = results.filter(({ states }) => !states.some(isResolved) && !states.every(isElsewhere));
  if (existing.length > 0 && sure.length + possible.length === 0) {
    throw new NotInIndexError(
      `${name} at ${path}:${line}:${column} is not in the index: it is not one of the definitions of this name.`,
      `List the definitions of this name: feeder definition ${name}`,
    );
  }
  const shown = [sure, possible, results].find((some) => some.length > 0)!;
  const definitions = shown.map(({ found }) => ({ ...found, resolved: sure.length > 0 }));
  const isPossible = sure.length + possible.length > 0;
  return { name, definitions, atLeast: sure.length === 0 && isCut, isPossible };
}

async function searchableDefinitions(finder: ReferenceFinder, name: string): Promise<NamedMatches> {
  await finder.prefetch(name);
  return namedDefinitions(finder, name);
}

/** The definition in a node. */
export function foundDefinition(hit: NamedNode, resolved: boolean): FoundDefinition {
  const { path, firstLine: start_line, lastLine: end_line, symbol, nodeType: node_type } = hit;
  return { path, start_line, end_line, symbol: symbol ?? "", node_type, resolved };
}

interface Site {
  readonly node: RelatedNode;
  readonly relation: Relation;
}

/** The member that a line declares; a constructor's parameter may be one: `constructor(private total: number)`. */
async function memberAt(
  finder: ReferenceFinder,
  hits: readonly Hit[],
  name: string,
  line: number,
): Promise<FoundDefinition | null> {
  const declares = (hit: Hit) => parseMembers(hit.members).some((one) => one.name === name && one.line === line);
  const hit = hits.find(declares);
  if (!hit) return null;
  const { symbol } = await finder.reader.memberDefinition(hit, name);
  return { path: hit.path, start_line: line, end_line: line, symbol, node_type: MEMBER_TYPE, resolved: true };
}

function isDeclaration({ kind }: Relation): boolean {
  return kind === BINDING || kind === PARAMETER;
}

/**
 * The parameter or variable that a name without a relation is, if its declaration is recorded.
 *
 * The last declaration above the line counts, in the innermost function that has one.
 */
function localAt(facts: FileFacts, name: string, line: number): FoundDefinition | null {
  const functions = nodesAt(facts, line).filter(({ nodeType }) => nodeType === "method");
  for (const node of sortBy(functions, ({ startLine, endLine }) => [endLine - startLine])) {
    const declared = decodeRelations(node).filter((one) => one.name === name && isDeclaration(one));
    const lines = declared.flatMap((one) => lineNumbers(node, one)).filter((one) => one <= line);
    if (lines.length === 0) continue;
    const last = Math.max(...lines);
    const place = { path: facts.path, start_line: last, end_line: last };
    return { ...place, symbol: `${node.symbol}.${name}`, node_type: LOCAL_TYPE, resolved: true };
  }
  return null;
}

/** The relations of a name on a line of a file. */
function relationsAt(facts: FileFacts, name: string, line: number): Site[] {
  return nodesAt(facts, line).flatMap((node) =>
    decodeRelations(node)
      .filter((relation) => relation.name === name && lineNumbers(node, relation).includes(line))
      .map((relation) => ({ node, relation })),
  );
}

/** A name that has no relation on a line, as a mention in the innermost node there. */
function mentionAt(facts: FileFacts, name: string, line: number): Site[] {
  const relation = { name, kind: MENTION, qualifier: "", lines: "" };
  return nodesAt(facts, line).slice(-1).map((node) => ({ node, relation }));
}

function nodesAt(facts: FileFacts, line: number): RelatedNode[] {
  return facts.nodes.filter(({ startLine, endLine }) => startLine <= line && line <= endLine);
}

/** The name at a column of a line, from 1; empty if there is none. */
function wordAt(text: string, column: number, pattern: RegExp): string {
  const columnOf = characterColumns(text);
  let result = "";
  for (const { 0: word, index } of text.matchAll(pattern)) {
    const start = columnOf(index);
    if (start < column && column <= start + length(word) + 1) result = word; // the last one in wide?width
  }
  return result;
}
