// The map: every file by its lines, folder within folder, and what is not indexed.
import { fileLink, go, isNow, link, read } from './url_state.js';
import { tellAge } from './index_state.js';
import { ask } from './api_client.js';
import { announce, byId, count, fill, h, safe } from './dom.js';
import { dayOf, tints, whyNot } from './map_colours.js';
import { boxAt, heaviest, labelled, layOut, treeOf } from './treemap.js';

const LISTED = 60;
const LATE_MS = 300;
const BY = { state: 'What is indexed', language: 'Languages', changed: 'Last change' };
const DARK_INK = '#101418';
let stopWatching = () => null;

export async function showMap(state) {
  stopWatching();
  const known = await ask('map');
  const ways = Object.keys(BY).filter((name) => name !== 'changed' || known.history);
  const by = ways.includes(state.by) ? state.by : 'state';
  const history = by === 'changed' ? await lookedBack(state) : null;
  if (!isNow(state)) return;
  tellAge(known);
  const tree = treeOf(known.files, state.below);
  const canvas = h('canvas', { role: 'img', 'aria-label': `Map of ${tree.path || 'the repository'}: ${facts(tree)}. The table below says the same.` });
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const picture = { canvas, tree, files: known.files, tints: tints(known.files, by, isDark, history), history, boxes: [], tip: h('div', { class: 'tip', 'aria-hidden': 'true', hidden: true }) };
  fill(byId('main'), h('div', { class: 'map' }, heading(state, tree, by, ways), h('div', { class: 'canvas' }, canvas, picture.tip),
    legend(picture), table(picture)));
  listen(picture);
  draw(picture);
  announce(facts(tree));
}

/** When each file was last changed, which takes a large repository seconds. */
async function lookedBack(state) {
  const says = 'Looking back through the commits…';
  const late = setTimeout(() => isNow(state) && fill(byId('main'), h('p', { class: 'empty', role: 'status' }, says)), LATE_MS);
  try {
    const { changed, since } = await ask('history');
    return { changed: new Map(Object.entries(changed)), since }; // a file may be called `constructor`
  } finally {
    clearTimeout(late);
  }
}

function facts(tree) {
  const unread = tree.unread ? `, ${tree.unread.toLocaleString('en')} not indexed` : '';
  const waiting = tree.waiting ? `, ${tree.waiting.toLocaleString('en')} waiting for vectors` : '';
  return `${count(tree.files, 'file')}, ${count(tree.lines, 'line')}${unread}${waiting}`;
}

function heading(state, tree, by, ways) {
  return h('div', { class: 'summary' }, h('h1', { id: 'where' }, crumbs(state)), h('span', null, facts(tree)),
    tree.path ? h('a', { href: link({ path: [`/${tree.path}`], q: byId('q').value }) }, 'Search here') : null,
    h('span', { class: 'choice' }, ways.map((name) => h('a', {
      href: link({ view: 'map', below: state.below, by: name === 'state' ? '' : name }), 'aria-current': name === by && 'true' }, BY[name]))));
}

/** The folders that lead here, each a link but the last. */
function crumbs(state) {
  const names = state.below ? state.below.split('/') : [];
  const steps = names.map((name, at) => [name, names.slice(0, at + 1).join('/')]);
  return [['all files', ''], ...steps].flatMap(([name, below], at, all) => [
    at ? ' / ' : '',
    at === all.length - 1 ? name : h('a', { href: link({ view: 'map', by: state.by, below }) }, name),
  ]);
}

function draw(picture) {
  const { canvas, tree } = picture;
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const [w, height] = [canvas.clientWidth, canvas.clientHeight];
  canvas.width = w * devicePixelRatio;
  canvas.height = height * devicePixelRatio;
  const pen = canvas.getContext('2d');
  pen.scale(devicePixelRatio, devicePixelRatio);
  picture.boxes = layOut(tree, w, height);
  const style = getComputedStyle(document.documentElement);
  const [text, face, line] = ['--text', '--face', '--line'].map((name) => style.getPropertyValue(name));
  for (const box of picture.boxes) {
    pen.fillStyle = box.node.file ? picture.tints.colour(box.node.file) : face;
    pen.fillRect(box.x, box.y, Math.max(box.w - 0.75, 0.5), Math.max(box.h - 0.75, 0.5));
    if (!box.node.file) frame(pen, box, line);
  }
  pen.font = '11px system-ui, "DejaVu Sans", sans-serif';
  pen.textBaseline = 'top';
  for (const box of picture.boxes) name(pen, box, inkOn(box.node.file, picture.tints, isDark ? text : DARK_INK) ?? text);
  performance.mark('map-drawn');
}

function frame(pen, box, line) {
  pen.strokeStyle = line;
  pen.strokeRect(box.x + 0.5, box.y + 0.5, box.w - 1.5, box.h - 1.5);
}

/** The colour of writing on a file's; none for a folder. */
function inkOn(file, { ink }, usual) {
  return file && (ink(file) ?? usual);
}

/** The name where there is room for it, cut at the box's end. */
function name(pen, box, ink) {
  if (!labelled(box) || (box.node.file && box.w < 60)) return;
  pen.save();
  pen.beginPath();
  pen.rect(box.x + 1, box.y, box.w - 6, box.h);
  pen.clip();
  pen.fillStyle = ink;
  pen.fillText(safe(box.node.name), box.x + 4, box.y + 3);
  pen.restore();
}

function listen(picture) {
  const { canvas, tip } = picture;
  canvas.addEventListener('pointermove', (event) => tell(picture, event));
  canvas.addEventListener('pointerleave', () => { tip.hidden = true; });
  canvas.addEventListener('click', (event) => open(picture, event));
  const again = new ResizeObserver(() => (canvas.isConnected ? draw(picture) : again.disconnect()));
  again.observe(canvas);
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  const recolour = () => dispatchEvent(new Event('moved'));
  scheme.addEventListener('change', recolour);
  stopWatching = () => { again.disconnect(); scheme.removeEventListener('change', recolour); };
}

function tell(picture, event) {
  const box = boxAt(picture.boxes, event.offsetX, event.offsetY);
  picture.tip.hidden = !box;
  if (!box) return;
  const file = box.node.file;
  fill(picture.tip, h('strong', null, box.node.path), h('br'), file ? about(file) : facts(box.node), changedLine(box.node, picture.history));
  const left = Math.min(event.offsetX + 14, picture.canvas.clientWidth - picture.tip.offsetWidth);
  picture.tip.style.left = `${Math.max(left, 0)}px`;
  picture.tip.style.top = `${event.offsetY + 18}px`;
}

function about(file) {
  if (file.state === 'skipped') return `not indexed: ${whyNot(file)}`;
  const waits = file.state === 'pending' ? ', waits for vectors' : '';
  return `${count(file.lines ?? 0, 'line')}, ${count(file.nodes, 'node')}${file.language ? `, ${file.language}` : ''}${waits}`;
}

function changedLine(node, history) {
  const said = history && whenChanged(node, history);
  return said ? [h('br'), `last change: ${said}`] : null;
}

/** The day of the last change of what is in it. */
function whenChanged(node, { changed, since }) {
  const latest = lastChange(node, changed);
  if (latest) return dayOf(latest);
  return since === null ? 'in no commit yet' : `${dayOf(since)} or earlier`;
}

function lastChange(node, changed) {
  if (node.file) return changed.get(node.file.path) ?? 0;
  return Math.max(...[...node.children.values()].map((child) => lastChange(child, changed)));
}

/** Into the folder of this level that holds what is clicked; a file of this level opens. */
function open(picture, event) {
  const box = boxAt(picture.boxes, event.offsetX, event.offsetY);
  if (!box) return;
  const { tree } = picture;
  const own = box.node.path.slice(tree.path ? tree.path.length + 1 : 0).split('/')[0];
  const child = tree.children.get(own);
  if (!child.file) go(link({ view: 'map', by: read().by, below: child.path }));
  else if (child.file.state !== 'skipped') go(fileLink(child.path));
}

function legend(picture) {
  const counts = new Map();
  for (const file of picture.files) {
    const isInside = !picture.tree.path || file.path.startsWith(`${picture.tree.path}/`);
    if (isInside) counts.set(picture.tints.name(file), (counts.get(picture.tints.name(file)) ?? 0) + 1);
  }
  const { order } = picture.tints;
  const rows = [...counts].sort((one, other) => (order ? order.indexOf(one[0]) - order.indexOf(other[0]) : other[1] - one[1]));
  return h('ul', { class: 'legend', 'aria-label': 'Colours' }, rows.map(([title, number]) => h('li', null,
    swatch(picture.tints.colours.get(title)), `${title} `, h('span', { class: 'number' }, number.toLocaleString('en')))));
}

function swatch(colour) {
  const mark = h('span', { class: 'swatch', 'aria-hidden': 'true' });
  mark.style.background = colour;
  return mark;
}

function table({ tree, history }) {
  const rows = heaviest(tree);
  const rest = rows.length - LISTED;
  const has = { history, unread: tree.unread, waiting: tree.waiting };
  const titles = ['Name', history && 'Last change', 'Files', 'Lines', has.unread && 'Not indexed', has.waiting && 'Waiting'].filter(Boolean);
  return h('div', { class: 'listed', tabindex: '0', role: 'region', 'aria-label': 'The same as a table' }, h('table', { class: 'signs' },
    h('caption', null, `What is in ${tree.path || 'the repository'}`),
    h('thead', null, h('tr', null, titles.map((title) => h('th', { scope: 'col' }, title)))),
    h('tbody', null, rows.slice(0, LISTED).map((node) => entry(node, has)),
      rest > 0 ? h('tr', null, h('td', { colspan: titles.length }, `and ${rest.toLocaleString('en')} more`)) : null)));
}

function entry(node, { history, unread, waiting }) {
  const { file } = node;
  const href = file ? fileLink(node.path) : link({ view: 'map', by: read().by, below: node.path });
  const title = file ? node.name : `${node.name}/`;
  const cells = [history && whenChanged(node, history), node.files, node.lines,
    unread && (file?.state === 'skipped' ? whyNot(file) : node.unread || ''), waiting && (node.waiting || '')];
  const isIn = [history, true, true, unread, waiting];
  return h('tr', null, h('th', { scope: 'row' }, file?.state === 'skipped' ? title : h('a', { href }, title)),
    cells.map((cell, at) => (isIn[at] ? h('td', null, cell.toLocaleString('en')) : null)));
}
