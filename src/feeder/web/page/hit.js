// One hit: where it is, what it is called, the lines that answer, and why it is there.
import { fileLink, link } from './url_state.js';
import { announce, count, h } from './dom.js';
import { grammar, grammarNow, painted, pieces } from './highlighting.js';
import { documentLink, editorLink, webLink } from './links.js';

const WAYS = [['name_rank', 'name'], ['word_rank', 'words'], ['line_rank', 'description'], ['meaning_rank', 'meaning'], ['vector_rank', 'vectors']];
const WHOLE = 20_000;
const STATES = {
  moved: (hit) => `moved from ${hit.indexed_lines?.join('–')}`,
  edited: () => 'edited since it was indexed',
  unsure: () => 'the file is edited since: these may be other lines',
  gone: () => 'no longer there',
  'no file': () => 'not in the working tree any more',
  unread: () => 'a document, whose text is read where headfeed[documents] is installed',
  elsewhere: (hit) => `in ${hit.repo}`,
};

/** The hit as an element of a list. */
export function hitItem(hit) {
  const item = h('li', { class: 'hit', 'data-place': `${hit.path}:${hit.start_line}` },
    title(hit), hit.description ? h('p', { class: 'described' }, hit.description) : null, lines(hit), foot(hit));
  return item;
}

function title(hit) {
  const state = STATES[hit.state]?.(hit);
  return h('h2', null,
    h('a', { href: fileLink(hit.path, hit.start_line, hit.end_line), class: 'opens' }, `${hit.path}:${hit.start_line}`),
    hit.symbol || hit.logical_path ? h('span', { class: 'name' }, hit.symbol ?? hit.logical_path) : null,
    h('span', { class: 'kind' }, hit.node_type.replaceAll('_', ' ')),
    state && h('span', { class: 'state' }, state));
}

function lines(hit) {
  const shown = hit.window;
  if (!shown) return h('p', { class: 'gone' }, hit.signature ?? 'There are no lines to show here.');
  const block = h('div', { class: 'code', tabindex: '0', role: 'group', 'aria-label': `Lines of ${hit.path}` });
  const parts = shown.head ? [shown.head, shown] : [shown];
  const draw = (rules) => block.replaceChildren(...parts.flatMap((part, at) => rows(part, at, hit, rules)), below(shown));
  draw(grammarNow(hit.language));
  if (grammarNow(hit.language) === undefined) grammar(hit.language).then((rules) => rules && draw(rules));
  return block;
}

function rows(part, at, hit, rules) {
  const gap = at ? [h('div', { class: 'gap' }, '…')] : [];
  return [...gap, ...coloured(part, hit, rules).map((some, row) => {
    const number = part.start_line + row;
    const marks = hit.window.marks.filter(([line]) => line === number).map(([, start, end]) => [start, end]);
    return codeRow(number, painted(some, marks));
  })];
}

/** By the whole node where that is short: its middle may be that of a text or a comment. */
function coloured(part, hit, rules) {
  const all = hit.text?.length < WHOLE ? hit.text.split('\n') : [];
  const from = part.start_line - hit.start_line;
  const isThere = part.lines.every((line, row) => line === all[from + row]);
  return isThere ? pieces(all, rules).slice(from, from + part.lines.length) : pieces(part.lines, rules);
}

function codeRow(number, children) {
  return h('div', { class: 'row' }, h('span', { class: 'number' }, number), h('span', { class: 'text' }, children));
}

function below(shown) {
  return shown.below ? h('div', { class: 'gap' }, `… ${count(shown.below, 'line')} more`) : '';
}

function foot(hit) {
  const place = `${hit.path}:${hit.start_line}`;
  return h('footer', null,
    h('span', { class: 'why' }, why(hit)),
    hit.state === 'elsewhere' ? null : h('a', { href: link({ similar: hit.id }) }, 'Similar'),
    h('button', { type: 'button', click: () => copy(place) }, `Copy place`, h('span', { class: 'hidden' }, ` ${place}`)),
    itself(hit),
    outward(webLink(hit.path, hit.start_line, hit.end_line), 'On the web'));
}

/** Of a document the lines are not those of the file: no editor goes there. */
function itself(hit) {
  const paper = hit.state === 'elsewhere' ? null : documentLink(hit.path, hit.logical_path);
  if (paper) return h('a', { href: paper.href, target: '_blank', rel: 'noreferrer' }, paper.text);
  return outward(editorLink(hit.path, hit.start_line), 'Open in editor');
}

function outward(href, text) {
  return href && h('a', { href, rel: 'noreferrer' }, text);
}

/** By what it was found, and what else there is of it. */
export function why(hit) {
  const ways = WAYS.filter(([key]) => hit[key]).map(([key, name]) => `${name} ${hit[key]}`);
  const found = ways.length ? `Rank by ${ways.join(', ')}` : 'Listed by path';
  const pieces_ = hit.piece ? `; ${hit.piece.matching} of ${hit.piece.of} parts` : '';
  const copies = hit.copies?.length ? `; and ${hit.copies.length} more with the same text` : '';
  return found + pieces_ + copies;
}

/** Puts `path:line` where it can be pasted from. */
export async function copy(place) {
  try {
    await navigator.clipboard.writeText(place);
    announce(`Copied ${place}`);
  } catch {
    announce(`The browser does not let a page copy. It is ${place}`);
  }
}
