/** Which nodes are on a page? Pieces of a node are one hit, and copies of a text where it is there. */

import shared from "../../build/shared.json";
import { Batch } from "../store/batch.ts";
import type { Row } from "../store/database.ts";
import { partsOfHits, partRanges } from "../store/node_parts.ts";
import type { Scope } from "../store/scope.ts";
import * as sql from "../store/statements.ts";
import type { SearchContext, Pagination } from "./asker.ts";
import { hitFromRow, type ResultPage, type Result, type Hit } from "./found.ts";
import { duplicateCandidates, groupDuplicates, groupParts, type NodeLines } from "./results.ts";
import { FileContents } from "./excerpts.ts";

const { MAX_DEDUPLICATED } = shared.constants.grouping;
/** Nodes beyond those that are compared whose texts are asked for with theirs: rules move some up. */
const MORE_LOOKED_AT = 30;
/** Nodes beyond the page whose lines are asked for with the rows of all: rules move some up. */
const MORE_LINES = 30;

/** What the index knows of the nodes that were found, and the lines of the likeliest. */
export interface CandidateRows {
  readonly hits: readonly Hit[];
  readonly pieces: readonly Row[];
  readonly sources: FileContents;
}

/** Asks for the rows of the nodes of these ids, the likeliest first; one round trip, none for none. */
export async function fetchCandidates(
  asker: SearchContext,
  ids: readonly string[],
  scope: Scope,
  { offset, limit }: Pagination,
): Promise<CandidateRows> {
  const batch = new Batch();
  const sources = new FileContents(asker);
  const end = offset + limit;
  const rows = batch.add([sql.hitsById(ids, scope)]);
  const pieces = batch.add([sql.nodeParts(ids)]);
  const early = sources.early(
    batch,
    ids.slice(offset, end + MORE_LINES),
    ids.slice(0, MAX_DEDUPLICATED + MORE_LOOKED_AT),
  );
  if (ids.length > 0) await batch.run(asker.database);
  await early();
  return { hits: (rows()[0] ?? []).map(hitFromRow), pieces: pieces()[0] ?? [], sources };
}

/** A page of what was found, with the lines of its hits where they are there. */
export async function pageOf(
  found: readonly Result[],
  { pieces, sources }: CandidateRows,
  { limit, offset }: Pagination,
): Promise<Pick<ResultPage, "found" | "total" | "every">> {
  const known = partsOfHits(
    found.map((one) => one.hit),
    partRanges(pieces),
  );
  const groups = groupParts(found, known);
  const end = offset + limit;
  const every = sources.isKept ? await once(groups, sources, offset, end) : groups;
  const some = every.slice(offset, end);
  if (sources.areThere) await sources.bring(some.map((one) => one.hit));
  return { found: some, total: every.length, every };
}

/** The nodes with those among the best that have the same text as one of them. */
async function once(
  nodes: readonly Result[],
  sources: FileContents,
  offset: number,
  end: number,
): Promise<Result[]> {
  const some = duplicateCandidates(nodes);
  const hits = nodes.slice(offset, end + MORE_LINES).map((one) => one.hit);
  const page = end - offset;
  await sources.bring(hits.slice(0, page), some, hits.slice(page));
  const lines = new Map<string, NodeLines>();
  for (const hit of some) {
    const found = sources.lines(hit);
    if (found) lines.set(hit.id, { first: hit.startLine, last: hit.endLine, lines: found.lines });
  }
  return groupDuplicates(nodes, lines);
}
