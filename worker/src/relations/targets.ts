/** Resolves a target to nodes: `PATH:LINE`, `PATH#Symbol`, an id, a path or a symbol. */

import { constants } from "../../build/worker_data.json";
import { splitWords } from "../bigrams.ts";
import { groupBy, keyOf } from "../collections.ts";
import { HttpError } from "../http_error.ts";
import { casefold, compareText, rpartition, stripCharacters } from "../python_strings.ts";
import { sortBy } from "../sorting.ts";
import { Batch, type Database, type Row } from "../store/database.ts";
import { anyOf, ftsPhrase } from "../store/fts_query.ts";
import { hitFromRow, type Hit } from "../store/hits.ts";
import { partRanges, partsFromRows } from "../store/node_parts.ts";
import { sortNodes } from "../store/relations.ts";
import { EMPTY_SCOPE } from "../store/scope.ts";
import * as sql from "../store/statements.ts";
import { nearestNames } from "../suggestions.ts";
import { composed, expandWords, lastName, normalizeSymbol, symbolEndsWith } from "../text.ts";
import { isOutside, outsideError, pathCandidates } from "../query/filters.ts";
import { findMember, normalizeName, parseMembers, type Member } from "../ranking/member_names.ts";
import { withoutDeclarations, withoutSectionsAndConstructors } from "./repeated_definitions.ts";
import { skippedFileError, skippedFilesStatement } from "../corpus/skipped_files.ts";
import { NotInIndexError, skippedFolderError } from "../corpus/unread_files.ts";

const { MAX_LISTED, MAX_SEPARATORS } = constants.targets;
export const EMPTY_TARGET_ERROR = constants.targets.EMPTY_TARGET_ERROR as [problem: string, remedy: string];
const { MAX_NAMED_HITS } = constants.hits;
const LINES = /^(.+?):(\d+)(?:-(\d+)|:\d+)?$/s;
const ID_PREFIX = /^[0-9a-f]{7,40}$/;
const NAME_SEPARATOR = /#(?=.)/gs;
const FILE_EXTENSION = /\.[\p{L}\p{N}_]{1,5}$/u;
const GLOB_TOKEN = /\[!?\]?[^\]]*\]|[*?\\^$.+(){}|/[\]]/g;
const HAS_ALNUM = /[\p{L}\p{N}]/u;
const ALNUM = /^[\p{L}\p{N}]+$/u;

/** The nodes with one name in a file, or those of a whole file, with the lines of the target if it has some. */
export interface Target {
  readonly path: string;
  readonly hits: readonly Hit[];
  readonly lines: readonly [number, number] | null;
  readonly isFile: boolean;
  /** A constant in a chunk. */
  readonly member: Member | null;
  /** The lines of the file that its grammar does not know, as 12-40,55; undefined if they were not read. */
  readonly unparsed?: string;
}

/** The database and the repository in which targets are resolved. */
export interface TargetContext {
  readonly database: Database;
  readonly repo: string;
}

type NameMatcher = (name: string, searched: string) => boolean;

const isEqual: NameMatcher = (name, searched) => name === searched;

/** A possible reading of a target: a file with lines or a name. */
interface Reading {
  readonly path: string;
  readonly lines: readonly [number, number] | null;
  readonly name: string | null;
  readonly candidates: readonly string[];
}

/**
 * Resolves a target with two batches; a path is from the root, else a bare file name.
 *
 * Throws an HttpError with the nearest names for an unknown target, and with a list for an ambiguous one.
 */
export async function resolveTarget(corpus: TargetContext, text: string): Promise<Target> {
  if (!text.trim()) throw new HttpError(404, ...EMPTY_TARGET_ERROR);
  const readings = readingsOf(text);
  const batch = new Batch();
  const files = readings.map(({ candidates }) =>
    batch.add(candidates.map((path) => sql.filesByPathSuffix(corpus.repo, path))),
  );
  const ids = batch.add(ID_PREFIX.test(text) ? [sql.nodesByIdPrefix(corpus.repo, text, MAX_LISTED + 1)] : []);
  // a symbol in a file is looked for among the file's nodes: its name may be that of hundreds
  const isInFile = text.includes("#") && looksLikePath(text.split("#", 1)[0]!);
  const names = batch.add(
    (isInFile ? [] : nameQueries(text)).map((name) => sql.nodesByNameWords(corpus.repo, name)),
  );
  await batch.run(corpus.database);
  for (const [at, reading] of readings.entries()) {
    const file = resolveFile(reading, files[at]!());
    if (file) return targetInFile(corpus, file, reading);
  }
  const named = byIdOrSymbol(text, ids(), names());
  const constants = named ? [] : await constantsInNamespace(corpus, text, names());
  const target = named ?? singleTarget(constants, lastName(normalizeSymbol(text)));
  if (target) return target;
  const [first] = text.split("#", 1);
  throw await unknownTargetError(corpus, LINES.exec(text)?.[1] ?? (first || text));
}

/** The one node of a target; for lines, the smallest node that contains the first of them. */
export async function targetNode({ database }: TargetContext, target: Target): Promise<Hit> {
  const { hits, lines, path } = target;
  if (hits.length === 0) {
    throw new HttpError(400, `${path} has no nodes because it has no text.`, "Use another file.");
  }
  if (!lines) return singleNode(database, target);
  const [line] = lines;
  const containing = hits.filter((hit) => hit.startLine <= line && line <= hit.endLine);
  if (containing.length === 0) {
    throw new HttpError(400, `${path} has no node at line ${line}.`, `List its nodes: feeder outline ${path}`);
  }
  return containing.reduce((smallest, hit) => (lineSpan(hit) < lineSpan(smallest) ? hit : smallest));
}

/** The node of a target without lines, the first of its parts. */
async function singleNode(database: Database, { path, hits, isFile }: Target): Promise<Hit> {
  if (hits.length > 1) {
    const [rows = []] = await database.run([sql.nodeParts(hits.map((hit) => hit.id))]);
    const ranges = partRanges(hits, partsFromRows(rows));
    const nodes = groupBy(hits, (hit) =>
      JSON.stringify([hit.nodeType, hit.symbol, hit.signature, ranges.get(hit.id) ?? hit.id]),
    );
    if (nodes.size > 1) {
      const places = Array.from(nodes.values(), ([first]) => `${path}:${first!.startLine}`);
      const which = isFile ? "" : " of that name";
      throw new HttpError(400, `${path} has ${nodes.size} nodes${which}: ${listFirst(places)}.`, "Choose one of them.");
    }
  }
  return hits[0]!;
}

/**
 * The files of a range at or below a path, or whose path or folder matches a glob.
 *
 * Throws an HttpError with the nearest paths if the path has no files.
 */
export async function filesBelowPath(context: TargetContext, text: string, range = sql.ALL_FILES): Promise<string[]> {
  const { database, repo } = context;
  const candidates = pathCandidates(text || ".").map((path) => (path === "." ? "" : path));
  const answers = await database.run(candidates.map((path) => sql.filesBelow(repo, path, range)));
  const existing = answers.find((rows) => rows.length > 0);
  if (existing) return existing.map(([path]) => String(path));
  if (range.after) {
    const all = await filesBelowPath(context, text, /[*?[]/.test(text) ? sql.ALL_FILES : { after: "", count: 1 });
    return all.filter((path) => compareText(path, range.after) > 0).slice(0, range.count);
  }
  const skippedFiles = skippedFilesStatement(repo, text, looksLikePath(text));
  const exact = candidates.filter((path) => !path.startsWith("*/"));
  const below = { ...EMPTY_SCOPE, repos: [repo], paths: exact };
  const statements = [sql.filesBelow(repo, ""), skippedFiles, ...(exact.length > 0 ? [sql.unreadInScope(below)] : [])];
  const [all = [], skipped = [], unread = []] = await database.run(statements);
  const allPaths = all.map(([path]) => String(path));
  for (const glob of /[*?[]/.test(text) ? candidates : []) {
    const pattern = globPattern(stripCharacters(glob, "/"));
    const files = allPaths.filter((path) => pattern.test(path));
    if (files.length > 0) return range.count < 0 ? files : files.slice(0, range.count);
  }
  if (all.length === 0) throw new HttpError(404, `The index has no files of the repository '${repo}'.`, "Add some, then run: feeder sync");
  if (isOutside(text)) throw outsideError(text);
  const { error, remedy } = notFoundError("file or folder", text, nearestPaths(text, all));
  throw skippedFileError(text, skipped) ?? skippedFolderError(text, unread) ?? new HttpError(404, error, remedy);
}

/** Throws an HttpError for the path of an indexed file, where a name is meant. */
export async function checkNoFile({ database, repo }: TargetContext, text: string): Promise<void> {
  if (!looksLikePath(text)) return;
  const candidates = pathCandidates(text);
  const answers = await database.run(candidates.map((path) => sql.filesByPathSuffix(repo, path)));
  if (resolveFile({ path: text, lines: null, name: null, candidates }, answers)) {
    throw new HttpError(404, `${text} is a file.`, `List its symbols: feeder outline ${text}`);
  }
}

/** A pattern for the paths that match a glob, or that are in a folder that does, as Python's fnmatch. */
function globPattern(glob: string): RegExp {
  const source = glob.replace(GLOB_TOKEN, (token) => {
    if (token === "*") return "[^]*";
    if (token === "?") return "[^]";
    if (token.length === 1) return `\\${token}`;
    const negated = token.startsWith("[!");
    const inside = token.slice(negated ? 2 : 1, -1).replace(/[\\[\]^]/g, "\\$&");
    return `[${negated ? "^" : ""}${inside}]`;
  });
  return new RegExp(`^${source}(?:/[^]*)?$`, "u");
}

/** The possible readings of a text: a file, with lines, or with a name after one of its `#`. */
function readingsOf(text: string): Reading[] {
  const readings: Reading[] = [];
  const add = (path: string, lines: Reading["lines"], name: string | null) => {
    const isCandidate = (place: string) => !place.startsWith("*/") || looksLikePath(path);
    if (path) readings.push({ path, lines, name, candidates: pathCandidates(path).filter(isCandidate) });
  };
  const lines = LINES.exec(text);
  if (lines) add(lines[1]!, [Number(lines[2]), Number(lines[3] ?? lines[2])], null);
  add(text, null, null);
  for (const { index: at } of [...text.matchAll(NAME_SEPARATOR)].slice(0, MAX_SEPARATORS)) {
    add(text.slice(0, at), null, text.slice(at + 1));
  }
  return readings;
}

/** The one file of a reading; a bare file name must be unique. */
function resolveFile({ candidates }: Reading, answers: readonly (readonly Row[])[]): string | null {
  for (const [at, place] of candidates.entries()) {
    const paths = (answers[at] ?? []).map(([path]) => String(path));
    const isMatch = (path: string) =>
      path === place || (place.startsWith("*/") && `/${path}`.endsWith(place.slice(1)));
    const matches = paths.filter(isMatch);
    if (matches.length === 1) return matches[0]!;
  }
  return null;
}

async function targetInFile({ database, repo }: TargetContext, path: string, { lines, name }: Reading): Promise<Target> {
  const [rows = [], unparsedRows = []] = await database.run([sql.nodesInFiles(repo, [path]), sql.unparsedLines(repo, [path])]);
  const hits = sortNodes(rows.map(hitFromRow));
  const unparsed = unparsedOf(unparsedRows);
  if (name === null) return { path, hits, lines, isFile: lines === null, member: null, unparsed };
  // a whole name comes first: otherwise `total` would also match `Cart.total`
  const target = singleTarget(nodesNamed(hits, name, [isEqual, symbolEndsWith]), `${path}#${name}`);
  if (target) return { ...target, unparsed };
  const near = nearestNames(normalizeSymbol(name), ofOwner(name, hits.flatMap(namesOfHit)), ".");
  throw notFoundError("symbol", `${path}#${name}`, near, path);
}

/** The symbols of the class that a name names, if there are any: `Cart.nope` means a member of Cart. */
function ofOwner(name: string, symbols: readonly string[]): readonly string[] {
  const [owner] = rpartition(normalizeSymbol(name), ".");
  const members = symbols.filter((one) => owner && symbolEndsWith(rpartition(one, ".")[0], owner));
  return members.length > 0 ? members : symbols;
}

/** The unparsed lines in the rows of one file. */
export function unparsedOf(rows: readonly Row[]): string {
  return rows.length > 0 ? String(rows[0]![1]) : "";
}

/** The FTS5 queries for nodes with this name; an owner and its member need not be adjacent. */
function nameQueries(text: string): string[] {
  const name = normalizeSymbol(text);
  const names = [...new Set([name, rpartition(name, ".")[1]])];
  return names.filter((one) => HAS_ALNUM.test(one)).map(ftsPhrase);
}

/** Resolves the beginning of an id, else a symbol. */
function byIdOrSymbol(text: string, ids: readonly Row[][], names: readonly Row[][]): Target | null {
  const byId = (ids[0] ?? []).map(hitFromRow);
  if (byId.length > 0) return singleTarget(byId, text);
  const hits = names.flatMap((rows) => rows.map(hitFromRow));
  const distinct = new Map(hits.map((hit) => [hit.id, hit])); // in the order of their first place
  const matches = nodesNamed([...distinct.values()], text, [symbolEndsWith]);
  return matches.length > 0 ? singleTarget(matches, text) : null;
}

/**
 * The chunks with a constant of the namespace of their file, which a chunk does not have.
 *
 * The namespace of a file is the beginning of the names of its other nodes, as of `raft.NewRaft` for
 * `raft.ErrNotLeader`, and not itself a node.
 */
async function constantsInNamespace(
  { database, repo }: TargetContext,
  text: string,
  names: readonly Row[][],
): Promise<Hit[]> {
  const [namespace, name] = rpartition(normalizeName(text), ".");
  const named = (names.at(-1) ?? []).map(hitFromRow);
  const chunks = named.filter((hit) => namespace && chunkMember(hit, name));
  if (chunks.length === 0) return [];
  const paths = [...new Set(chunks.map(({ path }) => path))];
  const [rows = []] = await database.run([sql.nodesInFiles(repo, paths)]);
  const symbols = rows.map(hitFromRow).map(({ path, symbol }) => ({ path, symbol: normalizeName(symbol ?? "") }));
  const isIn = (path: string) =>
    symbols.some((one) => one.path === path && one.symbol.startsWith(`${namespace}.`)) &&
    !symbols.some((one) => one.path === path && one.symbol === namespace);
  return chunks.filter(({ path }) => isIn(path));
}

/**
 * The members of a name in this case of letters, such as constants of files, each with its node, by path and line.
 *
 * There may be more if `isCut`.
 */
export async function membersNamed(
  context: TargetContext,
  text: string,
): Promise<{ members: { hit: Hit; member: Member }[]; isCut: boolean }> {
  const name = lastName(normalizeSymbol(text));
  if (!HAS_ALNUM.test(name)) return { members: [], isCut: false };
  const rows = await context.database.run([sql.nodesByNameWords(context.repo, ftsPhrase(name))]);
  const named = rows[0]!.map(hitFromRow);
  let members = membersOf(named, text, name);
  if (members.length === 0) members = membersOf(await constantsInNamespace(context, text, rows), name, name);
  return {
    members: sortBy(members, ({ hit, member }) => [hit.path, member.line]),
    isCut: named.length >= MAX_NAMED_HITS,
  };
}

/** The members of nodes that a text names, each once, though several parts may have it. */
function membersOf(hits: readonly Hit[], text: string, name: string): { hit: Hit; member: Member }[] {
  const members = new Map<string, { hit: Hit; member: Member }>();
  for (const hit of hits) {
    const owner = normalizeSymbol(hit.symbol || hit.logicalPath || "");
    const member = findMember(owner, hit.members, text, hit.path);
    if (member?.name !== name) continue;
    const key = keyOf(hit.path, owner, member.name, String(member.line));
    if (!members.has(key)) members.set(key, { hit, member });
  }
  return [...members.values()];
}

/**
 * The nodes whose names match by the first of the matchers that finds any; in this case, else in any case.
 *
 * Otherwise the nodes with a member of this name, such as an enum member or a constant. A name with capital letters
 * or an owner means a member with the same case rather than a node with another case: `Ping.pong` is not `Ping.Pong`.
 */
function nodesNamed(hits: readonly Hit[], name: string, matchers: readonly NameMatcher[]): Hit[] {
  const hitSymbols = hits.map((hit): [Hit, string] => [hit, normalizeSymbol(hit.symbol || hit.logicalPath || "")]);
  const all = hitSymbols.map(([hit, symbol]) => findMember(symbol, hit.members, name, hit.path));
  const ownName = lastName(normalizeSymbol(name));
  const hasOwner = ownName !== normalizeSymbol(name);
  // `Cart.total` of the type, then `total` of cart.ts
  const ofTypes = all.map((member, at) => (hasOwner && hits[at]!.symbol ? member : null));
  const members = ofTypes.some((member) => member !== null) ? ofTypes : all;
  const isExact = hasOwner || ownName !== ownName.toLowerCase();
  const choices = [
    () => nodesMatching(hitSymbols, name, matchers, composed),
    () => hits.filter((_, at) => isExact && members[at]?.name === ownName),
    () => nodesMatching(hitSymbols, name, matchers, (text) => casefold(composed(text))),
    () => hits.filter((_, at) => members[at] !== null),
  ];
  return firstNonEmpty(choices);
}

function nodesMatching(
  hitSymbols: readonly [Hit, string][],
  name: string,
  matchers: readonly NameMatcher[],
  fold: (text: string) => string,
): Hit[] {
  const folded = fold(normalizeSymbol(name));
  return firstNonEmpty(
    matchers.map((matches) => () => hitSymbols.filter(([, symbol]) => matches(fold(symbol), folded)).map(([hit]) => hit)),
  );
}

function firstNonEmpty(choices: readonly (() => Hit[])[]): Hit[] {
  for (const choose of choices) {
    const hits = choose();
    if (hits.length > 0) return hits;
  }
  return [];
}

/** The names of a node and of its members. */
function namesOfHit(hit: Hit): string[] {
  return [...(hit.symbol ? [hit.symbol] : []), ...parseMembers(hit.members).map(({ name }) => name)];
}

/** The name of a node; for a chunk, the requested name. */
function targetLabel(hit: Hit, requested: string): string {
  return hit.symbol || hit.logicalPath || chunkMember(hit, requested)?.name || hit.id;
}

/** The member of a chunk that a target names; null for a node that has a name. */
function chunkMember(hit: Hit, requested: string): Member | null {
  if (hit.symbol || hit.logicalPath) return null;
  return findMember("", hit.members, rpartition(requested, "#")[1], hit.path);
}

/** The target of hits with one name in one file; throws an HttpError for several. */
function singleTarget(matches: readonly Hit[], text: string): Target | null {
  const hits = withoutDeclarations(withoutSectionsAndConstructors(matches));
  const [first] = hits;
  if (!first) return null;
  const labels = [...new Set(hits.map((hit) => `${hit.path}#${targetLabel(hit, text)}`))];
  if (labels.length === 1) {
    return { path: first.path, hits, lines: null, isFile: false, member: chunkMember(first, text) };
  }
  throw new HttpError(404, `'${text}' matches ${labels.length} targets: ${listFirst(labels)}.`, "Choose one of them.");
}

/** Lists the first targets and the number of the others. */
export function listFirst(targets: readonly string[]): string {
  const more = targets.length > MAX_LISTED ? ` and ${targets.length - MAX_LISTED} more` : "";
  return `${targets.slice(0, MAX_LISTED).join(", ")}${more}`;
}

/** The error for a skipped file, or for an unknown target with the nearest paths or symbols. */
async function unknownTargetError({ database, repo }: TargetContext, text: string): Promise<HttpError> {
  const parts = [...new Set(expandWords(splitWords(text)).split(/\s+/))].filter((part) => ALNUM.test(part));
  const batch = new Batch();
  const paths = batch.add(looksLikePath(text) ? [sql.filesBelow(repo, "")] : []);
  const named = batch.add(parts.length > 0 ? [sql.nodesByNameWords(repo, `(${anyOf(parts)})`)] : []);
  const skipped = batch.add([skippedFilesStatement(repo, text, looksLikePath(text))]);
  const folders = pathCandidates(text).filter((path) => !path.startsWith("*/"));
  const below = batch.add(folders.map((path) => sql.filesBelow(repo, path === "." ? "" : path, { after: "", count: 1 })));
  await batch.run(database);
  const skippedError = skippedFileError(text, skipped()[0] ?? []);
  if (skippedError) return skippedError;
  if (text.includes("/") && isOutside(text)) return outsideError(text);
  if (below().some((rows) => rows.length > 0)) {
    return new HttpError(400, `${text} is a folder.`, `List its contents: feeder outline ${text}`);
  }
  const kind = "file, symbol or id";
  const name = looksLikePath(text) ? "" : lastName(normalizeSymbol(text));
  const near = nearestPaths(text, paths()[0] ?? []);
  if (near.length > 0) return notFoundError(kind, text, near, ".", name);
  const symbols = (named()[0] ?? []).map(hitFromRow).flatMap(({ symbol }) => symbol || []);
  return notFoundError(kind, text, nearestNames(normalizeSymbol(text), symbols, "."), ".", name);
}

/** Returns true for a text that looks like a path. */
function looksLikePath(text: string): boolean {
  return text.includes("/") || FILE_EXTENSION.test(text);
}

function nearestPaths(text: string, rows: readonly Row[]): string[] {
  return nearestNames(
    text,
    rows.map(([path]) => String(path)),
    "/",
  );
}

function notFoundError(kind: string, text: string, near: readonly string[], within = ".", name = ""): NotInIndexError {
  const contents = within === "." ? "its contents" : "the file's symbols";
  const advice =
    near.length > 0
      ? `Did you mean ${near.join(" or ")}?`
      : `List ${contents}: feeder outline ${within}`;
  return new NotInIndexError(`The index has no ${kind} '${text}'.`, advice, name);
}

function lineSpan(hit: Hit): number {
  return hit.endLine - hit.startLine;
}
