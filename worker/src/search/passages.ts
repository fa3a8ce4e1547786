/** What stands there? The lines of a node, or lines of a file by their numbers. */

import { groupBy } from "../collections.ts";
import { badRequest } from "../http_error.ts";
import { partsOfHits, partRanges } from "../store/node_parts.ts";
import * as sql from "../store/statements.ts";
import type { SearchContext } from "./asker.ts";
import { resultOf } from "./engine.ts";
import type { Result, Hit } from "./found.ts";
import { mergeParts } from "./results.ts";
import type { FileContents } from "./excerpts.ts";
import type { Target } from "./targets.ts";

export const NO_SOURCE =
  "is not here as text. Keep it in the database with feeder sync --texts, or name its repository " +
  "at GitHub in the variable GITHUB.";

/**
 * The nodes that are meant whole, also by one piece of theirs; of a path its lines.
 *
 * Refuses lines that the file has not, and lines of a file whose text is not here.
 */
export async function readTarget(asker: SearchContext, sources: FileContents, target: Target): Promise<Result[]> {
  const names = new Set(target.hits.map((hit) => hit.symbol || hit.logicalPath || null));
  const isOne = names.size === 1 && !names.has(null);
  if (target.lines || (target.isFile && !isOne)) return [await lines(sources, asker.repo, target)];
  const found = await nodes(asker, target.hits);
  if (sources.areThere) await sources.bring(found.map((one) => one.hit));
  return found;
}

/** The nodes, of whose pieces it is told where they lie if not all of them are meant. */
async function nodes(asker: SearchContext, hits: readonly Hit[]): Promise<Result[]> {
  const [rows = []] = await asker.database.run([sql.nodeParts(hits.map((hit) => hit.id))]);
  const known = partsOfHits(hits, partRanges(rows));
  const kinds = groupBy(hits, (hit) =>
    JSON.stringify([hit.nodeType, hit.signature, known.get(hit.id) ?? hit.id]),
  );
  return Array.from(kinds.values(), (some) => {
    const [first, ...rest] = some.map(resultOf);
    const one = mergeParts(first!, rest, known.get(first!.hit.id));
    return one.piece?.matching === one.piece?.of ? { ...one, piece: null } : one;
  });
}

async function lines(sources: FileContents, repo: string, target: Target): Promise<Result> {
  const { path, hits } = target;
  const language = hits[0]?.language ?? null;
  const found = await sources.file(path, language);
  if (!found) throw badRequest(`${path} ${NO_SOURCE}`, 404);
  const end = found.numbers.at(-1) ?? 0;
  const [first, last] = target.lines ?? [1, end];
  if (first < 1 || first > Math.min(last, end)) {
    throw badRequest(`${path} has lines 1 to ${end}. Name some of them.`, 404);
  }
  const none = { symbol: null, signature: null, logicalPath: null, members: "", description: "" };
  const place = { startLine: first, endLine: Math.min(last, end) };
  return resultOf({ id: "", repo, path, language, nodeType: "lines", ...none, ...place });
}
