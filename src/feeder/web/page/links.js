// Where else can a file be seen? In an editor on this machine, on the web at the commit.
import { tellAge } from './index_state.js';
import { ask } from './api_client.js';

export const EDITORS = {
  '': 'none',
  'vscode://file/': 'VS Code',
  'cursor://file/': 'Cursor',
  'zed://file/': 'Zed',
  'idea://open?file=': 'a JetBrains editor',
};
let places = { folder: null, web: null };
let has = {};

/** Asks once; a server that has no files and no web address leaves these links out. */
export async function learnPlaces() {
  const status = await ask('status');
  places = status.places ?? places;
  has = status.has ?? has;
  tellAge(status);
}

export function hasFolder() {
  return Boolean(places.folder);
}

/** A server without files, which says so, finds no pattern in them. */
export function looksForPatterns() {
  return has.patterns ?? true;
}

export function editor() {
  return localStorage.getItem('editor') ?? 'vscode://file/';
}

export function useEditor(scheme) {
  localStorage.setItem('editor', scheme);
}

export function editorLink(path, line) {
  const scheme = editor();
  if (!places.folder || !scheme) return null;
  const file = encoded(`${places.folder}/${path}`).replace(/^\/+/, '/');
  return scheme.includes('?') ? `${scheme}${file}&line=${line}` : `${scheme.replace(/\/$/, '')}${file}:${line}`;
}

/** The document itself, a PDF at the page that holds it; for other files, and without any, null. */
export function documentLink(path, where) {
  const ending = /\.([^./]+)$/.exec(path)?.[1].toLowerCase();
  if (!places.documents?.includes(ending)) return null;
  const page = ending === 'pdf' && pageOf(where);
  const text = `${ending === 'pdf' ? 'Open' : 'Download'} ${ending.toUpperCase()}${page ? `, p. ${page}` : ''}`;
  return { href: `api/document?path=${encodeURIComponent(path)}${page ? `#page=${page}` : ''}`, text };
}

/** The number in `Manual > p. 41`. */
export function pageOf(where) {
  return [...(where ?? '').matchAll(/(?:^| > )p\. (\d+)(?= > |$)/g)].at(-1)?.[1];
}

/** On the web, at the commit that the index equals. */
export function webLink(path, first, last) {
  return places.web && `${places.web}/${encoded(path)}#L${first}${last > first ? `-L${last}` : ''}`;
}

function encoded(path) {
  return path.split('/').map(encodeURIComponent).join('/');
}
