// The table below the map: what is in the shown folder, sorted by any column.
import { count, fill, h } from './dom.js';
import { formatDay, skipReason } from './map_colours.js';
import { fileLink, link, read } from './url_state.js';

const MAX_ROWS = 100;
const KB = 1024;

/** The table of a folder; `history` adds a column, and the names of the columns are buttons that sort. */
export function mapTable(tree, by, history) {
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
      ? h('tr', null, h('td', { colspan: columns.length }, `and ${count(rows.length - MAX_ROWS, 'row')} more; another order shows others first`)) : null);
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
  return h('tr', null, h('th', { scope: 'row' }, node.file?.state === 'skipped' ? title : h('a', { href }, title)),
    columns.map(([, value, text = value]) => h('td', null, text(node).toLocaleString('en'))));
}

/** The files that refer to a file; in a folder those of the file with the most. */
function referring(node) {
  return node.file ? node.file.referring ?? 0 : Math.max(...[...node.children.values()].map(referring));
}

/** The day of the last change of a file, or of any file in a folder. */
export function changeDate(node, { changed, since }) {
  const latest = lastChange(node, changed);
  if (latest) return formatDay(latest);
  return since === null ? 'in no commit yet' : `${formatDay(since)} or earlier`;
}

function lastChange(node, changed) {
  if (node.file) return changed.get(node.file.path) ?? 0;
  return Math.max(...[...node.children.values()].map((child) => lastChange(child, changed)));
}
