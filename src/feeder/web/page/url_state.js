// The state of the page is its address, so that back and forward work.

export const FILTERS = ['language', 'path', 'not_path', 'node_type', 'category', 'tests'];
const PARAMETERS = ['q', 'similar', 'file', 'view', 'by', 'below', 'only', 'offset', 'relations', ...FILTERS];

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

/** The lines of a fragment: `#L3-L7` is `[3, 7]`. */
export function linesOf(hash) {
  const match = /^#L(\d+)(?:-L?(\d+))?$/.exec(hash ?? '');
  if (!match) return null;
  const [first, last] = [Number(match[1]), Number(match[2] ?? match[1])];
  return [Math.min(first, last), Math.max(first, last)];
}

/** The address of a state, without empty values. */
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

export function fileLink(path, first, last = first) {
  return link({ file: path, lines: first ? [first, last] : null });
}

/** Changes the address and, unless `quietly`, shows its state. */
export function go(href, { replace = false, quietly = false } = {}) {
  history[replace ? 'replaceState' : 'pushState'](null, '', href);
  if (!quietly) dispatchEvent(new Event('moved'));
}

/** Follows links within the page without reloading it. */
export function followLinks() {
  addEventListener('popstate', () => dispatchEvent(new Event('moved')));
  addEventListener('click', (event) => {
    const anchor = event.target.closest?.('a[href]');
    if (!anchor || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (anchor.origin !== location.origin || anchor.pathname !== location.pathname || anchor.target) return;
    event.preventDefault();
    go(anchor.href);
  });
}
