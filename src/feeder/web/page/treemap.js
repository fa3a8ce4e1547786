// The boxes of the map and their colours. Rectangles whose areas are the files' lines, folder within folder (squarified: Bruls, Huizing, van Wijk 2000).

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

/** Joins folders that have one folder only with that folder: `src/main/java`. */
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

function heaviest(node) {
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

/** How many of the next stand in one row, so that their boxes are nearly square; and their weight. */
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

const HUES = [212, 28, 150, 338, 262, 48, 184, 8, 96, 300];
const OTHER = 'other';
const DAY_S = 86_400;
const AGES = [[7, 'in the last 7 days'], [30, 'in the last 30 days'], [91, 'in the last 3 months'], [365, 'in the last year'],
  [2 * 365, 'in the last 2 years'], [5 * 365, 'in the last 5 years'], [10 * 365, 'in the last 10 years'], [Infinity, 'earlier']];
const USES = [[50, '50 files or more refer to it'], [10, '10 to 49'], [1, '1 to 9'], [0, 'none known']];
// they differ in lightness, and recent changes stand out from either background
const LIGHT_AGES = [['#08407e', '#fff'], ['#4a90d0'], ['#a9cdec'], ['#e4eaf0']];
const DARK_AGES = [['#cfe6fb', '#101418'], ['#6aa9e0', '#101418'], ['#2c608f'], ['#29323b']];

/** The title in the legend and the colours of each file, by `language`, `changed`, `references` or `state`. */
export function mapColours(files, by, isDark, history) {
  if (by === 'changed') return byChange(files, isDark, history);
  if (by === 'references') return byReferences(files, isDark);
  return by === 'language' ? byLanguage(files, isDark) : byState(files, isDark);
}

function byChange(files, isDark, { changed, since }) {
  const shades = isDark ? DARK_AGES : LIGHT_AGES;
  const now_s = Date.now() / 1000;
  const ageOf = (at_s) => AGES.findIndex(([days]) => now_s - at_s <= days * DAY_S);
  const known = files.map(({ path }) => changed.get(path)).filter((at_s) => at_s !== undefined);
  const isCut = since !== null && known.length < files.length;
  const groups = merged(known.map(ageOf), shades.length - isCut);
  const rest = since === null ? 'in no commit yet' : `${formatDay(since)} or earlier`;
  const entry = (file) => {
    const at_s = changed.get(file.path);
    if (at_s === undefined) return [rest, ...(since === null ? [isDark ? '#7a5a1e' : '#f0d9a8'] : shades.at(-1))];
    const i = groups.findIndex((last) => ageOf(at_s) <= last);
    const step = (shades.length - 1) / Math.max(groups.length - 1 + isCut, 1);
    return [AGES[groups[i]][1], ...shades[Math.round(i * step)]];
  };
  return legend(entry, files, [...AGES.map(([, title]) => title), rest]);
}

/** The last age of each group; small neighbours are joined. */
function merged(ages, most) {
  const groups = [...Map.groupBy(ages, (age) => age)].map(([last, { length }]) => ({ last, length })).sort((one, other) => one.last - other.last);
  while (groups.length > most) {
    const sums = groups.slice(1).map(({ length }, at) => length + groups[at].length);
    const at = sums.indexOf(Math.min(...sums));
    groups.splice(at, 2, { last: groups[at + 1].last, length: sums[at] });
  }
  return groups.map(({ last }) => last);
}

function byReferences(files, isDark) {
  const shades = isDark ? DARK_AGES : LIGHT_AGES;
  return legend((file) => {
    const i = USES.findIndex(([min]) => (file.referring ?? 0) >= min);
    return [USES[i][1], ...shades[i]];
  }, files, USES.map(([, title]) => title));
}

export function formatDay(at_s) {
  return new Date(at_s * 1000).toLocaleDateString('en', { day: 'numeric', month: 'long', year: 'numeric' });
}

function byLanguage(files, isDark) {
  const lines = new Map();
  for (const file of files) if (file.language) lines.set(file.language, (lines.get(file.language) ?? 0) + (file.lines ?? 0));
  const most = [...lines].sort((a, b) => b[1] - a[1]).slice(0, HUES.length).map(([name]) => name);
  const colours = new Map(most.map((name, i) => [name, shade(HUES[i], 48, isDark)]));
  return legend((file) => {
    if (file.state === 'skipped') return ['not indexed', isDark ? '#3a3f46' : '#d4d7db'];
    return colours.has(file.language) ? [file.language, colours.get(file.language)] : [OTHER, isDark ? '#6d7681' : '#9aa3ad'];
  }, files);
}

function byState(files, isDark) {
  const reasons = [...new Set(files.filter((file) => file.state === 'skipped').map(skipReason))].sort();
  const reds = new Map(reasons.map((reason, i) => [reason, shade([2, 316, 24, 270, 340, 205][i % 6], 62, isDark)]));
  return legend((file) => {
    if (file.state === 'skipped') return [`not indexed: ${skipReason(file)}`, reds.get(skipReason(file))];
    if (file.state === 'pending') return ['waiting for vectors', shade(42, 80, isDark)];
    return ['indexed', isDark ? '#2b5a4a' : '#b5d9c8'];
  }, files);
}

export function skipReason(file) {
  return file.reason || 'unknown reason';
}

function shade(hue, saturation, isDark) {
  return `hsl(${hue} ${saturation}% ${isDark ? 42 : 66}%)`;
}

/** `entry` returns title, colour and, if it needs one, text colour of a file; `order` lists titles. */
function legend(entry, files, order = null) {
  const byTitle = new Map();
  for (const file of files) {
    const [title, colour] = entry(file);
    if (!byTitle.has(title)) byTitle.set(title, colour);
  }
  return { byTitle, order, name: (file) => entry(file)[0], colour: (file) => entry(file)[1], ink: (file) => entry(file)[2] };
}
