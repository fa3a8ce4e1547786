// Computes a query's static vector in a Worker, from the model's file.

import { fnv1a, ngrams, splitTokens, splitWords } from "./static_tokenizer.mjs";

const MAX_TOKENS = 1000;
const HEADER_BYTES = 64;
const NUMBER_BYTES = 4;
/** Columns of float32 before the codes: scales, weights in names, weights in queries. */
const COLUMNS = 3;

/** Reads the layout of the model's file, an ArrayBuffer; its words are decoded, its numbers stay in the file. */
export const readModel = (file) => {
  const number = (at) => new DataView(file, 0, HEADER_BYTES).getUint32(at, true);
  const dimensions = number(12);
  const words = number(16);
  const buckets = number(20);
  const rows = words + buckets;
  const column = (place) => new Float32Array(file, HEADER_BYTES + place * NUMBER_BYTES * rows, rows);
  const codesAt = HEADER_BYTES + COLUMNS * NUMBER_BYTES * rows;
  const wordsAt = codesAt + rows * dimensions;
  return {
    dimensions,
    words,
    buckets,
    scales: column(0),
    queryWeights: column(2),
    codes: new Int8Array(file, codesAt, rows * dimensions),
    wordList: `\n${new TextDecoder().decode(new Uint8Array(file, wordsAt, number(24)))}\n`,
  };
};

/** Returns the unit vector of a text, zeros if no token of it is a word of the vocabulary. */
export const queryVector = (text, model) => {
  const sum = new Float64Array(model.dimensions);
  const counts = countTokens(text);
  const found = new Map(Array.from(counts.keys(), (token) => [token, wordRow(token, model)]));
  if (![...found.values()].some((row) => row !== null)) return Array.from(sum);
  for (const [token, count] of counts) addToken(sum, 1 + Math.log(count), rowsOf(token, found.get(token), model), model);
  const length = Math.hypot(...sum) || 1;
  return Array.from(sum, (value) => value / length);
};

/** Counts each token among the first thousand of a text. */
const countTokens = (text) => {
  const counts = new Map();
  for (const token of splitWords(text).flatMap(splitTokens).slice(0, MAX_TOKENS)) {
    counts.set(token, (counts.get(token) ?? 0) + 1);
  }
  return counts;
};

/** Returns the row of a word of the vocabulary; null for another token. */
const wordRow = (token, { wordList }) => {
  const at = wordList.indexOf(`\n${token}\n`);
  if (at < 0) return null;
  let row = 0;
  for (let end = wordList.indexOf("\n"); end < at; end = wordList.indexOf("\n", end + 1)) row += 1;
  return row;
};

/** Returns the row of a word, or those of the n-grams of another token. */
const rowsOf = (token, row, { words, buckets }) =>
  row === null ? ngrams(token).map((ngram) => words + (fnv1a(ngram) % buckets)) : [row];

/** Adds a token's weighted vector; of several rows, vectors and weights are averaged. */
const addToken = (sum, share, rows, { scales, queryWeights, codes }) => {
  const total = rows.reduce((weight, row) => weight + queryWeights[row], 0);
  for (const row of rows) {
    const factor = (share * (total / rows.length) * scales[row]) / rows.length;
    const start = row * sum.length;
    for (let index = 0; index < sum.length; index += 1) sum[index] += factor * codes[start + index];
  }
};
