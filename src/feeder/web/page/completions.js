// The list below the query: completions of its last word while it is typed, recent queries before.
import { request } from './api_client.js';
import { byId, count, fill, h } from './dom.js';
import { indexName } from './index_state.js';
import { keep, recall } from './storage.js';
import { fileLink, go } from './url_state.js';

// a filter at the end of a query, whose value may be half typed
export const LAST_FILTER = /(?:^|\s)-?\w+:\S*$/;
const MAX_RECENT = 8;
const NOT_FOUND = 404;
let isSupported = true;
let newest = 0;
let choose = () => null;

/** Listens to the query field; `onChosen` is called with the query after a choice. */
export function listenToCompletions(onChosen) {
  const field = byId('q');
  field.setAttribute('role', 'combobox');
  for (const [name, value] of Object.entries({ controls: 'completions', autocomplete: 'list', expanded: 'false' })) field.setAttribute(`aria-${name}`, value);
  field.addEventListener('input', (event) => { if (!event.isComposing) update(); });
  field.addEventListener('compositionstart', hideCompletions);
  field.addEventListener('compositionend', update);
  field.addEventListener('focus', () => { if (!field.value) showRecent(); });
  field.addEventListener('click', () => { if (!field.value) showRecent(); });
  field.addEventListener('blur', hideCompletions);
  field.addEventListener('keydown', press);
  choose = (option) => {
    hideCompletions();
    if (option.dataset.href) return go(option.dataset.href);
    field.value = option.dataset.query;
    return onChosen(field.value);
  };
}

export function rememberQuery(q) {
  const queries = [q, ...recentQueries().filter((other) => other !== q)].slice(0, MAX_RECENT);
  keep(recentKey(), JSON.stringify(queries));
}

export function recentQueries() {
  try {
    return JSON.parse(recall(recentKey()) ?? '[]');
  } catch {
    return [];
  }
}

function recentKey() {
  return `queries:${indexName()}`;
}

function showRecent() {
  draw(recentQueries().map((q) => ({ text: q, kind: 'recent', query: q })));
}

async function update() {
  newest += 1;
  const [number, field] = [newest, byId('q')];
  const q = field.value;
  if (!q.trim()) return showRecent();
  if (!isSupported || field.selectionEnd !== q.length) return hideCompletions();
  const answer = await request('complete', { q }).catch((error) => {
    // a Worker has no completions
    isSupported = error.status !== NOT_FOUND;
    return { completions: [] };
  });
  if (number !== newest || document.activeElement !== field) return undefined;
  const before = q.replace(/\S+$/, '');
  return draw(answer.completions.filter(({ text }) => before + text !== q).map((one) => ({ ...one, query: before + one.text })));
}

function draw(options) {
  hideCompletions();
  if (!options.length) return;
  fill(byId('completions'), options.map(optionItem));
  byId('completions').hidden = false;
  byId('q').setAttribute('aria-expanded', 'true');
}

function optionItem({ text, kind, number = null, path, start_line: first, end_line: last, query }, i) {
  const isPlace = path && (kind === 'symbol' || kind === 'file') && !text.includes(':');
  const about = kind === 'symbol' ? path : number === null ? kind : `${kind}, ${count(number, kind === 'folder' ? 'file' : 'node')}`;
  // pressed, not clicked: the field keeps its focus
  const press_ = (event) => { event.preventDefault(); choose(event.currentTarget); };
  return h('li', { id: `completion-${i}`, role: 'option', 'aria-selected': 'false', 'data-query': query, 'data-href': isPlace ? fileLink(path, first, last) : null, pointerdown: press_ },
    h('span', { class: 'text' }, text), ' ', h('span', { class: 'about' }, about));
}

export function hideCompletions() {
  newest += 1;
  byId('completions').hidden = true;
  byId('completions').replaceChildren();
  byId('q').setAttribute('aria-expanded', 'false');
  byId('q').removeAttribute('aria-activedescendant');
}

/** Arrows move in the list, Enter and Tab choose, Escape closes it; a filter's Tab takes the first. */
function press(event) {
  const options = [...byId('completions').children];
  if (!options.length || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  const at = options.findIndex((option) => option.getAttribute('aria-selected') === 'true');
  const isFilter = LAST_FILTER.test(byId('q').value);
  const actions = {
    ArrowDown: () => select(options, (at + 1) % options.length),
    ArrowUp: () => select(options, at > 0 ? at - 1 : options.length - 1),
    Escape: hideCompletions,
    Enter: at < 0 ? null : () => choose(options[at]),
    Tab: event.shiftKey || (at < 0 && !isFilter) ? null : () => choose(options[Math.max(at, 0)]),
  };
  if (!actions[event.key]) return;
  event.preventDefault();
  event.stopPropagation();
  actions[event.key]();
}

function select(options, at) {
  newest += 1; // a late answer would undo it
  for (const [i, option] of options.entries()) option.setAttribute('aria-selected', String(i === at));
  byId('q').setAttribute('aria-activedescendant', options[at].id);
  options[at].scrollIntoView({ block: 'nearest' });
}
