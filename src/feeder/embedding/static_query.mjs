// How does a Worker make a question's vector? It looks the parts up in D1, and adds them up.

import { fnv1a, grams, parts, words } from "./static_tokenizer.mjs";

const PARTS_LIMIT = 1000;
const HEAD_BYTES = 8;

/** What `meta` says of the table; null where there is none, or half of one: words go on. */
export const ABOUT = "SELECT value FROM meta WHERE key = 'lookup'";

/** The codes of the parts that `asked` names: one of a known word, those of its runs of another. */
export const CODES = `
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
SELECT place, code FROM found
UNION ALL
SELECT a.place, substr(l.buckets, 1 + (r.value->>1) * (?1->>'width'), ?1->>'width')
FROM asked a, json_each(a.runs) r CROSS JOIN lookup l ON l.slot = r.value->>0
WHERE a.place NOT IN (SELECT place FROM found)
`;

/** How often each part of the text stands in its first thousand. */
export const counted = (text) => {
  const counts = new Map();
  for (const part of words(text).flatMap(parts).slice(0, PARTS_LIMIT)) {
    counts.set(part, (counts.get(part) ?? 0) + 1);
  }
  return counts;
};

/** The one parameter of `CODES`; `about` is what `meta` says of the table. */
export const asked = (counts, { slots, buckets, dimensions }) => {
  const slot = (bucket) => [bucket % slots, Math.floor(bucket / slots)];
  const one = (part) => [
    part,
    fnv1a(part) % slots,
    grams(part).map((run) => slot(fnv1a(run) % buckets)),
  ];
  const width = 4 * Math.ceil((HEAD_BYTES + dimensions) / 3);
  return JSON.stringify({ width, parts: Array.from(counts.keys(), one) });
};

/** The unit vector of the text, of the rows that `CODES` answers: [place, code]. */
export const vector = (counts, rows, { dimensions }) => {
  const sum = new Float64Array(dimensions);
  const codes = grouped(rows);
  [...counts.values()].forEach((count, place) => add(sum, 1 + Math.log(count), codes.get(place)));
  const length = Math.hypot(...sum) || 1;
  return Array.from(sum, (value) => value / length);
};

const grouped = (rows) => {
  const found = new Map();
  for (const [place, code] of rows) found.set(place, [...(found.get(place) ?? []), code]);
  return found;
};

/** Of a part outside the vocabulary the runs' vectors and their weights are averaged apart. */
const add = (sum, share, codes) => {
  const bytes = codes.map((code) => Uint8Array.from(atob(code), (sign) => sign.charCodeAt(0)));
  const heads = bytes.map(({ buffer }) => new DataView(buffer));
  const weight = heads.reduce((all, head) => all + head.getFloat32(4, true), 0) / codes.length;
  bytes.forEach((row, at) => {
    const factor = (share * weight * heads[at].getFloat32(0, true)) / codes.length;
    const numbers = new Int8Array(row.buffer, HEAD_BYTES);
    for (let index = 0; index < sum.length; index += 1) sum[index] += factor * numbers[index];
  });
};
