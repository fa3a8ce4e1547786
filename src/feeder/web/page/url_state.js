// The state of the page is its address, so that back and forward work.
import { byId, focusedIn } from './dom.js';

export const FILTERS = ['language', 'path', 'not_path', 'node_type', 'category', 'tests'];
const PARAMETERS = ['q', 'similar', 'file', 'view', 'by', 'below', 'only', 'repo', 'offset', 'relations', ...FILTERS];

/** The state of an address: `{view, q, file, …}`; each filter is a list. */
export function read(url = location) {
  const parameters = new URLSearchParams(url.search);
  const values = Object.fromEntries(PARAMETERS.map((name) => [name, parameters.get(name) ?? '']));
  const filters = Object.fromEntries(FILTERS.map((name) => [name, parameters.getAll(name)]));
  return { ...values, ...filters, view: viewOf(values), lines: linesOf(url.hash), offset: Number(values.offset) || 0 };
}

function viewOf({ file, view }) {
  if (file) return 'file';
  return ['map', 'proof'].includes(view) ? view : 'search';
}

export function linesOf(hash) {
  const match = /^#L(\d+)(?:-L?(\d+))?$/.exec(hash ?? '');
  if (!match) return null;
  const [first, last] = [Number(match[1]), Number(match[2] ?? match[1])];
  return [Math.min(first, last), Math.max(first, last)];
}

export function link(state) {
  const parameters = new URLSearchParams();
  for (const name of PARAMETERS) {
    for (const value of [state[name] ?? ''].flat()) if (value && value !== 'search' && !(name === 'by' && value === 'language')) parameters.append(name, value);
  }
  if (state.file) parameters.delete('view');
  const lines = state.lines ? `#L${state.lines[0]}${state.lines[1] > state.lines[0] ? `-L${state.lines[1]}` : ''}` : '';
  const query = parameters.toString();
  return `${query ? `?${query}` : location.pathname}${lines}`;
}

/** True if the address still has this state; the user may have moved on during a request. */
export function isCurrent(state) {
  return link(state) === link(read());
}

/** The address of a file, with the query whose words are marked in it. */
export function fileLink(path, first, last = first) {
  return link({ file: path, q: read().q, lines: first ? [first, last] : null });
}

/**
 * Changes the address and shows its state. The history's state has the name of what had the focus, and the number of
 * steps since the view before the first file.
 */
export function go(href, { replace = false } = {}) {
  const { state } = history;
  if (replace) history.replaceState(state, '', href);
  else {
    history.replaceState({ ...state, focus: focusedIn(byId('main')) }, '');
    history.pushState({ steps: read(new URL(href, location)).file ? (state?.steps ?? 0) + 1 : 0 }, '', href);
  }
  dispatchEvent(new Event('moved'));
}

export function followLinks() {
  addEventListener('popstate', () => dispatchEvent(new CustomEvent('moved', { detail: 'back' })));
  addEventListener('click', (event) => {
    const anchor = event.target.closest?.('a[href]');
    if (!anchor || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (anchor.origin !== location.origin || anchor.pathname !== location.pathname || anchor.target) return;
    event.preventDefault();
    go(anchor.href);
  });
}
