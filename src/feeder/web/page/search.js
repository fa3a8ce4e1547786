// The search view: hits by words while the user types, by meaning at a pause, and filters.
import { FILTERS, fileLink, go, link, read } from './url_state.js';
import { request } from './api_client.js';
import { announce, byId, count, fileName, fill, h } from './dom.js';
import { LAST_FILTER, rememberQuery } from './completions.js';
import { facetLists, rememberFacets } from './facets.js';
import { noHitsState, errorState, remedyOf } from './empty_states.js';
import { hitItems } from './hit.js';
import { isIndexing, showIndexState } from './index_state.js';
import { innerPath } from './links.js';
import { showStart } from './start.js';

const LIMIT = 20;
// hits of a query that is being typed: more than a window shows, in half the time of 20
const TYPED_LIMIT = 10;
// not of Chinese, Japanese or Korean, where a word may begin and end at each character
const LAST_WORD = /(?:^|\s)(?!\S*[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}])[\p{L}_][\p{L}\p{N}_]{2,}$/u;
// the first letters of another word, or a filter without its value: hits are those of the words before
const BEGUN = /(\S)\s+(?:-?\w+:|-?\w{1,2}|-)?$/;
const PAUSE_MS = 600;
// of a Worker, where each query is billed and no query of a key is sent
const BILLED_PAUSE_MS = 1000;
const REST_MS = 2000;
const RETRY_MS = 1500;
const MAX_SIMULTANEOUS = 2;
let current = new AbortController();
let timer;
let retry;
let rest;
let unrecorded;
let recorded = '';
let shown = '';
let shownQuery = '';
let shownPrefix = '';
let shownText = '';
let typing = false;
// queries are numbered when the user makes them, which may be before they run: an answer is shown unless that of a
// newer one is shown already
let newest = 0;
let answered = 0;
let running = 0;
let waiting;

export async function showSearch(state) {
  if (timer) return undefined;
  byId('q').value = state.q;
  clearTimeout(retry);
  if (!state.q && !state.similar) return leaveHits(state);
  return runQuery(state);
}

function isBilled() {
  return document.body.dataset.server === 'worker';
}

/** Handles typing: searches by words at once, and by meaning and with a new address at a pause. */
export function typed() {
  clearTimer();
  clearTimeout(rest);
  const q = byId('q').value;
  if (!q.trim()) return settle(q);
  if (!isBilled()) searchWords({ ...onlyFilters(), q, offset: 0, meaning: 'no', prefix: true });
  timer = setTimeout(() => settle(q), isBilled() ? BILLED_PAUSE_MS : PAUSE_MS);
  return undefined;
}

/** Searches by words; of the queries that have to wait for others, only the last one is run. */
function searchWords(state, number = nextNumber()) {
  waiting = undefined;
  if (running === MAX_SIMULTANEOUS) {
    waiting = { state, number };
    return;
  }
  running += 1;
  runQuery(state, number).finally(() => {
    running -= 1;
    if (waiting) searchWords(waiting.state, waiting.number);
  });
}

function nextNumber() {
  newest += 1;
  return newest;
}

/** Puts the query into the address; while the user types, without a new entry of the history. */
export function settle(q = byId('q').value, { replace = isTyping() } = {}) {
  clearTimer();
  const href = link({ ...onlyFilters(), q });
  const isSame = href === link(read());
  go(isSame ? location.href : href, { replace: replace || isSame });
  unrecorded = read();
  clearTimeout(rest);
  rest = setTimeout(record, REST_MS - PAUSE_MS);
}

/** Records the query that was typed last: after Enter, when a hit is opened, or at rest. */
export function record() {
  clearTimeout(rest);
  const state = unrecorded;
  unrecorded = undefined;
  if (!state?.q || link(state) === recorded) return;
  recorded = link(state);
  rememberQuery(state.q);
  // a Worker records none
  if (!isBilled()) request('search', parametersOf(state)).catch(() => null);
}

function parametersOf(state) {
  const filters = Object.fromEntries(FILTERS.map((name) => [name, state[name] ?? []]));
  return { ...filters, q: state.q, limit: state.prefix ? TYPED_LIMIT : LIMIT, offset: state.offset || null };
}

/** Returns true if the user was typing already, and notes that typing has begun. */
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
  if (state.view === 'map' && innerPath(state.below)) return { path: [`/${innerPath(state.below)}`] };
  return state.view === 'search' ? Object.fromEntries(FILTERS.map((name) => [name, state[name]])) : {};
}

/** Waits with what was typed, while an input method composes the next characters. */
export function clearTimer() {
  clearTimeout(timer);
  timer = undefined;
}

export function stop() {
  current.abort();
  current = new AbortController();
  waiting = undefined;
  clearTimeout(retry);
  clearTimer();
}

function leaveHits(state) {
  stop();
  shown = '';
  showStart(state, chips(state));
}

/** Runs a query; while the user types, hits stay until there are others. */
async function runQuery(state, number = nextNumber()) {
  if (number < answered) return;
  clearTimeout(retry);
  const { signal } = current;
  const text = state.prefix ? asPrefix(state.q) : '';
  if (text && shown && text === shownText && hasHits()) {
    answered = number;
    byId('main').removeAttribute('aria-busy');
    markAnswered(state);
    return;
  }
  const parameters = parametersOf(state);
  const log = isUnfinished(state) || link(state) === recorded ? 'no' : null;
  if (!log) recorded = link(state);
  if (!log && state.q) rememberQuery(state.q);
  byId('main').setAttribute('aria-busy', 'true');
  const isStale = () => signal.aborted || number < answered;
  try {
    const page = state.similar
      ? await requestSimilar(parameters, state.similar, signal)
      : await request('search', { ...parameters, q: text || state.q, meaning: state.meaning, log }, { signal });
    if (isStale()) return;
    answered = number;
    if (!page.hits.length && state.meaning === 'no' && hasHits()) showHint(`No hits for ${state.q} yet.`);
    else if (!isPrefixBetter(page, state)) draw(page, state);
    markAnswered(state);
  } catch (error) {
    if (error.name === 'AbortError' || isStale()) return;
    answered = number;
    if (!isUnfinished(state) || error.status !== 400) showError(error, state);
    else if (!isHalfTyped(state)) showHint(`${error.message} `, remedyOf(error, state));
  }
  if (number === newest) byId('main').removeAttribute('aria-busy');
}

function markAnswered(state) {
  performance.clearMarks('answered');
  performance.mark('answered', { detail: state.q });
}

async function requestSimilar(parameters, id, signal) {
  const [page, node] = await Promise.all([
    request('similar', { ...parameters, q: null, target: id }, { signal }), request('node', { id }, { signal }).catch(() => null)]);
  return { ...page, target: node?.hits[0] };
}

/** The query with its last word, which may be half typed, as a prefix; without one of less than three letters. */
function asPrefix(q) {
  if (q.split('"').length % 2 === 0 || /(^|\s)\/[^/]*$/.test(q)) return q;
  const text = q.replace(BEGUN, '$1');
  return LAST_WORD.test(text) ? `${text}*` : text;
}

/** True if hits of a half typed word are shown and none of `page` has a word or name of the query. */
function isPrefixBetter(page, state) {
  const isRankedByText = (hit) => hit.word_rank || hit.name_rank;
  return typing && shownPrefix === state.q && hasHits() && !page.hits.some(isRankedByText);
}

function isUnfinished(state) {
  return typing || state.meaning === 'no';
}

function isHalfTyped(state) {
  return LAST_FILTER.test(state.q) && (state.prefix || !byId('completions').hidden);
}

function hasHits() {
  return Boolean(byId('main').querySelector('.hits'));
}

function showError(error, state) {
  clearTimeout(retry);
  shown = '';
  fill(byId('main'), errorState(error, state));
  announce(error.message);
}

function showHint(...content) {
  shown = '';
  const hint = byId('main').querySelector('.hint') ?? h('p', { class: 'hint notes', role: 'status' });
  fill(hint, ...content);
  byId('main').prepend(hint);
}

function draw(page, state) {
  clearTimeout(retry);
  const key = JSON.stringify([page.hits.map((hit) => [hit.id, hit.window]), page.total, page.named, page.facets, state.q, state.offset, page.notes, isIndexing()]);
  showIndexState(page);
  if (!page.hits.length && isIncomplete(page.index)) retry = setTimeout(() => runQuery(state), RETRY_MS);
  if (key === shown && byId('main').querySelector('.hits, .empty')) return;
  shown = key;
  shownPrefix = state.prefix && page.hits.length ? state.q : '';
  shownText = shownPrefix && asPrefix(state.q);
  const isNewQuery = shownQuery !== state.q;
  shownQuery = state.q;
  if (!page.hits.length) {
    fill(byId('main'), noHitsState(page, state));
    announce('No hits');
    return;
  }
  rememberFacets(page.facets, state);
  const list = h('ol', { class: 'hits', start: state.offset + 1 || 1 }, hitItems(page.hits, page.target, state.offset ? null : page.hits[0]));
  const content = [h('h1', { class: 'hidden' }, headline(state)), h('div', { class: 'columns' },
    facetLists(page.facets, state),
    h('section', { 'aria-label': 'Hits' }, summary(page, state), notes(page), list, pages(page, state)))];
  keepPlace(() => fill(byId('main'), ...content));
  if (isNewQuery && isUnfinished(state)) scrollTo(0, 0);
  announce(countHits(page));
}

function keepPlace(change) {
  const first = scrollY ? [...document.querySelectorAll('.hit')].find((hit) => hit.getBoundingClientRect().bottom > 0) : null;
  const top = first?.getBoundingClientRect().top;
  change();
  const now = first && hitAt(first.dataset.place);
  if (now) scrollBy(0, now.getBoundingClientRect().top - top);
}

function hitAt(place) {
  return [...document.querySelectorAll('.hit')].find((hit) => hit.dataset.place === place);
}

function isIncomplete(index) {
  return index?.unfinished || Boolean(index?.head && !index.equals);
}

function headline(state) {
  return state.similar ? 'Similar nodes' : `Hits for ${state.q}`;
}

function countHits(page) {
  const least = page.at_least ? 'at least ' : '';
  const similar = page.total - (page.named ?? 0);
  if (page.named && similar) return `${page.named.toLocaleString('en')} with the name, ${least}${similar.toLocaleString('en')} similar`;
  return `${least ? 'At least ' : ''}${count(page.total, 'hit')}`;
}

function summary(page, state) {
  const last = state.offset + page.hits.length;
  const range = page.total > page.hits.length ? `, ${state.offset + 1} to ${last} shown` : '';
  return h('div', { class: 'summary' }, h('span', null, `${countHits(page)}${range}`, page.target ? [' similar to ', place(page.target)] : null), chips(state));
}

function place({ path, symbol, start_line: first, end_line: last }) {
  return h('a', { href: fileLink(path, first, last) }, symbol ?? fileName(path), ` (${path}:${first})`);
}

function chips(state) {
  const all = FILTERS.flatMap((name) => (state[name] ?? []).map((value) => [name, value]));
  if (!all.length) return null;
  return h('ul', { class: 'chips', 'aria-label': 'Filters' }, all.map(([name, value]) => {
    const rest = { ...state, offset: 0, [name]: state[name].filter((other) => other !== value) };
    return h('li', null, h('a', { href: link(rest), 'aria-label': `Remove filter ${name} ${value}` }, `${name.replace('node_type', 'type')}: ${value} ×`));
  }));
}

function notes(page) {
  if (!page.notes?.length) return null;
  return h('div', { class: 'notes' }, page.notes.map((note) => h('p', null, note)));
}

function pages(page, state) {
  const next = state.offset + page.hits.length;
  return h('nav', { class: 'pages', 'aria-label': 'Pages' },
    state.offset ? h('a', { href: link({ ...state, offset: Math.max(0, state.offset - LIMIT) }), rel: 'prev' }, '← Previous hits') : null,
    next < page.total ? h('a', { href: link({ ...state, offset: next }), rel: 'next' }, 'More hits →') : null);
}
