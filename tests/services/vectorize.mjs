/** Vectorize's REST routes (v2), with the limits that the live service enforces. */

import { ApiError, success } from "./envelope.mjs";
import { compiled } from "./filter.mjs";
import { checkLength, refused, vectorsOf } from "./ndjson.mjs";
import { MAX_METADATA_INDEXES, VectorIndex } from "./vectorindex.mjs";

const NAME = /^[a-z]+[a-z0-9_-]*[a-z0-9]+$/;
const METRICS = ["cosine", "euclidean", "dot-product"];
const TYPES = ["string", "number", "boolean"];
const MAX_NAME_BYTES = 64;
const MAX_DIMENSIONS = 1536;
const MAX_DELETED_IDS = 100;
const MAX_READ_IDS = 20;
const MAX_PAGE = 1_000;

export class Vectorize {
  #clock;
  #settings;
  #indexes = new Map();
  #deleted = new Set();

  constructor(clock, settings) {
    this.#clock = clock;
    this.#settings = settings;
  }

  routes() {
    const base = "/accounts/:account/vectorize/v2/indexes";
    const one = `${base}/:index`;
    const meta = `${one}/metadata_index`;
    return [
      ["vectorize.create", "POST", base, (call) => this.#create(call)],
      ["vectorize.list_indexes", "GET", base, () => this.#list()],
      ["vectorize.get", "GET", one, (call) => success(this.#index(call).about)],
      ["vectorize.delete", "DELETE", one, (call) => this.#delete(call)],
      ["vectorize.info", "GET", `${one}/info`, (call) => success(this.#index(call).info())],
      ["vectorize.upsert", "POST", `${one}/upsert`, (call) => this.#write(call, "upsert")],
      ["vectorize.insert", "POST", `${one}/insert`, (call) => this.#write(call, "insert")],
      ["vectorize.delete_by_ids", "POST", `${one}/delete_by_ids`, (call) => this.#remove(call)],
      ["vectorize.get_by_ids", "POST", `${one}/get_by_ids`, (call) => this.#read(call)],
      ["vectorize.list", "GET", `${one}/list`, (call) => this.#page(call)],
      ["vectorize.query", "POST", `${one}/query`, (call) => this.#query(call)],
      ["vectorize.metadata_create", "POST", `${meta}/create`, (call) => this.#addMetadata(call)],
      ["vectorize.metadata_list", "GET", `${meta}/list`, (call) => this.#listMetadata(call)],
      ["vectorize.metadata_delete", "POST", `${meta}/delete`, (call) => this.#dropMetadata(call)],
    ].map(([name, method, path, run]) => ({ name, method, path, run }));
  }

  reset() {
    this.#indexes.clear();
    this.#deleted.clear();
  }

  /** Makes every queued write of one index, or of all, visible; answers how many there were. */
  settle(name) {
    const indexes = name ? [this.#named(name)] : [...this.#indexes.values()];
    return indexes.reduce((count, index) => count + index.process(Infinity), 0);
  }

  dump(name) {
    return this.#named(name).dump();
  }

  #create(call) {
    const { name, config, description = "" } = jsonOf(call);
    // 3003 and 3004 stand for codes that nobody has written down.
    if (typeof name !== "string" || !NAME.test(name) || name.length > MAX_NAME_BYTES) {
      throw new ApiError(400, 3003, `vectorize.index.invalid_name - Index name "${name}"`);
    }
    const { dimensions, metric } = config ?? {};
    if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > MAX_DIMENSIONS) {
      throw new ApiError(400, 3004, `vectorize.index.invalid_dimensions - ${dimensions}`);
    }
    if (!METRICS.includes(metric)) throw unread("metric: unknown variant");
    if (this.#indexes.has(name)) {
      throw new ApiError(400, 3002, `vectorize.index.duplicate_name - Index name "${name}"`);
    }
    const index = new VectorIndex(
      { name, description, config: { dimensions, metric } },
      this.#clock,
      this.#settings,
    );
    this.#indexes.set(name, index);
    this.#deleted.delete(name);
    return success(index.about);
  }

  #list() {
    return success([...this.#indexes.values()].map(({ about }) => about));
  }

  #delete(call) {
    const { name } = this.#index(call);
    this.#indexes.delete(name);
    this.#deleted.add(name);
    return success({});
  }

  #write(call, how) {
    const index = this.#index(call);
    expectType(call, "application/x-ndjson");
    const vectors = vectorsOf(call.body, index.config.dimensions);
    call.note({ vectors: vectors.length });
    return success({ mutationId: index[how](vectors) });
  }

  #remove(call) {
    const index = this.#index(call);
    const ids = idsOf(jsonOf(call), MAX_DELETED_IDS);
    call.note({ ids: ids.length });
    return success({ mutationId: index.remove(ids) });
  }

  #read(call) {
    const index = this.#index(call);
    const ids = idsOf(jsonOf(call), MAX_READ_IDS);
    call.note({ ids: ids.length });
    return success(index.get(ids).map(shown));
  }

  #page(call) {
    const index = this.#index(call);
    const count = Number(call.query.get("count") ?? 100);
    if (!Number.isInteger(count) || count < 1 || count > MAX_PAGE) {
      throw refused(40026, `count: must be between 1 and ${MAX_PAGE}, got ${count}`);
    }
    const page = index.page(call.query.get("cursor"), count);
    if (!page) throw refused(40026, "cursor: unknown or expired");
    return success({
      count: page.ids.length,
      totalCount: page.total,
      isTruncated: page.next !== null,
      nextCursor: page.next,
      cursorExpirationTimestamp: new Date(page.expiresMs).toISOString(),
      vectors: page.ids.map((id) => ({ id })),
    });
  }

  #query(call) {
    const index = this.#index(call);
    const wanted = wantedOf(jsonOf(call), index.config.dimensions);
    const matches = index.query(wanted.vector, wanted);
    return success({
      count: matches.length,
      matches: matches.map(({ found, score }) => matchOf(found, score, wanted)),
    });
  }

  #addMetadata(call) {
    const index = this.#index(call);
    const { propertyName: property, indexType: type } = jsonOf(call);
    if (typeof property !== "string" || property === "") throw unread("propertyName");
    if (!TYPES.includes(type)) throw unread("indexType: unknown variant");
    const mutationId = index.addMetadataIndex(property, type);
    if (mutationId) return success({ mutationId });
    throw refused(40004, `too many metadata indexes; max count is ${MAX_METADATA_INDEXES}`);
  }

  #listMetadata(call) {
    return success({ metadataIndexes: this.#index(call).metadataIndexes() });
  }

  #dropMetadata(call) {
    const index = this.#index(call);
    const { propertyName: property } = jsonOf(call);
    const mutationId = index.removeMetadataIndex(property);
    if (mutationId) return success({ mutationId });
    throw refused(40005, `metadata index for property "${property}" not found`);
  }

  #index(call) {
    return this.#named(call.params.index);
  }

  #named(name) {
    const index = this.#indexes.get(name);
    if (index) return index;
    if (this.#deleted.has(name)) {
      throw new ApiError(410, 3005, `vectorize.index.deleted - Index name "${name}" was deleted`);
    }
    throw new ApiError(400, 3000, `vectorize.index.not_found - Index name "${name}"`);
  }
}

function wantedOf(body, dimensions) {
  const { vector, topK = 5, namespace, filter, returnValues = false } = body;
  const returnMetadata = body.returnMetadata ?? "none";
  if (!Array.isArray(vector) || !vector.every(Number.isFinite)) throw unread("vector");
  if (vector.length !== dimensions) {
    throw refused(
      40006,
      `invalid query vector, expected ${dimensions} dimensions, ` +
        `and got ${vector.length} dimensions`,
    );
  }
  // Booleans were the first version's values.
  if (!["none", "indexed", "all"].includes(returnMetadata)) throw unread("returnMetadata");
  if (namespace !== undefined) checkLength(namespace, 40009, "namespace");
  checkTopK(topK, returnValues || returnMetadata === "all");
  return { vector, topK, namespace, passes: compiled(filter), returnValues, returnMetadata };
}

function checkTopK(topK, isFull) {
  if (!Number.isInteger(topK) || topK < 1) throw unread("topK");
  if (isFull && topK > 50) {
    throw refused(
      40025,
      `with returnValues=true or returnMetadata=all, max top K is 50, but got ${topK}; ` +
        "for a top K up to 100, retry with returnValues=false and returnMetadata=indexed",
    );
  }
  if (topK > 100) throw refused(40025, `max top K is 100, but got ${topK}`);
}

function matchOf(found, score, { returnValues, returnMetadata }) {
  const match = { id: found.id, score, namespace: found.namespace };
  if (returnValues) match.values = [...found.values];
  if (returnMetadata === "all") match.metadata = found.metadata;
  if (returnMetadata === "indexed") match.metadata = Object.fromEntries(found.indexed);
  return match;
}

/** A stored vector as the API shows it. */
export function shown({ id, namespace, values, metadata }) {
  return { id, namespace, values: [...values], metadata };
}

function idsOf({ ids }, max) {
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === "string")) throw unread("ids");
  if (ids.length > max) {
    throw refused(40007, `too many ids in payload; max id count is ${max}, got ${ids.length}`);
  }
  ids.forEach((id) => checkLength(id, 40008, "id"));
  return ids;
}

function jsonOf(call) {
  expectType(call, "application/json");
  let body;
  try {
    body = JSON.parse(call.body.toString("utf8"));
  } catch {
    throw unread("EOF or syntax");
  }
  if (body === null || typeof body !== "object") throw unread("expected an object");
  return body;
}

function expectType(call, type) {
  const given = (call.headers["content-type"] ?? "").split(";")[0].trim().toLowerCase();
  if (given !== type) throw refused(40026, `Expected request with \`Content-Type: ${type}\``);
}

function unread(what) {
  return refused(40026, `Failed to parse the request body as JSON: ${what}`);
}
