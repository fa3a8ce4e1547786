// Of which parts does the static model take a text to be made? `static_tokens.py` says the same.

const WORD_LIMIT = 500;
const PART_LIMIT = 24;
const WORD = /[A-Za-z0-9\u0080-\u{10ffff}]+/gu;
const PART = /[A-Z]+(?![a-z\u0080-\u{10ffff}])|[A-Z]?[a-z\u0080-\u{10ffff}]+|[0-9]+/gu;

const fold = (sign) => {
  if (sign <= "\x7f") return sign;
  let kept = "";
  for (const one of sign.normalize("NFKD")) {
    if (one <= "\x7f") kept += one;
    else if (/[\p{L}\p{N}]/u.test(one)) kept += one.toLowerCase();
    else if (!/\p{M}/u.test(one)) kept += " ";
  }
  return kept;
};

const cut = (text, limit) => (text.length > limit ? [...text].slice(0, limit).join("") : text);

const pieces = (part) => {
  const signs = [...part];
  if (signs.length < 2 || !/\p{Lo}/u.test(part)) return [part];
  return signs.slice(1).map((sign, at) => signs[at] + sign);
};

/** The words of the text, folded beyond ASCII, not yet parted. */
export const words = (text) => Array.from(text, fold).join("").match(WORD) ?? [];

/** The parts of one of `words`. */
export const parts = (word) =>
  (cut(word, WORD_LIMIT).match(PART) ?? [])
    .map((part) => cut(part.toLowerCase(), PART_LIMIT))
    .flatMap(pieces);

/** The runs of 3 and of 5 code points in `<part>`. */
export const grams = (part) => {
  const framed = ["<", ...part, ">"];
  return [3, 5].flatMap((size) =>
    framed.slice(size - 1).map((_, at) => framed.slice(at, at + size).join("")),
  );
};

/** FNV-1a, 32 bits, of the text in UTF-8. */
export const fnv1a = (text) => {
  let digest = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) {
    digest = Math.imul(digest ^ byte, 0x01000193) >>> 0;
  }
  return digest;
};
