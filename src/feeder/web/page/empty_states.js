// What is shown where there are no hits: how to begin, what to try, what is wrong.
import { NARROWING, link } from './url_state.js';
import { signIn } from './api_client.js';
import { h } from './dom.js';
import { looksForPatterns } from './links.js';

const EXAMPLES = [
  ['where is the token refreshed', 'words, by what they say and mean'],
  ['"connection refused"', 'just this text'],
  ['lang:py path:src parse', 'a word, in a language and a folder'],
  ['symbol:main', 'what is called so'],
];
const PATTERN = ['/TODO|FIXME/', 'a pattern'];

export function beginning() {
  const examples = looksForPatterns() ? [...EXAMPLES, PATTERN] : EXAMPLES;
  return h('section', { class: 'empty' }, h('h1', null, 'Ask this repository'),
    h('p', null, 'Type what you look for: words, a name, or what the code does. For example:'),
    h('ul', null, examples.map(([q, what]) => h('li', null, h('a', { href: link({ q }) }, h('code', null, q)), ` — ${what}`))),
    h('p', null, 'Press ', h('kbd', null, '?'), ' for the whole language and the keys, or look at ',
      h('a', { href: '?view=map' }, 'the map'), ' of what is indexed.'));
}

/** Nothing found: without which filter, and in which other words, there may be something. */
export function nothing(found, state) {
  const filters = NARROWING.filter((name) => state[name]?.length);
  return h('section', { class: 'empty' }, h('h1', null, 'Nothing found'),
    (found.notes ?? []).map((note) => h('p', null, note)),
    h('p', null, 'Try:'),
    h('ul', null,
      filters.map((name) => h('li', null, h('a', { href: link({ ...state, [name]: [], offset: 0 }) },
        `without ${name.replace('node_type', 'type')}: ${state[name].join(', ')}`))),
      plain(state.q) && plain(state.q) !== state.q.trim() ? h('li', null, 'fewer signs: ', h('a', { href: link({ q: plain(state.q) }) }, h('code', null, plain(state.q)))) : null,
      h('li', null, 'a part of a name, or other words for it'),
      h('li', null, h('a', { href: '?view=map' }, 'the map'), ', which shows what is not indexed, and why')));
}

const FILTER = /(^|\s)-?(lang|language|path|type|repo|category|tests|case):("[^"]*"|\S+)/g;

/** The words and names alone: what narrows goes, with what it says. */
function plain(q) {
  return q.replace(FILTER, '$1').replace(/(^|\s)-?symbol:/g, '$1').replace(/["/]/g, ' ').replace(/\s+/g, ' ').trim();
}

/** What is wrong and what to do; without a token, where to type it. */
export function trouble(error) {
  if (error.status === 401) return token();
  return h('section', { class: 'empty', role: 'alert' }, h('h1', null, error.message),
    error.remedy ? h('p', null, error.remedy) : null,
    h('p', null, h('button', { type: 'button', click: () => dispatchEvent(new Event('moved')) }, 'Try again')));
}

function token() {
  const field = h('input', { id: 'token', type: 'password', autocomplete: 'off', required: true });
  const says = h('p', { role: 'alert' });
  const submit = async (event) => {
    event.preventDefault();
    if (await signIn(field.value.trim())) dispatchEvent(new Event('moved'));
    else says.textContent = 'That is not the token.';
  };
  return h('section', { class: 'empty token' }, h('h1', null, 'Who asks?'),
    h('p', null, 'Open the whole address that ', h('code', null, 'feeder serve'), ' says, or type the token: what stands behind ',
      h('code', null, '#token='), ' there, or the Worker’s ', h('code', null, 'FEEDER_TOKEN'), '.'),
    h('form', { submit }, h('p', null, h('label', { for: 'token' }, 'Token'), h('br'), field), h('button', null, 'Go on'), says));
}
