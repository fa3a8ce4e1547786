// The file view: the lines of a file with its outline, and the marked lines in view.
import { fileLink, go, link, linesOf, read } from './url_state.js';
import { request } from './api_client.js';
import { showIndexState } from './index_state.js';
import { announce, byId, count, fill, h } from './dom.js';
import { codeRow, copy } from './hit.js';
import { relationsPanel, showClicked, showOfMarked, underlineName } from './relations.js';
import { grammar, highlightedLine, tokenLines } from './highlighting.js';
import { keep, recall } from './storage.js';
import { rendered } from './markdown.js';
import { fileTree } from './tree.js';
import { formatDay } from './treemap.js';
import { commitLink, documentForm, editorLink, hasFolder, pageOf, supports, webLink } from './links.js';

const BLOCK_LINES = 500;
const MIN_FILTERED = 8;
const MIN_LETTERS = 2;
const FILTER = /(^|\s)-?\w+:("[^"]*"|\S+)/g;
// HIGHLIGHT_STOP_WORDS of the server
export const STOP_WORDS = new Set(('a about all also an and any are as at be been by can could do does for from get had has have how i if in into '
  + 'is it its me my no not of on or our should so some than that the their them then there these they this to use used was we were what when '
  + 'where which who why will with would you your').split(' '));
const EXCLUDED = /(^|\s)-("[^"]*"|\S+)/g;
let shown = '';
let updatePage = () => null;

/** Shows the file of the address; if it is shown already, only marks other lines. */
export async function showFile(state) {
  const isShown = shown === state.file && byId('main').querySelector('.file');
  const panel = byId('main').querySelector('.relations');
  const focused = document.activeElement;
  if (!isShown) await open(state.file);
  showPanel(state.relations, panel, focused);
  mark(state.lines);
  showPosition(state.lines?.[0]);
}

/** Shows the relations of a place beside the file, or nothing; `panel` was shown before. */
function showPanel(place_, panel, focused) {
  const view = byId('main').querySelector('.file');
  view.classList.toggle('related', Boolean(place_));
  if (panel?.dataset.place === place_) {
    if (!panel.isConnected) view.append(panel);
    if (panel.contains(focused)) focused.focus();
    return;
  }
  panel?.remove();
  if (place_) view.append(relationsPanel(place_));
  // a file that was opened in this tab, not by an address
  if (place_ && history.state) view.lastChild.focus({ preventScroll: true });
  else if (history.state && [document.body, byId('main'), byId('q')].includes(document.activeElement)) focusText();
}

export function focusText() {
  (document.querySelector('.file article .code') ?? byId('main')).focus({ preventScroll: true });
}

export function goToMatch(by) {
  const line = byId('matches') && nextMatch(linesOf(location.hash)?.[0] ?? 0, by);
  if (line) go(link({ ...read(), lines: [line, line] }), { replace: true });
  return Boolean(line);
}

export function goToOutline() {
  const field = document.querySelector('.outline input');
  field?.closest('details').setAttribute('open', '');
  field?.focus();
  return Boolean(field);
}

async function open(path) {
  const file = await request('file', { path });
  if (read().file !== path) return;
  const language = file.nodes.map((node) => node.language).find(Boolean);
  byId('q').value ||= read().q;
  const pattern = wordPattern(byId('q').value);
  const rows = file.lines.map((line, i) => codeRow(path, i + 1, highlightedLine([[line, null]], wordMarks(line, pattern)), `L${i + 1}`, extend));
  const text = h('div', { class: 'code', tabindex: '0', role: 'region', 'aria-label': `Text of ${path}`, click: showClicked, pointermove: underlineName }, blocks(rows));
  const isProse = language === 'markdown';
  fill(byId('main'), h('div', { class: 'columns file' }, h('div', { class: 'side' }, outline(path, file), supports('patterns') && files(path)), h('article', { 'aria-labelledby': 'path' },
    heading(path, file, isProse), isProse ? h('div', { class: 'both' }, rendered(file.lines, path), text) : text)));
  shown = path;
  showIndexState(file);
  announce(`${path}, ${count(file.lines.length, 'line')}`);
  if (supports('history')) request('history', { path }).then((answer) => showChange(path, answer), () => null);
  grammar(language).then((rules) => rules && highlight(file.lines, rules, rows, pattern));
}

function showChange(path, { changed, commit, author }) {
  if (!changed[path] || read().file !== path) return;
  const href = commitLink(commit);
  fill(byId('changed'), `changed ${formatDay(changed[path])} by ${author} in `, h(href ? 'a' : 'span', href && { href }, commit.slice(0, 7)));
}

function files(path) {
  const fold = h('details', null, h('summary', null, 'Files'));
  const load = () => { if (fold.open && fold.children.length === 1) fold.append(fileTree(path)); keep('tree', fold.open ? 'yes' : 'no'); };
  fold.addEventListener('toggle', load);
  fold.open = recall('tree') === 'yes' && isWide();
  return h('nav', { class: 'files', 'aria-label': 'Files' }, fold);
}

function isWide() {
  return matchMedia('(min-width: 52.01rem)').matches;
}

function heading(path, file, isProse) {
  const commit = file.text_of ? h('p', { class: 'summary' }, `As committed in ${file.text_of.slice(0, 7)}${hasFolder() ? ': it is not in the working tree.' : '.'}`) : null;
  return h('div', { class: 'title' }, h('h1', { id: 'path' }, crumbs(path)), commit,
    h('p', { class: 'summary' }, h('span', null, count(file.lines.length, 'line')), h('span', { id: 'changed' }), h('span', { id: 'matches' }),
      supports('relations') && file.nodes.some(({ symbol }) => symbol) ? button('Relations', showOfMarked) : null,
      button('Copy location', () => copy(place(path))), button('Copy text', () => copy(selectedText(file.lines), 'the text')),
      webLink(path, 1, 1) ? button('Copy permalink', () => copy(webLink(path, ...range()), 'the permalink')) : null,
      toggle('Wrap lines', 'wrapped'), isProse ? toggle('Source only', 'source') : null,
      documentButton(path, file.nodes) ?? externalLink(() => editorLink(path, first()), 'Open in editor'), externalLink(() => webLink(path, ...range()), 'On the web')));
}

function crumbs(path) {
  const names = path.split('/');
  return names.map((name, i) => (i + 1 < names.length
    ? [h('a', { href: link({ view: 'map', below: names.slice(0, i + 1).join('/') }) }, name), '/'] : name));
}

function button(text, click) {
  return h('button', { type: 'button', class: 'quiet', click }, text);
}

function selectedText(lines) {
  const [from, to] = linesOf(location.hash) ?? [1, lines.length];
  return `${lines.slice(from - 1, to).join('\n')}\n`;
}

function toggle(text, name) {
  const isOn = () => recall(name) === 'yes';
  const show = (element) => {
    element.setAttribute('aria-pressed', isOn());
    document.documentElement.classList.toggle(name, isOn());
  };
  const element = button(text, (event) => {
    keep(name, isOn() ? 'no' : 'yes');
    show(event.currentTarget);
  });
  show(element);
  return element;
}

/** The form that opens a document at the page of the marked lines; null for other files. */
function documentButton(path, nodes) {
  updatePage = () => null;
  if (!documentForm(path)) return null;
  const place_ = h('span', null);
  updatePage = () => {
    const pages = nodes.filter((node) => node.start_line <= first() && pageOf(node.logical_path));
    fill(place_, documentForm(path, pages.at(-1)?.logical_path));
  };
  updatePage();
  return place_;
}

function first() {
  return linesOf(location.hash)?.[0] ?? 1;
}

function range() {
  return linesOf(location.hash) ?? [1, 1];
}

function place(path) {
  const [from, to] = range();
  return `${path}:${from}${to > from ? `-${to}` : ''}`;
}

/** A link whose address is updated when it is used, as the marked line may have changed. */
function externalLink(address, text) {
  const href = address();
  if (!href) return null;
  const anchor = h('a', { href, rel: 'noreferrer' }, text);
  anchor.addEventListener('focus', () => { anchor.href = address(); });
  anchor.addEventListener('pointerenter', () => { anchor.href = address(); });
  return anchor;
}

function extend(event) {
  const lines = linesOf(location.hash);
  if (!event.shiftKey || !lines) return;
  event.preventDefault();
  const other = Number(event.currentTarget.textContent);
  go(link({ ...read(), lines: [Math.min(lines[0], other), Math.max(lines[0], other)] }), { replace: true });
}

/** Blocks of lines, so that the browser lays out only those in view. */
function blocks(rows) {
  const parts = [];
  for (let i = 0; i < rows.length; i += BLOCK_LINES) parts.push(h('div', { class: 'block' }, rows.slice(i, i + BLOCK_LINES)));
  return parts;
}

function highlight(lines, rules, rows, pattern) {
  tokenLines(lines, rules).forEach((tokens, i) => rows[i].lastChild.replaceChildren(...highlightedLine(tokens, wordMarks(lines[i], pattern))));
}

function mark(lines) {
  for (const element of document.querySelectorAll('.here')) element.classList.remove('here');
  updatePage();
  if (!lines) return;
  const [from, to] = lines;
  const rows = [...document.querySelectorAll('.file .row')].slice(from - 1, to);
  for (const row of rows) row.classList.add('here');
  byId(`L${from}`)?.scrollIntoView({ block: to - from > 20 ? 'start' : 'center' });
  markNode(from);
}

function markNode(line) {
  const around = [...document.querySelectorAll('.outline a')].filter((anchor) => anchor.dataset.from <= line && line <= anchor.dataset.to);
  for (const anchor of document.querySelectorAll('.outline [aria-current]')) anchor.removeAttribute('aria-current');
  const inner = around.at(-1);
  inner?.setAttribute('aria-current', 'location');
  inner?.scrollIntoView({ block: 'nearest' });
}

function outline(path, { nodes, unparsed }) {
  const named = nodes.filter((node) => node.symbol || node.logical_path);
  const list = h('ol', null, named.map((node) => h('li', { class: `depth-${Math.min(node.depth, 5)}` }, entry(path, node))));
  const body = named.length ? list : h('p', { class: 'summary' }, 'No named symbols or sections.');
  const missing = unparsed && h('p', { class: 'summary' }, `Lines not parsed: ${unparsed}. Functions there may be missing.`);
  return h('nav', { class: 'outline', 'aria-label': 'Outline' },
    h('details', { open: isWide() }, h('summary', null, `Outline (${named.length})`), named.length < MIN_FILTERED ? null : outlineFilter(list), body, missing));
}

/** A field that hides the entries of the outline without the typed text; Enter opens the first. */
function outlineFilter(list) {
  const update = (event) => {
    const typed_ = event.currentTarget.value.toLowerCase();
    for (const item of list.children) item.hidden = !item.textContent.toLowerCase().includes(typed_);
  };
  const open_ = (event) => {
    const entry_ = [...list.children].find((item) => !item.hidden)?.querySelector('a');
    if (event.isComposing) return;
    if (event.key === 'Enter' && entry_) entry_.click();
    if (event.key === 'Escape') {
      event.currentTarget.value = '';
      update(event);
    }
  };
  return h('p', null, h('input', { type: 'search', 'aria-label': 'Filter the outline', placeholder: 'Filter (t)', autocomplete: 'off', spellcheck: 'false', input: update, keydown: open_ }));
}

/** The last name of a logical path; a page of a PDF with its section. */
function shortName(names) {
  return names.slice(pageOf(names.at(-1)) ? -2 : -1).join(', ');
}

function entry(path, node) {
  const name = node.symbol ?? node.logical_path;
  const own = node.symbol ? name.split(/\.|::|#/).at(-1) || name : shortName(name.split(' > '));
  return h('a', { href: fileLink(path, node.start_line, node.end_line), 'data-from': node.start_line, 'data-to': node.end_line, title: node.signature ?? name },
    own, ' ', h('span', { class: 'kind' }, node.node_type.replaceAll('_', ' ')));
}

/** The pattern of the words to mark: without stop words, unless there are no others. */
function wordPattern(query) {
  const words = query.replace(FILTER, ' ').replace(EXCLUDED, ' ').match(/[\p{L}\p{N}_]+/gu) ?? [];
  const long = words.filter((word) => word.length >= MIN_LETTERS);
  const meaningful = long.filter((word) => !STOP_WORDS.has(word.toLowerCase()));
  const longest = [...new Set(meaningful.length ? meaningful : long)].sort((one, other) => other.length - one.length);
  return longest.length ? new RegExp(longest.join('|'), 'giu') : null;
}

/** The places of the words in a line as `[start, end]`, which count code points. */
function wordMarks(line, pattern) {
  if (!pattern) return [];
  const points = (at) => Array.from(line.slice(0, at)).length;
  return [...line.matchAll(pattern)].map((match) => [points(match.index), points(match.index + match[0].length)]);
}

function nextMatch(line, by) {
  const lines = matchingLines();
  if (!lines.length) return null;
  const next = by > 0 ? lines.find((other) => other > line) : lines.findLast((other) => other < line);
  return next ?? lines.at(by > 0 ? 0 : -1);
}

function matchingLines() {
  return [...new Set([...document.querySelectorAll('.file mark')].map((mark) => Number(mark.closest('.row').id.slice(1))))];
}

function showPosition(line) {
  const lines = matchingLines();
  const at = lines.indexOf(line);
  byId('matches').textContent = lines.length ? `${at < 0 ? '' : `${at + 1} of `}${lines.length} ${lines.length === 1 ? 'line' : 'lines'} with the query` : '';
}
