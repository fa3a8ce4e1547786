// Tokenizer of the static model for the Worker: the same as `static_tokenizer.py`.

const MAX_WORD_CHARS = 500;
const MAX_TOKEN_CHARS = 24;
const WORD = /[A-Za-z0-9\u0080-\u{10ffff}]+/gu;
const TOKEN = /[A-Z]+(?![a-z\u0080-\u{10ffff}])|[A-Z]?[a-z\u0080-\u{10ffff}]+|[0-9]+/gu;

const fold = (character) => {
  if (character <= "\x7f") return character;
  let folded = "";
  for (const one of character.normalize("NFKD")) {
    if (one <= "\x7f") folded += one;
    else if (/[\p{L}\p{N}]/u.test(one)) folded += one.toLowerCase();
    else if (!/\p{M}/u.test(one)) folded += " ";
  }
  return folded;
};

const cut = (text, limit) => (text.length > limit ? [...text].slice(0, limit).join("") : text);

const splitCaseless = (token) => {
  const characters = [...token];
  if (characters.length < 2 || !/\p{Lo}/u.test(token)) return [token];
  return characters.slice(1).map((character, at) => characters[at] + character);
};

/** Splits a text into words, with characters beyond ASCII folded. */
export const splitWords = (text) => Array.from(text, fold).join("").match(WORD) ?? [];

/** Splits a word of `splitWords` into lowercase tokens. */
export const splitTokens = (word) =>
  (cut(word, MAX_WORD_CHARS).match(TOKEN) ?? [])
    .map((token) => cut(token.toLowerCase(), MAX_TOKEN_CHARS))
    .flatMap(splitCaseless);

/** Returns the n-grams of `<token>`, those of 3 code points first. */
export const ngrams = (token) => {
  const framed = ["<", ...token, ">"];
  return [3, 5].flatMap((size) =>
    framed.slice(size - 1).map((_, at) => framed.slice(at, at + size).join("")),
  );
};

/** Returns the 32-bit FNV-1a hash of a text in UTF-8. */
export const fnv1a = (text) => {
  let digest = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) {
    digest = Math.imul(digest ^ byte, 0x01000193) >>> 0;
  }
  return digest;
};
