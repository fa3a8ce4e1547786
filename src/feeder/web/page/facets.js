// Facets of the hits with counts; a click adds or removes a filter, another one leaves a value out.
import { link } from './url_state.js';
import { h } from './dom.js';

const TITLES = [['language', 'Language'], ['path', 'Folder'], ['node_type', 'Type'], ['tests', 'Tests']];
const TESTS = { no: 'without tests', only: 'tests only' };
const EXCLUDED = { language: 'lang', path: 'path', node_type: 'type' };
const SHOWN = 8;
/** The counts of a query before its filters were chosen: those of the answer lack other values. */
let remembered = { q: '', facets: {} };

/** Keeps the counts of the facets that no filter narrows, so that a choice can be changed. */
export function rememberFacets(facets, state) {
  const q = state.similar || state.q;
  if (remembered.q !== q) remembered = { q, facets: {} };
  for (const [name] of TITLES) if (!state[name]?.length) remembered.facets[name] = facets?.[name];
}

export function facetLists(facets, state) {
  const lists = TITLES.map(([name, title]) => facetList(name, title, valuesOf(name, facets, state), state)).filter(Boolean);
  const isWide = matchMedia('(min-width: 52.01rem)').matches;
  if (isWide || !lists.length) return h('aside', { class: 'facets', 'aria-label': 'Filter the hits' }, lists);
  return h('aside', { class: 'facets', 'aria-label': 'Filter the hits' },
    h('details', null, h('summary', null, 'Filter the hits'), lists));
}

/** The values of a facet with their counts, the chosen ones first where only they are known. */
function valuesOf(name, facets, state) {
  const chosen = Object.fromEntries((state[name] ?? []).map((value) => [value, facets?.[name]?.[value]]));
  return state[name]?.length ? { ...chosen, ...remembered.facets[name] } : facets?.[name] ?? {};
}

function facetList(name, title, counts, state) {
  const rows = Object.entries(counts).map(([value, number]) => row(name, value, number, state));
  if (rows.length < 2 && !state[name]?.length) return null;
  const rest = rows.slice(SHOWN);
  return h('section', null, h('h2', null, title), h('ul', null, rows.slice(0, SHOWN)),
    rest.length ? h('details', null, h('summary', null, `${rest.length} more`), h('ul', null, rest)) : null);
}

function row(name, value, number, state) {
  const isChosen = state[name]?.includes(value);
  const others = name === 'tests' ? [] : state[name] ?? [];
  const values = isChosen ? others.filter((other) => other !== value) : [...others, value];
  const text = name === 'tests' ? TESTS[value] : value.replaceAll(name === 'node_type' ? '_' : '\0', ' ');
  return h('li', { class: isChosen ? 'chosen' : null },
    h('a', { href: link({ ...state, offset: 0, [name]: values }), 'aria-current': isChosen ? 'true' : null }, h('span', null, text),
      number === undefined ? null : h('span', { class: 'number' }, number.toLocaleString('en'))),
    isChosen || !EXCLUDED[name] || state.similar ? null : exclude(name, value, text, state));
}

function exclude(name, value, text, state) {
  const filter = /\s/.test(value) ? `-${EXCLUDED[name]}:"${value}"` : `-${EXCLUDED[name]}:${value}`;
  return h('a', { class: 'exclude', href: link({ ...state, offset: 0, q: `${state.q} ${filter}` }), title: `Without ${text}`, 'aria-label': `Without ${text}` }, '−');
}
