// Rectangles whose areas are the files' lines, folder within folder (squarified: Bruls, Huizing, van Wijk 2000).

/** Bytes that count as a line in a file that is not indexed. */
const LINE_BYTES = 40;
const LABEL = 15;
const PAD = 2;
/** The area in pixels below which files share a box. */
const MIN_AREA = 14;
const MIN_SIDE = 7;

/** The folders of files as a tree: `{name, path, weight, files, unread, waiting, lines, bytes, children}`. */
export function treeOf(files, below = '') {
  const root = folder(below.split('/').at(-1) || '', below);
  const start = below ? `${below}/` : '';
  for (const file of files) if (file.path.startsWith(start)) add(root, file, file.path.slice(start.length).split('/'));
  joinSingle(root);
  return root;
}

function folder(name, path) {
  return { name, path, weight: 0, files: 0, unread: 0, waiting: 0, lines: 0, bytes: 0, children: new Map(), file: null };
}

/** The lines of a file or, of one that is not indexed, its size as lines. */
function weightOf(file) {
  return Math.max(file.lines || (file.bytes ?? 0) / LINE_BYTES, 1);
}

function add(root, file, names) {
  const weight = weightOf(file);
  let at = root;
  tally(at, file, weight);
  for (const name of names) {
    if (!at.children.has(name)) at.children.set(name, folder(name, at.path ? `${at.path}/${name}` : name));
    at = at.children.get(name);
    tally(at, file, weight);
  }
  at.file = file;
}

function tally(node, file, weight) {
  node.weight += weight;
  node.files += 1;
  node.lines += file.lines ?? 0;
  node.bytes += file.bytes ?? 0;
  node.unread += file.state === 'skipped' ? 1 : 0;
  node.waiting += file.state === 'pending' ? 1 : 0;
}

/** Joins each folder below `node` that has only one folder in it with that folder: `src/main/java`. */
function joinSingle(node) {
  for (const [key, child] of node.children) {
    let last = child;
    while (last.children.size === 1 && !only(last).file) last = only(last);
    if (last !== child) {
      last.name = last.path.slice(node.path ? node.path.length + 1 : 0);
      node.children.set(key, last);
    }
    joinSingle(last);
  }
}

function only(node) {
  return node.children.values().next().value;
}

export function heaviest(node) {
  return [...node.children.values()].sort((one, other) => other.weight - one.weight);
}

/**
 * The boxes `{node, x, y, w, h, depth}`, folders before what is in them. Each file has a box, or is counted by one
 * with `smaller`: the files of a folder that are too small for boxes of their own.
 */
export function layOut(root, w, h) {
  const boxes = [];
  within(root, { x: 0, y: 0, w, h }, 0, boxes);
  return boxes;
}

function within(node, room, depth, boxes) {
  const isTooSmall = room.w < MIN_SIDE || room.h < MIN_SIDE;
  for (const box of squarified(isTooSmall ? [smaller(node, [...node.children.values()])] : visible(node, room), room)) {
    boxes.push({ ...box, depth });
    if (box.node.file || box.node.smaller) continue;
    const top = labelled(box) ? LABEL : PAD;
    within(box.node, { x: box.x + PAD, y: box.y + top, w: box.w - 2 * PAD, h: box.h - PAD - top }, depth + 1, boxes);
  }
}

function visible(node, room) {
  const nodes = heaviest(node);
  const min = (MIN_AREA * node.weight) / (room.w * room.h);
  const end = nodes.findIndex((child) => child.weight < min);
  if (end < 0 || end === nodes.length - 1) return nodes;
  return [...nodes.slice(0, end), smaller(node, nodes.slice(end))].sort((one, other) => other.weight - one.weight);
}

function smaller(node, nodes) {
  const sums = { ...folder('', node.path), smaller: true, children: new Map(nodes.map((child) => [child.name, child])) };
  for (const child of nodes) for (const name of ['weight', 'files', 'unread', 'waiting', 'lines', 'bytes']) sums[name] += child[name];
  sums.name = `${sums.files.toLocaleString('en')} smaller ${sums.files === 1 ? 'file' : 'files'}`;
  return sums;
}

export function largestFile(node) {
  let at = node;
  while (!at.file) at = heaviest(at)[0];
  return at.file;
}

export function labelled(box) {
  return box.w > 44 && box.h > 30;
}

function* squarified(nodes, room) {
  let { x, y, w, h } = room;
  let weight = nodes.reduce((sum, node) => sum + node.weight, 0);
  let at = 0;
  while (at < nodes.length) {
    w = Math.max(w, 0.01);
    h = Math.max(h, 0.01);
    const side = Math.min(w, h);
    const scale = (w * h) / weight;
    const [end, sum] = rowOf(nodes, at, side, scale);
    const thick = (sum * scale) / side;
    let along = 0;
    for (; at < end; at += 1) {
      const long = (nodes[at].weight * scale) / thick;
      yield w >= h ? { node: nodes[at], x, y: y + along, w: thick, h: long } : { node: nodes[at], x: x + along, y, w: long, h: thick };
      along += long;
    }
    if (w >= h) { x += thick; w -= thick; } else { y += thick; h -= thick; }
    weight -= sum;
  }
}

/** How many of the next stand in one row, so that none of them is longer than it must be; and their weight. */
function rowOf(nodes, start, side, scale) {
  let sum = 0;
  let worst = Infinity;
  let end = start;
  while (end < nodes.length) {
    const next = sum + nodes[end].weight;
    const ratio = worstOf(nodes[start].weight * scale, nodes[end].weight * scale, next * scale, side);
    if (ratio > worst) break;
    worst = ratio;
    sum = next;
    end += 1;
  }
  return [end, sum];
}

function worstOf(largest, smallest, sum, side) {
  const square = side * side;
  return Math.max((square * largest) / (sum * sum), (sum * sum) / (square * smallest));
}

export function boxAt(boxes, x, y) {
  let found = null;
  for (const box of boxes) if (x >= box.x && x < box.x + box.w && y >= box.y && y < box.y + box.h) found = box;
  return found;
}
