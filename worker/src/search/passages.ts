/** What stands there? The lines of a node, or lines of a file by their numbers. */

import { grouping } from "../groups.ts";
import { wrong } from "../refusal.ts";
import { runsAmong, spans } from "../store/pieces.ts";
import * as sql from "../store/statements.ts";
import type { Asker } from "./asker.ts";
import { foundAs } from "./asking.ts";
import type { Found, Hit } from "./found.ts";
import { whole } from "./grouping.ts";
import type { Sources } from "./sources.ts";
import type { Target } from "./targets.ts";

export const NO_TEXT =
  "is not here as text. Keep it in the database with feeder sync --texts, or name its repository " +
  "at GitHub in the variable GITHUB.";

/**
 * The nodes that are meant whole, also by one piece of theirs; of a path its lines.
 *
 * Refuses lines that the file has not, and lines of a file whose text is not here.
 */
export async function passage(asker: Asker, sources: Sources, target: Target): Promise<Found[]> {
  const names = new Set(target.hits.map((hit) => hit.symbol || hit.logicalPath || null));
  const isOne = names.size === 1 && !names.has(null);
  if (target.lines || (target.isFile && !isOne)) return [await lines(sources, asker.repo, target)];
  const found = await nodes(asker, target.hits);
  if (sources.areThere) await sources.bring(found.map((one) => one.hit));
  return found;
}

/** The nodes, of whose pieces it is told where they lie if not all of them are meant. */
async function nodes(asker: Asker, hits: readonly Hit[]): Promise<Found[]> {
  const [rows = []] = await asker.database.run([sql.pieces(hits.map((hit) => hit.id))]);
  const known = runsAmong(hits, spans(rows));
  const kinds = grouping(hits, (hit) =>
    JSON.stringify([hit.nodeType, hit.signature, known.get(hit.id) ?? hit.id]),
  );
  return Array.from(kinds.values(), (some) => {
    const [first, ...rest] = some.map(foundAs);
    const one = whole(first!, rest, known.get(first!.hit.id));
    return one.piece?.matching === one.piece?.of ? { ...one, piece: null } : one;
  });
}

async function lines(sources: Sources, repo: string, target: Target): Promise<Found> {
  const { path, hits } = target;
  const language = hits[0]?.language ?? null;
  const found = await sources.file(path, language);
  if (!found) throw wrong(`${path} ${NO_TEXT}`, 404);
  const end = found.numbers.at(-1) ?? 0;
  const [first, last] = target.lines ?? [1, end];
  if (first < 1 || first > Math.min(last, end)) {
    throw wrong(`${path} has lines 1 to ${end}. Name some of them.`, 404);
  }
  const none = { symbol: null, signature: null, logicalPath: null, members: "", description: "" };
  const place = { startLine: first, endLine: Math.min(last, end) };
  return foundAs({ id: "", repo, path, language, nodeType: "lines", ...none, ...place });
}
