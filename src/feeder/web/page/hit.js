// A hit: its location, name, snippet and links, and why it was found.
import { fileLink, link } from './url_state.js';
import { announce, count, h } from './dom.js';
import { grammar, highlightedLine, loadedGrammar, tokenLines } from './highlighting.js';
import { documentLink, editorLink, webLink } from './links.js';

const RANKS = [['name_rank', 'name'], ['word_rank', 'words'], ['line_rank', 'description'], ['meaning_rank', 'meaning'], ['vector_rank', 'vectors']];
const MAX_NODE_CHARS = 20_000;
const STATES = {
  moved: (hit) => `moved from ${hit.indexed_lines?.join('–')}`,
  edited: () => 'edited since it was indexed',
  unsure: () => 'the file has changed since: these may be other lines',
  gone: () => 'deleted',
  'no file': () => 'not in the working tree',
  unread: () => 'a document: install headfeed[documents] to read its text',
  elsewhere: (hit) => `in ${hit.repo}`,
};

/** The list item of a hit. */
export function hitItem(hit) {
  return h('li', { class: 'hit', 'data-place': `${hit.path}:${hit.start_line}` },
    title(hit), hit.description ? h('p', { class: 'described' }, hit.description) : null, snippet(hit), footer(hit));
}

function title(hit) {
  const state = STATES[hit.state]?.(hit);
  return h('h2', null,
    h('a', { href: fileLink(hit.path, hit.start_line, hit.end_line), class: 'opens' }, `${hit.path}:${hit.start_line}`),
    hit.symbol || hit.logical_path ? h('span', { class: 'name' }, hit.symbol ?? hit.logical_path) : null,
    h('span', { class: 'kind' }, hit.node_type.replaceAll('_', ' ')),
    state && h('span', { class: 'state' }, state));
}

function snippet(hit) {
  const shown = hit.window;
  if (!shown) return h('p', { class: 'gone' }, hit.signature ?? 'No lines to show.');
  const block = h('div', { class: 'code', tabindex: '0', role: 'group', 'aria-label': `Lines of ${hit.path}` });
  const parts = [shown.head, shown, ...(shown.more ?? [])].filter(Boolean).sort((one, other) => one.start_line - other.start_line);
  const draw = (rules) => block.replaceChildren(...parts.flatMap((part, i) => rows(part, i, hit, rules)), remaining(shown));
  draw(loadedGrammar(hit.language));
  if (loadedGrammar(hit.language) === undefined) grammar(hit.language).then((rules) => rules && draw(rules));
  return block;
}

function rows(part, i, hit, rules) {
  const gap = i ? [h('div', { class: 'gap' }, '…')] : [];
  return [...gap, ...partTokens(part, hit, rules).map((tokens, row) => {
    const number = part.start_line + row;
    const marks = hit.window.marks.filter(([line]) => line === number).map(([, start, end]) => [start, end]);
    return codeRow(number, highlightedLine(tokens, marks));
  })];
}

/** Tokens of a short node are those of all its text: a part may begin within a string or comment. */
function partTokens(part, hit, rules) {
  const all = hit.text?.length < MAX_NODE_CHARS ? hit.text.split('\n') : [];
  const from = part.start_line - hit.start_line;
  const isUnchanged = part.lines.every((line, row) => line === all[from + row]);
  return isUnchanged ? tokenLines(all, rules).slice(from, from + part.lines.length) : tokenLines(part.lines, rules);
}

function codeRow(number, children) {
  return h('div', { class: 'row' }, h('span', { class: 'number' }, number), h('span', { class: 'text' }, children));
}

function remaining(shown) {
  return shown.below ? h('div', { class: 'gap' }, `… ${count(shown.below, 'line')} more`) : '';
}

function footer(hit) {
  const place = `${hit.path}:${hit.start_line}`;
  return h('footer', null,
    h('span', { class: 'why' }, why(hit)),
    hit.state === 'elsewhere' ? null : h('a', { href: link({ similar: hit.id }) }, 'Similar'),
    h('button', { type: 'button', click: () => copy(place) }, 'Copy location', h('span', { class: 'hidden' }, ` ${place}`)),
    openLink(hit),
    externalLink(webLink(hit.path, hit.start_line, hit.end_line), 'On the web'));
}

/** The link to a document or, for other files, to an editor. */
function openLink(hit) {
  const document_ = hit.state === 'elsewhere' ? null : documentLink(hit.path, hit.logical_path);
  if (document_) return h('a', { href: document_.href, target: '_blank', rel: 'noreferrer' }, document_.text);
  return externalLink(editorLink(hit.path, hit.start_line), 'Open in editor');
}

function externalLink(href, text) {
  return href && h('a', { href, rel: 'noreferrer' }, text);
}

/** Why a hit was found, and how many parts and copies it stands for. */
export function why(hit) {
  const ranks = RANKS.filter(([key]) => hit[key]).map(([key, name]) => `${name} ${hit[key]}`);
  const reason = ranks.length ? `Rank by ${ranks.join(', ')}` : 'Listed by path';
  const parts = hit.piece ? `; ${hit.piece.matching} of ${hit.piece.of} parts` : '';
  const copies = hit.copies?.length ? `; and ${hit.copies.length} more with the same text` : '';
  return reason + parts + copies;
}

/** Copies `path:line` to the clipboard. */
export async function copy(place) {
  try {
    await navigator.clipboard.writeText(place);
    announce(`Copied ${place}`);
  } catch {
    announce(`The browser does not allow copying. The location is ${place}`);
  }
}
