// Shows above every view how far the server is with an update of the index.
import { request } from './api_client.js';
import { announce, byId, count, fill, h } from './dom.js';

const POLL_MS = 400;
const VIEW_EVERY_MS = 2500;
const MAX_FILES_TO_WAIT_FOR = 100;
const NOT_FOUND = 404;
let following;

/** Follows an update until it is done; resolves as soon as there is an index to search. */
export function followIndexing() {
  following ??= new Promise((resolve) => { poll(resolve).catch(() => null).finally(() => { resolve(); following = undefined; hide(); }); });
  return following;
}

export function isIndexing() {
  return !byId('indexing').hidden;
}

async function poll(resolve) {
  let drawn = Date.now();
  for (let progress = await ask(); progress?.running; progress = await ask()) {
    if (progress.has_index) resolve();
    if (isLong(progress)) draw(progress);
    await new Promise((done) => { setTimeout(done, POLL_MS); });
    if (isIndexing() && progress.has_index && Date.now() - drawn > VIEW_EVERY_MS) {
      drawn = Date.now();
      dispatchEvent(new Event('indexed'));
    }
  }
  if (!isIndexing()) return;
  hide();
  resolve();
  announce('The index is up to date');
  dispatchEvent(new Event('indexed'));
}

/** True for an update that answers do not wait for: the first one, and one of many files. */
function isLong({ has_index: hasIndex, total }) {
  return !hasIndex || total > MAX_FILES_TO_WAIT_FOR;
}

/** The progress; null where nothing is indexed, as in a Worker. */
function ask() {
  return request('progress').catch((error) => {
    if (error.status === NOT_FOUND) return null;
    throw error;
  });
}

function draw(progress) {
  const { has_index: hasIndex, done, total } = progress;
  const bar = h('progress', { 'aria-label': 'Indexing', value: total ? done : null, max: total || null });
  fill(byId('indexing'), h('p', null, bar, ' ', describe(progress)));
  if (!isIndexing()) announce('The repository is being indexed');
  byId('indexing').hidden = false;
  if (!hasIndex) fill(byId('main'), h('section', { class: 'empty' }, h('h1', null, 'This repository is being indexed'), h('p', null, 'Hits appear here as soon as the first files are read.')));
}

function describe({ step, done, total, nodes, seconds_left: left }) {
  if (!total) return 'Indexing: looking for files';
  const rest = left === null ? '' : `, about ${count(Math.max(1, Math.round(left)), 'second')} left`;
  return `Indexing (${step}): ${done.toLocaleString('en')} of ${count(total, 'file')}${nodes ? `, ${count(nodes, 'node')}` : ''}${rest}`;
}

function hide() {
  byId('indexing').hidden = true;
  byId('indexing').replaceChildren();
}
