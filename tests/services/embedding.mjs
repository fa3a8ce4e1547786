/** Vectors from words: the same text has the same vector, texts that share words are near. */

const WORD = /[\p{L}\p{N}_]+/gu;
const PLACES_A_WORD = 4;

// Words decide; the noise only fills every place, so that a body is as long as a real one.
const NOISE = 0.02;

/** A unit vector; `salt` tells models (and a query's instruction) apart. */
export function embed(text, dimensions, salt) {
  const vector = noise(`${salt}:${text}`, dimensions);
  const words = text.toLowerCase().match(WORD) ?? [text];
  for (const word of [...words, salt]) addWord(vector, word);
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return Array.from(vector, (value) => Math.round((value / length) * 1e8) / 1e8);
}

function addWord(vector, word) {
  for (let place = 0; place < PLACES_A_WORD; place += 1) {
    const hash = fnv1a(`${place}:${word}`);
    // The lowest bit is the sign, so it has no say in the place.
    vector[(hash >>> 1) % vector.length] += hash & 1 ? 1 : -1;
  }
}

function noise(seed, dimensions) {
  let state = fnv1a(seed) | 1;
  return Float64Array.from({ length: dimensions }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state / 0x80000000) * NOISE;
  });
}

function fnv1a(text) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  }
  return hash;
}
