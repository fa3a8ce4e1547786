/** One Vectorize index: what readers see of it, and the writes that they do not see yet. */

import { randomUUID } from "node:crypto";

import { indexedValue } from "./filter.mjs";

export const MAX_METADATA_INDEXES = 10;
const CURSOR_LIFE_MS = 3_600_000;
let created = 0;

const SCORES = {
  cosine: (a, b) => dot(a, b) / (Math.sqrt(dot(a, a) * dot(b, b)) || 1),
  "dot-product": dot,
  euclidean: (a, b) => Math.sqrt(a.reduce((sum, value, at) => sum + (value - b[at]) ** 2, 0)),
};

export class VectorIndex {
  #clock;
  #settings;
  #vectors = new Map();
  // Asked for, and (a little later) there.
  #planned = new Set();
  #metadataIndexes = new Map();
  #queue = [];
  #cursors = new Map();
  #processed = { mutation: null, atMs: null };

  constructor({ name, description, config }, clock, settings) {
    this.name = name;
    this.config = config;
    this.#clock = clock;
    this.#settings = settings;
    // The live service has microseconds: two indexes of one name differ, however soon they follow.
    created = (created + 1) % 1000;
    const now = clock.iso().replace("Z", `${String(created).padStart(3, "0")}Z`);
    this.about = { name, description, config, created_on: now, modified_on: now };
  }

  upsert(vectors) {
    return this.#enqueue(() => vectors.forEach((vector) => this.#put(vector)));
  }

  /** Keeps a vector that is already there and says nothing. */
  insert(vectors) {
    return this.#enqueue(() => {
      for (const vector of vectors) if (!this.#vectors.has(vector.id)) this.#put(vector);
    });
  }

  remove(ids) {
    return this.#enqueue(() => ids.forEach((id) => this.#vectors.delete(id)));
  }

  /** Undefined when there would be too many; one that exists already is no error. */
  addMetadataIndex(property, type) {
    const isFull = this.#planned.size >= MAX_METADATA_INDEXES;
    if (isFull && !this.#planned.has(property)) return undefined;
    this.#planned.add(property);
    return this.#enqueue(() => this.#metadataIndexes.set(property, type));
  }

  /** Undefined when there is none of that name. */
  removeMetadataIndex(property) {
    if (!this.#planned.delete(property)) return undefined;
    return this.#enqueue(() => this.#metadataIndexes.delete(property));
  }

  /** Makes visible what is due, or everything; several writes at once step past some ids. */
  process(untilMs = this.#clock.nowMs()) {
    let count = 0;
    while (this.#queue.length > 0 && this.#queue[0].visibleAtMs <= untilMs) {
      const { id, apply } = this.#queue.shift();
      apply();
      this.#processed = { mutation: id, atMs: this.#clock.nowMs() };
      count += 1;
    }
    return count;
  }

  info() {
    this.process();
    const { mutation, atMs } = this.#processed;
    return {
      dimensions: this.config.dimensions,
      vectorCount: this.#vectors.size,
      processedUpToMutation: mutation,
      processedUpToDatetime: atMs === null ? null : new Date(atMs).toISOString(),
    };
  }

  metadataIndexes() {
    this.process();
    return [...this.#metadataIndexes].map(([propertyName, indexType]) => ({
      propertyName,
      indexType,
    }));
  }

  get(ids) {
    this.process();
    return ids.flatMap((id) => this.#vectors.get(id) ?? []);
  }

  /** A page of ids of the snapshot that the first page took; undefined for a cursor that's over. */
  page(cursor, count) {
    this.process();
    const start = cursor === null ? this.#snapshot() : this.#cursors.get(cursor);
    if (!start || start.expiresMs < this.#clock.nowMs()) return undefined;
    const ids = start.ids.slice(start.at, start.at + count);
    const at = start.at + ids.length;
    const next = at < start.ids.length ? this.#keep({ ...start, at }) : null;
    return { ids, total: start.ids.length, next, expiresMs: start.expiresMs };
  }

  query(vector, { topK, namespace, passes }) {
    this.process();
    const score = SCORES[this.config.metric];
    const ascending = this.config.metric === "euclidean" ? 1 : -1;
    return [...this.#vectors.values()]
      .filter((found) => namespace === undefined || found.namespace === namespace)
      .filter((found) => passes(found.indexed))
      .map((found) => ({ found, score: score(vector, found.values) }))
      .sort((a, b) => ascending * (a.score - b.score))
      .slice(0, topK);
  }

  /** For tests: everything visible, and how many writes wait. */
  dump() {
    this.process();
    return { vectors: [...this.#vectors.values()], pending: this.#queue.length };
  }

  #put(vector) {
    const indexed = new Map();
    for (const [property, type] of this.#metadataIndexes) {
      const value = indexedValue(vector.metadata, property, type);
      if (value !== undefined) indexed.set(property, value);
    }
    this.#vectors.set(vector.id, { ...vector, indexed });
  }

  #enqueue(apply) {
    const id = randomUUID();
    const dueMs = this.#clock.nowMs() + this.#settings.vectorize_delay_s * 1000;
    const visibleAtMs = Math.max(dueMs, this.#queue.at(-1)?.visibleAtMs ?? 0);
    this.#queue.push({ id, visibleAtMs, apply });
    return id;
  }

  #snapshot() {
    const expiresMs = this.#clock.nowMs() + CURSOR_LIFE_MS;
    return { ids: [...this.#vectors.keys()], at: 0, expiresMs };
  }

  #keep(position) {
    const cursor = randomUUID();
    this.#cursors.set(cursor, position);
    return cursor;
  }
}

function dot(a, b) {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += a[at] * b[at];
  return sum;
}
