// The proof: what the index equals and holds, and the checks that it is right.
import { isNow } from './url_state.js';
import { tellAge } from './index_state.js';
import { Refused, ask } from './api_client.js';
import { announce, byId, count, fill, h } from './dom.js';
import { hasFolder } from './links.js';

const LOOK_MS = 500;
const SHOWN = 20;
const ELSEWHERE = 404;
let looking;

export async function showProof(state) {
  clearTimeout(looking);
  const status = await ask('status');
  if (!isNow(state)) return;
  tellAge(status);
  const checks = h('section', { 'aria-labelledby': 'checks' });
  fill(byId('main'), h('div', { class: 'proof' }, h('h1', null, status.note || 'What the index holds'), holds(status),
    h('h2', { id: 'checks' }, 'Is it right?'), checks, costs(status.costs ?? {})));
  await look(checks);
}

function holds({ holds: held, index }) {
  const sum = (counts) => Object.values(counts).reduce((all, one) => all + one, 0);
  const rows = [
    ['Equals', index.equals ? h('code', null, index.equals) : 'no commit'],
    // a Worker knows no HEAD but the one that was fed
    ['HEAD', !hasFolder() ? null : index.head ? [h('code', null, index.head), behind(index)] : 'none'],
    ['Files', Object.entries(held.files).map(([state, number]) => `${number.toLocaleString('en')} ${STATES[state] ?? state}`).join(', ')],
    ['Nodes', `${sum(held.node_types).toLocaleString('en')} in ${count(Object.keys(held.languages).length, 'language')}`],
    ['Not indexed', reasons(held.skipped)],
    ['Model', model(held.meta)],
  ];
  return h('table', { class: 'signs' }, h('tbody', null, rows.filter(([, value]) => value).map(([name, value]) => h('tr', null, h('th', { scope: 'row' }, name), h('td', null, value)))));
}

const KINDS = { sync: 'Sync with a commit', working: 'Sync with the working tree', files: 'Files that were named', vectors: 'Vectors that waited', checks: 'Checks' };

/** What the last run of each kind took; those of the checks come as they end. */
function costs(kept) {
  const rows = Object.keys(KINDS).filter((kind) => kept[kind]).map((kind) => cost(kind, kept[kind]));
  const titles = ['Last run', 'Seconds', 'Files', 'Nodes', 'Texts', 'Requests', 'Ended'];
  return h('div', null, h('h2', { id: 'costs' }, 'What did runs take?'),
    h('div', { class: 'listed', tabindex: '0', role: 'region', 'aria-labelledby': 'costs' }, h('table', { class: 'signs' },
      h('thead', null, h('tr', null, titles.map((title) => h('th', { scope: 'col' }, title)))), h('tbody', { id: 'runs' }, rows))),
    h('p', { class: 'note' }, 'Of each kind the last that changed the index; requests are those to services elsewhere.'));
}

function cost(kind, one) {
  const ended = new Date(one.ended_s * 1000).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' });
  const both = (some, what, others, how) => (some === undefined ? '' : `${some.toLocaleString('en')} ${what}${others ? `, ${others.toLocaleString('en')} ${how}` : ''}`);
  const cells = [one.seconds, both(one.files_processed, 'read', one.files_deleted, 'gone'), both(one.nodes_new, 'new', one.nodes_deleted, 'gone'),
    both(one.texts_embedded, 'embedded', one.texts_cached, 'known'), one.requests, ended];
  return h('tr', { 'data-kind': kind }, h('th', { scope: 'row' }, KINDS[kind]), cells.map((cell) => h('td', null, cell.toLocaleString('en'))));
}

/** The one beside the words, else that which comes with them. */
function model(meta) {
  return meta.model ?? /feeder-static-\S+/.exec(meta.parser ?? '')?.[0] ?? 'none: words alone answer';
}

const STATES = { clean: 'indexed', pending: 'waiting for vectors', skipped: 'not indexed' };

function behind(index) {
  if (index.behind === null) return ' (the index’s commit is not here)';
  return index.behind ? ` (${count(index.behind, 'commit')} that the index lacks)` : '';
}

function reasons(skipped) {
  const all = Object.entries(skipped).sort((one, other) => other[1] - one[1]);
  return all.length ? h('ul', { class: 'plain' }, all.map(([reason, number]) => h('li', null, `${number.toLocaleString('en')} `, reason))) : null;
}

/** Draws how far the checks are, and looks again while they run. */
async function look(section, begins = false) {
  try {
    const proof = await ask('proof', {}, { method: begins ? 'POST' : 'GET' });
    if (!section.isConnected) return;
    drawChecks(section, proof);
    if (proof.running) looking = setTimeout(() => look(section), LOOK_MS);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const text = error.status === ELSEWHERE ? 'This server does not run the checks: feeder validate does.' : `${error.message} ${error.remedy}`;
    fill(section, h('p', { role: 'alert' }, text));
  }
}

function drawChecks(section, proof) {
  const wasRunning = section.querySelector('progress');
  const begin = () => { announce('The checks run'); look(section, true); };
  const title = proof.verdict ? 'Run the checks again' : 'Run the checks';
  fill(section, proof.running ? progress(proof) : h('p', null, h('button', { type: 'button', click: begin }, title)),
    proof.failed ? h('p', { role: 'alert', class: 'bad' }, proof.failed) : null,
    proof.verdict && !proof.running ? verdict(proof.verdict) : null);
  if (proof.verdict) {
    byId('runs').querySelector('[data-kind=checks]')?.remove();
    byId('runs').append(cost('checks', proof.verdict));
  }
  if (wasRunning && !proof.running) {
    announce(proof.failed ?? says(proof.verdict));
    section.querySelector('button').focus();
  }
}

function progress({ what, done, total }) {
  const text = total ? `${what}: ${done.toLocaleString('en')} of ${count(total, 'file')}` : 'looking at rows and words';
  return h('p', null, h('progress', { value: total ? done : null, max: total || null, 'aria-label': 'Checks' }), ' ', text);
}

function says(found) {
  return found.passed ? 'The index is right.' : 'The index is not right.';
}

function verdict(found) {
  return [
    h('p', { class: `verdict ${found.passed ? 'good' : 'bad'}` }, says(found), ` ${count(found.checks.length, 'check')} in ${found.seconds.toLocaleString('en')} s.`),
    found.advice ? h('p', null, 'What mends it: ', h('code', null, found.advice)) : null,
    h('ul', { class: 'checks' }, found.checks.map(check)),
    found.notes.map((note) => h('p', { class: 'note' }, note)),
  ];
}

function check(one) {
  const figures = Object.entries(one.figures).map(([name, number]) => `${name} ${number.toLocaleString('en')}`).join(', ');
  const rest = one.differences.length - SHOWN;
  return h('li', { class: one.passed ? 'good' : 'bad' }, h('strong', null, one.passed ? 'right' : 'wrong'), ` ${one.name} `, h('span', { class: 'number' }, figures),
    one.differences.length ? h('ul', null, one.differences.slice(0, SHOWN).map((line) => h('li', null, line)), rest > 0 ? h('li', null, `and ${rest.toLocaleString('en')} more`) : null) : null);
}
