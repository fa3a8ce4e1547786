// Keyboard shortcuts, and the dialog that lists them, the query syntax and the choice of an editor.
import { byId, fill, h } from './dom.js';
import { copy } from './hit.js';
import { focusText, goToMatch, goToOutline } from './file.js';
import { closeRelations, selectName, showOfMarked, showSelected } from './relations.js';
import { EDITORS, editor, hasFolder, supports, useEditor } from './links.js';

const PATTERN = ['/def \\w+_file/', 'lines that match a regular expression'];
const SYNTAX = [
  ['"connection refused"', 'exactly this text'],
  PATTERN,
  ['"try again" OR retry*', 'either of these; ( ) group'],
  ['-test  -"unit test"', 'without this word or text'],
  ['parse*', 'words with this prefix'],
  ['lang:py  -lang:md', 'only this language; not this one'],
  ['path:src  path:*.py', 'a file, a folder or a glob'],
  ['type:class', 'method, function, class, section …'],
  ['symbol:Cart.add', 'symbols of this name'],
  ['calls:add  uses:Cart', 'calls or uses a name; also imports:, returns:, param:'],
  ['inherits:Base', 'subtypes of this type; also implements:'],
  ['category:docs', 'code, docs, config or tests'],
  ['tests:no', 'no tests; also only, yes'],
  ['case:yes', 'upper and lower case as typed'],
];
const KEYS = [
  ['/', 'go to the query'], ['↓  ↑  Tab', 'in the query: choose a completion; without one, ↓ goes to the hits'], ['j  k', 'next hit, previous hit'],
  ['Enter', 'open the hit'], ['y', 'copy path:line of the hit'], ['n  p', 'in a file: next and previous line with the query'],
  ['t  @', 'in a file: filter the outline'], ['r', 'in a file: the relations of the symbol on the selected lines'],
  ['w  b', 'in a file: select the next or previous name; Enter shows its relations'],
  ['Shift', 'with a click on a line number: mark lines up to it'], ['↓  ↑  ←  →', 'in the tree of files: move, close and open folders; also Home and End'],
  ['Esc', 'leave the query, close the panel, or go back to the hits'], ['?', 'this help'],
];

export const ACTIONS = {
  '/': () => { byId('q').focus(); byId('q').select(); },
  j: () => move(1),
  k: () => move(-1),
  y: () => { const hit = current(); if (hit) copy(hit.dataset.place); return Boolean(hit); },
  n: () => goToMatch(1),
  p: () => goToMatch(-1),
  w: () => selectName(1),
  b: () => selectName(-1),
  Enter: showSelected,
  r: showOfMarked,
  t: goToOutline,
  '@': goToOutline,
  '?': () => openHelp(),
  Escape: () => leave(),
};

export function listenToShortcuts() {
  addEventListener('keydown', (event) => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || byId('help').open) return;
    const isTyped = event.target.matches?.('input, select, textarea');
    if (isTyped && event.key === 'ArrowDown' && event.target.id === 'q') return handle(event, () => move(1));
    if (isTyped && event.key !== 'Escape') return;
    if (ACTIONS[event.key]) handle(event, ACTIONS[event.key]);
  });
}

function handle(event, action) {
  if (action() !== false) event.preventDefault();
}

function current() {
  return document.activeElement.closest?.('[data-place]');
}

function move(by) {
  const hits = [...document.querySelectorAll('.hit')].filter((hit) => hit.checkVisibility());
  if (!hits.length) return false;
  const at = hits.indexOf(current());
  const next = hits[Math.min(Math.max(at + by, 0), hits.length - 1)];
  next.querySelector('a').focus({ preventScroll: true });
  next.scrollIntoView({ block: 'nearest' });
  return true;
}

/** Leaves a field, closes the panel, or goes from files back to the view before them. */
function leave() {
  if (document.activeElement.matches('input')) { focusText(); return true; }
  if (closeRelations()) return true;
  const { steps } = history.state ?? {};
  if (steps) history.go(-steps);
  return Boolean(steps);
}

export function openHelp() {
  const dialog = byId('help');
  const syntax = SYNTAX.filter((row) => row !== PATTERN || supports('patterns'));
  const close = h('form', { method: 'dialog' }, h('button', { autofocus: true }, 'Close'));
  fill(dialog, h('div', { class: 'top' }, h('h2', { id: 'help-title' }, 'Search help'), close), table(syntax, 'code', 'Query syntax'),
    h('h3', null, 'Keys'), table(KEYS, 'kbd', 'Keys'), hasFolder() ? editorChoice() : null);
  dialog.showModal();
}

function table(rows, tag, label) {
  return h('table', { class: 'signs', 'aria-label': label }, h('tbody', null, rows.map(([examples, meaning]) => h('tr', null,
    h('th', { scope: 'row' }, examples.split('  ').flatMap((example) => [h(tag, null, example), ' '])), h('td', null, meaning)))));
}

function editorChoice() {
  const select = h('select', { id: 'editor', change: () => { useEditor(select.value); dispatchEvent(new Event('moved')); } },
    Object.entries(EDITORS).map(([scheme, name]) => h('option', { value: scheme, selected: scheme === editor() }, name)));
  return h('p', null, h('label', { for: 'editor' }, 'Files open in '), select);
}
