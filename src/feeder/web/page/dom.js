// Creates elements from text and elements; text is never parsed as HTML.

const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
const ANNOUNCE_MS = 400;
const TOAST_MS = 2500;
let timer;

/** Shows control characters, such as marks that change the direction of text, as `\uXXXX`. */
export function safe(text) {
  return text.replace(CONTROL_CHARACTERS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Creates an element; functions in `props` become listeners, other values attributes, null is ignored. */
export function h(name, props, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(props ?? {})) set(element, key, value);
  element.append(...children.flat(Infinity).filter((child) => child != null && child !== false).map(asNode));
  return element;
}

function set(element, key, value) {
  if (value == null || value === false) return;
  if (typeof value === 'function') element.addEventListener(key, value);
  else element.setAttribute(key, value === true ? '' : value);
}

function asNode(child) {
  return child instanceof Node ? child : safe(String(child));
}

/** Replaces the content of an element. The focus moves to what has the same name as before, else to `element`. */
export function fill(element, ...children) {
  const focused = focusedIn(element);
  element.replaceChildren(...h('div', null, ...children).childNodes);
  if (focused && !focusNamed(element, focused)) element.focus({ preventScroll: true });
  return element;
}

export function focusedIn(element) {
  const focused = document.activeElement;
  return element.contains(focused) && focused !== element && nameOf(focused);
}

/** Moves the focus to the link or button with a name; false if there is none. */
export function focusNamed(element, name, options = { preventScroll: true }) {
  const found = [...element.querySelectorAll('a, button, summary')].find((other) => nameOf(other) === name);
  found?.closest('details')?.setAttribute('open', '');
  found?.focus(options);
  return Boolean(found);
}

function nameOf(element) {
  return element.getAttribute('aria-label') ?? (element.querySelector('.number') ? element.firstChild : element).textContent;
}

export function byId(id) {
  return document.getElementById(id);
}

/** Announces a change to screen readers; of several in short order, the last. */
export function announce(text) {
  clearTimeout(timer);
  timer = setTimeout(() => say(text, 'hidden'), ANNOUNCE_MS);
}

export function notify(text) {
  clearTimeout(timer);
  say(text, 'toast');
  timer = setTimeout(() => { byId('said').className = 'hidden'; }, TOAST_MS);
}

function say(text, className) {
  byId('said').className = className;
  if (byId('said').textContent !== text) byId('said').textContent = text;
}

export function count(number, singular, plural = `${singular}s`) {
  return `${number.toLocaleString('en')} ${number === 1 ? singular : plural}`;
}

export function fileName(path) {
  return path.split('/').at(-1);
}

/** A path whose first folders are cut where there is no room. */
export function cutPath(path) {
  const [, first, last, name] = /^(.*?)([^/]*\/)?([^/]*)$/s.exec(path);
  return [first ? h('span', { class: 'folder cut' }, first) : null, last ? h('span', { class: 'folder' }, last) : null, name];
}

/** The name of a symbol; of its owner's name the end is cut where there is no room. */
export function cutSymbol(symbol) {
  const owner = /^.*(?:\.|::|#)(?=.)/s.exec(symbol)?.[0] ?? '';
  return [owner ? h('span', { class: 'folder cut' }, owner) : null, h('b', null, symbol.slice(owner.length))];
}

export function table(label, titles, ...rows) {
  return h('div', { class: 'listed', tabindex: '0', role: 'region', 'aria-label': label }, h('table', { class: 'signs' },
    h('thead', null, h('tr', null, titles.map((title) => h('th', { scope: 'col' }, title)))), rows));
}
