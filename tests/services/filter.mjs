/** Which vectors a metadata filter lets through, by what their metadata indexes hold. */

import { refused } from "./ndjson.mjs";

const MAX_INDEXED_BYTES = 64;
const MAX_FILTER_BYTES = 2048;

const COMPARISONS = {
  $eq: (value, wanted) => value === wanted,
  $ne: (value, wanted) => value !== wanted,
  $in: (value, wanted) => wanted.includes(value),
  $nin: (value, wanted) => !wanted.includes(value),
  $lt: (value, wanted) => value < wanted,
  $lte: (value, wanted) => value <= wanted,
  $gt: (value, wanted) => value > wanted,
  $gte: (value, wanted) => value >= wanted,
};

/**
 * A function that says whether a vector's indexed values pass. A property without an index, or of
 * a vector written before the index, is not there: no comparison finds it, `$ne` neither.
 */
export function compiled(filter) {
  if (filter === undefined || filter === null) return () => true;
  const size = Buffer.byteLength(JSON.stringify(filter));
  if (typeof filter !== "object" || Array.isArray(filter) || size > MAX_FILTER_BYTES) {
    throw unread("filter");
  }
  const tests = Object.entries(filter).flatMap(([property, wanted]) =>
    conditionsOf(property, wanted),
  );
  return (indexed) => tests.every((test) => test(indexed));
}

/** What a metadata index keeps of a vector: values of its type, strings on their first 64 bytes. */
export function indexedValue(metadata, property, type) {
  const value = property
    .split(".")
    .reduce((inner, key) => (inner === null ? undefined : inner?.[key]), metadata ?? undefined);
  return typeof value === type ? shortened(value) : undefined;
}

function conditionsOf(property, wanted) {
  const isOperators = wanted !== null && typeof wanted === "object" && !Array.isArray(wanted);
  const operators = isOperators ? Object.entries(wanted) : [["$eq", wanted]];
  return operators.map(([operator, operand]) => condition(property, operator, operand));
}

function condition(property, operator, operand) {
  const compare = COMPARISONS[operator];
  if (!compare) throw unread(`filter: unknown operator ${operator}`);
  const takesList = operator === "$in" || operator === "$nin";
  if (takesList !== Array.isArray(operand)) throw unread(`filter: operand of ${operator}`);
  const wanted = takesList ? operand.map(shortened) : shortened(operand);
  const isRange = !takesList && operator !== "$eq" && operator !== "$ne";
  return (indexed) => {
    const value = indexed.get(property);
    if (value === undefined || (isRange && typeof value !== typeof wanted)) return false;
    return compare(value, wanted);
  };
}

/** The first 64 bytes, cut between characters. */
function shortened(value) {
  if (typeof value !== "string" || Buffer.byteLength(value) <= MAX_INDEXED_BYTES) return value;
  let text = "";
  let bytes = 0;
  for (const character of value) {
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_INDEXED_BYTES) break;
    text += character;
  }
  return text;
}

function unread(what) {
  return refused(40026, `Failed to parse the request body as JSON: ${what}`);
}
