// Marks the query's words in the lines of a file, and moves from one line that has some to the next.
import { byId } from './dom.js';

const MIN_LETTERS = 2;
const FILTER = /(^|\s)-?\w+:("[^"]*"|\S+)/g;
const EXCLUDED = /(^|\s)-("[^"]*"|\S+)/g;

/** A pattern for the words of a query without its filters; null if it has none. */
export function wordPattern(query) {
  const words = query.replace(FILTER, ' ').replace(EXCLUDED, ' ').match(/[\p{L}\p{N}_]+/gu) ?? [];
  const longest = [...new Set(words.filter((word) => word.length >= MIN_LETTERS))].sort((one, other) => other.length - one.length);
  return longest.length ? new RegExp(longest.join('|'), 'giu') : null;
}

/** The places of the words in a line as `[start, end]`, which count code points. */
export function wordMarks(line, pattern) {
  if (!pattern) return [];
  const points = (at) => Array.from(line.slice(0, at)).length;
  return [...line.matchAll(pattern)].map((match) => [points(match.index), points(match.index + match[0].length)]);
}

/** The line of the next match after `line`, or of the previous one; null without a match. */
export function nextMatch(line, by) {
  const lines = matchingLines();
  if (!lines.length) return null;
  const next = by > 0 ? lines.find((other) => other > line) : lines.findLast((other) => other < line);
  return next ?? lines.at(by > 0 ? 0 : -1);
}

export function matchingLines() {
  return [...new Set([...document.querySelectorAll('.file mark')].map((mark) => Number(mark.closest('.row').id.slice(1))))];
}

export function showPosition(line) {
  const lines = matchingLines();
  const at = lines.indexOf(line);
  byId('matches').textContent = lines.length ? `${at < 0 ? '' : `${at + 1} of `}${lines.length} ${lines.length === 1 ? 'line' : 'lines'} with the query` : '';
}
