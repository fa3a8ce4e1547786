/**
 * Which vectors a metadata filter lets through, by what their metadata indexes hold.
 *
 * The rules are those of developers.cloudflare.com/vectorize/reference/metadata-filtering; with
 * which code one that is broken is refused is not written down.
 */

import { refused } from "./ndjson.mjs";

const MAX_INDEXED_BYTES = 64;
// "must be less than 2048 bytes" of compact JSON
const END_OF_FILTER_BYTES = 2048;
const MAX_KEY_CHARACTERS = 512;
const LOWER = ["$gt", "$gte"];
const UPPER = ["$lt", "$lte"];

const COMPARISONS = {
  $eq: (value, wanted) => value === wanted,
  $ne: (value, wanted) => value !== wanted,
  $in: (value, wanted) => wanted.includes(value),
  $nin: (value, wanted) => !wanted.includes(value),
  $lt: (value, wanted) => order(value, wanted) < 0,
  $lte: (value, wanted) => order(value, wanted) <= 0,
  $gt: (value, wanted) => order(value, wanted) > 0,
  $gte: (value, wanted) => order(value, wanted) >= 0,
};

/**
 * A function that says whether a vector's indexed values pass. A property without an index, or of
 * a vector written before the index, is not there: no comparison finds it, `$ne` neither.
 */
export function compiled(filter) {
  if (filter === undefined || filter === null) return () => true;
  if (typeof filter !== "object" || Array.isArray(filter)) throw unread("filter");
  const size = Buffer.byteLength(JSON.stringify(filter));
  if (size >= END_OF_FILTER_BYTES) throw unread(`filter: ${size} bytes`);
  if (Object.keys(filter).length === 0) throw unread("filter: empty");
  const tests = Object.entries(filter).flatMap(([property, wanted]) => {
    checkKey(property);
    return conditionsOf(property, wanted);
  });
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
  checkTogether(operators.map(([operator]) => operator));
  return operators.map(([operator, operand]) => condition(property, operator, operand));
}

function condition(property, operator, operand) {
  const compare = COMPARISONS[operator];
  if (!compare) throw unread(`filter: unknown operator ${operator}`);
  const takesList = operator === "$in" || operator === "$nin";
  if (takesList !== Array.isArray(operand)) throw unread(`filter: operand of ${operator}`);
  const wanted = takesList ? operand.map(shortened) : shortened(operand);
  const isRange = LOWER.includes(operator) || UPPER.includes(operator);
  if (isRange && !["string", "number"].includes(typeof operand)) {
    throw unread(`filter: operand of ${operator}`);
  }
  if ([operand].flat().some((one) => one !== null && typeof one === "object")) {
    throw unread(`filter: operand of ${operator}`);
  }
  return (indexed) => {
    const value = indexed.get(property);
    if (value === undefined || (isRange && typeof value !== typeof wanted)) return false;
    return compare(value, wanted);
  };
}

/** A dot is for a value inside another one. */
function checkKey(key) {
  const isKey = key.split(".").every((part) => part !== "" && !part.startsWith("$"));
  if (!isKey || key.includes('"') || key.length > MAX_KEY_CHARACTERS) {
    throw unread(`filter: key ${key}`);
  }
}

/** A lower bound and an upper one may stand together, and nothing else. */
function checkTogether(operators) {
  const lower = operators.filter((operator) => LOWER.includes(operator));
  const upper = operators.filter((operator) => UPPER.includes(operator));
  const isPair = lower.length === 1 && upper.length === 1 && operators.length === 2;
  if (operators.length === 1 || isPair) return;
  throw unread(`filter: ${operators.join(" with ") || "no operator"}`);
}

/** Numbers by size; texts "are ordered lexicographically", which is taken to be by their bytes. */
function order(value, wanted) {
  return typeof value === "string"
    ? Buffer.compare(Buffer.from(value), Buffer.from(wanted))
    : value - wanted;
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
