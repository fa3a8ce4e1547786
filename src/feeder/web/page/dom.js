// Elements are made of texts and elements: no text is ever read as HTML.

const TURNING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** What would be obeyed instead of shown, such as letters that turn the direction, as `\uXXXX`. */
export function safe(text) {
  return text.replace(TURNING, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** An element; of `props`, functions listen, `class` and others are attributes, null ones are left out. */
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

/** Puts the children in the place of all that an element has. */
export function fill(element, ...children) {
  element.replaceChildren(...h('div', null, ...children).childNodes);
  return element;
}

export function byId(id) {
  return document.getElementById(id);
}

/** Says to who listens what has changed on the page. */
export function announce(text) {
  byId('said').textContent = text;
}

export function count(number, one, several = `${one}s`) {
  return `${number.toLocaleString('en')} ${number === 1 ? one : several}`;
}
