// Keyboard shortcuts: / j k Enter y n p w b r t @ Esc ?
import { byId } from './dom.js';
import { copy } from './hit.js';
import { focusText, goToMatch, goToOutline } from './file.js';
import { closeRelations, selectName, showOfMarked, showSelected } from './relations.js';
import { openHelp } from './help.js';

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
    if (event.ctrlKey || event.metaKey || event.altKey || byId('help').open) return;
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
