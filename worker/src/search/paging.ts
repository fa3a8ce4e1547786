/** Which nodes are on a page? Pieces of a node are one hit, and copies of a text where it is there. */

import shared from "../../build/shared.json";
import { Batch } from "../store/batch.ts";
import type { Row } from "../store/database.ts";
import { runsAmong, spans } from "../store/pieces.ts";
import type { Scope } from "../store/scope.ts";
import * as sql from "../store/statements.ts";
import type { Asker, Paging } from "./asker.ts";
import { hitOf, type Answer, type Found, type Hit } from "./found.ts";
import { compared, copied, grouped, type Lines } from "./grouping.ts";
import { Sources } from "./sources.ts";

const { MAX_DEDUPLICATED: COMPARED } = shared.constants.grouping;
/** Nodes beyond those that are compared whose texts are asked for with theirs: rules move some up. */
const MORE_LOOKED_AT = 30;
/** Nodes beyond the page whose lines are asked for with the rows of all: rules move some up. */
const MORE_LINES = 30;

/** What the index knows of the nodes that were found, and the lines of the likeliest. */
export interface Second {
  readonly hits: readonly Hit[];
  readonly pieces: readonly Row[];
  readonly sources: Sources;
}

/** Asks for the rows of the nodes of these ids, the likeliest first; one round trip, none for none. */
export async function second(
  asker: Asker,
  ids: readonly string[],
  scope: Scope,
  { offset, limit }: Paging,
): Promise<Second> {
  const batch = new Batch();
  const sources = new Sources(asker);
  const end = offset + limit;
  const rows = batch.add([sql.hits(ids, scope)]);
  const pieces = batch.add([sql.pieces(ids)]);
  const early = sources.early(
    batch,
    ids.slice(offset, end + MORE_LINES),
    ids.slice(0, COMPARED + MORE_LOOKED_AT),
  );
  if (ids.length > 0) await batch.run(asker.database);
  await early();
  return { hits: (rows()[0] ?? []).map(hitOf), pieces: pieces()[0] ?? [], sources };
}

/** A page of what was found, with the lines of its hits where they are there. */
export async function paged(
  found: readonly Found[],
  { pieces, sources }: Second,
  { limit, offset }: Paging,
): Promise<Pick<Answer, "found" | "total" | "every">> {
  const known = runsAmong(
    found.map((one) => one.hit),
    spans(pieces),
  );
  const groups = grouped(found, known);
  const end = offset + limit;
  const every = sources.isKept ? await once(groups, sources, offset, end) : groups;
  const some = every.slice(offset, end);
  if (sources.areThere) await sources.bring(some.map((one) => one.hit));
  return { found: some, total: every.length, every };
}

/** The nodes with those among the best that have the same text as one of them. */
async function once(
  nodes: readonly Found[],
  sources: Sources,
  offset: number,
  end: number,
): Promise<Found[]> {
  const some = compared(nodes);
  const hits = nodes.slice(offset, end + MORE_LINES).map((one) => one.hit);
  const page = end - offset;
  await sources.bring(hits.slice(0, page), some, hits.slice(page));
  const lines = new Map<string, Lines>();
  for (const hit of some) {
    const found = sources.lines(hit);
    if (found) lines.set(hit.id, { first: hit.startLine, last: hit.endLine, lines: found.lines });
  }
  return copied(nodes, lines);
}
