// Shows in every view which repository and commit the index is of, how fresh it is, and how far an update is.
import { request } from './api_client.js';
import { announce, byId, count, fill, h } from './dom.js';

const POLL_MS = 400;
const VIEW_EVERY_MS = 2500;
const MAX_FILES_TO_WAIT_FOR = 100;
const NOT_FOUND = 404;

let repo = '';
let branch = '';
let following;
let isOffered = true;

/** The name of the repository, without its owner; empty before the first answer. */
export function indexName() {
  return repo.split('/').at(-1);
}

/** `branch_` is the branch that is checked out, if the answer says it. */
export function showIndexState(answer, branch_ = branch) {
  branch = branch_;
  if (answer.index) showIndex(answer.index);
  if (answer.note !== undefined) byId('age').textContent = answer.index?.repos ? answer.note : `${answer.index?.repo ?? ''}: ${answer.note}`;
}

function showIndex(index) {
  repo = index.repo || (index.repos ? count(index.repos.length, 'repository', 'repositories') : '');
  const commit = index.equals ? [' at ', h('code', { title: index.equals }, index.equals.slice(0, 7))] : null;
  fill(byId('indexed'), h('strong', null, repo), branch ? ` ${branch}` : null, commit, freshness(index));
}

function freshness({ equals, head, behind, working }) {
  if (!equals) return null;
  if (head && equals !== head) return behind ? `, ${count(behind, 'commit')} behind HEAD` : ', not HEAD';
  return working ? ' with uncommitted changes' : null;
}

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

async function ask() {
  if (!isOffered) return null;
  return request('progress').catch((error) => {
    // a Worker makes no index, and each request is billed
    if (error.status !== NOT_FOUND) throw error;
    isOffered = false;
    return null;
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
