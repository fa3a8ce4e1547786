// The map view: a treemap of all files by lines, with those that are not indexed.
import { fileLink, go, isCurrent, link, read } from './url_state.js';
import { showIndexState } from './index_state.js';
import { request } from './api_client.js';
import { announce, byId, count, fill, h, safe } from './dom.js';
import { formatDay, mapColours, skipReason } from './map_colours.js';
import { boxAt, heaviest, labelled, layOut, treeOf } from './treemap.js';

const MAX_ROWS = 60;
const SLOW_MS = 300;
const COLOUR_TITLES = { state: 'What is indexed', language: 'Languages', changed: 'Last change' };
const DARK_INK = '#101418';
let stopWatching = () => null;

export async function showMap(state) {
  stopWatching();
  const answer = await request('map');
  const choices = Object.keys(COLOUR_TITLES).filter((name) => name !== 'changed' || answer.history);
  const by = choices.includes(state.by) ? state.by : 'state';
  const history = by === 'changed' ? await loadHistory(state) : null;
  if (!isCurrent(state)) return;
  showIndexState(answer);
  const tree = treeOf(answer.files, state.below);
  const canvas = h('canvas', { role: 'img', 'aria-label': `Map of ${tree.path || 'the repository'}: ${summary(tree)}. The table below has the same data.` });
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const map = { canvas, tree, files: answer.files, colours: mapColours(answer.files, by, isDark, history), history, boxes: [], tip: h('div', { class: 'tip', 'aria-hidden': 'true', hidden: true }) };
  fill(byId('main'), h('div', { class: 'map' }, heading(state, tree, by, choices), h('div', { class: 'canvas' }, canvas, map.tip),
    legend(map), table(map)));
  listen(map);
  draw(map);
  announce(summary(tree));
}

/** The time of the last change of each file; that takes seconds for a large repository. */
async function loadHistory(state) {
  const message = 'Reading the history of commits…';
  const notice = setTimeout(() => isCurrent(state) && fill(byId('main'), h('p', { class: 'empty', role: 'status' }, message)), SLOW_MS);
  try {
    const { changed, since } = await request('history');
    return { changed: new Map(Object.entries(changed)), since }; // a file may be called `constructor`
  } finally {
    clearTimeout(notice);
  }
}

function summary(tree) {
  const unread = tree.unread ? `, ${tree.unread.toLocaleString('en')} not indexed` : '';
  const waiting = tree.waiting ? `, ${tree.waiting.toLocaleString('en')} waiting for vectors` : '';
  return `${count(tree.files, 'file')}, ${count(tree.lines, 'line')}${unread}${waiting}`;
}

function heading(state, tree, by, choices) {
  return h('div', { class: 'summary' }, h('h1', { id: 'where' }, crumbs(state)), h('span', null, summary(tree)),
    tree.path ? h('a', { href: link({ path: [`/${tree.path}`], q: byId('q').value }) }, 'Search here') : null,
    h('span', { class: 'choice' }, choices.map((name) => h('a', {
      href: link({ view: 'map', below: state.below, by: name === 'state' ? '' : name }), 'aria-current': name === by && 'true' }, COLOUR_TITLES[name]))));
}

/** The path of the shown folder; each folder above is a link. */
function crumbs(state) {
  const names = state.below ? state.below.split('/') : [];
  const steps = names.map((name, at) => [name, names.slice(0, at + 1).join('/')]);
  return [['all files', ''], ...steps].flatMap(([name, below], at, all) => [
    at ? ' / ' : '',
    at === all.length - 1 ? name : h('a', { href: link({ view: 'map', by: state.by, below }) }, name),
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
    pen.fillStyle = box.node.file ? map.colours.colour(box.node.file) : face;
    pen.fillRect(box.x, box.y, Math.max(box.w - 0.75, 0.5), Math.max(box.h - 0.75, 0.5));
    if (!box.node.file) frame(pen, box, line);
  }
  pen.font = '11px system-ui, "DejaVu Sans", sans-serif';
  pen.textBaseline = 'top';
  for (const box of map.boxes) drawName(pen, box, inkOn(box.node.file, map.colours, isDark ? text : DARK_INK) ?? text);
  performance.mark('map-drawn');
}

function frame(pen, box, line) {
  pen.strokeStyle = line;
  pen.strokeRect(box.x + 0.5, box.y + 0.5, box.w - 1.5, box.h - 1.5);
}

/** The text colour on a file; none for a folder. */
function inkOn(file, { ink }, fallback) {
  return file && (ink(file) ?? fallback);
}

/** Draws the name of a box, if there is room, clipped at its edge. */
function drawName(pen, box, ink) {
  if (!labelled(box) || (box.node.file && box.w < 60)) return;
  pen.save();
  pen.beginPath();
  pen.rect(box.x + 1, box.y, box.w - 6, box.h);
  pen.clip();
  pen.fillStyle = ink;
  pen.fillText(safe(box.node.name), box.x + 4, box.y + 3);
  pen.restore();
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
  fill(map.tip, h('strong', null, box.node.path), h('br'), file ? about(file) : summary(box.node), changedLine(box.node, map.history));
  const left = Math.min(event.offsetX + 14, map.canvas.clientWidth - map.tip.offsetWidth);
  map.tip.style.left = `${Math.max(left, 0)}px`;
  map.tip.style.top = `${event.offsetY + 18}px`;
}

function about(file) {
  if (file.state === 'skipped') return `not indexed: ${skipReason(file)}`;
  const waiting = file.state === 'pending' ? ', waiting for vectors' : '';
  return `${count(file.lines ?? 0, 'line')}, ${count(file.nodes, 'node')}${file.language ? `, ${file.language}` : ''}${waiting}`;
}

function changedLine(node, history) {
  const date = history && changeDate(node, history);
  return date ? [h('br'), `last change: ${date}`] : null;
}

/** The day of the last change of a file, or of any file in a folder. */
function changeDate(node, { changed, since }) {
  const latest = lastChange(node, changed);
  if (latest) return formatDay(latest);
  return since === null ? 'in no commit yet' : `${formatDay(since)} or earlier`;
}

function lastChange(node, changed) {
  if (node.file) return changed.get(node.file.path) ?? 0;
  return Math.max(...[...node.children.values()].map((child) => lastChange(child, changed)));
}

/** Opens what was clicked: a file of the shown folder, or the subfolder that has it. */
function open(map, event) {
  const box = boxAt(map.boxes, event.offsetX, event.offsetY);
  if (!box) return;
  const { tree } = map;
  const own = box.node.path.slice(tree.path ? tree.path.length + 1 : 0).split('/')[0];
  const child = tree.children.get(own);
  if (!child.file) go(link({ view: 'map', by: read().by, below: child.path }));
  else if (child.file.state !== 'skipped') go(fileLink(child.path));
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

function table({ tree, history }) {
  const rows = heaviest(tree);
  const rest = rows.length - MAX_ROWS;
  const has = { history, unread: tree.unread, waiting: tree.waiting };
  const titles = ['Name', history && 'Last change', 'Files', 'Lines', has.unread && 'Not indexed', has.waiting && 'Waiting'].filter(Boolean);
  return h('div', { class: 'listed', tabindex: '0', role: 'region', 'aria-label': 'The map as a table' }, h('table', { class: 'signs' },
    h('caption', null, `Contents of ${tree.path || 'the repository'}`),
    h('thead', null, h('tr', null, titles.map((title) => h('th', { scope: 'col' }, title)))),
    h('tbody', null, rows.slice(0, MAX_ROWS).map((node) => entry(node, has)),
      rest > 0 ? h('tr', null, h('td', { colspan: titles.length }, `and ${rest.toLocaleString('en')} more`)) : null)));
}

function entry(node, { history, unread, waiting }) {
  const { file } = node;
  const href = file ? fileLink(node.path) : link({ view: 'map', by: read().by, below: node.path });
  const title = file ? node.name : `${node.name}/`;
  const cells = [history && changeDate(node, history), node.files, node.lines,
    unread && (file?.state === 'skipped' ? skipReason(file) : node.unread || ''), waiting && (node.waiting || '')];
  const isIn = [history, true, true, unread, waiting];
  return h('tr', null, h('th', { scope: 'row' }, file?.state === 'skipped' ? title : h('a', { href }, title)),
    cells.map((cell, at) => (isIn[at] ? h('td', null, cell.toLocaleString('en')) : null)));
}
