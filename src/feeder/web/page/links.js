// Links to a file elsewhere: in an editor, on the web at the indexed commit, and documents.
import { showIndexState } from './index_state.js';
import { request, sessionKey } from './api_client.js';
import { h } from './dom.js';
import { keep, recall } from './storage.js';

export const EDITORS = {
  '': 'none',
  'vscode://file/': 'VS Code',
  'cursor://file/': 'Cursor',
  'zed://file/': 'Zed',
  'idea://open?file=': 'a JetBrains editor',
};
let places = { folder: null, web: null };
let features = {};
let examples = [];
let repositories = [];

export async function loadLinks() {
  const status = await request('status');
  ({ places } = status);
  features = status.has ?? features;
  examples = status.examples ?? [];
  repositories = status.repositories ?? [];
  showIndexState(status, places.branch);
}

export function exampleQueries() {
  return examples;
}

/** The repositories of a Worker that has several. */
export function repositoryNames() {
  return repositories.map(({ repo }) => repo);
}

/** A path in its repository. */
export function innerPath(path) {
  return repositories.length ? path.replace(/.*?(:|$)/, '') : path;
}

export function hasFolder() {
  return Boolean(places.folder);
}

/** False for what a server says that it lacks: a Worker `patterns` and `history`, as it has no files and no git. */
export function supports(name) {
  return features[name] ?? true;
}

export function editor() {
  return recall('editor') ?? 'vscode://file/';
}

export function useEditor(scheme) {
  keep('editor', scheme);
}

export function editorLink(path, line) {
  const scheme = editor();
  if (!places.folder || !scheme) return null;
  const file = encodePath(`${places.folder}/${path}`).replace(/^\/+/, '/');
  return scheme.includes('?') ? `${scheme}${file}&line=${line}` : `${scheme.replace(/\/$/, '')}${file}:${line}`;
}

/** The form that opens a document in a tab, a PDF at the page of the hit; null for other files. */
export function documentForm(path, logicalPath) {
  const extension = /\.([^./]+)$/.exec(path)?.[1].toLowerCase();
  if (!places.documents?.includes(extension)) return null;
  const page = extension === 'pdf' && pageOf(logicalPath);
  const text = `${extension === 'pdf' ? 'Open' : 'Download'} ${extension.toUpperCase()}${page ? `, p. ${page}` : ''}`;
  const fields = Object.entries({ path, key: sessionKey() }).map(([name, value]) => h('input', { type: 'hidden', name, value }));
  return h('form', { action: `document${page ? `#page=${page}` : ''}`, method: 'post', target: '_blank', rel: 'noopener' }, fields,
    h('button', { class: 'quiet' }, text, h('span', { class: 'hidden' }, ` ${path}`)));
}

/** The page number in a logical path such as `Manual > p. 41`. */
export function pageOf(logicalPath) {
  return [...(logicalPath ?? '').matchAll(/(?:^| > )p\. (\d+)(?= > |$)/g)].at(-1)?.[1];
}

export function webLink(path, first, last) {
  // GitLab's ranges have one L
  const to = places.web?.includes('/-/blob/') ? '-' : '-L';
  return places.web && `${places.web}/${encodePath(path)}#L${first}${last > first ? `${to}${last}` : ''}`;
}

/** A commit on GitHub or GitLab; null without one. */
export function commitLink(commit) {
  return places.web && places.web.replace(/\/blob\/[^/]*$/, `/commit/${commit}`);
}

function encodePath(path) {
  return path.split('/').map(encodeURIComponent).join('/');
}
