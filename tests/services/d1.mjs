/** D1's REST routes: databases, and statements run on the real engine. */

import { randomUUID } from "node:crypto";

import { EngineError } from "./engine.mjs";
import { ApiError, success } from "./envelope.mjs";
import { overloadedFunction, statementsOf } from "./sql.mjs";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const MAX_VALUE_BYTES = 2_000_000;
const TABLES =
  "SELECT count(*) AS n FROM sqlite_master WHERE type = 'table' AND substr(name, 1, 4) != '_cf_'";

export class D1 {
  #engine;
  #clock;
  #settings;
  #databases = new Map();

  constructor(engine, clock, settings) {
    this.#engine = engine;
    this.#clock = clock;
    this.#settings = settings;
  }

  routes() {
    const base = "/accounts/:account/d1/database";
    const one = `${base}/:database`;
    return [
      ["d1.create", "POST", base, (call) => this.#create(call)],
      ["d1.list", "GET", base, (call) => this.#list(call)],
      ["d1.get", "GET", one, (call) => this.#get(call)],
      ["d1.delete", "DELETE", one, (call) => this.#delete(call)],
      ["d1.query", "POST", `${one}/query`, (call) => this.#query(call, "ARRAY_OF_OBJECTS")],
      ["d1.raw", "POST", `${one}/raw`, (call) => this.#query(call, "ROWS_AND_COLUMNS")],
    ].map(([name, method, path, run]) => ({ name, method, path, run }));
  }

  /** What the engine calls a database. */
  bindingOf(uuid) {
    return this.#databases.get(uuid).binding;
  }

  async reset() {
    for (const { binding } of this.#databases.values()) this.#engine.give(binding);
    this.#databases.clear();
    await this.#engine.topUp();
  }

  async #create(call) {
    const { name } = jsonOf(call);
    if (typeof name !== "string" || name === "") throw invalid("name => Required");
    for (const database of this.#databases.values()) {
      if (database.name === name) {
        throw new ApiError(400, 7502, `A database with that name already exists`);
      }
    }
    const database = {
      uuid: randomUUID(),
      name,
      version: "production",
      created_at: this.#clock.iso(),
      binding: await this.#engine.take(),
    };
    this.#databases.set(database.uuid, database);
    return success(await this.#described(database));
  }

  async #list(call) {
    const wanted = call.query.get("name") ?? "";
    const page = Number(call.query.get("page") ?? 1);
    const perPage = Number(call.query.get("per_page") ?? 1000);
    const found = [...this.#databases.values()].filter(({ name }) => name.includes(wanted));
    const shown = found.slice((page - 1) * perPage, page * perPage);
    const result = await Promise.all(shown.map((database) => this.#described(database)));
    return success(result, {
      result_info: { page, per_page: perPage, count: result.length, total_count: found.length },
    });
  }

  async #get(call) {
    return success(await this.#described(this.#database(call)));
  }

  #delete(call) {
    const { uuid, binding } = this.#database(call);
    this.#databases.delete(uuid);
    this.#engine.give(binding);
    return success(null);
  }

  async #query(call, format) {
    const { binding } = this.#database(call);
    const queries = queriesOf(jsonOf(call));
    call.note({ statements: queries.length, sql: queries.map(({ sql }) => sql.slice(0, 500)) });
    const results = await this.#execute(binding, queries, format);
    call.note({
      rows_read: sum(results, "rows_read"),
      rows_written: sum(results, "rows_written"),
    });
    return success(results);
  }

  async #execute(binding, queries, format) {
    try {
      return await this.#engine.run(binding, queries, format, this.#settings.d1_timeout_s * 1000);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      throw new ApiError(error.passing ? 500 : 400, 7500, error.message);
    }
  }

  #database(call) {
    const { database: uuid } = call.params;
    if (!UUID.test(uuid)) throw invalid("databaseId => Invalid uuid");
    const database = this.#databases.get(uuid);
    if (!database) throw new ApiError(404, 7404, `The database ${uuid} could not be found`);
    return database;
  }

  async #described({ binding, ...database }) {
    const [{ results, meta }] = await this.#execute(binding, [{ sql: TABLES }], "ARRAY_OF_OBJECTS");
    return { ...database, num_tables: results[0].n, file_size: meta.size_after };
  }
}

/** The statements of a body: those of `batch`, or of a `;` list whose last one takes the params. */
function queriesOf(body) {
  if (Array.isArray(body.batch)) return body.batch.map(checked);
  const { sql, params } = checked(body);
  const texts = statementsOf(sql);
  if (texts.length === 0) return [{ sql, params }];
  return texts.map((text, at) => ({ sql: text, params: at === texts.length - 1 ? params : [] }));
}

function checked(query) {
  const { sql, params = [] } = query ?? {};
  if (typeof sql !== "string") throw invalid("sql => Required");
  if (!Array.isArray(params)) throw invalid("params => Expected array");
  params.forEach(checkParameter);
  const name = overloadedFunction(sql);
  if (name) throw sqlError(`too many arguments on function ${name}: SQLITE_ERROR`);
  return { sql, params };
}

function checkParameter(value) {
  if (value !== null && typeof value !== "string" && typeof value !== "number") {
    throw invalid(`params => Expected string, received ${typeof value}`);
  }
  // workerd's own limit is a little above the documented one.
  if (typeof value === "string" && Buffer.byteLength(value) > MAX_VALUE_BYTES) {
    throw sqlError("string or blob too big: SQLITE_TOOBIG");
  }
}

function jsonOf(call) {
  try {
    const body = JSON.parse(call.body.toString("utf8"));
    if (body !== null && typeof body === "object" && !Array.isArray(body)) return body;
  } catch {
    // Falls through to the same refusal as a body of another shape.
  }
  throw new ApiError(400, 7400, "The request is malformed: body is not a JSON object");
}

function sqlError(message) {
  return new ApiError(400, 7500, message);
}

function invalid(property) {
  return new ApiError(400, 7400, `Invalid property: ${property}`);
}

function sum(results, name) {
  return results.reduce((total, { meta }) => total + (meta[name] ?? 0), 0);
}
