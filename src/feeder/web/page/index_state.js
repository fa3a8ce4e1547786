// What the index equals, or how far a feed is, at the foot of every view.
import { byId } from './dom.js';

export function tellAge(answer) {
  if (answer.note !== undefined) byId('age').textContent = `${answer.index?.repo ?? ''}: ${answer.note}`;
}
