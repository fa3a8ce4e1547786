/** Chooses the databases of a request where a Worker has several repositories, and answers from them. */

import { D1 } from "../bindings/d1.ts";
import type { Env } from "../bindings/env.ts";
import type { QueryBudget } from "../bindings/query_budget.ts";
import { groupByDatabase, type Repository } from "../bindings/repositories.ts";
import { SeveralIndexes, VectorIndex } from "../bindings/vectorize.ts";
import { groupBy } from "../collections.ts";
import { HttpError } from "../http_error.ts";
import { createContext, type SearchContext } from "../corpus/context.ts";
import { chooseDatabases, type DatabaseChoice, MAX_DATABASES, reposByVector } from "../corpus/database_choice.ts";
import { MAX_SUBREQUESTS } from "../snippets/excerpts.ts";
import {
  cacheMetaOf,
  forgetMetaOf,
  freshnessOfSeveral,
  type IndexMeta,
  keptCounts,
  loadMetaOf,
  modelKey,
  resolveRepo,
} from "../corpus/index_status.ts";
import { allPrefixes, parseQuery, queryText } from "../query/query.ts";
import { QueryText } from "../query/query_text.ts";
import { queryModel, QueryVector } from "../ranking/retrieval.ts";
import { SnapshotDatabase } from "../corpus/snapshot.ts";
import { failureNotes, mapAtOnce, SeveralDatabases } from "../store/several_databases.ts";
import { reposOfIds } from "../store/statements.ts";
import type { OnTiming } from "../timing.ts";
import { usesVectors } from "./parameters.ts";
import type { Endpoint, Params, ReadAnswer } from "./types.ts";

/** A database with those of its repositories that are asked, opened for one request. */
interface OpenDatabase {
  readonly repos: readonly string[];
  readonly database: SnapshotDatabase;
  readonly index: Vectorize | undefined;
}

/** Databases in which node ids are looked up: each is a request. */
const MAX_DATABASES_OF_IDS = 30;
/** Repositories that are asked, one after another until a database answers, for the model of all vectors. */
const MAX_ASKED_FOR_MODEL = 3;
/** Requests to services for an answer from several databases, of the 50 that the free plan allows. */
const MAX_SUBREQUESTS_OF_SEVERAL = 40;
const MAX_LISTED_REPOS = 10;
const MAX_REPOS_OF_STATUS = 40;
const NODE_ID = /^[0-9a-f]{8,40}$/;
/** The parameters that address a node or a file. */
const TARGETS = ["target", "place", "path", "id"];

type IndexState = { index: object };
/** Repositories by the beginning of a node's id. */
type Owners = ReadonlyMap<string, Repository>;

/** Answers requests of a client that may search these repositories. */
export class RepositoryRouter {
  #requestCount = 0;
  #reservedCount = 0;

  constructor(
    private readonly allowed: readonly Repository[],
    private readonly env: Env,
    private readonly onTiming: OnTiming,
    private readonly endpoints: Readonly<Record<string, Endpoint>>,
    private readonly hasHiddenRepos: boolean,
    private readonly queries: QueryBudget,
  ) {}

  /** Answers a request to an endpoint; throws an HttpError for a repository that the client may not search. */
  async answer(name: string, params: Params): Promise<object> {
    const answer = (await this.#answer(name, params)) as { index?: object; note?: string };
    return this.allowed.length > 1 && answer.index ? { ...answer, index: { ...answer.index, several: true } } : answer;
  }

  async #answer(name: string, params: Params): Promise<object> {
    const endpoint = this.endpoints[name]!;
    if (name === "search") {
      const repos = this.#named([...parseQuery(params.q?.[0] ?? "").repos, ...(params.repo ?? [])]);
      if (repos.length === 1) return endpoint(await this.#contextOf(repos[0]!), params);
      const { repositories, notes } = await this.#chosen(repos, params.q?.[0] ?? "", usesVectors(params));
      return endpoint(await this.#contextOfSeveral(repositories, notes), params);
    }
    if (name === "status" && !params.repo && this.allowed.length > 1) return this.#statusOfSeveral();
    if (name === "read") return this.#read(endpoint, params);
    const { repository, text } = await this.#addressed(params);
    // the others are filters, as the path of target=…&path=src
    const key = TARGETS.find((one) => params[one]?.[0] !== undefined);
    // NAME: alone is its root
    const addressed = key ? { [key]: [key === "path" ? text || "." : text, ...params[key]!.slice(1)] } : {};
    return endpoint(await this.#contextOf(repository), { ...params, ...addressed });
  }

  /** Reads targets of several repositories; those without one, or of an unknown one, have an error. */
  async #read(endpoint: Endpoint, params: Params): Promise<object> {
    const owners = params.repo ? null : this.#ownersOf(params.target ?? []);
    const targets = await mapAtOnce(params.target ?? [], async (target) => {
      try {
        return { target, ...(await this.#addressed({ ...params, target: [target] }, owners)), error: "" };
      } catch (error) {
        if (!(error instanceof HttpError) || error.status >= 500) throw error;
        return { target, repository: null, text: target, error: error.message };
      }
    });
    const byRepo = groupBy(targets.filter((one) => one.repository), (one) => one.repository!.name);
    const answers = await mapAtOnce([...byRepo], async ([repo, own]) => {
      const texts = own.map((one) => one.text);
      const answer = (await endpoint(await this.#contextOf(own[0]!.repository!), { target: texts })) as ReadAnswer & IndexState;
      return { repo, own, answer };
    });
    const read = new Map(answers.flatMap(({ own, answer }) => own.map((one, at) => [one, answer.targets[at]!] as const)));
    const [first] = answers;
    const note = answers.map(({ repo, answer }) => `${repo}: ${answer.note}`).join(" ");
    return {
      targets: targets.map((one) => ({ hits: [], error: one.error, ...read.get(one), target: one.target })),
      ...freshnessOfSeveral(new Map(), []),
      ...(answers.length === 1 ? { index: first!.answer.index } : {}),
      note,
    };
  }

  /** The counts that the last runs have left in the metadata, and the freshness of each repository. */
  async #statusOfSeveral(): Promise<object> {
    const repositories = this.allowed.slice(0, MAX_REPOS_OF_STATUS);
    // what the isolate has kept may be of an older run
    for (const one of repositories) forgetMetaOf(one.database);
    const { opened, failed } = await this.#openThoseThatAnswer(repositories);
    const meta: IndexMeta = new Map(opened.flatMap(({ database }) => [...database.meta]));
    const repos = opened.flatMap((one) => one.repos);
    const counts = repos.flatMap((repo) => keptCounts(meta, repo) ?? []);
    const sums = (name: "files" | "node_types" | "languages" | "skipped") => {
      const all = new Map<string, number>();
      for (const [key, count] of counts.flatMap((one) => one[name])) all.set(String(key), (all.get(String(key)) ?? 0) + Number(count));
      return Object.fromEntries(all);
    };
    const { index, note } = freshnessOfSeveral(meta, repos);
    const texts = { rows: sumOf(counts.map((one) => one.texts[0])), bytes: sumOf(counts.map((one) => one.texts[1])) };
    const holds = { repo: "", meta: {}, files: sums("files"), node_types: sums("node_types"), languages: sums("languages") };
    const more = this.allowed.length - repositories.length;
    return {
      repo: "",
      repositories: index.repos,
      holds: { ...holds, descriptions: {}, skipped: sums("skipped"), texts },
      costs: {},
      places: { folder: null, web: null },
      has: { texts: repos.some((repo) => meta.has(`${repo}:texts`)), patterns: false, proof: false, history: false, overview: false },
      index,
      note: [
        note,
        ...failureNotes(failed),
        ...(more > 0 ? [`The status of ${more} further repositories is left out.`] : []),
      ].join(" "),
    };
  }

  /**
   * The repository of a request's target, and the target without its name: by `repo`, by the name before a colon
   * (`acme/shop:src/cart.py:12`), by the node id, or the only one.
   */
  async #addressed(params: Params, owners: Promise<Owners> | null = null): Promise<{ repository: Repository; text: string }> {
    const text = TARGETS.map((key) => params[key]?.[0]).find((one) => one !== undefined) ?? "";
    if (params.repo) return { repository: this.#only(params), text };
    const named = this.allowed.find((one) => text.startsWith(`${one.name}:`));
    if (named) return { repository: named, text: text.slice(named.name.length + 1) };
    const owner = (await (owners ?? this.#ownersOf([text]))).get(text);
    return { repository: owner ?? this.#only(params), text };
  }

  /**
   * The repository of each text that begins the id of a node in exactly one, found by one request to each database.
   *
   * Throws an HttpError with more databases than a request may ask.
   */
  async #ownersOf(texts: readonly string[]): Promise<Owners> {
    const ids = texts.filter((text) => NODE_ID.test(text));
    if (ids.length === 0 || this.allowed.length === 1) return new Map();
    const { size } = groupByDatabase(this.allowed);
    if (size > MAX_DATABASES_OF_IDS) {
      const remedy = "Name the repository in `repo`, or write a path as in NAME:src/cart.py:12.";
      const error = `A node's id is looked up in ${MAX_DATABASES_OF_IDS} databases at most, and there are ${size}.`;
      throw new HttpError(400, error, remedy);
    }
    const { answers } = await this.#askThoseThatAnswer(this.allowed, (binding, own) => {
      const repos = own.map((one) => one.name);
      return new D1(binding, this.#countRequest, this.queries).run([reposOfIds(ids, repos)]);
    });
    const rows = answers.flatMap(([rows = []]) => rows).map(([id, repo]) => ({ id: String(id), repo }));
    const byId = [...groupBy(rows, ({ id }) => id)].filter(([, own]) => own.length === 1);
    return new Map(byId.map(([id, [row]]) => [id, this.allowed.find((one) => one.name === row!.repo)!]));
  }

  get #names(): string[] {
    return this.allowed.map((one) => one.name);
  }

  /** The repositories of these names, all without one; throws an HttpError for an unknown name. */
  #named(names: readonly string[]): readonly Repository[] {
    if (names.length === 0) return this.allowed;
    const resolved = new Set(names.map((name) => resolveRepo(name, this.#names)));
    return this.allowed.filter((one) => resolved.has(one.name));
  }

  /** The one repository of a request; throws an HttpError if several are possible. */
  #only(params: Params): Repository {
    const repos = this.#named(params.repo ?? []);
    if (repos.length === 1) return repos[0]!;
    const listed = repos.slice(0, MAX_LISTED_REPOS).map((one) => one.name).join(", ");
    const remedy = `Write it before the target, as in NAME:src/cart.py:12, or in \`repo\`. They are: ${listed}`;
    throw new HttpError(400, `There are ${repos.length} repositories, and this request needs the name of one.`, remedy);
  }

  /** The context of one repository, in which nothing differs from a Worker that has only this one. */
  async #contextOf(repository: Repository): Promise<SearchContext> {
    const { database } = await this.#open(repository.database, [repository]);
    const env = this.#environment(repository.name, repository.database, repository.index);
    return createContext({ ...this.#services(env, MAX_SUBREQUESTS), database, repo: repository.name });
  }

  /** Those of the repositories whose databases a query asks. */
  #chosen(repositories: readonly Repository[], typed: string, usesVectors: boolean): Promise<DatabaseChoice> {
    const query = parseQuery(typed);
    const text = new QueryText(queryText(query).replaceAll("\0", " "), allPrefixes(query));
    const open = (database: D1Database) => new D1(database, this.#countRequest, this.queries);
    return chooseDatabases(repositories, text, () => this.#nearestRepos(repositories, usesVectors ? text.text : ""), open, this.queries);
  }

  /** The repositories of the nodes nearest to a text; null without a model, or with too many vector indexes. */
  async #nearestRepos(repositories: readonly Repository[], text: string): Promise<ReadonlyMap<string, number> | null> {
    const indexes = [...new Set(repositories.flatMap((one) => one.index ?? []))];
    if (!text || indexes.length === 0 || indexes.length > MAX_DATABASES) return null;
    const asked = repositories.filter((one) => one.index).slice(0, MAX_ASKED_FOR_MODEL);
    const first = await this.#firstThatAnswers(asked);
    if (!first) return null;
    const { database } = first.opened;
    const env = this.#environment("", first.repository.database, first.repository.index);
    const { model } = queryModel(database.meta, env);
    if (!model) return null;
    const vector = new QueryVector(model, text, env, this.#countRequest);
    const names = repositories.map((one) => one.name);
    return reposByVector(vector, indexes.map((index) => new VectorIndex(index, this.#countRequest)), names);
  }

  /** Opens the first of the repositories whose database answers; null if none does. */
  async #firstThatAnswers(repositories: readonly Repository[]) {
    for (const repository of repositories) {
      try {
        return { repository, opened: await this.#open(repository.database, [repository]) };
      } catch (error) {
        if (!(error instanceof HttpError) || error.status < 500) throw error;
      }
    }
    return null;
  }

  async #contextOfSeveral(repositories: readonly Repository[], notes: readonly string[]): Promise<SearchContext> {
    const { opened: unordered, failed } = await this.#openThoseThatAnswer(repositories);
    const repos = unordered.flatMap((one) => one.repos);
    const opened = withCommonModelFirst(unordered);
    const earlier = [...notes, ...failureNotes(failed)];
    const database = new SeveralDatabases(opened, earlier, this.#names, repos);
    const model = modelKey(opened[0]!.database.meta);
    const same = opened.filter((one) => one.index && modelKey(one.database.meta) === model);
    const others = opened.filter((one) => one.index && one.database.meta.get("model") && !same.includes(one));
    if (others.length > 0) {
      const names = others.flatMap((one) => one.repos).join(", ");
      earlier.push(`${names} were searched by words alone: their vectors are by another model than the others'.`);
    }
    const indexes = Array.from(groupBy(same, (one) => one.index!), ([index, own]) => {
      return { index: new VectorIndex(index, this.#countRequest), repos: own.flatMap((one) => one.repos) };
    });
    const env = this.#environment("", repositories[0]!.database, same[0]?.index);
    const several = { repos, vectors: indexes.length > 0 ? new SeveralIndexes(indexes) : null };
    return createContext({ ...this.#services(env, MAX_SUBREQUESTS_OF_SEVERAL), database, repo: "", several });
  }

  #environment(repo: string, database: D1Database, index: Vectorize | undefined): Env {
    const { CODE_INDEX: _, ...rest } = this.env;
    return { ...rest, CODE_DB: database, REPO: repo, ...(index && { CODE_INDEX: index }) };
  }

  readonly #countRequest: OnTiming = (name, ...timing) => {
    if (name !== "github") this.#requestCount += 1;
    this.onTiming(name, ...timing);
  };

  #services(env: Env, maxRequests: number) {
    const reserveRequest = () => {
      if (this.#requestCount + this.#reservedCount >= maxRequests) return false;
      this.#reservedCount += 1;
      return true;
    };
    return { env, onTiming: this.#countRequest, reserveRequest, hasHiddenRepos: this.hasHiddenRepos };
  }

  /** Opens the databases, and says which ones failed; throws the error if all did. */
  async #openThoseThatAnswer(repositories: readonly Repository[]) {
    const { answers, failed } = await this.#askThoseThatAnswer(repositories, (binding, own) => this.#open(binding, own));
    return { opened: answers, failed };
  }

  /** Asks each database about its repositories, and says which ones failed; throws the error if all did. */
  async #askThoseThatAnswer<Answer>(
    repositories: readonly Repository[],
    ask: (binding: D1Database, own: readonly Repository[]) => Promise<Answer>,
  ) {
    const failed: { repos: readonly string[]; error: HttpError }[] = [];
    const groups = [...groupByDatabase(repositories)];
    const answers = await mapAtOnce(groups, async ([binding, own]) => {
      try {
        return [await ask(binding, own)];
      } catch (error) {
        if (!(error instanceof HttpError) || error.status < 500) throw error;
        failed.push({ repos: own.map((one) => one.name), error });
        return [];
      }
    });
    if (failed.length === groups.length) throw failed[0]!.error;
    return { answers: answers.flat(), failed };
  }

  /** Opens a database with the metadata of these of its repositories. */
  async #open(binding: D1Database, repositories: readonly Repository[]): Promise<OpenDatabase> {
    const repos = repositories.map((one) => one.name);
    const database = new D1(binding, this.#countRequest, this.queries);
    const meta = await loadMetaOf(binding, database, repos);
    const known = { repo: repos.length === 1 ? repos[0]! : "", meta };
    const onMeta = ({ meta: newest }: { meta: IndexMeta }) => cacheMetaOf(binding, repos, newest);
    const snapshot = new SnapshotDatabase(database, known, onMeta, this.#names);
    snapshot.addRepos(repos);
    return { repos, database: snapshot, index: repositories[0]!.index };
  }
}

/** The databases, those whose vectors are of the most common model first. */
function withCommonModelFirst(databases: readonly OpenDatabase[]): OpenDatabase[] {
  const byModel = [...groupBy(databases, ({ database }) => modelKey(database.meta)).values()];
  const hasModel = ([first]: OpenDatabase[]) => Number(Boolean(first!.database.meta.get("model")));
  return byModel.sort((one, other) => hasModel(other) - hasModel(one) || other.length - one.length).flat();
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
