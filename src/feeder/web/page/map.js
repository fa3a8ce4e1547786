// The map view: a treemap of all files by lines, also those that are not indexed, and a table.
import { fileLink, go, isCurrent, link, read } from './url_state.js';
import { showIndexState } from './index_state.js';
import { request } from './api_client.js';
import { editorLink, innerPath, repositoryNames, webLink } from './links.js';
import { announce, byId, count, fill, h, notify, safe } from './dom.js';
import { boxAt, formatDay, labelled, largestFile, layOut, mapColours, skipReason, treeOf } from './treemap.js';

const MAX_ROWS = 100;
const KB = 1024;
const SLOW_MS = 300;
const COLOUR_TITLES = { language: 'Languages', state: 'What is indexed', changed: 'Last change', references: 'References' };
const DARK_INK = '#101418';
let stopWatching = () => null;

export async function showMap(state) {
  stopWatching();
  const names = repositoryNames();
  const repo = names.find((name) => state.below.startsWith(`${name}:`)) ?? state.repo;
  if (names.length && !repo) {
    fill(byId('main'), h('div', { class: 'proof' }, h('h1', null, 'Map of which repository?'),
      h('ul', { class: 'plain' }, names.map((name) => h('li', null, h('a', { href: link({ ...state, repo: name, below: '' }) }, name))))));
    return;
  }
  let answer = await request('map', { repo });
  for (let page = answer; page.next; answer.files.push(...page.files)) page = await request('map', { repo, after: page.next });
  const isOffered = { changed: answer.history, references: answer.references };
  const choices = Object.keys(COLOUR_TITLES).filter((name) => isOffered[name] ?? !(name in isOffered));
  const by = choices.includes(state.by) ? state.by : 'language';
  const history = by === 'changed' ? await load(state, 'Reading the history of commits…', historyOf) : null;
  if (by === 'references') answer = await load(state, 'Counting references…', () => request('map', { repo, references: 'yes' }));
  if (!isCurrent(state)) return;
  showIndexState(answer);
  const files = state.only ? answer.files.filter((file) => file.state !== 'skipped') : answer.files;
  const tree = treeOf(files, state.below);
  const canvas = h('canvas', { role: 'img', 'aria-label': `Map of ${tree.path || 'the repository'}: ${summary(tree)}. The table below has the same data.` });
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const map = { canvas, tree, files, colours: mapColours(files, by, isDark, history), history, boxes: [], tip: h('div', { class: 'tip', 'aria-hidden': 'true', hidden: true }) };
  fill(byId('main'), h('div', { class: 'map' }, heading(state, tree, by, choices), h('div', { class: 'canvas' }, canvas, map.tip),
    legend(map), mapTable(tree, by, history)));
  listen(map);
  draw(map);
  announce(summary(tree));
}

/** What `ask` resolves to; `message` is shown if that takes long. */
async function load(state, message, ask) {
  const notice = setTimeout(() => isCurrent(state) && fill(byId('main'), h('section', { class: 'empty', role: 'status' }, h('h1', null, message))), SLOW_MS);
  try {
    return await ask();
  } finally {
    clearTimeout(notice);
  }
}

async function historyOf() {
  const { changed, since } = await request('history');
  return { changed: new Map(Object.entries(changed)), since }; // a file may be called `constructor`
}

function summary(tree) {
  const unread = tree.unread ? `, ${tree.unread.toLocaleString('en')} not indexed` : '';
  const waiting = tree.waiting ? `, ${tree.waiting.toLocaleString('en')} waiting for vectors` : '';
  return `${count(tree.files, 'file')}, ${count(tree.lines, 'line')}${unread}${waiting}`;
}

function heading(state, tree, by, choices) {
  const path = innerPath(tree.path);
  const repo = tree.path.slice(0, -path.length - 1);
  return h('div', { class: 'summary' }, h('h1', { id: 'where' }, crumbs(state)), h('span', null, summary(tree)),
    path ? h('a', { href: link({ path: [`/${path}`], q: (repo && `repo:${repo} `) + byId('q').value }) }, 'Search here') : null,
    tree.unread || state.only ? h('a', { href: link({ ...state, only: state.only ? '' : 'indexed' }) }, state.only ? 'Show all files' : 'Hide files that are not indexed') : null,
    h('span', { class: 'choice' }, choices.map((name) => h('a', { href: link({ ...state, by: name }), 'aria-current': name === by && 'true' }, COLOUR_TITLES[name]))));
}

function crumbs(state) {
  const names = state.below ? state.below.split('/') : [];
  const steps = names.map((name, at) => [name, names.slice(0, at + 1).join('/')]);
  return [['all files', ''], ...steps].flatMap(([name, below], at, all) => [
    at ? ' / ' : '',
    at === all.length - 1 ? name : h('a', { href: link({ ...state, below }) }, name),
  ]);
}

function draw(map) {
  const { canvas, tree } = map;
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const [w, height] = [canvas.clientWidth, canvas.clientHeight];
  canvas.width = w * devicePixelRatio;
  canvas.height = height * devicePixelRatio;
  const pen = canvas.getContext('2d');
  pen.scale(devicePixelRatio, devicePixelRatio);
  map.boxes = layOut(tree, w, height);
  const style = getComputedStyle(document.documentElement);
  const [text, face, line] = ['--text', '--face', '--line'].map((name) => style.getPropertyValue(name));
  for (const box of map.boxes) {
    const file = fileOf(box.node);
    pen.fillStyle = file ? map.colours.colour(file) : face;
    pen.fillRect(box.x, box.y, Math.max(box.w - 0.75, 0.5), Math.max(box.h - 0.75, 0.5));
    if (!file) frame(pen, box, line);
  }
  pen.font = '11px system-ui, "DejaVu Sans", sans-serif';
  pen.textBaseline = 'top';
  for (const box of map.boxes) drawName(pen, box, inkOn(fileOf(box.node), map.colours, isDark ? text : DARK_INK) ?? text);
  performance.mark('map-drawn');
}

/** The file that gives a box its colour: of the smaller ones the largest; none for a folder. */
function fileOf(node) {
  return node.smaller ? largestFile(node) : node.file;
}

function frame(pen, box, line) {
  pen.strokeStyle = line;
  pen.strokeRect(box.x + 0.5, box.y + 0.5, box.w - 1.5, box.h - 1.5);
}

function inkOn(file, { ink }, fallback) {
  return file && (ink(file) ?? fallback);
}

function drawName(pen, box, ink) {
  if (!labelled(box)) return;
  const text = shortened(pen, safe(box.node.name), box.w - 8);
  pen.fillStyle = ink;
  if (text.length > 2 || text === box.node.name) pen.fillText(text, box.x + 4, box.y + 3);
}

function shortened(pen, text, width) {
  if (pen.measureText(text).width <= width) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (pen.measureText(text.slice(0, middle) + '…').width <= width) low = middle;
    else high = middle - 1;
  }
  return low ? text.slice(0, low) + '…' : '';
}

function listen(map) {
  const { canvas, tip } = map;
  canvas.addEventListener('pointermove', (event) => showTip(map, event));
  canvas.addEventListener('pointerleave', () => { tip.hidden = true; });
  canvas.addEventListener('click', (event) => open(map, event));
  const resize = new ResizeObserver(() => (canvas.isConnected ? draw(map) : resize.disconnect()));
  resize.observe(canvas);
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  const redraw = () => dispatchEvent(new Event('moved'));
  scheme.addEventListener('change', redraw);
  stopWatching = () => { resize.disconnect(); scheme.removeEventListener('change', redraw); };
}

function showTip(map, event) {
  const box = boxAt(map.boxes, event.offsetX, event.offsetY);
  map.tip.hidden = !box;
  if (!box) return;
  const file = box.node.file;
  const own = box.node.smaller ? `${box.node.name} in ${box.node.path || 'the repository'}` : box.node.path;
  fill(map.tip, h('strong', null, own), h('br'), file ? about(file) : summary(box.node), changedLine(box.node, map.history));
  const left = Math.min(event.offsetX + 14, map.canvas.clientWidth - map.tip.offsetWidth);
  map.tip.style.left = `${Math.max(left, 0)}px`;
  map.tip.style.top = `${event.offsetY + 18}px`;
}

function about(file) {
  if (file.state === 'skipped') return `not indexed: ${skipReason(file)}${file.bytes === undefined ? '' : `, ${count(file.bytes, 'byte')}`}`;
  const waiting = file.state === 'pending' ? ', waiting for vectors' : '';
  return `${count(file.lines ?? 0, 'line')}, ${count(file.nodes, 'node')}${file.language ? `, ${file.language}` : ''}${waiting}${file.referring === undefined ? '' : `, referred to by ${count(file.referring, 'file')}`}`;
}

function changedLine(node, history) {
  const date = history && !node.smaller && changeDate(node, history);
  return date ? [h('br'), `last change: ${date}`] : null;
}

function open(map, event) {
  const node = boxAt(map.boxes, event.offsetX, event.offsetY)?.node;
  if (!node) return;
  if (node.file?.state === 'skipped') notify(`${node.path} is ${about(node.file)}`);
  else if (node.file) go(fileLink(node.path));
  else if (node.path !== map.tree.path) go(link({ ...read(), below: node.path }));
  else map.canvas.closest('.map').querySelector('.listed').focus();
}

function legend(map) {
  const counts = new Map();
  for (const file of map.files) {
    const isInside = !map.tree.path || file.path.startsWith(`${map.tree.path}/`);
    if (isInside) counts.set(map.colours.name(file), (counts.get(map.colours.name(file)) ?? 0) + 1);
  }
  const { order } = map.colours;
  const rows = [...counts].sort((one, other) => (order ? order.indexOf(one[0]) - order.indexOf(other[0]) : other[1] - one[1]));
  return h('ul', { class: 'legend', 'aria-label': 'Colours' }, rows.map(([title, number]) => h('li', null,
    swatch(map.colours.byTitle.get(title)), `${title} `, h('span', { class: 'number' }, number.toLocaleString('en')))));
}

function swatch(colour) {
  const mark = h('span', { class: 'swatch', 'aria-hidden': 'true' });
  mark.style.background = colour;
  return mark;
}

/** The table of a folder; `history` adds a column, and the names of the columns are buttons that sort. */
function mapTable(tree, by, history) {
  const columns = columnsOf(tree, by, history);
  const body = h('tbody');
  const order = { at: columns.findIndex(([title]) => title === 'Lines'), isDown: true };
  const heads = columns.map(([title], at) => h('th', { scope: 'col' }, h('button', { type: 'button', class: 'quiet', click: () => {
    Object.assign(order, { at, isDown: order.at === at ? !order.isDown : at > 0 });
    draw();
  } }, title)));
  const draw = () => {
    const [, value] = columns[order.at];
    const compare = (one, other) => (value(one) > value(other)) - (value(one) < value(other)) || other.weight - one.weight;
    const rows = [...tree.children.values()].sort((one, other) => (order.isDown ? compare(other, one) : compare(one, other)));
    heads.forEach((head, at) => head.setAttribute('aria-sort', at === order.at ? order.isDown ? 'descending' : 'ascending' : 'none'));
    fill(body, rows.slice(0, MAX_ROWS).map((node) => entry(node, columns)), rows.length > MAX_ROWS
      ? h('tr', null, h('td', { colspan: columns.length }, `and ${count(rows.length - MAX_ROWS, 'row')} more; sort differently to see others`)) : null);
  };
  draw();
  return h('div', { class: 'listed', tabindex: '0', role: 'region', 'aria-label': 'The map as a table' }, h('table', { class: 'signs' },
    h('caption', null, `Contents of ${tree.path || 'the repository'}`), h('thead', null, h('tr', null, heads)), body));
}

/** The columns `[title, value to sort by, text]` that have something to show. */
function columnsOf(tree, by, history) {
  return [
    ['Name', (node) => node.name.toLowerCase()],
    history && ['Last change', (node) => lastChange(node, history.changed), (node) => changeDate(node, history)],
    by === 'references' && ['Referring files', referring],
    ['Files', (node) => node.files],
    ['Lines', (node) => node.lines],
    tree.unread && ['Not indexed', (node) => node.unread, (node) => (node.file?.state === 'skipped' ? skipReason(node.file) : node.unread || '')],
    tree.bytes && ['Size of these', (node) => node.bytes, (node) => (node.bytes ? `${Math.ceil(node.bytes / KB).toLocaleString('en')} kB` : '')],
    tree.waiting && ['Waiting', (node) => node.waiting, (node) => node.waiting || ''],
  ].filter(Boolean);
}

function entry(node, [, ...columns]) {
  const title = node.file ? node.name : `${node.name}/`;
  const href = node.file ? fileLink(node.path) : link({ ...read(), below: node.path });
  // a file that is not indexed has no view in the page
  const outside = node.file?.state === 'skipped' ? editorLink(node.path, 1) ?? webLink(node.path, 1, 1) : undefined;
  return h('tr', null, h('th', { scope: 'row' }, outside === null ? title : h('a', { href: outside ?? href }, title)),
    columns.map(([, value, text = value]) => h('td', null, text(node).toLocaleString('en'))));
}

function referring(node) {
  return node.file ? node.file.referring ?? 0 : Math.max(...[...node.children.values()].map(referring));
}

function changeDate(node, { changed, since }) {
  const latest = lastChange(node, changed);
  if (latest) return formatDay(latest);
  return since === null ? 'in no commit yet' : `${formatDay(since)} or earlier`;
}

function lastChange(node, changed) {
  if (node.file) return changed.get(node.file.path) ?? 0;
  return Math.max(...[...node.children.values()].map((child) => lastChange(child, changed)));
}
