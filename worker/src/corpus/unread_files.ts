/**
 * Says what an answer without hits could not see: lines that no grammar knows, files read as plain text, and files kept
 * out of the index. Mirrors `feeder.corpus.unread_files`.
 */

import { constants } from "../../build/worker_data.json";
import { groupBy } from "../collections.ts";
import { countOf, formatNumber } from "../escaping.ts";
import { HttpError } from "../http_error.ts";
import { sortBy } from "../sorting.ts";
import type { Database, Row } from "../store/database.ts";
import { SKIP_REMEDIES } from "./skipped_files.ts";
import { countNodesWithWord, isSearchable } from "../store/relations.ts";
import { EMPTY_SCOPE, type Scope } from "../store/scope.ts";
import * as sql from "../store/statements.ts";

const { MAX_REASONS, REASONS_WITHOUT_TEXT } = constants.unread_files;
const IDENTIFIER = /^[\p{L}_][\p{L}\p{N}_]*$/u;
const WITHOUT_TEXT = new Set<string>(REASONS_WITHOUT_TEXT);

/** Files for one reason; an empty one for those with unparsed lines, of which `lines` is the number. */
interface UnreadGroup {
  readonly isSkipped: boolean;
  readonly reason: string;
  readonly files: number;
  readonly lines: number;
}

/**
 * Says what of a scope the index does not know, one note for each kind, from the rows of `unreadInScope`. If the scope is
 * one path and the notes `before` say that it was skipped, none repeats that.
 */
export function unreadNotes(rows: readonly Row[], scope: Scope, before: readonly string[] = []): string[] {
  const groups = groupsOf(rows);
  const where = place(scope);
  const keptOut = before.length > 0 && onlyPath(scope) ? "" : keptOutNote(groups, where);
  return [unparsedNote(groups, where), plainTextNote(groups, where), keptOut].filter(Boolean);
}

/** The same for a whole repository; one request. */
export async function unreadNotesOfRepo(database: Database, repo: string): Promise<string[]> {
  const scope = { ...EMPTY_SCOPE, repos: [repo] };
  const [rows = []] = await database.run([sql.unreadInScope(scope)]);
  return unreadNotes(rows, scope);
}

/** A symbol or id that the index does not have. */
export class NotInIndexError extends HttpError {
  /** `missing` may be a word of code nevertheless; empty for a path. */
  constructor(
    error: string,
    remedy = "",
    readonly missing = "",
  ) {
    super(404, error, remedy);
  }
}

/** Runs `answer`; adds to the error for a name that the index does not have what the index does not know, a line each. */
export async function withAbsenceNotes<Answer>(context: IndexOfRepo, answer: () => Promise<Answer>): Promise<Answer> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof NotInIndexError)) throw error;
    const { database, repo } = context;
    const notes = [await nameInCodeNote(database, repo, error.missing), ...(await unreadNotesOfRepo(database, repo))];
    throw new HttpError(404, error.error, [error.remedy, ...notes].filter(Boolean).join("\n"));
  }
}

/** Says where a name is that no node has: a function in a function, or what refers to one that is gone. */
async function nameInCodeNote(database: Database, repo: string, name: string): Promise<string> {
  if (!IDENTIFIER.test(name) || !isSearchable(name)) return "";
  const [rows = []] = await database.run([countNodesWithWord(repo, name, "", "")]);
  const count = Number(rows[0]?.[0] ?? 0);
  return count ? `The word ${name} occurs in ${countOf(count, "node")}: feeder search ${name}` : "";
}

/** The database and the repository in which a name was looked for. */
interface IndexOfRepo {
  readonly database: Database;
  readonly repo: string;
}

/** "1 file in src has 2 lines that could not be parsed"; mirrors `feeder.notes.unparsed_text`. */
export function unparsedText(files: number, lines: number, where = ""): string {
  const verb = files === 1 ? "has" : "have";
  return `${countOf(files, "file")}${where} ${verb} ${countOf(lines, "line")} that could not be parsed`;
}

/** The groups of rows, those of several databases as one. */
function groupsOf(rows: readonly Row[]): UnreadGroup[] {
  const groups = Array.from(groupBy(rows, ([isSkipped, reason]) => JSON.stringify([isSkipped, reason])).values(), (same) => ({
    isSkipped: Boolean(same[0]![0]),
    reason: String(same[0]![1]),
    files: sum(same.map(([, , files]) => Number(files))),
    lines: sum(same.map(([, , , lines]) => Number(lines))),
  }));
  return sortBy(groups, ({ files, reason }) => [-files, reason]);
}

function unparsedNote(groups: readonly UnreadGroup[], where: string): string {
  const unparsed = groups.filter(({ lines }) => lines > 0);
  if (unparsed.length === 0) return "";
  const text = unparsedText(fileSum(unparsed), sum(unparsed.map(({ lines }) => lines)), where);
  return `${text}; symbols there may be missing. To list the lines: feeder skipped --unparsed`;
}

function plainTextNote(groups: readonly UnreadGroup[], where: string): string {
  const plain = groups.filter(({ isSkipped, reason }) => reason && !isSkipped);
  if (plain.length === 0) return "";
  const files = fileSum(plain);
  return `${countOf(files, "file")}${where} ${files === 1 ? "was" : "were"} read as plain text, without functions (${reasons(plain)}).`;
}

function keptOutNote(groups: readonly UnreadGroup[], where: string): string {
  const skipped = groups.filter(({ isSkipped, reason }) => isSkipped && !WITHOUT_TEXT.has(reason));
  if (skipped.length === 0) return "";
  const files = fileSum(skipped);
  return `${countOf(files, "file")}${where} ${files === 1 ? "is" : "are"} not in the index (${reasons(skipped)}).`;
}

/** The error for a folder without indexed files that has skipped ones, from the rows of `unreadInScope`; else null. */
export function skippedFolderError(folder: string, rows: readonly Row[]): HttpError | null {
  const skipped = groupsOf(rows).filter(({ isSkipped }) => isSkipped);
  if (skipped.length === 0) return null;
  const remedy = skipped.length === 1 ? SKIP_REMEDIES.get(skipped[0]!.reason) : undefined;
  return new HttpError(404, `Nothing in '${folder}' is indexed (${reasons(skipped)}).`, remedy ?? "List the files: feeder skipped");
}

/** The reasons, the most frequent first: "a lock file: 9; larger than the limit: 5". */
function reasons(groups: readonly UnreadGroup[]): string {
  if (groups.length === 1) return groups[0]!.reason;
  const named = groups.slice(0, MAX_REASONS).map(({ reason, files }) => `${reason}: ${formatNumber(files)}`);
  const rest = groups.slice(MAX_REASONS);
  return [...named, ...(rest.length > 0 ? [`other reasons: ${formatNumber(fileSum(rest))}`] : [])].join("; ");
}

/** The files of the scope in words: " in src", " among those searched", or nothing for all. */
function place(scope: Scope): string {
  const path = onlyPath(scope);
  if (path) return ` in ${path}`;
  return scope.paths.length > 0 || hasOtherFilters(scope) ? " among those searched" : "";
}

/** The path that is the scope's only filter of files; else empty. */
function onlyPath(scope: Scope): string {
  return scope.paths.length === 1 && !hasOtherFilters(scope) ? scope.paths[0]!.replace(/^\*\//, "") : "";
}

function hasOtherFilters({ notPaths, languages, notLanguages, tests }: Scope): boolean {
  return notPaths.length + languages.length + notLanguages.length > 0 || Boolean(tests);
}

function fileSum(groups: readonly UnreadGroup[]): number {
  return sum(groups.map(({ files }) => files));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
