// Search: words as you type, meaning at a pause, and what there is to narrow it by.
import { NARROWING, go, link, read } from './url_state.js';
import { ask } from './api_client.js';
import { announce, byId, count, fill, h } from './dom.js';
import { facetLists } from './facets.js';
import { beginning, nothing, trouble } from './empty_states.js';
import { hitItem } from './hit.js';
import { tellAge } from './index_state.js';

const LIMIT = 20;
const TYPED_MS = 120;
const PAUSE_MS = 450;
const AGAIN_MS = 1500;
let asking = new AbortController();
let timers = [];
let again;
let shown = '';

/** Shows what the address asks, unless somebody types on: then the pause shows it. */
export async function showSearch(state) {
  if (timers.length) return undefined;
  byId('q').value = state.q;
  stop();
  if (!state.q && !state.similar) return begin(state);
  return answer(state);
}

/** As it is typed: the words soon, the whole answer and the address at a pause. */
export function typed() {
  stop();
  const q = byId('q').value;
  if (!q.trim()) return settle(q);
  timers = [
    setTimeout(() => answer({ ...onlyFilters(), q, meaning: 'no' }), TYPED_MS),
    setTimeout(() => settle(q), PAUSE_MS),
  ];
  return undefined;
}

/** Puts the question into the address; of one that is still being typed the last form only. */
export function settle(q = byId('q').value, { replace = isTyping() } = {}) {
  stop();
  const href = link({ ...onlyFilters(), q });
  const isSame = href === link(read());
  go(isSame ? location.href : href, { replace: replace || isSame });
}

let typing = false;
function isTyping() {
  const was = typing;
  typing = true;
  return was;
}
export function endTyping() {
  typing = false;
}

function onlyFilters() {
  const state = read();
  if (state.view === 'map' && state.below) return { path: [`/${state.below}`] };
  return state.view === 'search' ? Object.fromEntries(NARROWING.map((name) => [name, state[name]])) : {};
}

/** Asks no more of what was asked, and forgets what was being typed. */
export function stop() {
  asking.abort();
  clearTimeout(again);
  timers.forEach(clearTimeout);
  timers = [];
}

function begin(state) {
  shown = '';
  fill(byId('main'), chips(state), beginning());
}

async function answer(state) {
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  const filters = Object.fromEntries(NARROWING.map((name) => [name, state[name] ?? []]));
  const said = { ...filters, limit: LIMIT, offset: state.offset || null };
  byId('main').setAttribute('aria-busy', 'true');
  try {
    const found = state.similar
      ? await ask('similar', { ...said, target: state.similar }, { signal })
      : await ask('search', { ...said, q: state.q, meaning: state.meaning }, { signal });
    if (!signal.aborted) draw(found, { ...state, ...filters });
  } catch (error) {
    if (error.name === 'AbortError') return;
    shown = '';
    fill(byId('main'), trouble(error));
    announce(error.message);
  }
  byId('main').removeAttribute('aria-busy');
}

/** Draws it anew only where it is another: words and meaning often find the same. */
function draw(found, state) {
  const key = JSON.stringify([found.hits.map((hit) => [hit.id, hit.window]), found.total, found.facets, state.q, state.offset, found.notes]);
  tellAge(found);
  if (!found.hits.length && isBeingMade(found.index)) again = setTimeout(() => answer(state), AGAIN_MS);
  if (key === shown && byId('main').querySelector('.hits, .empty')) return;
  shown = key;
  if (!found.hits.length) {
    fill(byId('main'), nothing(found, state));
    announce('Nothing found');
    return;
  }
  const list = h('ol', { class: 'hits', start: state.offset + 1 || 1 }, found.hits.map(hitItem));
  fill(byId('main'), h('h1', { class: 'hidden' }, headline(state)), h('div', { class: 'columns' },
    facetLists(found.facets, state),
    h('section', { 'aria-label': 'Hits' }, summary(found, state), notes(found), list, pages(found, state))));
  announce(howMany(found));
}

/** Nothing is found yet in an index that equals no commit so far. */
function isBeingMade(index) {
  return index?.unfinished || Boolean(index?.head && !index.equals);
}

function headline(state) {
  return state.similar ? 'What is similar' : `Answers to ${state.q}`;
}

function howMany(found) {
  return `${found.at_least ? 'At least ' : ''}${count(found.total, 'hit')}`;
}

function summary(found, state) {
  const last = state.offset + found.hits.length;
  const range = found.total > found.hits.length ? `, ${state.offset + 1} to ${last} shown` : '';
  return h('div', { class: 'summary' }, h('span', null, state.similar ? `Similar: ${howMany(found)}${range}` : `${howMany(found)}${range}`), chips(state));
}

function chips(state) {
  const all = NARROWING.flatMap((name) => (state[name] ?? []).map((value) => [name, value]));
  if (!all.length) return null;
  return h('ul', { class: 'chips', 'aria-label': 'Narrowed by' }, all.map(([name, value]) => {
    const rest = { ...state, offset: 0, [name]: state[name].filter((one) => one !== value) };
    return h('li', null, h('a', { href: link(rest), 'aria-label': `Without ${name} ${value}` }, `${name.replace('node_type', 'type')}: ${value} ×`));
  }));
}

function notes(found) {
  if (!found.notes?.length) return null;
  return h('div', { class: 'notes' }, found.notes.map((note) => h('p', null, note)));
}

function pages(found, state) {
  const next = state.offset + found.hits.length;
  return h('nav', { class: 'pages', 'aria-label': 'Pages' },
    state.offset ? h('a', { href: link({ ...state, offset: Math.max(0, state.offset - LIMIT) }), rel: 'prev' }, '← Earlier hits') : null,
    next < found.total ? h('a', { href: link({ ...state, offset: next }), rel: 'next' }, 'More hits →') : null);
}
