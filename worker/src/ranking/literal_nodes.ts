/** Finds the nodes whose lines have a token of the query literally. */

import { constants } from "../../build/worker_data.json";
import { isDocument } from "../query/file_kinds.ts";
import { definesLiteral, findSpans, type Literal, tokenLiteral } from "../query/literals.ts";
import type { QueryText } from "../query/query_text.ts";
import type { FileContents } from "../snippets/excerpts.ts";
import type { Hit } from "../store/hits.ts";
import { isTestPath } from "../store/scope.ts";
import { LITERAL, literalRanking, type Ranking, SIMILAR_NAME } from "./ranking.ts";

const { RARE_WORD_NODES } = constants.name_matching;
const { CONFIRMED_BATCH, ENOUGH_CONFIRMED } = constants.literal_nodes;

/** The candidates, and the lines of the likeliest ones. */
interface Candidates {
  readonly hits: readonly Hit[];
  readonly contents: FileContents;
}

/**
 * Keeps the nodes in the ranking by token whose lines have it: those that define it first, and before them
 * those that have the whole message; of a flag, nodes of sources with its dashes come second.
 *
 * Where no lines were loaded, all of them, unless there is a similar name. Of a longer query, the nodes are
 * left out if they are many: they say little.
 */
export function confirmLiterals(rankings: readonly Ranking[], queryText: QueryText, candidates: Candidates): Ranking[] {
  const scores = new Map(rankings.map((one) => [one.name, one.scores]));
  const found = [...(scores.get(LITERAL)?.keys() ?? [])];
  if (!found.length) return [...rankings];
  const { flagTokens } = queryText;
  const literals = queryLiterals(queryText);
  const { texts, definingIds, flagIds, unreadIds } = findLiteralsOfNodes(found, literals, candidates);
  const { message } = queryText;
  // a message is code's; a document with these words may be about something else
  const isMessageAllowed = new Set(candidates.hits.filter((hit) => !isDocument(hit.path)).map((hit) => hit.id));
  const isConfirmed = texts.size > 0;
  if (!isConfirmed && !scores.get(SIMILAR_NAME)?.size) {
    const all = new Set(literals.map(({ text }) => text));
    for (const id of unreadIds) texts.set(id, all);
  }
  const ids = [...texts.keys()];
  let withMessage = ids.filter((id) => texts.get(id)!.has(message) && isMessageAllowed.has(id));
  let withToken = ids.filter((id) => [...texts.get(id)!].some((text) => text !== message));
  if (!queryText.isOneToken) {
    if (withMessage.length > RARE_WORD_NODES) withMessage = [];
    if (withToken.length > RARE_WORD_NODES) withToken = [];
  }
  let second: ReadonlySet<string> = new Set();
  if (queryText.isOneToken && flagTokens.size) {
    second = new Set(candidates.hits.filter((hit) => flagIds.has(hit.id) && isSource(hit)).map((hit) => hit.id));
    withToken = flagNodes(withToken, literals, new Set([...flagIds, ...definingIds]));
  }
  const first = withMessage.length ? new Set(withMessage) : definingIds;
  const unread = isConfirmed && queryText.isOneToken ? unreadIds : [];
  const confirmed = literalRanking([...withMessage, ...withToken], first, unread, second);
  return rankings.map((one) => (one.name === LITERAL ? confirmed : one));
}

/** The literals of a query's tokens; a flag matches in its case only, even as a plain word. */
export function queryLiterals({ codeTokens, flagTokens }: QueryText): Literal[] {
  return codeTokens.map((text) =>
    flagTokens.has(text) ? { text, caseSensitive: true, wholeWord: true } : tokenLiteral(text),
  );
}

/** Nearly all nodes that a plain word finds have it, so their lines need not be read. */
export function areLinesNeeded(literals: readonly Literal[]): boolean {
  return literals.some(({ caseSensitive }) => caseSensitive);
}

/**
 * The nodes with a flag: of one that is a plain word, such as `--health`, only those that have its dashes or
 * define it, if there are any.
 */
function flagNodes(ids: string[], literals: readonly Literal[], marked: ReadonlySet<string>): string[] {
  const isPlain = literals.some(({ text }) => !tokenLiteral(text).caseSensitive);
  return ids.filter((id) => marked.has(id) || !(isPlain && marked.size));
}

function isSource(hit: Hit): boolean {
  return !isTestPath(hit.path) && !isDocument(hit.path);
}

/**
 * The literals in the lines of candidates, by id, until enough have one; those that define one, have a dash
 * before one, or were not read.
 */
function findLiteralsOfNodes(
  ids: readonly string[],
  literals: readonly Literal[],
  candidates: Candidates,
): { texts: Map<string, Set<string>>; definingIds: Set<string>; flagIds: Set<string>; unreadIds: string[] } {
  const flagIds = new Set<string>();
  const [texts, definingIds, readIds] = [new Map<string, Set<string>>(), new Set<string>(), new Set<string>()];
  const hits = new Map(candidates.hits.map((hit) => [hit.id, hit]));
  // only in sources a token is defined
  const isSourceId = (id: string) => hits.has(id) && isSource(hits.get(id) as Hit);
  const areRead = areLinesNeeded(literals);
  const ordered = areRead ? [...ids.filter(isSourceId), ...ids.filter((id) => !isSourceId(id))] : ids;
  for (const [place, id] of areRead ? ordered.entries() : []) {
    if (place && place % CONFIRMED_BATCH === 0 && texts.size >= ENOUGH_CONFIRMED) break;
    const hit = hits.get(id);
    const own = hit && candidates.contents.lines(hit);
    if (!own) continue;
    readIds.add(id);
    const text = own.lines.join("\n");
    for (const literal of literals) {
      for (const [start, end] of findSpans(text, literal)) {
        texts.set(id, (texts.get(id) ?? new Set()).add(literal.text));
        if (text[start - 1] === "-") flagIds.add(id);
        if (isSource(hit) && !definingIds.has(id) && definesLiteral(text, start, end)) definingIds.add(id);
      }
    }
  }
  return { texts, definingIds, flagIds, unreadIds: ordered.filter((id) => !readIds.has(id)) };
}
