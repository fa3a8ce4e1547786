// Code with its colours, and the question's words marked: lines of text, never of HTML.
import { h } from './dom.js';
import { tokenizeWith } from './colours/tokenize.js';

const OWN = ['bash', 'c', 'css', 'diff', 'go', 'html', 'ini', 'java', 'json', 'lua', 'make', 'md', 'py', 'sql', 'toml', 'ts', 'xml', 'yaml'];
const CALLED = {
  python: 'py', javascript: 'ts', typescript: 'ts', tsx: 'ts', rust: 'rs', dockerfile: 'docker', markdown: 'md',
  perl: 'pl', vue: 'html', svelte: 'html', astro: 'html', svg: 'xml', scss: 'css', less: 'css', properties: 'ini',
  cython: 'py', bazel: 'py', fish: 'bash', jsonl: 'json', json5: 'json', notebook: 'json', objc: 'c', glsl: 'c', cuda: 'c',
};
const KIN = ['cpp', 'csharp', 'kotlin', 'scala', 'swift', 'dart', 'groovy', 'php', 'proto', 'graphql', 'hcl', 'ruby', 'elixir', 'haskell', 'zig', 'pascal'];
const KIN_CALLED = { terraform: 'hcl' };
const MOST = 400_000;
const LONGEST_LINE = 5_000;
const loaded = new Map();

/** Loads what a language's colours need; nothing for one that has none. */
export async function grammar(language) {
  if (!loaded.has(language)) loaded.set(language, await found(language).catch(() => null));
  return loaded.get(language);
}

export function grammarNow(language) {
  return loaded.get(language);
}

async function found(language) {
  const kin = KIN_CALLED[language] ?? language;
  if (KIN.includes(kin)) return (await import('./colours/derived_languages.js'))[kin];
  const name = CALLED[language] ?? (OWN.includes(language) ? language : null);
  return name && (await import(`./colours/languages/${name}.js`)).default;
}

/** Pieces `[text, type]` of each line. */
export function pieces(lines, rules) {
  const rows = [[]];
  const text = lines.join('\n');
  const isTame = rules && text.length < MOST && lines.every((line) => line.length < LONGEST_LINE);
  if (!isTame) return lines.map((line) => [[line, null]]);
  tokenizeWith(text, rules, (some, type) => {
    some.split('\n').forEach((part, at) => {
      if (at) rows.push([]);
      if (part) rows.at(-1).push([part, type]);
    });
  });
  return rows;
}

/** The children of a line: its pieces, cut where marks `[start, end]` (in code points) begin and end. */
export function painted(some, marks = []) {
  const line = some.map(([text]) => text).join('');
  const cuts = marks.map(([start, end]) => [unit(line, start), unit(line, end)]);
  const children = [];
  let at = 0;
  for (const [text, type] of some) {
    for (const [part, isMarked] of cut(text, at, cuts)) children.push(leaf(part, type, isMarked));
    at += text.length;
  }
  return children;
}

/** Where the n-th character of a line begins: the server counts those beyond 65,536 as one. */
function unit(line, characters) {
  if (!/[\ud800-\udbff]/.test(line)) return characters;
  return Array.from(line).slice(0, characters).join('').length;
}

function* cut(text, at, cuts) {
  const edges = new Set([0, text.length]);
  for (const edge of cuts.flat()) if (edge > at && edge < at + text.length) edges.add(edge - at);
  const order = [...edges].sort((one, other) => one - other);
  for (let i = 1; i < order.length; i += 1) {
    const [first, last] = [order[i - 1], order[i]];
    yield [text.slice(first, last), cuts.some(([start, end]) => start <= at + first && at + last <= end)];
  }
}

function leaf(text, type, isMarked) {
  if (!type && !isMarked) return text;
  return isMarked ? h('mark', null, text) : h('span', { class: `t-${type}` }, text);
}
