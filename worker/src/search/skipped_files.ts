/** Reports that a target is a file which the index skipped, with the reason and what to do. */

import { constants } from "../../build/worker_data.json";
import { badRequest, type HttpError } from "../http_error.ts";
import type { Row, Statement } from "../store/database.ts";
import * as sql from "../store/statements.ts";
import { pathCandidates } from "./filters.ts";

const { DEFAULT_REMEDY } = constants.skipped_files;
const REMEDIES = new Map(Object.entries(constants.skipped_files.SKIP_REMEDIES));

/** Selects skipped files at a path; with `anywhere` also those whose paths end with it. */
export function skippedFilesStatement(repo: string, text: string, anywhere: boolean): Statement {
  const [exact, endings] = candidates(text);
  return sql.filesSkipped(repo, exact, anywhere ? endings : []);
}

/** The error for a path that is a skipped file's, from the rows of that statement; null if there are none. */
export function skippedFileError(text: string, rows: readonly Row[]): HttpError | null {
  const reasons = new Map(rows.map(([path, reason]) => [String(path), String(reason)]));
  const [exact] = candidates(text);
  const path = [...exact, ...[...reasons.keys()].sort()].find((one) => reasons.has(one));
  if (path === undefined) return null;
  const reason = reasons.get(path)!;
  const remedy = REMEDIES.get(reason) ?? DEFAULT_REMEDY;
  return badRequest(`${path} is not in the index: it was skipped (${reason}). ${remedy}`, 404);
}

/** The paths from the root that a text may mean, and the endings of paths. */
function candidates(text: string): [string[], string[]] {
  const paths = pathCandidates(text);
  const endings = paths.filter((path) => path.startsWith("*/")).map((path) => path.slice(1));
  return [paths.filter((path) => !path.startsWith("*/")), endings];
}
