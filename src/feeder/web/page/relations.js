// The panel beside a file: where a symbol is defined, what refers to it, and what it uses.
import { request } from './api_client.js';
import { announce, count, cutPath, cutSymbol, fill, h } from './dom.js';
import { innerPath } from './links.js';
import { go, link, read } from './url_state.js';

const SHOWN = 12;
const NAME = /(?<![\p{L}\p{N}_$])[\p{L}_$][\p{L}\p{N}_$]*/gu;
const KINDS = { call: 'call', type: 'type', import: 'import', inherit: 'inherits', implement: 'implements', override: 'overrides', mention: 'mention' };

/** The panel for the place of the address; it is filled when the answer is here. */
export function relationsPanel(place) {
  const content = h('div', { 'aria-busy': 'true' }, h('p', { class: 'summary' }, 'Loading…'));
  const panel = h('aside', { class: 'relations', 'aria-label': 'Relations', tabindex: '-1' },
    h('p', { class: 'top' }, h('button', { type: 'button', class: 'quiet', click: closeRelations }, 'Close')), content);
  panel.dataset.place = place;
  load(place, content);
  return panel;
}

export function closeRelations() {
  const state = read();
  if (!state.relations) return false;
  go(link({ ...state, relations: '' }), { replace: true });
  return true;
}

async function load(place, content) {
  try {
    draw(await request('relations', { place }), content);
  } catch (error) {
    fill(content, h('p', { role: 'alert' }, error.message));
    announce(error.message);
  }
  content.removeAttribute('aria-busy');
}

function draw(answer, content) {
  const { name, definitions, references, implementations, uses, total, resolved } = answer;
  const [tests, others] = [references.filter((one) => one.is_test), references.filter((one) => !one.is_test)];
  const number = `${answer.at_least ? 'at least ' : ''}${count(total, 'reference')}`;
  const certain = total ? `, ${resolved === total ? 'all' : resolved.toLocaleString('en')} resolved` : '';
  const part = references.length < total ? `; the first ${references.length} are listed` : '';
  const leftOut = total && answer.left_out ? `; ${answer.left_out.toLocaleString('en')} left out, with another meaning` : '';
  fill(content, h('h2', { title: name }, h('code', null, name)),
    list('Defined in', definitions, definitionItem),
    list('Implemented or extended by', implementations, definitionItem, totalOf(answer, 'implementations')),
    note(answer.implementations_reason),
    h('p', { class: 'summary' }, answer.reason ?? number + certain + part + leftOut),
    list('References', others, referenceItem), list('In tests', tests, referenceItem), list('Uses', uses, useItem, totalOf(answer, 'uses')),
    note(answer.uses_reason));
  announce(`${name}: ${count(total, 'reference')}`);
}

function note(reason) {
  return reason ? h('p', { class: 'summary' }, reason) : null;
}

/** The number of entries of a cut list: "the first 50 of at least 83". */
function totalOf(answer, name) {
  const [listed, total, isCut] = [answer[name].length, answer[`${name}_total`], answer[`${name}_at_least`]];
  if (listed === total && !isCut) return '';
  return `the first ${listed} of ${isCut ? 'at least ' : ''}${total.toLocaleString('en')}`;
}

function list(title, entries, item, total = '') {
  if (!entries.length) return null;
  const rest = entries.slice(SHOWN);
  return h('section', null, h('h3', null, total ? `${title}: ${total}` : title), h('ul', { class: 'plain' }, entries.slice(0, SHOWN).map(item)),
    rest.length ? h('details', null, h('summary', null, `${rest.length} more`), h('ul', { class: 'plain' }, rest.map(item))) : null);
}

function definitionItem({ path, symbol, start_line: first, end_line: last, resolved }) {
  return h('li', null, symbolLink({ path, symbol, start_line: first, end_line: last }), uncertain(resolved), h('span', { class: 'folder', title: path }, ' ', cutPath(path), `:${first}`));
}

function symbolLink({ path, symbol, start_line: first, end_line: last }) {
  const name = symbol || path;
  return h('a', { href: keptLink(path, first, last), 'aria-label': name, title: name }, symbol ? cutSymbol(symbol) : cutPath(path));
}

function referenceItem({ path, line, kind, text, resolved, enclosing }) {
  return h('li', null, h('a', { href: keptLink(path, line, line), 'aria-label': `${path}:${line}`, title: path }, cutPath(path), `:${line}`), ` ${KINDS[kind] ?? kind}`, uncertain(resolved),
    enclosing?.symbol ? h('span', { class: 'folder' }, ` in ${enclosing.symbol}`) : null, h('code', { class: 'line' }, text.trim()));
}

function useItem({ definition, line, resolved }) {
  return h('li', null, symbolLink(definition), uncertain(resolved),
    h('span', { class: 'folder' }, ` on line ${line}`));
}

function uncertain(resolved) {
  return resolved ? null : h('span', { class: 'kind' }, ' by name only');
}

function keptLink(path, first, last) {
  const { file } = read();
  const repo = file.slice(0, -innerPath(file).length);
  return link({ ...read(), file: repo + path, lines: [first, last] });
}

export function relationsLink(path, first, last) {
  return link({ file: path, q: read().q, lines: [first, last], relations: `${path}:${first}-${last}` });
}

/** Underlines the name under the pointer, which a click shows the relations of; no keyword. */
export function underlineName(event) {
  const text = event.target.closest('.text');
  const place = text && !event.buttons && !event.target.closest('.t-kwd, .t-bool') && placeAt(text, event.clientX, event.clientY);
  event.currentTarget.classList.toggle('on-name', Boolean(place));
  CSS.highlights?.delete('name');
  if (place) CSS.highlights?.set('name', new Highlight(rangeOf(text, place.start, place.end)));
}

function rangeOf(text, start, end) {
  const range = document.createRange();
  range.setStart(...nodeAt(text, start));
  range.setEnd(...nodeAt(text, end));
  return range;
}

/** Shows the relations of the identifier that was clicked; a selection is left alone. */
export function showClicked(event) {
  if (event.target.closest('a, button') || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey || !getSelection().isCollapsed) return;
  const text = event.target.closest('.text');
  const place = text && placeAt(text, event.clientX, event.clientY);
  if (!place) return;
  showPlace(place);
}

function showPlace({ line, column }) {
  const state = read();
  go(link({ ...state, lines: state.lines ?? [line, line], relations: `${state.file}:${line}:${column}` }));
}

/** Selects the next name in the code, from the marked line on, or the previous one; false outside of a file. */
export function selectName(by) {
  const texts = [...document.querySelectorAll('.file .row .text')];
  if (!texts.length) return false;
  const chosen = selected();
  const at = chosen ?? { line: read().lines?.[0] ?? 1, start: by > 0 ? -1 : Infinity };
  for (let i = at.line - 1; texts[i]; i += by) {
    const names = [...texts[i].textContent.matchAll(NAME)].filter(({ index }) => i !== at.line - 1 || (index - at.start) * by > 0);
    const isName = ({ index }) => !nodeAt(texts[i], index + 1)[0].parentElement.closest('.t-cmnt');
    const name = by > 0 ? names.find(isName) : names.findLast(isName);
    if (name) {
      const ends = [name.index, name.index + name[0].length].map((offset) => nodeAt(texts[i], offset));
      getSelection().setBaseAndExtent(...ends[0], ...ends[1]);
      texts[i].parentElement.scrollIntoView({ block: 'nearest' });
      return true;
    }
  }
  return true;
}

export function showSelected() {
  const place = !document.activeElement.closest('a, button, summary, [role=tree]') && selected();
  if (place) showPlace(place);
  return Boolean(place);
}

/** The line, column and offset of the selection in a file, or null. */
function selected() {
  const { anchorNode, anchorOffset, isCollapsed } = getSelection();
  const text = !isCollapsed && anchorNode.parentElement.closest('.file .row .text');
  return text ? placeOf(text, anchorNode, anchorOffset) : null;
}

function placeOf(text, node, offset) {
  const before = document.createRange();
  before.setStart(text, 0);
  before.setEnd(node, offset);
  const start = before.toString().length;
  return { line: Number(text.parentElement.id.slice(1)), column: columnOf(text, start), start };
}

function columnOf(text, start) {
  return Array.from(text.textContent.slice(0, start)).length + 1;
}

function nodeAt(element, offset) {
  const nodes = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let node = nodes.nextNode();
  while (offset > node.length) {
    offset -= node.length;
    node = nodes.nextNode();
  }
  return [node, offset];
}

/** The line and column of the identifier at a point; null where there is none. */
function placeAt(text, x, y) {
  const caret = document.caretPositionFromPoint?.(x, y) ?? rangeAt(x, y);
  if (!caret || !text.contains(caret.offsetNode)) return null;
  const { line, start: at } = placeOf(text, caret.offsetNode, caret.offset);
  const name = [...text.textContent.matchAll(NAME)].find(({ index, 0: { length } }) => index <= at && at <= index + length);
  return name ? { line, column: columnOf(text, name.index), start: name.index, end: name.index + name[0].length } : null;
}

/** What WebKit has in place of `caretPositionFromPoint`. */
function rangeAt(x, y) {
  const range = document.caretRangeFromPoint?.(x, y);
  return range && { offsetNode: range.startContainer, offset: range.startOffset };
}

/** Shows the relations of the marked node, else of the first line; false outside of a file. */
export function showOfMarked() {
  const { file, lines } = read();
  if (!file || !document.querySelector('.file')) return false;
  const [from, to] = lines ?? [1, 1];
  go(relationsLink(file, from, to));
  return true;
}
