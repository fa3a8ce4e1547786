/** Caches results of a function of one text; the cache is emptied when it is full. */

const MOST = 10_000;
/** Longer texts are not cached: an isolate has 128 MB. */
const LONGEST = 500;

/** Returns the function with a cache of results by text. */
export function memoize<Answer>(ask: (text: string) => Answer): (text: string) => Answer {
  const kept = new Map<string, Answer>();
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const answer = ask(text);
    if (kept.size >= MOST) kept.clear();
    if (text.length <= LONGEST) kept.set(text, answer);
    return answer;
  };
}
