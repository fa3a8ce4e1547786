// A file: its text, with what is in it beside it, and the hit in view.
import { fileLink, go, linesOf, read } from './url_state.js';
import { ask } from './api_client.js';
import { tellAge } from './index_state.js';
import { announce, byId, count, fill, h } from './dom.js';
import { copy } from './hit.js';
import { grammar, painted, pieces } from './highlighting.js';
import { documentLink, editorLink, pageOf, webLink } from './links.js';

const AT_ONCE = 500;
let shown = '';
let turnPage = () => null;

/** Shows the file of the address, unless it is there and only other lines of it are wanted. */
export async function showFile(state) {
  const isThere = shown === state.file && byId('main').querySelector('.file');
  if (!isThere) await open(state.file);
  mark(state.lines);
}

async function open(path) {
  const file = await ask('file', { path });
  if (read().file !== path) return;
  const language = file.nodes.map((node) => node.language).find(Boolean);
  const rows = file.lines.map((line, at) => row(path, at + 1, [line]));
  fill(byId('main'), h('div', { class: 'columns file' }, outline(path, file.nodes), h('article', { 'aria-labelledby': 'path' },
    heading(path, file), h('div', { class: 'code', tabindex: '0', role: 'region', 'aria-label': `Text of ${path}` }, blocks(rows)))));
  shown = path;
  tellAge(file);
  announce(`${path}, ${count(file.lines.length, 'line')}`);
  grammar(language).then((rules) => rules && paint(file.lines, rules, rows));
}

function heading(path, file) {
  const since = file.text_of ? h('p', { class: 'summary' }, `As committed in ${file.text_of.slice(0, 7)}: it is not in the working tree.`) : null;
  return h('div', { class: 'title' }, h('h1', { id: 'path' }, path), since,
    h('p', { class: 'summary' }, h('span', null, count(file.lines.length, 'line')), h('button', { type: 'button', class: 'quiet', click: () => copy(place(path)) }, 'Copy place'),
      paper(path, file.nodes) ?? outward(() => editorLink(path, first()), 'Open in editor'), outward(() => webLink(path, first(), first()), 'On the web')));
}

/** A document itself, of which the page follows the lines that are marked; null for other files. */
function paper(path, nodes) {
  turnPage = () => null;
  if (!documentLink(path)) return null;
  const anchor = h('a', { target: '_blank', rel: 'noreferrer' });
  turnPage = () => {
    const begun = nodes.filter((node) => node.start_line <= first() && pageOf(node.logical_path));
    const { href, text } = documentLink(path, begun.at(-1)?.logical_path);
    Object.assign(anchor, { href, textContent: text });
  };
  turnPage();
  return anchor;
}

function first() {
  return linesOf(location.hash)?.[0] ?? 1;
}

function place(path) {
  return `${path}:${first()}`;
}

/** The address is made when it is followed: the line may be another by then. */
function outward(address, text) {
  const href = address();
  if (!href) return null;
  const anchor = h('a', { href, rel: 'noreferrer' }, text);
  anchor.addEventListener('focus', () => { anchor.href = address(); });
  anchor.addEventListener('pointerenter', () => { anchor.href = address(); });
  return anchor;
}

function row(path, number, children) {
  return h('div', { class: 'row', id: `L${number}` },
    h('a', { class: 'number', href: fileLink(path, number), tabindex: '-1', 'aria-label': `Line ${number}`, click: extend }, number),
    h('span', { class: 'text' }, children));
}

/** With Shift a line is the other end of what is marked. */
function extend(event) {
  const lines = linesOf(location.hash);
  if (!event.shiftKey || !lines) return;
  event.preventDefault();
  const other = Number(event.currentTarget.textContent);
  go(fileLink(new URLSearchParams(location.search).get('file'), Math.min(lines[0], other), Math.max(lines[0], other)), { replace: true });
}

/** In parts, of which a browser lays out only those that are seen. */
function blocks(rows) {
  const parts = [];
  for (let at = 0; at < rows.length; at += AT_ONCE) parts.push(h('div', { class: 'block' }, rows.slice(at, at + AT_ONCE)));
  return parts;
}

function paint(lines, rules, rows) {
  pieces(lines, rules).forEach((some, at) => rows[at].lastChild.replaceChildren(...painted(some)));
}

function mark(lines) {
  for (const element of document.querySelectorAll('.here')) element.classList.remove('here');
  turnPage();
  if (!lines) return;
  const [from, to] = lines;
  for (let number = from; number <= to; number += 1) byId(`L${number}`)?.classList.add('here');
  byId(`L${from}`)?.scrollIntoView({ block: to - from > 20 ? 'start' : 'center' });
  markNode(from);
}

function markNode(line) {
  const around = [...document.querySelectorAll('.outline a')].filter((one) => one.dataset.from <= line && line <= one.dataset.to);
  for (const one of document.querySelectorAll('.outline [aria-current]')) one.removeAttribute('aria-current');
  const inner = around.at(-1);
  inner?.setAttribute('aria-current', 'location');
  inner?.scrollIntoView({ block: 'nearest' });
}

function outline(path, nodes) {
  const named = nodes.filter((node) => node.symbol || node.logical_path);
  const list = h('ol', null, named.map((node) => h('li', { class: `depth-${Math.min(node.depth, 5)}` }, entry(path, node))));
  const body = named.length ? list : h('p', { class: 'summary' }, 'Nothing in it has a name.');
  const isWide = matchMedia('(min-width: 52.01rem)').matches;
  return h('nav', { class: 'outline', 'aria-label': 'Outline' },
    h('details', { open: isWide }, h('summary', null, `Outline (${named.length})`), body));
}

/** A page with the section that it is in. */
function lastOf(names) {
  return names.slice(pageOf(names.at(-1)) ? -2 : -1).join(', ');
}

function entry(path, node) {
  const name = node.symbol ?? node.logical_path;
  const own = node.symbol ? name.split(/\.|::|#/).at(-1) || name : lastOf(name.split(' > '));
  return h('a', { href: fileLink(path, node.start_line, node.end_line), 'data-from': node.start_line, 'data-to': node.end_line, title: node.signature ?? name },
    own, ' ', h('span', { class: 'kind' }, node.node_type.replaceAll('_', ' ')));
}
