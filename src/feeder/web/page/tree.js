// The tree of files beside a file: folders are loaded when they open, and only the rows in view are drawn.
import { request } from './api_client.js';
import { h } from './dom.js';
import { fileLink, go } from './url_state.js';

const ROW = 24;
const MARGIN = 8;
const children = new Map();
const isOpen = new Set(['']);

/** The tree, opened at a file; empty where the server cannot list files, as in a Worker. */
export function fileTree(path) {
  const space = h('div', { role: 'presentation' });
  const box = h('div', { class: 'tree', role: 'tree', tabindex: '0', 'aria-label': 'Files', scroll: () => draw(tree), keydown: (event) => press(tree, event) }, space);
  const tree = { box, space, rows: [], at: 0, path };
  show(tree).catch(() => box.remove());
  return box;
}

async function show(tree) {
  const names = tree.path.split('/').slice(0, -1);
  for (let i = 0; i <= names.length; i += 1) await open(names.slice(0, i).join('/'));
  list(tree);
  tree.at = Math.max(tree.rows.findIndex((row) => row.path === tree.path), 0);
  tree.box.scrollTop = tree.at * ROW - tree.box.clientHeight / 2;
  draw(tree);
}

async function open(folder) {
  if (!children.has(folder)) children.set(folder, await request('files', { path: folder }));
  isOpen.add(folder);
}

function list(tree) {
  tree.rows = [];
  const add = (folder, level) => {
    const { folders, files } = children.get(folder);
    const start = folder && `${folder}/`;
    const rows = [...folders.map((name) => ({ name, isFolder: true })), ...files.map((name) => ({ name }))];
    rows.forEach((row, i) => {
      const path = start + row.name;
      tree.rows.push({ ...row, path, level, at: i + 1, of: rows.length });
      if (row.isFolder && isOpen.has(path) && children.has(path)) add(path, level + 1);
    });
  };
  add('', 1);
  tree.space.style.height = `${tree.rows.length * ROW}px`;
}

function draw(tree) {
  const { box, rows } = tree;
  const first = Math.max(Math.floor(box.scrollTop / ROW) - MARGIN, 0);
  const last = Math.ceil((box.scrollTop + box.clientHeight) / ROW) + MARGIN;
  tree.space.replaceChildren(...rows.slice(first, last).map((row, i) => item(tree, row, first + i)));
  box.setAttribute('aria-activedescendant', `tree-${tree.at}`);
}

function item(tree, { name, path, level, isFolder, at, of }, i) {
  const element = h('div', {
    id: `tree-${i}`, role: 'treeitem', class: i === tree.at ? 'active' : null, 'aria-level': level, 'aria-posinset': at, 'aria-setsize': of,
    'aria-expanded': isFolder ? String(isOpen.has(path)) : null, 'aria-selected': String(path === tree.path), title: path, click: () => choose(tree, i),
  }, isFolder ? `${isOpen.has(path) ? '▾' : '▸'} ${name}` : name);
  element.style.transform = `translateY(${i * ROW}px)`;
  element.style.paddingLeft = `${level * 0.8}rem`;
  return element;
}

async function choose(tree, i) {
  tree.at = i;
  const { path, isFolder } = tree.rows[i];
  if (!isFolder) return go(fileLink(path));
  if (!isOpen.delete(path)) await open(path);
  list(tree);
  return draw(tree);
}

function press(tree, event) {
  const row = tree.rows[tree.at];
  if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
  const isShown = row.isFolder && isOpen.has(row.path);
  const parent = tree.rows.findLastIndex((other, i) => i < tree.at && other.level < row.level);
  const steps = {
    ArrowDown: tree.at + 1, ArrowUp: tree.at - 1, Home: 0, End: tree.rows.length - 1, ArrowLeft: isShown ? null : parent,
    ArrowRight: row.isFolder && !isShown ? null : tree.at + 1,
  };
  const turns = event.key === 'Enter' || event.key === ' ' || steps[event.key] === null;
  if (!turns && !(event.key in steps)) return;
  event.preventDefault();
  if (turns) {
    choose(tree, tree.at);
    return;
  }
  tree.at = Math.min(Math.max(steps[event.key], 0), tree.rows.length - 1);
  const top = tree.at * ROW;
  if (top < tree.box.scrollTop) tree.box.scrollTop = top;
  if (top + ROW > tree.box.scrollTop + tree.box.clientHeight) tree.box.scrollTop = top + ROW - tree.box.clientHeight;
  draw(tree);
}
