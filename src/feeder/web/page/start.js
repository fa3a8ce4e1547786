// The start page: what the repository is, then example queries.
import { fileLink, isCurrent, link } from './url_state.js';
import { request } from './api_client.js';
import { recentQueries } from './completions.js';
import { byId, count, cutPath, cutSymbol, fill, h } from './dom.js';
import { exampleQueries, supports } from './links.js';
import { rendered } from './markdown.js';
import { formatDay } from './treemap.js';

const KINDS = { words: 'words and their meaning', phrase: 'exactly this text', filters: 'a word, in a language and a folder', symbol: 'symbols of this name', pattern: 'a regular expression' };
const MAX_RECENT = 5;
// who types at once is not slowed down
const REST_MS = 300;

export function showStart(state, chips) {
  const recent = recentQueries().slice(0, MAX_RECENT);
  fill(byId('main'), chips, h('div', { class: 'start' },
    h('section', { class: 'empty' }, h('h1', null, 'Search this repository'),
      h('p', null, 'Type words, a name, or what the code does. Press ', h('kbd', null, '?'), ' for the query syntax and keyboard shortcuts, or open ',
        h('a', { href: '?view=map' }, 'the map'), ' of what is indexed.')),
    h('div', { id: 'repository', class: supports('overview') ? 'awaited' : null }),
    listOf('Recent queries', recent, (query) => h('li', null, queryLink(query))),
    listOf('Examples', exampleQueries(), ({ query, kind }) => h('li', null, queryLink(query), ` — ${KINDS[kind]}`), 'examples')));
  if (supports('overview')) setTimeout(() => describe(state), REST_MS);
}

function queryLink(q) {
  return h('a', { href: link({ q }) }, h('code', null, q));
}

async function describe(state) {
  const isShown = () => isCurrent(state) && byId('repository') && !byId('q').value;
  if (!isShown()) return;
  const overview = await request('overview').catch(() => null); // the page is complete without it
  if (!isShown()) return;
  byId('repository').classList.remove('awaited');
  if (!overview) return;
  const { readme, packages, entry_points: entries, changed, totals, notes } = overview;
  fill(byId('repository'),
    readme && h('section', { class: 'about' }, rendered(readme.lines, readme.path), h('p', null, h('a', { href: fileLink(readme.path) }, readme.path))),
    listOf(`Packages and their most used symbols${partOf(packages, totals.packages)}`, packages, packageItem, 'packages'),
    listOf(`First entry points${partOf(entries, totals.entry_points)}`, entries, (entry) => entryItem(entry, entries.filter(({ name }) => name === entry.name).length > 1)),
    listOf('Changed last', changed, ({ path, changed_s: at }) => h('li', null, h('a', { href: fileLink(path), title: path }, cutPath(path)), ' ', h('span', { class: 'number' }, formatDay(at)))),
    notes.map((note) => h('p', { class: 'note' }, note)));
}

/** "12 of 40" for a list that does not have all; empty for one that does. */
function partOf(items, total) {
  return items.length < total ? `: ${items.length} of ${total.toLocaleString('en')}` : '';
}

function listOf(title, items, item, name = null) {
  return items.length ? h('section', { class: name }, h('h2', null, title), h('ul', { class: 'plain' }, items.map(item))) : null;
}

function packageItem({ path, files, most_used: symbols }) {
  const name = path === '.' ? 'the root' : path;
  return h('li', null, h('a', { href: link({ view: 'map', below: path === '.' ? '' : path }) }, name), ' ', h('span', { class: 'number' }, count(files, 'file')),
    h('div', null, symbols.map((symbol, at) => [at ? ', ' : null, symbolLink(symbol)])));
}

function entryItem({ kind, name, path, line }, isAmbiguous) {
  const isNumber = name?.[0] === '(';
  return h('li', null, h('span', { class: 'folder' }, kind, isNumber ? ` ${name}` : null), ' ',
    h('a', { href: fileLink(path, line), title: line ? `${path}:${line}` : path, class: 'symbol' }, name && !isNumber ? name : cutPath(path)),
    name && !isNumber && isAmbiguous ? h('span', { class: 'folder' }, ' ', cutPath(path)) : null);
}

function symbolLink({ path, symbol, start_line: first, end_line: last }) {
  return h('a', { href: fileLink(path, first, last), title: `${symbol} in ${path}:${first}`, class: 'symbol' }, cutSymbol(symbol));
}
