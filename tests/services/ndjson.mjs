/** Which vectors a body of NDJSON holds, or why the whole body is refused. */

import { ApiError } from "./envelope.mjs";

const MAX_VECTORS = 5_000;
const MAX_ID_BYTES = 64;
const MAX_METADATA_BYTES = 10_240;
// Cheap test whether a line can hold a lone surrogate at all: valid UTF-8 cannot, an escape can.
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/** One bad vector refuses the body: nothing of it is written. */
export function vectorsOf(body, dimensions) {
  const lines = body.toString("utf8").split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0) throw unread("the body is empty");
  if (lines.length > MAX_VECTORS) {
    throw refused(
      40006,
      `too many vectors in payload; max count is ${MAX_VECTORS}, got ${lines.length}`,
    );
  }
  return lines.map((line, at) => vectorOf(line, at + 1, dimensions));
}

/** Vectorize's limit of an id, for vectors and for namespaces alike. */
export function checkLength(text, code, what) {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_ID_BYTES) {
    throw refused(code, `${what} too long; max is ${MAX_ID_BYTES} bytes, got ${bytes} bytes`);
  }
}

export function refused(code, message) {
  return new ApiError(400, code, message);
}

function vectorOf(line, number, dimensions) {
  const vector = parsed(line, number);
  const { id, values, namespace, metadata } = vector;
  if (typeof id !== "string" || id === "") throw unread(`line ${number} has no id`);
  if (!Array.isArray(values) || !values.every(Number.isFinite)) {
    throw unread(`line ${number} has no values`);
  }
  checkLength(id, 40008, "id");
  if (namespace !== undefined && namespace !== null) checkNamespace(namespace, number);
  checkMetadata(metadata, id, number);
  checkDimensions(values, id, dimensions);
  return { id, values: Float32Array.from(values), namespace: namespace ?? undefined, metadata };
}

function parsed(line, number) {
  let vector;
  try {
    vector = JSON.parse(line);
  } catch {
    throw unread(`line ${number}`);
  }
  if (vector === null || typeof vector !== "object") throw unread(`line ${number}`);
  if (SURROGATE_ESCAPE.test(line) && !isWellFormed(vector)) {
    throw unread(`lone surrogate in line ${number}`);
  }
  return vector;
}

function isWellFormed(value) {
  if (typeof value === "string") return value.isWellFormed();
  if (value === null || typeof value !== "object") return true;
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && isWellFormed(inner));
}

function checkNamespace(namespace, number) {
  if (typeof namespace !== "string") throw unread(`namespace in line ${number}`);
  checkLength(namespace, 40009, "namespace");
}

function checkMetadata(metadata, id, number) {
  if (metadata === undefined || metadata === null) return;
  if (typeof metadata !== "object" || Array.isArray(metadata)) {
    throw unread(`metadata in line ${number}`);
  }
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  if (bytes > MAX_METADATA_BYTES) {
    throw refused(
      40016,
      `oversized metadata for vector id="${id}"; the compact JSON representation of the metadata ` +
        `must not exceed ${MAX_METADATA_BYTES} bytes, got ${bytes} bytes`,
    );
  }
}

function checkDimensions(values, id, dimensions) {
  if (values.length !== dimensions) {
    throw refused(
      40010,
      `invalid vector for id="${id}", expected ${dimensions} dimensions, ` +
        `and got ${values.length} dimensions`,
    );
  }
}

function unread(where) {
  return refused(40023, `failed to parse upsert vectors request in json format: ${where}`);
}
