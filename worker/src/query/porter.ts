/** The Porter stemmer, exactly as in SQLite's FTS5. */

/** The shortest and longest word, in bytes, that is stemmed. */
const MIN_BYTES = 3;
const MAX_BYTES = 64;

type Rule = readonly [ending: string, becomes: string];

// in each step only the first rule whose suffix the word has is tried
const STEP_2: Rule[] = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["logi", "log"],
  ["bli", "ble"],
  ["alli", "al"],
  ["entli", "ent"],
  ["eli", "e"],
  ["ousli", "ous"],
  ["ization", "ize"],
  ["ation", "ate"],
  ["ator", "ate"],
  ["alism", "al"],
  ["iveness", "ive"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["biliti", "ble"],
];
const STEP_3: Rule[] = [
  ["ical", "ic"],
  ["ness", ""],
  ["icate", "ic"],
  ["iciti", "ic"],
  ["ful", ""],
  ["ative", ""],
  ["alize", "al"],
];
const STEP_4 =
  "al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize".split(" ");

/** Stems a word in lower case. */
export function porter(word: string): string {
  // lengths count UTF-8 bytes; a word that ends beyond ASCII has no suffix to remove
  if (!(word.charCodeAt(word.length - 1) < 0x80)) return word;
  const bytes = toBytes(word);
  if (bytes.length < MIN_BYTES || bytes.length > MAX_BYTES) return word;
  const stem = step5(step4(step(step(step1(bytes), STEP_2), STEP_3)));
  return stem === bytes ? word : fromBytes(stem);
}

/** The UTF-8 bytes as one character each. */
function toBytes(word: string): string {
  if (/^[\0-\x7f]*$/.test(word)) return word;
  return String.fromCharCode(...new TextEncoder().encode(word).slice(0, MAX_BYTES + 1));
}

function fromBytes(bytes: string): string {
  if (/^[\0-\x7f]*$/.test(bytes)) return bytes;
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}

/** Step 1: plurals, `ed`, `ing` and a final `y`. */
function step1(word: string): string {
  const stem = removeEdOrIng(singular(word));
  const isI = stem.endsWith("y") && hasVowel(stem.slice(0, -1));
  return isI ? `${stem.slice(0, -1)}i` : stem;
}

function singular(word: string): string {
  if (!word.endsWith("s")) return word;
  if (!word.endsWith("es")) return word.endsWith("ss") ? word : word.slice(0, -1);
  const isLong = ends(word, "sses") || ends(word, "ies");
  return word.slice(0, isLong ? -2 : -1);
}

function removeEdOrIng(word: string): string {
  if (ends(word, "eed")) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const ending = ["ed", "ing"].find((end) => ends(word, end)) ?? "";
  const stem = word.slice(0, word.length - ending.length);
  return ending && hasVowel(stem) ? restoreStem(stem) : word;
}

/** Restores a stem after `ed` or `ing`: `hopp` → `hop`, `relat` → `relate`, `fil` → `file`. */
function restoreStem(stem: string): string {
  if (["at", "bl", "iz"].some((end) => ends(stem, end))) return `${stem}e`;
  const last = stem.at(-1) ?? "";
  if (last === stem.at(-2) && !"aeioulsz".includes(last)) return stem.slice(0, -1);
  return measure(stem) === 1 && isShort(stem) ? `${stem}e` : stem;
}

function step(word: string, rules: Rule[]): string {
  const [ending, replacement] = rules.find(([end]) => ends(word, end)) ?? ["", ""];
  const stem = word.slice(0, word.length - ending.length);
  return ending && measure(stem) > 0 ? stem + replacement : word;
}

function step4(word: string): string {
  const ending = STEP_4.find((end) => ends(word, end)) ?? "";
  const stem = word.slice(0, word.length - ending.length);
  const isAllowed = ending !== "ion" || "st".includes(stem.at(-1) ?? "");
  return ending && isAllowed && measure(stem) > 1 ? stem : word;
}

/** Step 5: removes a final `e`, and one of two final `l`. */
function step5(word: string): string {
  const stem = word.slice(0, -1);
  const size = word.endsWith("e") ? measure(stem) : 0;
  const stripped = size > 1 || (size === 1 && !isShort(stem)) ? stem : word;
  return stripped.endsWith("ll") && measure(stripped.slice(0, -1)) > 1 ? stripped.slice(0, -1) : stripped;
}

/** Returns true if the word is longer than the suffix and ends with it. */
function ends(word: string, ending: string): boolean {
  return word.length > ending.length && word.endsWith(ending);
}

function isVowel(letter: string, isAfterConsonant: boolean): boolean {
  return "aeiou".includes(letter) || (letter === "y" && isAfterConsonant);
}

/** The letters as `v` (vowel) or `c` (consonant). */
function shape(word: string): string {
  let letters = "";
  for (const letter of word) letters += isVowel(letter, letters.endsWith("c")) ? "v" : "c";
  return letters;
}

/** The measure of a stem: the number of vowel-consonant sequences. */
function measure(word: string): number {
  return shape(word).split("vc").length - 1;
}

/** Returns true if the word ends in consonant, vowel, consonant, as `hop`. */
function isShort(word: string): boolean {
  return shape(word).endsWith("cvc") && !"wxy".includes(word.at(-1) ?? "");
}

function hasVowel(word: string): boolean {
  return /[aeiou]|.y/s.test(word);
}
