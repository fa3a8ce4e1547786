// How to ask, and which keys there are.
import { byId, fill, h } from './dom.js';
import { EDITORS, editor, hasFolder, looksForPatterns, useEditor } from './links.js';

const PATTERN = ['/def \\w+_file/', 'a line that matches the pattern'];
const SIGNS = [
  ['"connection refused"', 'just that text'],
  PATTERN,
  ['-test  -"unit test"', 'without that word or text'],
  ['parse*', 'a word that begins so'],
  ['lang:py  -lang:md', 'in a language, not in one'],
  ['path:src  path:*.py', 'a file, a folder or a glob'],
  ['type:class', 'method, function, class, section …'],
  ['symbol:Cart.add', 'what is called so'],
  ['category:docs', 'code, docs, config or tests'],
  ['tests:no', 'without tests; only, yes'],
  ['case:yes', 'as it is typed'],
];
const KEYS = [
  ['/', 'to the question'], ['j  k', 'the next hit, the one before'], ['Enter', 'opens the hit'],
  ['y', 'copies path:line of the hit'], ['Esc', 'out of the question, or back to the hits'], ['?', 'this'],
];

export function openHelp() {
  const dialog = byId('help');
  const signs = SIGNS.filter((one) => one !== PATTERN || looksForPatterns());
  const close = h('form', { method: 'dialog' }, h('button', { autofocus: true }, 'Close'));
  fill(dialog, h('div', { class: 'top' }, h('h2', { id: 'help-title' }, 'How to ask'), close), table(signs, 'code', 'Signs of a question'),
    h('h3', null, 'Keys'), table(KEYS, 'kbd', 'Keys'), hasFolder() ? choice() : null);
  dialog.showModal();
}

function table(rows, mark, label) {
  return h('table', { class: 'signs', 'aria-label': label }, h('tbody', null, rows.map(([signs, what]) => h('tr', null,
    h('th', { scope: 'row' }, signs.split('  ').flatMap((sign) => [h(mark, null, sign), ' '])), h('td', null, what)))));
}

function choice() {
  const select = h('select', { id: 'editor', change: () => { useEditor(select.value); dispatchEvent(new Event('moved')); } },
    Object.entries(EDITORS).map(([scheme, name]) => h('option', { value: scheme, selected: scheme === editor() }, name)));
  return h('p', null, h('label', { for: 'editor' }, 'Files open in '), select);
}
