/** The endpoints of the JSON API; docs/reference/http-api.md describes them. */

import { constants } from "../../build/worker_data.json";
import { type Client, noRepositoriesError } from "../access_rights.ts";
import { D1 } from "../bindings/d1.ts";
import type { QueryBudget } from "../bindings/query_budget.ts";
import type { Env } from "../bindings/env.ts";
import { configuredRepositories } from "../bindings/repositories.ts";
import { HttpError } from "../http_error.ts";
import { stripCharacters } from "../python_strings.ts";
import {
  hitJson,
  hitSnippet,
  withoutRepeatedLines,
  inexactNotes,
  noSourceError,
  readTarget,
  type SnippetOptions,
} from "../search/answers.ts";
import { createContext, type SearchContext } from "../corpus/context.ts";
import { NotInIndexError, unreadNotesOfRepo, withAbsenceNotes } from "../corpus/unread_files.ts";
import { scopeFromFilters, search } from "../search/engine.ts";
import { FileContents, MAX_SUBREQUESTS } from "../snippets/excerpts.ts";
import { gitHubUrl, indexedCommit } from "../corpus/github_address.ts";
import {
  cacheMeta,
  freshness,
  freshnessOfSeveral,
  type IndexCounts,
  keptCounts,
  loadMeta,
} from "../corpus/index_status.ts";
import { requiredLiterals, tokenLiteral } from "../query/literals.ts";
import { outlineFiles } from "../snippets/outline.ts";
import { eitherTexts, type Query, queryText } from "../query/query.ts";
import { QueryText } from "../query/query_text.ts";
import { countNamed } from "../ranking/ranking.ts";
import { countFacets, type Result } from "../ranking/results.ts";
import { findSimilar } from "../search/similar.ts";
import { IndexChanged, SnapshotDatabase } from "../corpus/snapshot.ts";
import { filesBelowPath, targetNode, resolveTarget } from "../relations/targets.ts";
import { hitFromRow } from "../store/hits.ts";
import { JoinedBatches } from "../store/joined_batches.ts";
import { sortNodes } from "../store/relations.ts";
import * as sql from "../store/statements.ts";
import type { OnTiming } from "../timing.ts";
import {
  filters,
  usesVectors,
  requiredParameter,
  pagination,
  filePage,
  nextAfter,
  snippetLines,
  explains,
  wantsText,
} from "./parameters.ts";
import { answerReferences, answerRelations } from "./relations.ts";
import { RepositoryRouter } from "./repository_router.ts";
import type { Endpoint, Params } from "./types.ts";

/** The prefix of the `meta` keys of costs; the kind of run follows. */
const { MAX_OUTLINED_FILES } = constants.worker_limits;
const { MAX_MAPPED_FILES } = constants.endpoints;
const [DEFAULT_OUTLINED, , MAX_OUTLINED] = constants.endpoints.OUTLINE_LIMITS as [number, number, number];
const COST_KEY_PREFIX: string = constants.dry_run.COST_KEY;
const NODE_ID = /^[0-9a-f]{8,40}$/;

/**
 * Answers a request to an endpoint; throws an HttpError for invalid ones. Retries once if the index
 * changed.
 */
export async function answerRequest(
  name: string,
  params: Params,
  env: Env,
  onTiming: OnTiming,
  client: Client,
  queries: QueryBudget,
): Promise<object> {
  const endpoint = ENDPOINTS[name];
  if (!endpoint) throw new HttpError(404, `/api/${name} does not exist.`);
  const repositories = configuredRepositories(env);
  const run = () => {
    if (!repositories) return runEndpoint(endpoint, params, env, onTiming, queries);
    const allowed = repositories.filter((one) => client.repos?.has(one.name) ?? true);
    if (allowed.length === 0) throw noRepositoriesError(client);
    const databases = new Set(allowed.map((one) => one.database));
    const hasHiddenRepos = repositories.some((one) => databases.has(one.database) && !allowed.includes(one));
    return new RepositoryRouter(allowed, env, onTiming, ENDPOINTS, hasHiddenRepos, queries).answer(name, params);
  };
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof IndexChanged)) throw error;
    return run();
  }
}

const DATABASE_REMEDY = "Run feeder worker, which adds it to wrangler's configuration, then npx wrangler deploy.";

/** Runs an endpoint on a snapshot; throws IndexChanged if the index changes meanwhile. */
async function runEndpoint(
  endpoint: Endpoint,
  params: Params,
  env: Env,
  onTiming: OnTiming,
  queries: QueryBudget,
): Promise<object> {
  let [requestCount, reservedCount] = [0, 0];
  const countRequest: OnTiming = (name, ...timing) => {
    if (name !== "github") requestCount += 1;
    onTiming(name, ...timing);
  };
  if (!env.CODE_DB) throw new HttpError(503, "The Worker has no database: its binding CODE_DB is missing.", DATABASE_REMEDY);
  const database = new D1(env.CODE_DB, countRequest, queries);
  const known = await loadMeta(env.CODE_DB, database, env.REPO);
  const snapshot = new SnapshotDatabase(database, known, (newest) => cacheMeta(env.CODE_DB, newest));
  const reserveRequest = () => {
    if (requestCount + reservedCount >= MAX_SUBREQUESTS) return false;
    reservedCount += 1;
    return true;
  };
  const parts = { env, database: snapshot, repo: known.repo, onTiming: countRequest, reserveRequest };
  return endpoint(createContext(parts), params);
}

/** A page of hits. */
async function answerSearch(baseContext: SearchContext, params: Params): Promise<object> {
  const page = pagination(params);
  const result = await search(baseContext, requiredParameter(params, "q"), page, filters(params), usesVectors(params));
  const { context, parsedSearch, answer, contents } = result;
  const required = requiredLiterals(parsedSearch.query);
  const tokens = new QueryText(queryText(parsedSearch.query)).codeTokens.map(tokenLiteral);
  const literals = required.length ? required : tokens;
  const words = [...highlightedWords(parsedSearch.query), ...parsedSearch.correctedWords];
  const snippetOptions = { words, lines: snippetLines(params), literals };
  const shownLines = answer.results.map((result) => contents.lines(result.hit));
  return {
    hits: withRequestedFields(hitsJson(context, contents, answer.results, snippetOptions), params),
    total: answer.total,
    at_least: answer.atLeast,
    offset: page.offset,
    notes: [...answer.notes, ...inexactNotes(shownLines, required), ...(context.database.notes ?? [])],
    ...(context.several ? freshnessOfSeveral(context.meta, context.several.repos) : freshness(context.meta, context.repo)),
    named: countNamed(answer.allResults),
    facets: countFacets(answer.allResults),
  };
}

/** A page of nodes similar to a node. */
async function similar(context: SearchContext, params: Params): Promise<object> {
  const page = pagination(params);
  const node = await targetNode(context, await resolveTarget(context, requiredParameter(params, "target")));
  const scope = await scopeFromFilters(context, filters(params));
  const { answer, contents } = await findSimilar(context, node, scope, page);
  const snippetOptions = { words: [node.symbol || node.logicalPath || ""], lines: snippetLines(params) };
  return {
    hits: withRequestedFields(hitsJson(context, contents, answer.results, snippetOptions), params),
    total: answer.total,
    at_least: false,
    offset: page.offset,
    notes: answer.notes,
    ...freshness(context.meta, context.repo),
    facets: countFacets(answer.allResults),
  };
}

/** One node with all of its lines. */
async function node(context: SearchContext, params: Params): Promise<object> {
  const id = requiredParameter(params, "id");
  if (!NODE_ID.test(id)) throw new HttpError(400, "`id` must be 8 to 40 hex digits.", "Use the id of a hit.");
  const { hits, notes } = await targetHits(context, id);
  const rest = { total: hits.length, at_least: false, offset: 0, notes };
  return { hits: withRequestedFields(hits, { text: ["1"] }), ...rest, ...freshness(context.meta, context.repo) };
}

/** The lines of each target; an unknown target has an error and does not affect the others. */
async function read(context: SearchContext, params: Params): Promise<object> {
  const joined = createContext({ ...context, database: new JoinedBatches(context.database) });
  const answers = await Promise.all((params.target ?? []).map((target) => readOne(joined, target)));
  const state = freshness(context.meta, context.repo);
  const isAbsent = answers.some((answer) => answer.isAbsent);
  const unread = isAbsent ? await unreadNotesOfRepo(context.database, context.repo) : [];
  const targets = answers.map(({ isAbsent: _, ...answer }) => answer);
  return { targets, ...state, note: [state.note, ...unread].filter(Boolean).join(" ") };
}

async function readOne(context: SearchContext, target: string): Promise<{ isAbsent: boolean; [key: string]: unknown }> {
  try {
    return { target, ...(await targetHits(context, target)), error: "", isAbsent: false };
  } catch (error) {
    if (!(error instanceof HttpError) || error.status >= 500) throw error;
    return { target, hits: [], notes: [], error: error.message, isAbsent: error instanceof NotInIndexError };
  }
}

/** A file with its lines and its outline. */
async function file(context: SearchContext, params: Params): Promise<object> {
  const path = requiredParameter(params, "path");
  const paths = await filesBelowPath(context, path);
  if (!paths.includes(path)) {
    throw new HttpError(404, `${path} is not a file of the index.`, "Use a path from the root, as hits have it.");
  }
  const { repo } = context;
  const [rows = [], unparsed = []] = await context.database.run([sql.nodesInFiles(repo, [path]), sql.unparsedLines(repo, [path])]);
  const nodes = sortNodes(rows.map(hitFromRow));
  const source = await new FileContents(context).file(path, nodes[0]?.language ?? null);
  if (!source) throw noSourceError(path);
  const [entry] = outlineFiles([path], nodes, unparsed) as { nodes: object[]; unparsed: string | null }[];
  const textOf = indexedCommit(context.meta, context.repo);
  const content = { path, lines: fillGaps(source), text_of: textOf, nodes: entry!.nodes, unparsed: entry!.unparsed };
  return { ...content, ...freshness(context.meta, context.repo) };
}

/** A page of the files at or below a path, with their symbols and sections. */
async function outline(context: SearchContext, params: Params): Promise<object> {
  const { limit, range } = filePage(params, DEFAULT_OUTLINED, MAX_OUTLINED);
  const following = await filesBelowPath(context, requiredParameter(params, "path"), range);
  const files = await outlineOf(context, following.slice(0, limit));
  return { files, next: nextAfter(following, limit), ...freshness(context.meta, context.repo) };
}

/** All files at or below a path; of many only the first ones with their symbols, as `notes` say. */
async function outlineForAgent(context: SearchContext, params: Params): Promise<object> {
  const paths = await filesBelowPath(context, requiredParameter(params, "path"));
  const outlined = await outlineOf(context, paths.slice(0, MAX_OUTLINED_FILES));
  const files = [...outlined, ...paths.slice(MAX_OUTLINED_FILES).map((path) => ({ path, nodes: [], unparsed: null }))];
  const note = `Only the symbols of the first ${MAX_OUTLINED_FILES} of ${paths.length} files are listed: outline a subfolder.`;
  const notes = paths.length > MAX_OUTLINED_FILES ? { notes: [note] } : {};
  return { files, ...notes, ...freshness(context.meta, context.repo) };
}

/** The outline of files, with one request. */
async function outlineOf({ database, repo }: SearchContext, paths: readonly string[]): Promise<object[]> {
  const [rows = [], unparsed = []] = await database.run([sql.nodesInFiles(repo, paths), sql.unparsedLines(repo, paths)]);
  return outlineFiles(paths, sortNodes(rows.map(hitFromRow)), unparsed);
}

/** A page of the files in a folder, indexed or not, with the skip reason. */
async function map(context: SearchContext, params: Params): Promise<object> {
  const { database, repo } = context;
  const { limit, range } = filePage(params, MAX_MAPPED_FILES, MAX_MAPPED_FILES);
  const path = stripCharacters((params.path?.[0] ?? ".").replace(/^\/+/, ""), "/");
  const folder = path === "." ? "" : path;
  const statements = [sql.fileMap(repo, folder, range), sql.fileMap(repo, folder, { after: "", count: 1 })];
  const [rows = [], first = []] = await database.run(range.after ? statements : statements.slice(0, 1));
  if (folder && rows.length === 0 && first.length === 0) {
    throw new HttpError(404, `${folder} is not a folder of the index.`, "Use a path from the root.");
  }
  const files = rows.map(([path, language, lines, nodes, state, reason]) => {
    return { path, language, lines, nodes, state, reason };
  });
  const next = nextAfter(files.map(({ path }) => String(path)), limit);
  return { files: files.slice(0, limit), history: false, references: false, next, ...freshness(context.meta, repo) };
}

/** The counts and freshness of the index, and the features that the Worker has. */
async function status(context: SearchContext): Promise<object> {
  const { repo, env } = context;
  const contents = new FileContents(context);
  const [lines = []] = await context.database.run([sql.descriptionModels(repo)]);
  const { meta } = context;
  const counted = keptCounts(meta, repo) ?? (await countAll(context));
  const { files, node_types: types, languages, skipped, texts: size, unparsed = [0, 0] } = counted;
  const ownMeta = Object.fromEntries(
    Array.from(meta, ([key, value]) => [key.replace(`${repo}:`, ""), value]),
  );
  const counts = [files, types, languages, skipped].map((rows) => Object.fromEntries(rows as [string, number][]));
  const [byState, node_types, byLanguage, reasons] = counts;
  const descriptions = Object.fromEntries(lines);
  const statistics = { repo, meta: ownMeta, files: byState, node_types, languages: byLanguage, descriptions };
  return {
    repo,
    holds: { ...statistics, skipped: reasons, texts: { rows: size[0], bytes: size[1] }, unparsed: { files: unparsed[0], lines: unparsed[1] } },
    costs: lastRunCosts(ownMeta),
    places: { folder: null, web: gitHubUrl(env, meta, repo) },
    has: { texts: contents.areAvailable, patterns: false, proof: false, history: false, overview: false },
    ...freshness(meta, repo),
  };
}

/** Counts every node and file. */
async function countAll({ database, repo }: SearchContext): Promise<IndexCounts> {
  const [files = [], types = [], languages = [], skipped = [], [size = [0, 0]] = [], [unparsed = [0, 0]] = []] = await database.run([
    sql.countBy("state", "files", repo),
    sql.countBy("node_type", "docs", repo),
    sql.countBy("language", "docs", repo),
    sql.skippedFiles(repo),
    sql.storedSourceSize(repo),
    sql.unparsedTotal(repo),
  ]);
  return {
    files,
    node_types: types,
    languages,
    skipped,
    texts: size as [number, number],
    unparsed: unparsed as [number, number],
  };
}

/** The costs of the last run of each kind. */
function lastRunCosts(ownMeta: Record<string, string>): Record<string, unknown> {
  const entries = Object.entries(ownMeta).filter(([key]) => key.startsWith(COST_KEY_PREFIX));
  return Object.fromEntries(entries.map(([key, value]) => [key.slice(COST_KEY_PREFIX.length), JSON.parse(value)]));
}

const ENDPOINTS: Record<string, Endpoint> = {
  search: answerSearch,
  similar: (context, params) => withAbsenceNotes(context, () => similar(context, params)),
  relations: (context, params) => {
    return withAbsenceNotes(context, () => answerRelations(context, requiredParameter(params, "place")));
  },
  references: (context, params) => withAbsenceNotes(context, () => answerReferences(context, params)),
  node: (context, params) => withAbsenceNotes(context, () => node(context, params)),
  read,
  file,
  outline,
  agentoutline: outlineForAgent,
  map,
  status,
};

/** The JSON of a target's nodes or lines, with all of their text, and notes about them. */
async function targetHits(context: SearchContext, text: string): Promise<{ hits: object[]; notes: string[] }> {
  const contents = new FileContents(context);
  const { results, notes } = await readTarget(context, contents, await resolveTarget(context, text));
  return { hits: hitsJson(context, contents, results, { words: [], lines: null }), notes };
}

/** The hits with their whole text and the parts of their score only if requested: these are most of an answer's size. */
function withRequestedFields(hits: object[], params: Params): object[] {
  const text = wantsText(params) ? {} : { text: null, text_of: null, before: null, after: null };
  const parts = explains(params) ? {} : { parts: null };
  return hits.map((hit) => ({ ...hit, ...text, ...parts }));
}

function hitsJson(
  context: SearchContext,
  contents: FileContents,
  results: readonly Result[],
  snippetOptions: SnippetOptions,
): object[] {
  const commits = { repo: context.repo, commitOf: (repo: string) => indexedCommit(context.meta, repo) };
  const texts = results.map((result) => {
    const lines = contents.lines(result.hit);
    return lines && hitSnippet(result, lines, contents.inner(result.hit), contents.around(result.hit), snippetOptions);
  });
  const shown = snippetOptions.lines === null ? texts : withoutRepeatedLines(results, texts);
  return results.map((result, at) => hitJson(result, commits, shown[at] ?? null));
}

/** The words of a query to highlight. */
function highlightedWords(query: Query): string[] {
  const prefixes = query.prefixes.map((prefix) => `${prefix}*`);
  const words = query.words.split(/\s+/).filter(Boolean);
  return [...words, ...query.phrases, ...prefixes, ...eitherTexts(query), ...query.symbols];
}

/** The lines of a file; missing ones are empty. */
function fillGaps({ lines, numbers }: { lines: readonly string[]; numbers: readonly number[] }) {
  const filledLines: string[] = Array.from({ length: numbers.at(-1) ?? 0 }, () => "");
  numbers.forEach((number, at) => (filledLines[number - 1] = lines[at]!));
  return filledLines;
}
