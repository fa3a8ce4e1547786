// The content of the page without hits: advice, errors and the token form.
import { FILTERS, link } from './url_state.js';
import { signIn } from './api_client.js';
import { h } from './dom.js';
import { isIndexing } from './index_state.js';

const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;
// a value in quotes may have blanks
const WORD = /(?:[^\s"]|"[^"]*"?)+/g;

export function noHitsState(page, state) {
  if (isIndexing()) return stillIndexing();
  const filters = FILTERS.filter((name) => state[name]?.length);
  return h('section', { class: 'empty' }, h('h1', null, 'No hits'),
    (page.notes ?? []).map((note) => h('p', null, note)),
    h('p', null, 'Try:'),
    h('ul', null,
      filters.map((name) => h('li', null, h('a', { href: link({ ...state, [name]: [], offset: 0 }) },
        `without ${name.replace('node_type', 'type')}: ${state[name].join(', ')}`))),
      onlyWords(state.q) && onlyWords(state.q) !== state.q.trim() ? h('li', null, 'only the words: ', h('a', { href: link({ q: onlyWords(state.q) }) }, h('code', null, onlyWords(state.q)))) : null,
      h('li', null, 'a part of a name, or other words'),
      h('li', null, h('a', { href: '?view=map&by=state' }, 'the files that are not indexed'), ', and why')));
}

function stillIndexing() {
  return h('section', { class: 'empty' }, h('h1', null, 'No hits yet'), h('p', null, 'Not all files are read. Hits appear here as they are found.'));
}

const FILTER = /(^|\s)-?(lang|language|path|type|repo|category|tests|case|calls|uses|imports|inherits|implements|returns|param|visibility):("[^"]*"|\S+)/g;

function onlyWords(q) {
  return q.replace(FILTER, '$1').replace(/(^|\s)-?symbol:/g, '$1').replace(/["/]/g, ' ').replace(/\s+/g, ' ').trim();
}

export function errorState(error, state = {}) {
  if (error.status === 401) return tokenForm();
  return h('section', { class: 'empty', role: 'alert' }, h('h1', null, error.message),
    error.remedy ? h('p', null, remedyOf(error, state)) : null,
    mayPass(error) ? h('p', null, h('button', { type: 'button', click: () => dispatchEvent(new Event('moved')) }, 'Try again')) : null);
}

/** False for an error that the same request has again. */
function mayPass({ status }) {
  return !status || status === TOO_MANY_REQUESTS || status >= SERVER_ERROR;
}

/** The remedy; for an unknown value of a filter, links with those that are known. */
export function remedyOf(error, state) {
  const links = error.nearest.map((name) => [name, withValue(state, error.unknown, name)]).filter(([, href]) => href);
  if (!links.length) return state.file ? withFileLinks(error.remedy) : error.remedy;
  return ['Search with: ', links.flatMap(([name, href], at) => [at ? ', ' : null, h('a', { href }, h('code', null, name))]), '.'];
}

/** The remedy for an unknown file: links to those that may be meant, or to the map. */
function withFileLinks(remedy) {
  const files = /^Did you mean (.+)\?$/.exec(remedy)?.[1].split(' or ');
  if (files) return ['Did you mean ', files.flatMap((file, at) => [at ? ' or ' : null, h('a', { href: link({ file }) }, file)]), '?'];
  return remedy.startsWith('List') ? h('a', { href: '?view=map' }, 'See the map of all files.') : remedy;
}

/** The address of the search with another value of a filter; null if it has no such value. */
function withValue(state, value, other) {
  const named = FILTERS.find((name) => state[name]?.includes(value));
  if (named) return link({ ...state, [named]: state[named].map((one) => (one === value ? other : one)), offset: 0 });
  const words = state.q?.match(WORD) ?? [];
  const at = words.findIndex((word) => [`:${value}`, `:"${value}"`].some((end) => word.endsWith(end)));
  if (at < 0) return null;
  const filter = words[at].slice(0, words[at].indexOf(':') + 1);
  return link({ ...state, q: words.with(at, `${filter}${/\s/.test(other) ? `"${other}"` : other}`).join(' '), offset: 0 });
}

function tokenForm() {
  const field = h('input', { id: 'token', type: 'password', autocomplete: 'off', required: true });
  const message = h('p', { role: 'alert' });
  const submit = async (event) => {
    event.preventDefault();
    if (await signIn(field.value.trim())) dispatchEvent(new Event('moved'));
    else message.textContent = 'The token is wrong.';
  };
  return h('section', { class: 'empty token' }, h('h1', null, 'Enter the token'),
    h('p', null, 'Open the whole address that ', h('code', null, 'feeder serve'), ' printed, or type the token: the part of that address after ',
      h('code', null, '#token='), ', or the Worker’s ', h('code', null, 'FEEDER_TOKEN'), '.'),
    h('form', { submit }, h('p', null, h('label', { for: 'token' }, 'Token'), h('br'), field), h('button', null, 'Continue'), message));
}
