// Shows in the footer of every view what the index equals, or how far an update is.
import { byId } from './dom.js';

export function showIndexState(answer) {
  if (answer.note !== undefined) byId('age').textContent = `${answer.index?.repo ?? ''}: ${answer.note}`;
}
