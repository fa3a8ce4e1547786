// The status view: contents of the index, the checks of `feeder validate`, and the last runs.
import { isCurrent, link } from './url_state.js';
import { showIndexState } from './index_state.js';
import { ApiError, request } from './api_client.js';
import { announce, byId, count, fill, h, table } from './dom.js';
import { copy } from './hit.js';
import { hasFolder } from './links.js';

const POLL_MS = 500;
const MAX_DIFFERENCES = 20;
const NOT_FOUND = 404;
let polling;

export async function showStatus(state) {
  clearTimeout(polling);
  const status = await request('status');
  if (!isCurrent(state)) return;
  showIndexState(status);
  const checks = h('section', { 'aria-labelledby': 'checks' });
  fill(byId('main'), h('div', { class: 'proof' }, h('h1', null, status.note || 'Contents of the index'), contents(status),
    h('h2', { id: 'checks' }, 'Checks'), checks, costs(status.costs ?? {})));
  await poll(checks);
}

function contents({ holds, index }) {
  const sum = (counts) => Object.values(counts).reduce((total, value) => total + value, 0);
  const rows = [
    ['Indexed', index.equals ? h('code', null, index.equals) : 'no commit'],
    // a Worker knows only the indexed commit
    ['HEAD', !hasFolder() ? null : index.head ? [h('code', null, index.head), behind(index)] : 'none'],
    ['Files', Object.entries(holds.files).map(([state, number]) => `${number.toLocaleString('en')} ${STATES[state] ?? state}`).join(', ')],
    ['Nodes', `${sum(holds.node_types).toLocaleString('en')} in ${count(Object.keys(holds.languages).length, 'language')}`],
    ['Not indexed', reasons(holds.skipped)],
    ['Model', model(holds.meta)],
  ];
  return h('table', { class: 'signs' }, h('tbody', null, rows.filter(([, value]) => value).map(([name, value]) => h('tr', null, h('th', { scope: 'row' }, name), h('td', null, value)))));
}

const KINDS = { sync: 'Sync with a commit', working: 'Sync with the working tree', files: 'Single files', vectors: 'Pending vectors', checks: 'Checks' };

function costs(byKind) {
  const rows = Object.keys(KINDS).filter((kind) => byKind[kind]).map((kind) => cost(kind, byKind[kind]));
  const titles = ['Last run', 'Seconds', 'Files', 'Nodes', 'Embeddings', 'Requests', 'Ended'];
  return h('div', null, h('h2', { id: 'costs' }, 'Last runs'),
    table('Last runs', titles, h('tbody', { id: 'runs' }, rows)),
    h('p', { class: 'note' }, 'The last run of each kind that changed the index. Requests are those to remote services.'));
}

function cost(kind, run) {
  const pair = (first, firstName, second, secondName) => (first === undefined ? '' : `${first.toLocaleString('en')} ${firstName}${second ? `, ${second.toLocaleString('en')} ${secondName}` : ''}`);
  const cells = [run.seconds, pair(run.files_processed, 'read', run.files_deleted, 'deleted'), pair(run.nodes_new, 'new', run.nodes_deleted, 'deleted'),
    run.texts_embedded || run.texts_cached ? pair(run.texts_embedded, 'embedded', run.texts_cached, 'from the cache') : '', run.requests, time(run.ended_s)];
  return h('tr', { 'data-kind': kind }, h('th', { scope: 'row' }, KINDS[kind]), cells.map((cell) => h('td', null, cell.toLocaleString('en'))));
}

function model(meta) {
  return meta.model ?? /feeder-static-\S+/.exec(meta.parser ?? '')?.[0] ?? 'none: search by words only';
}

const STATES = { clean: 'indexed', pending: 'waiting for vectors', skipped: 'not indexed' };

function behind(index) {
  if (index.behind === null) return ' (the index’s commit is not here)';
  return index.behind ? ` (the index is ${count(index.behind, 'commit')} behind)` : '';
}

function reasons(skipped) {
  const all = Object.entries(skipped).sort((a, b) => b[1] - a[1]);
  return all.length ? h('ul', { class: 'plain' }, all.map(([reason, number]) => h('li', null, h('a', { href: link({ view: 'map', by: 'state' }) }, reason), `: ${number.toLocaleString('en')}`))) : null;
}

/** Shows the progress of the checks, and polls while they run; `starts` starts them. */
async function poll(section, starts = false) {
  try {
    const state = await request('proof', {}, { method: starts ? 'POST' : 'GET' });
    if (!section.isConnected) return;
    drawChecks(section, state);
    if (state.running) polling = setTimeout(() => poll(section), POLL_MS);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const text = error.status === NOT_FOUND ? 'This server cannot run the checks. Run feeder validate instead.' : `${error.message} ${error.remedy}`;
    fill(section, h('p', { role: 'alert' }, text));
  }
}

function drawChecks(section, state) {
  const wasRunning = section.querySelector('progress');
  const start = () => { announce('The checks are running'); poll(section, true); };
  const title = state.verdict ? 'Run the checks again' : 'Run the checks';
  fill(section, h('p', { class: 'note' }, COMPARED), state.running ? progress(state) : h('p', null, h('button', { type: 'button', click: start }, title)),
    state.failed ? h('p', { role: 'alert', class: 'bad' }, state.failed) : null,
    state.verdict && !state.running ? verdict(state.verdict) : null);
  if (state.verdict) {
    byId('runs').querySelector('[data-kind=checks]')?.remove();
    byId('runs').append(cost('checks', state.verdict));
  }
  if (wasRunning && !state.running) {
    announce(state.failed ?? summarize(state.verdict));
    section.querySelector('button').focus();
  }
}

function progress({ what, done, total }) {
  const text = total ? `${what}: ${done.toLocaleString('en')} of ${count(total, 'file')}` : 'checking rows and postings';
  return h('p', null, h('progress', { value: total ? done : null, max: total || null, 'aria-label': 'Checks' }), ' ', text);
}

function summarize(result) {
  return result.passed ? 'The index is correct.' : 'The index is not correct.';
}

const COMPARED = 'The checks read the files of the commit again, and compare what they find with each row, word, vector and count of the index. They change nothing.';

/** What was compared and when, what to do, and each check, those that failed first. */
function verdict(result) {
  const failed = result.checks.filter((one) => !one.passed).length;
  const figures = `${failed ? `${failed} of ` : ''}${count(result.checks.length, 'check')}${failed ? ' failed' : ''}, ${time(result.ended_s)}, in ${result.seconds.toLocaleString('en')} s.`;
  return [
    h('p', { class: `verdict ${result.passed ? 'good' : 'bad'}` }, summarize(result), ` ${figures}`),
    result.advice ? advice(result.advice) : null,
    h('ul', { class: 'checks' }, [...result.checks].sort((one, other) => one.passed - other.passed).map(check)),
    result.notes.map((note) => h('p', { class: 'note' }, note)),
  ];
}

function advice(text) {
  const commands = text.match(/feeder [a-z]+(?: --?[\w-]+)*/g) ?? [];
  return h('p', null, 'To repair it: ', h('code', null, text),
    commands.map((command) => [' ', h('button', { type: 'button', click: () => copy(command) }, 'Copy ', h('code', null, command))]));
}

function check(result) {
  const figures = Object.entries(result.figures).map(([name, number]) => `${name} ${number.toLocaleString('en')}`).join(', ');
  const rest = result.differences.length - MAX_DIFFERENCES;
  return h('li', { class: result.passed ? 'good' : 'bad' }, h('strong', null, result.passed ? 'right' : 'wrong'), ` ${result.name} `, h('span', { class: 'number' }, figures),
    result.differences.length ? h('ul', null, result.differences.slice(0, MAX_DIFFERENCES).map((line) => h('li', null, line)), rest > 0 ? h('li', null, `and ${rest.toLocaleString('en')} more`) : null) : null);
}

function time(at_s) {
  return new Date(at_s * 1000).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' });
}
