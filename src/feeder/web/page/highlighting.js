// Syntax highlighting of code, with the query's words marked. Text is never parsed as HTML.
import { h } from './dom.js';

// names of the index's languages whose rules have another name
const ALIASES = {
  python: 'py', javascript: 'ts', typescript: 'ts', tsx: 'ts', rust: 'rs', dockerfile: 'docker', markdown: 'md',
  perl: 'pl', vue: 'html', svelte: 'html', astro: 'html', svg: 'xml', scss: 'css', less: 'css', properties: 'ini', terraform: 'hcl',
  cython: 'py', bazel: 'py', fish: 'bash', jsonl: 'json', json5: 'json', notebook: 'json', objc: 'c', glsl: 'c', cuda: 'c',
};
const MAX_CHARS = 400_000;
const MAX_LINE_CHARS = 5_000;
const loaded = new Map();
let tokenizeWith;

export async function grammar(language) {
  if (!loaded.has(language)) loaded.set(language, await load(language).catch(() => null));
  return loaded.get(language);
}

export function loadedGrammar(language) {
  return loaded.get(language);
}

async function load(language) {
  const languages = await import('./colours/languages.js');
  ({ tokenizeWith } = languages);
  return languages[ALIASES[language] ?? language] ?? null;
}

/** The tokens `[text, type]` of each line. */
export function tokenLines(lines, rules) {
  const rows = [[]];
  const text = lines.join('\n');
  const isHighlighted = rules && text.length < MAX_CHARS && lines.every((line) => line.length < MAX_LINE_CHARS);
  if (!isHighlighted) return lines.map((line) => [[line, null]]);
  tokenizeWith(text, rules, (token, type) => {
    token.split('\n').forEach((part, i) => {
      if (i) rows.push([]);
      if (part) rows.at(-1).push([part, type]);
    });
  });
  return rows;
}

/** The DOM nodes of a line: its tokens, split at marks `[start, end]`, which count code points. */
export function highlightedLine(tokens, marks = []) {
  const line = tokens.map(([text]) => text).join('');
  const ranges = marks.map(([start, end]) => [utf16Offset(line, start), utf16Offset(line, end)]);
  const children = [];
  let at = 0;
  for (const [text, type] of tokens) {
    for (const [part, isMarked] of splitAtMarks(text, at, ranges)) children.push(tokenNode(part, type, isMarked));
    at += text.length;
  }
  return children;
}

function utf16Offset(line, characters) {
  if (!/[\ud800-\udbff]/.test(line)) return characters;
  return Array.from(line).slice(0, characters).join('').length;
}

function* splitAtMarks(text, at, ranges) {
  const edges = new Set([0, text.length]);
  for (const edge of ranges.flat()) if (edge > at && edge < at + text.length) edges.add(edge - at);
  const order = [...edges].sort((a, b) => a - b);
  for (let i = 1; i < order.length; i += 1) {
    const [first, last] = [order[i - 1], order[i]];
    yield [text.slice(first, last), ranges.some(([start, end]) => start <= at + first && at + last <= end)];
  }
}

function tokenNode(text, type, isMarked) {
  if (!type && !isMarked) return text;
  return isMarked ? h('mark', null, text) : h('span', { class: `t-${type}` }, text);
}
