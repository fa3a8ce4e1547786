// A hit: its location, name, snippet and links, and why it was found.
import { fileLink, link } from './url_state.js';
import { request } from './api_client.js';
import { count, cutPath, cutSymbol, fileName, h, notify } from './dom.js';
import { grammar, highlightedLine, loadedGrammar, tokenLines } from './highlighting.js';
import { relationsLink } from './relations.js';
import { documentForm, editorLink, supports, webLink } from './links.js';

const RANKS = [['name_rank', 'name'], ['word_rank', 'words'], ['line_rank', 'description'], ['meaning_rank', 'meaning'], ['vector_rank', 'vectors']];
const SHOWN_OF_FILE = 2;
const MIN_SHOWN = 8;
// of a hit below the first one, so that a window shows six or more
const SHOWN_LINES = 3;
const MAX_NODE_CHARS = 20_000;
const MAX_CELLS = 4_000_000;
const TYPES = { '-': 'removed', '+': 'added' };
const STATES = {
  moved: (hit) => `moved from ${hit.indexed_lines?.join('–')}`,
  edited: () => 'edited since it was indexed',
  unsure: () => 'the file has changed since: these may be other lines',
  gone: () => 'deleted',
  'no file': () => 'not in the working tree',
  unread: () => 'a document that needs the extra documents',
  elsewhere: (hit) => `in ${hit.repo}`,
};

/** The list items of hits, grouped by file; further ones of a file are folded. The best hit shows more lines. */
export function hitItems(hits, target, best) {
  const item = (hit) => hitItem(hit, target, hit === best);
  const byFile = Map.groupBy(hits, (hit) => `${hit.repo} ${hit.path}`);
  if (byFile.size === 1) return hits.map(item);
  const shown = Math.max(SHOWN_OF_FILE, Math.ceil(MIN_SHOWN / byFile.size));
  return [...byFile.values()].flatMap((ofFile) => {
    const rest = ofFile.slice(shown);
    return [...ofFile.slice(0, shown).map(item), rest.length ? folded(rest, item) : null];
  });
}

function folded(hits, item) {
  const [{ path }] = hits;
  return h('li', { class: 'folded' }, h('details', null,
    h('summary', null, `${count(hits.length, 'more hit')} in ${fileName(path)}`), h('ol', { class: 'hits' }, hits.map(item))));
}

function hitItem(hit, target, isBest) {
  const { block, button } = snippet(hit, isBest);
  return h('li', { class: 'hit', 'data-place': `${hit.path}:${hit.start_line}` },
    title(hit), actions(hit, target, button), hit.description ? h('p', { class: 'described' }, hit.description) : null, block);
}

function title(hit) {
  const state = STATES[hit.state]?.(hit);
  const place = `${hit.path}:${hit.start_line}`;
  return h('h2', null,
    hit.symbol || hit.logical_path ? name(hit) : null,
    h('span', { class: 'kind' }, hit.node_type.replaceAll('_', ' ')),
    h('a', { href: fileLink(hit.path, hit.start_line, hit.end_line), class: 'opens', 'aria-label': place, title: place }, cutPath(hit.path), `:${hit.start_line}`),
    state && h('span', { class: 'state' }, state));
}

function name(hit) {
  if (!hit.symbol) return h('span', { class: 'name' }, h('b', null, hit.logical_path));
  return h('span', { class: 'name', title: hit.symbol }, cutSymbol(hit.symbol));
}

function snippet(hit, isBest) {
  const shown = hit.window;
  if (!shown) return { block: h('p', { class: 'gone' }, hit.signature ?? 'No lines to show.') };
  const block = h('div', { class: 'code', tabindex: '0', role: 'group', 'aria-label': `Lines of ${hit.path}` });
  const all = [shown.head, shown, ...shown.more].filter(Boolean).sort((one, other) => one.start_line - other.start_line);
  let parts = isBest ? all : [bestLines(all, shown.marks)];
  const draw = (rules) => block.replaceChildren(...isBest ? declaration(hit, parts, rules) : [], ...parts.flatMap((part, i) => rows(part, i, hit, rules)));
  const expand = async () => {
    const [whole] = (await request('node', { id: hit.id }).catch(() => ({ hits: [] }))).hits;
    if (!whole?.window) return;
    parts = [whole.window];
    draw(loadedGrammar(hit.language));
    button.remove();
    block.focus();
  };
  const total = hit.end_line - hit.start_line + 1;
  const isCut = parts.reduce((sum, { lines }) => sum + lines.length, 0) < total;
  const button = isCut ? h('button', { type: 'button', class: 'quiet', click: expand }, `All ${total.toLocaleString('en')} lines`) : null;
  draw(loadedGrammar(hit.language));
  if (loadedGrammar(hit.language) === undefined) grammar(hit.language).then((rules) => rules && draw(rules));
  return { block, button };
}

function bestLines(parts, marks) {
  let best = { words: -1 };
  for (const { start_line: start, lines } of parts) {
    for (let at = 0; at === 0 || at + SHOWN_LINES <= lines.length; at += 1) {
      const isIn = ([line]) => line >= start + at && line < start + at + SHOWN_LINES;
      const marked = marks.filter(isIn).map(([line, from, to]) => Array.from(lines[line - start] ?? '').slice(from, to).join('').toLowerCase());
      const words = new Set(marked).size;
      if (words > best.words) best = { words, start_line: start + at, lines: lines.slice(at, at + SHOWN_LINES) };
    }
  }
  return best;
}

/** The signature, where no line of the declaration is shown, as below a long comment. */
function declaration({ symbol, signature }, parts, rules) {
  const isOf = (line) => line && (signature.startsWith(line) || line.startsWith(signature));
  if (!symbol || !signature || parts.some(({ lines }) => lines.some((line) => isOf(line.trim().replace(/\s+/g, ' '))))) return [];
  return [h('div', { class: 'row' }, h('span', { class: 'number' }), h('span', { class: 'text' }, highlightedLine(tokenLines([signature], rules)[0]))), h('div', { class: 'gap' }, '…')];
}

function rows(part, i, hit, rules) {
  const gap = i ? [h('div', { class: 'gap' }, '…')] : [];
  return [...gap, ...partTokens(part, hit, rules).map((tokens, row) => {
    const number = part.start_line + row;
    const marks = hit.window.marks.filter(([line]) => line === number).map(([, start, end]) => [start, end]);
    return codeRow(hit.path, number, highlightedLine(tokens, marks));
  })];
}

/** A part may begin within a string or comment: lines above count too if they are few. */
function partTokens(part, hit, rules) {
  const from = part.start_line - hit.start_line;
  const above = hit.text?.split('\n', from + part.lines.length) ?? [];
  const isUnchanged = from >= 0 && part.lines.every((line, row) => line === above[from + row]);
  const isShort = above.reduce((chars, line) => chars + line.length, 0) < MAX_NODE_CHARS;
  return isUnchanged && isShort ? tokenLines(above, rules).slice(from) : tokenLines(part.lines, rules);
}

export function codeRow(path, number, children, id, click) {
  return h('div', { class: 'row', id }, h('a', { class: 'number', href: fileLink(path, number), tabindex: '-1', 'aria-label': id ? `Line ${number}` : `Line ${number} of ${fileName(path)}`, click }, number), h('span', { class: 'text' }, children));
}

function compareButton(hit, target) {
  const name = `${fileName(hit.path)}:${hit.start_line}`;
  const compare = (event) => {
    const item = event.currentTarget.closest('.hit');
    const shown = item.querySelector('.diff');
    event.currentTarget.setAttribute('aria-expanded', !shown);
    if (shown) shown.remove();
    else item.append(h('div', { class: 'diff' }, diffBlock(target.text, hit.text, `Differences between ${target.path}:${target.start_line} and ${name}`)));
  };
  return h('button', { type: 'button', 'aria-expanded': 'false', click: compare }, 'Compare', h('span', { class: 'hidden' }, ` with ${name}`));
}

function actions(hit, target, button) {
  const place = `${hit.path}:${hit.start_line}`;
  const of = ` ${fileName(hit.path)}:${hit.start_line}`;
  return h('div', { class: 'actions' },
    h('span', { class: 'why' }, why(hit)), button,
    target?.text && hit.text ? compareButton(hit, target) : null,
    hit.state === 'elsewhere' ? null : h('a', { href: link({ similar: hit.id }) }, 'Similar', h('span', { class: 'hidden' }, ` to${of}`)),
    hit.symbol && hit.state !== 'elsewhere' && supports('relations') ? h('a', { href: relationsLink(hit.path, hit.start_line, hit.end_line) }, 'Relations', h('span', { class: 'hidden' }, ` of ${hit.symbol}`)) : null,
    h('button', { type: 'button', click: () => copy(place) }, 'Copy', h('span', { class: 'hidden' }, ` location ${place}`)),
    openLink(hit, of),
    externalLink(webLink(hit.path, hit.start_line, hit.end_line), 'On the web', of));
}

function openLink(hit, of) {
  const form = hit.state === 'elsewhere' ? null : documentForm(hit.path, hit.logical_path);
  return form ?? externalLink(editorLink(hit.path, hit.start_line), 'Open', ` in editor${of}`);
}

function externalLink(href, text, of) {
  return href && h('a', { href, rel: 'noreferrer' }, text, h('span', { class: 'hidden' }, of));
}

/** The lines of both texts as `[sign, line]`: ` ` in both, `-` in the first, `+` in the second only. */
function lineDiff(first, second) {
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

function diffBlock(first, second, label) {
  return h('div', { class: 'code', tabindex: '0', role: 'group', 'aria-label': label }, lineDiff(first, second).map(([sign, line]) => (
    h('div', { class: `row ${TYPES[sign] ?? ''}` }, h('span', { class: 'number' }, sign), h('span', { class: 'text' }, line)))));
}

export function why(hit) {
  const ranks = RANKS.filter(([key]) => hit[key]).map(([key, name]) => `${name} ${hit[key]}`);
  const reason = ranks.length ? `Rank by ${ranks.join(', ')}` : 'Listed by path';
  const parts = hit.piece ? `; ${hit.piece.matching} of ${hit.piece.of} parts` : '';
  const copies = hit.copies.length ? `; and ${hit.copies.length} more with the same text` : '';
  return reason + parts + copies;
}

export async function copy(place, name = place) {
  const isCopied = await navigator.clipboard?.writeText(place).then(() => true, () => false) ?? copyWithoutClipboard(place);
  notify(isCopied ? `Copied ${name}` : `The browser does not allow copying${place === name ? `. The location is ${place}` : ''}`);
}

/** Copies a text where the clipboard interface is off, as without TLS. */
function copyWithoutClipboard(text) {
  const field = h('textarea', { class: 'hidden' });
  field.value = text;
  const focused = document.activeElement;
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  focused.focus({ preventScroll: true });
  return isCopied;
}
