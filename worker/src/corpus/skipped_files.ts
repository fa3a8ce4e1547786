/** Reports that a target is a file which the index skipped, with the reason and what to do. */

import { constants } from "../../build/worker_data.json";
import { HttpError } from "../http_error.ts";
import type { Row, Statement } from "../store/database.ts";
import type { Scope } from "../store/scope.ts";
import * as sql from "../store/statements.ts";
import { pathCandidates } from "../query/filters.ts";

const { DEFAULT_REMEDY, MAX_PATH_NOTES } = constants.skipped_files;
export const SKIP_REMEDIES = new Map(Object.entries(constants.skipped_files.SKIP_REMEDIES));

/** Selects skipped files at a path; with `anywhere` also those whose paths end with it. */
export function skippedFilesStatement(repo: string, text: string, anywhere: boolean): Statement {
  const [places, endings] = candidates(pathCandidates(text));
  return sql.filesSkipped(repo, places, anywhere ? endings : []);
}

/** The error for a path that is a skipped file's, from the rows of that statement; null if there are none. */
export function skippedFileError(text: string, rows: readonly Row[]): HttpError | null {
  const reasons = new Map(rows.map(([path, reason]) => [String(path), String(reason)]));
  const [places] = candidates(pathCandidates(text));
  const path = [...places, ...[...reasons.keys()].sort()].find((one) => reasons.has(one));
  return path === undefined ? null : new HttpError(404, ...skipNote(path, reasons.get(path)!));
}

/** Selects which of a scope's paths are skipped files. */
export function skippedPathStatements(repos: readonly string[], scope: Scope): Statement[] {
  if (scope.paths.length === 0) return [];
  const [places, endings] = candidates(scope.paths);
  return repos.map((repo) => sql.filesSkipped(repo, places, endings));
}

/** Says which they are, from the rows of these statements, for a search that found nothing there. */
export function skippedPathNotes(rowSets: readonly (readonly Row[])[]): string[] {
  const notes = rowSets.flatMap((rows) => rows.map(([path, reason]) => skipNote(String(path), String(reason)).join(" ")));
  return notes.slice(0, MAX_PATH_NOTES);
}

/** Says that a file was skipped and why, and what to do. */
function skipNote(path: string, reason: string): [problem: string, remedy: string] {
  return [`${path} is not in the index: it was skipped (${reason}).`, SKIP_REMEDIES.get(reason) ?? DEFAULT_REMEDY];
}

/** Paths from the root with the folders that they are in, one of which may be a submodule, and endings of paths. */
function candidates(paths: readonly string[]): [string[], string[]] {
  const endings = paths.filter((path) => path.startsWith("*/")).map((path) => path.slice(1));
  const exact = paths.filter((path) => !path.startsWith("*/"));
  return [[...new Set(exact.flatMap(pathAndFolders))], endings];
}

/** A path and the folders that it is in, the innermost first. */
function pathAndFolders(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, at) => parts.slice(0, parts.length - at).join("/"));
}
