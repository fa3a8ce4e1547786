// Computes a query's static vector in a Worker from rows of the lookup table in D1.

import { fnv1a, ngrams, splitTokens, splitWords } from "./static_tokenizer.mjs";

const MAX_TOKENS = 1000;
const ROW_HEADER_BYTES = 8;

/** Reads the lookup table's layout; no row if the table is missing or half written. */
export const LAYOUT_SQL = "SELECT value FROM meta WHERE key = 'lookup'";

/** Reads the codes of tokens: one of a word in the vocabulary, which is marked, those of the n-grams of another. */
export const CODES_SQL = `
WITH asked(place, part, slot, runs) AS (
  SELECT key, value->>0, value->>1, value->>2 FROM json_each(?1, '$.parts')
), seen AS (
  SELECT a.place, l.words, l.codes, instr(l.words, ' ' || a.part || ' ') AS at
  FROM asked a CROSS JOIN lookup l ON l.slot = a.slot
), found(place, code) AS MATERIALIZED (
  SELECT place, substr(codes,
    1 + (at - 1 - length(replace(substr(words, 1, at), ' ', ''))) * (?1->>'width'), ?1->>'width')
  FROM seen WHERE at > 0
)
SELECT place, code, 1 AS is_word FROM found
UNION ALL
SELECT a.place, substr(l.buckets, 1 + (r.value->>1) * (?1->>'width'), ?1->>'width'), 0
FROM asked a, json_each(a.runs) r CROSS JOIN lookup l ON l.slot = r.value->>0
WHERE a.place NOT IN (SELECT place FROM found)
`;

/** Counts each token among the first thousand of a text. */
export const countTokens = (text) => {
  const counts = new Map();
  for (const token of splitWords(text).flatMap(splitTokens).slice(0, MAX_TOKENS)) {
    counts.set(token, (counts.get(token) ?? 0) + 1);
  }
  return counts;
};

/** Returns the parameter of `CODES_SQL` for counted tokens and the table's layout. */
export const codesParameter = (counts, { slots, buckets, dimensions }) => {
  const slot = (bucket) => [bucket % slots, Math.floor(bucket / slots)];
  const lookup = (token) => [
    token,
    fnv1a(token) % slots,
    ngrams(token).map((ngram) => slot(fnv1a(ngram) % buckets)),
  ];
  const width = 4 * Math.ceil((ROW_HEADER_BYTES + dimensions) / 3);
  return JSON.stringify({ width, parts: Array.from(counts.keys(), lookup) });
};

/**
 * Returns the unit vector of counted tokens, zeros if none is in the vocabulary.
 *
 * `rows` are [token's position, code, 1 for a word of the vocabulary].
 */
export const queryVector = (counts, rows, { dimensions }) => {
  const sum = new Float64Array(dimensions);
  if (!rows.some(([, , isWord]) => isWord)) return Array.from(sum);
  const codes = groupCodes(rows);
  [...counts.values()].forEach((count, at) => addToken(sum, 1 + Math.log(count), codes.get(at)));
  const length = Math.hypot(...sum) || 1;
  return Array.from(sum, (value) => value / length);
};

const groupCodes = (rows) => {
  const groups = new Map();
  for (const [at, code] of rows) groups.set(at, [...(groups.get(at) ?? []), code]);
  return groups;
};

/** Adds a token's weighted vector; with several codes, their vectors and weights are averaged. */
const addToken = (sum, share, codes) => {
  const bytes = codes.map((code) => Uint8Array.from(atob(code), (char) => char.charCodeAt(0)));
  const headers = bytes.map(({ buffer }) => new DataView(buffer));
  const total = headers.reduce((weight, header) => weight + header.getFloat32(4, true), 0);
  bytes.forEach((row, at) => {
    const factor = (share * (total / codes.length) * headers[at].getFloat32(0, true)) / codes.length;
    const numbers = new Int8Array(row.buffer, ROW_HEADER_BYTES);
    for (let index = 0; index < sum.length; index += 1) sum[index] += factor * numbers[index];
  });
};
