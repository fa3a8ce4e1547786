// Facets of the hits with counts; a click adds a filter to the address.
import { link } from './url_state.js';
import { h } from './dom.js';

const TITLES = [['language', 'Language'], ['path', 'Folder'], ['node_type', 'Type'], ['tests', 'Tests']];
const TESTS = { no: 'without tests', only: 'tests only' };
const SHOWN = 8;

export function facetLists(facets, state) {
  const some = TITLES.filter(([name]) => !state[name]?.length && Object.keys(facets?.[name] ?? {}).length > 1);
  const lists = some.map(([name, title]) => facetList(name, title, facets[name], state));
  const isWide = matchMedia('(min-width: 52.01rem)').matches;
  if (isWide || !lists.length) return h('aside', { class: 'facets', 'aria-label': 'Filter the hits' }, lists);
  return h('aside', { class: 'facets', 'aria-label': 'Filter the hits' },
    h('details', null, h('summary', null, 'Filter the hits'), lists));
}

function facetList(name, title, counts, state) {
  const rows = Object.entries(counts).map(([value, number]) => row(name, value, number, state));
  const rest = rows.slice(SHOWN);
  return h('section', null, h('h2', null, title), h('ul', null, rows.slice(0, SHOWN)),
    rest.length ? h('details', null, h('summary', null, `${rest.length} more`), h('ul', null, rest)) : null);
}

function row(name, value, number, state) {
  const href = link({ ...state, offset: 0, [name]: [value] });
  const text = name === 'tests' ? TESTS[value] : value.replaceAll(name === 'node_type' ? '_' : '\0', ' ');
  return h('li', null, h('a', { href }, h('span', null, text), h('span', { class: 'number' }, number.toLocaleString('en'))));
}
