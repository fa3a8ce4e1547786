/** Reads the relations of nodes: what they call, inherit, use and import, by name. */

import data, { constants } from "../../build/worker_data.json";
import { sortBy } from "../sorting.ts";
import { BINDING, decodeStored, EXPORT, IMPORT, linesOf, namedText, PARAMETER, qualifiedText, type Relation, RETURNS } from "../relation.ts";
import type { Row, Statement } from "./database.ts";
import { anyOf, ftsPhrase, quoted } from "./fts_query.ts";

const { IMPORT_WORDS, MANIFEST_NAMES, MAX_REMOTE_ROWS } = constants.relations;
/** Shorter texts have no trigram. */
const MIN_TRIGRAM_LETTERS = 3;
const ALNUM = /[\p{L}\p{N}]/u;

/**
 * A node with its relations as the column has them.
 *
 * `firstLine` and `lastLine` are those of the whole node, of which this may be a part.
 */
export interface RelatedNode {
  readonly id: string;
  readonly path: string;
  readonly language: string | null;
  readonly nodeType: string;
  readonly symbol: string | null;
  readonly startLine: number;
  readonly endLine: number;
  readonly relations: string;
  readonly firstLine: number;
  readonly lastLine: number;
}

const decodedRelations = new WeakMap<RelatedNode, Relation[]>();

/** The node's relations; decoded once. */
export function decodeRelations(node: RelatedNode): Relation[] {
  const known = decodedRelations.get(node);
  if (known) return known;
  const decoded = decodeStored(node.relations);
  decodedRelations.set(node, decoded);
  return decoded;
}

/** The lines of the sites of a relation, in the file as it was indexed. */
export function lineNumbers(node: RelatedNode, relation: Relation): number[] {
  return linesOf(relation, node.startLine);
}

export function relatedNode(row: Row): RelatedNode {
  const [id, path, language, nodeType, symbol, startLine, endLine, relations, firstLine, lastLine] = row;
  const lines = { startLine, endLine, firstLine, lastLine };
  return { id, path, language, nodeType, symbol, relations, ...lines } as RelatedNode; // as selected
}

/** Returns true if nodes can be found by a name. */
export function isSearchable(name: string): boolean {
  return ALNUM.test(name);
}

/** Selects the nodes whose relations contain a name; one more than are used. */
export function nodesWithName(repo: string, name: string): Statement {
  const query = `body : ${ftsPhrase(name)}`;
  return { sql: data.sql.nodesWithName, params: [repo, query, name, MAX_REMOTE_ROWS + 1] };
}

/** Selects the nodes that declare a variable of a type, or return it, in one scan; one more than are used. */
export function nodesWithType(repo: string, type: string): Statement {
  const query = `body : ${ftsPhrase(type)}`;
  const relations = [qualifiedText(BINDING, type), qualifiedText(PARAMETER, type), namedText(type, RETURNS)];
  return { sql: data.sql.nodesWithAnyRelation, params: [repo, query, ...relations, MAX_REMOTE_ROWS + 1] };
}

/** Selects the nodes that import a name, or export it by another one; one more than are used. */
export function nodesExporting(repo: string, name: string): Statement {
  return importingNodes(repo, [name], [IMPORT, EXPORT, EXPORT].map((kind) => namedText(name, kind)));
}

/** Selects the nodes that import a module or its default, and have one of some words; one more than are used. */
export function nodesImportingModule(repo: string, words: readonly string[]): Statement {
  return importingNodes(repo, words, ["", "", "default"].map((name) => namedText(name, IMPORT)));
}

/** Selects the nodes that import a module or all its names, and have one of some words; one more than are used. */
export function nodesImportingAll(repo: string, words: readonly string[]): Statement {
  return importingNodes(repo, words, ["", "", "*"].map((name) => namedText(name, IMPORT)));
}

/** Selects the nodes with one of some words, an import, and one of three relations. */
function importingNodes(repo: string, words: readonly string[], texts: readonly string[]): Statement {
  const query = `body : (${anyOf(words.filter(isSearchable))}) AND body : (${anyOf(IMPORT_WORDS)})`;
  return { sql: data.sql.nodesWithAnyRelation, params: [repo, query, ...texts, MAX_REMOTE_ROWS + 1] };
}

/** Selects the nodes with relations whose text has a word, in any letters. */
export function relatedNodesWithWord(repo: string, word: string): Statement {
  return { sql: data.sql.relatedNodesWithWord, params: [repo, `body : ${ftsPhrase(word)}`] };
}

/** Counts the nodes of code that have a word, but a definition's own. */
export function countNodesWithWord(repo: string, word: string, path: string, symbol: string): Statement {
  return { sql: data.sql.countNodesWithWord, params: [repo, `body : ${ftsPhrase(word)}`, path, symbol] };
}

/** Selects the nodes that export files by the names of modules, as package.json does. */
export function manifestNodes(repo: string): Statement {
  return { sql: data.sql.manifestNodes, params: [repo, `path : (${anyOf(MANIFEST_NAMES)})`] };
}

/** Selects those of some queries for paths that find one; see `pathQuery`. */
export function existingPaths(repo: string, queries: readonly string[]): Statement {
  return { sql: data.sql.existingPaths, params: [repo, JSON.stringify(queries)] };
}

/** Selects the paths that are files of the index, read or skipped. */
export function existingFiles(repo: string, paths: readonly string[]): Statement {
  return { sql: data.sql.existingFiles, params: [repo, JSON.stringify(paths)] };
}

/** The query for the words of a path, in their order. */
export function pathQuery(path: string): string {
  return `path : ${ftsPhrase(path)}`;
}

/** A node that defines a name. */
export interface NamedNode extends RelatedNode {
  /** True if the file has the type that the symbol names before the last dot. */
  readonly isInType: boolean;
  readonly signature: string | null;
}

export function namedNode(row: Row): NamedNode {
  const [isInType, signature] = row.slice(10, 12);
  return { ...relatedNode(row), isInType: Boolean(isInType), signature: signature ? String(signature) : null };
}

/** Selects the nodes whose symbol is a name, or ends with it after a dot; the shortest symbols first. */
export function nodesNamed(repo: string, name: string): Statement {
  const letters = name.replace(/[A-Z]+/g, (part) => part.toLowerCase()).replaceAll("_", "");
  const isLong = hasTrigrams(name);
  const [statement, query] = isLong
    ? [data.sql.nodesNamedByTrigrams, quoted(letters)]
    : [data.sql.nodesNamedByWords, `symbol : ${ftsPhrase(name)}`];
  return { sql: statement, params: [repo, query, name] };
}

/** Sorts nodes by path and line, outer before inner ones. */
export function sortNodes<Node extends Pick<RelatedNode, "path" | "startLine" | "endLine">>(nodes: readonly Node[]): Node[] {
  return sortBy(nodes, ({ path, startLine, endLine }) => [path, startLine, -endLine]);
}

/** Selects the nodes of files with relations, and all classes. */
export function relationsOfFiles(repo: string, paths: readonly string[]): Statement {
  return { sql: data.sql.relationsOfFiles, params: [repo, JSON.stringify(paths)] };
}

/** Returns true if the index of trigrams finds a name. */
export function hasTrigrams(name: string): boolean {
  return [...name.replaceAll("_", "")].length >= MIN_TRIGRAM_LETTERS;
}

/** Selects the names of a type and of those below it, the types of these names, and the nodes of files below it. */
export function filesOfSubtypes(repo: string, name: string): Statement {
  // the statement quotes it, but cannot replace a NUL
  return { sql: data.sql.filesOfSubtypes, params: [repo, name.replaceAll("\0", " ")] };
}

/** A type of Go with its relations, or a method without them. */
export interface GoNode extends RelatedNode {
  readonly signature: string;
}

export function goNode(row: Row): GoNode {
  return { ...relatedNode(row), signature: String(row[10]) };
}

/**
 * Selects the nodes of types of Go and of their methods, and of some with similar symbols.
 *
 * There are more than `MAX_GO_ROWS` if the list is cut.
 */
export function goNodesOfTypes(repo: string, symbols: readonly string[]): Statement {
  const query = `symbol : (${anyOf(symbols.filter(isSearchable))})`;
  return { sql: data.sql.goNodesOfTypes, params: [repo, query] };
}

/** Selects up to two packages of Go in a folder, without `main` if there are two others. */
export function goPackagesInFolder(repo: string, folder: string): Statement {
  return { sql: data.sql.goPackagesInFolder, params: [repo, folder ? `${folder}/` : ""] };
}

/** Selects the symbols of types of Go that embed a type of one of the names. */
export function goTypesEmbedding(repo: string, names: readonly string[]): Statement {
  const known = names.filter((name) => isSearchable(name) && !name.includes("\0"));
  return { sql: data.sql.goTypesEmbedding, params: [repo, JSON.stringify(known)] };
}
