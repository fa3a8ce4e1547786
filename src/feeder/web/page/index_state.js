// Shows in every view which repository and commit the index is of, and how fresh it is.
import { byId, count, fill, h } from './dom.js';

let repo = '';
let branch = '';

/** The name of the repository, without its owner; empty before the first answer. */
export function indexName() {
  return repo.split('/').at(-1);
}

/** `branch_` is the branch that is checked out, if the answer says it. */
export function showIndexState(answer, branch_ = branch) {
  branch = branch_;
  if (answer.index) showIndex(answer.index);
  if (answer.note !== undefined) byId('age').textContent = `${answer.index?.repo ?? ''}: ${answer.note}`;
}

function showIndex(index) {
  repo = index.repo ?? '';
  const commit = index.equals ? [' at ', h('code', { title: index.equals }, index.equals.slice(0, 7))] : null;
  fill(byId('indexed'), h('strong', null, repo), branch ? ` ${branch}` : null, commit, freshness(index));
}

function freshness({ equals, head, behind, working }) {
  if (!equals) return null;
  if (head && equals !== head) return behind ? `, ${count(behind, 'commit')} behind HEAD` : ', not HEAD';
  return working ? ' with uncommitted changes' : null;
}
