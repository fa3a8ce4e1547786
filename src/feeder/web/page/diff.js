// The difference between the texts of two nodes, line by line (longest common subsequence).
import { h } from './dom.js';

const MAX_CELLS = 4_000_000;

/** The lines of both texts as `[sign, line]`: ` ` in both, `-` in the first, `+` in the second only. */
export function lineDiff(first, second) {
  const [a, b] = [first.split('\n'), second.split('\n')];
  if (a.length * b.length > MAX_CELLS) return [...a.map((line) => ['-', line]), ...b.map((line) => ['+', line])];
  const width = b.length + 1;
  // common[i * width + j]: lines that a from i and b from j have in common
  const common = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const at = i * width + j;
      common[at] = a[i] === b[j] ? common[at + width + 1] + 1 : Math.max(common[at + width], common[at + 1]);
    }
  }
  const rows = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) { rows.push([' ', a[i]]); i += 1; j += 1; }
    else if (j === b.length || (i < a.length && common[(i + 1) * width + j] >= common[i * width + j + 1])) { rows.push(['-', a[i]]); i += 1; }
    else { rows.push(['+', b[j]]); j += 1; }
  }
  return rows;
}

const TYPES = { '-': 'removed', '+': 'added' };

export function diffBlock(first, second, label) {
  return h('div', { class: 'code', tabindex: '0', role: 'group', 'aria-label': label }, lineDiff(first, second).map(([sign, line]) => (
    h('div', { class: `row ${TYPES[sign] ?? ''}` }, h('span', { class: 'number' }, sign), h('span', { class: 'text' }, line)))));
}
