// The address is the state: what is looked at, and back and forward go through it.

export const NARROWING = ['language', 'path', 'not_path', 'node_type', 'category', 'tests'];
const KNOWN = ['q', 'similar', 'file', 'view', 'by', 'below', 'offset', ...NARROWING];

/** `{view, q, file, …}`, each filter a list of what it was said to be. */
export function read(url = location) {
  const said = new URLSearchParams(url.search);
  const one = Object.fromEntries(KNOWN.map((name) => [name, said.get(name) ?? '']));
  const filters = Object.fromEntries(NARROWING.map((name) => [name, said.getAll(name)]));
  return { ...one, ...filters, view: viewOf(one), lines: linesOf(url.hash), offset: Number(one.offset) || 0 };
}

function viewOf(one) {
  if (one.file) return 'file';
  return ['map', 'proof'].includes(one.view) ? one.view : 'search';
}

/** `#L3-L7` is `[3, 7]`. */
export function linesOf(hash) {
  const found = /^#L(\d+)(?:-L?(\d+))?$/.exec(hash ?? '');
  if (!found) return null;
  const [first, last] = [Number(found[1]), Number(found[2] ?? found[1])];
  return [Math.min(first, last), Math.max(first, last)];
}

/** The address of a state; what is empty is not in it. */
export function link(state) {
  const said = new URLSearchParams();
  for (const name of KNOWN) {
    for (const value of [state[name] ?? ''].flat()) if (value && value !== 'search') said.append(name, value);
  }
  if (state.file) said.delete('view');
  const lines = state.lines ? `#L${state.lines[0]}${state.lines[1] > state.lines[0] ? `-L${state.lines[1]}` : ''}` : '';
  const query = said.toString();
  return `${query ? `?${query}` : location.pathname}${lines}`;
}

/** Whether this is still what the address says: who has waited for an answer may have gone on. */
export function isNow(state) {
  return link(state) === link(read());
}

export function fileLink(path, first, last = first) {
  return link({ file: path, lines: first ? [first, last] : null });
}

/** Goes there, and tells whoever shows it. */
export function go(href, { replace = false, quietly = false } = {}) {
  history[replace ? 'replaceState' : 'pushState'](null, '', href);
  if (!quietly) dispatchEvent(new Event('moved'));
}

/** Links to our own page are followed without loading it anew. */
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
