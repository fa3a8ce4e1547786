// Rectangles whose areas are the files' lines, folder within folder (squarified: Bruls, Huizing, van Wijk 2000).

/** The weight of a file that is not indexed: enough to be visible. */
export const UNREAD_LINES = 40;
const LABEL = 15;
const PAD = 2;

/** The folders of files as a tree: `{name, path, weight, files, unread, waiting, children}`. */
export function treeOf(files, below = '') {
  const root = folder(below.split('/').at(-1) || '', below);
  const start = below ? `${below}/` : '';
  for (const file of files) if (file.path.startsWith(start)) add(root, file, file.path.slice(start.length).split('/'));
  return root;
}

function folder(name, path) {
  return { name, path, weight: 0, files: 0, unread: 0, waiting: 0, lines: 0, children: new Map(), file: null };
}

function add(root, file, names) {
  const weight = file.lines || (file.state === 'skipped' ? UNREAD_LINES : 1);
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
  node.unread += file.state === 'skipped' ? 1 : 0;
  node.waiting += file.state === 'pending' ? 1 : 0;
}

export function heaviest(node) {
  return [...node.children.values()].sort((one, other) => other.weight - one.weight);
}

/** The boxes `{node, x, y, w, h, depth}` of all that is large enough to be seen, folders before what is in them. */
export function layOut(root, w, h) {
  const boxes = [];
  within(root, { x: 0, y: 0, w, h }, 0, boxes);
  return boxes;
}

function within(node, room, depth, boxes) {
  for (const box of squarified(heaviest(node), room)) {
    if (box.w < 0.5 || box.h < 0.5) continue;
    boxes.push({ ...box, depth });
    if (box.node.file) continue;
    const hasLabel = labelled(box);
    within(box.node, {
      x: box.x + PAD, y: box.y + (hasLabel ? LABEL : PAD), w: box.w - 2 * PAD, h: box.h - PAD - (hasLabel ? LABEL : PAD),
    }, depth + 1, boxes);
  }
}

/** Whether a folder's box has room for its name. */
export function labelled(box) {
  return box.w > 44 && box.h > 30;
}

function* squarified(nodes, room) {
  let { x, y, w, h } = room;
  let weight = nodes.reduce((sum, node) => sum + node.weight, 0);
  let at = 0;
  while (at < nodes.length && w > 0 && h > 0) {
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

/** The innermost box at a point. */
export function boxAt(boxes, x, y) {
  let found = null;
  for (const box of boxes) if (x >= box.x && x < box.x + box.w && y >= box.y && y < box.y + box.h) found = box;
  return found;
}
