/** What is worked out again and again, and kept: the twin of `lru_cache`, which forgets all at once. */

const MOST = 10_000;

/** The function, which is asked once for each text while so many are kept. */
export function remembered<Answer>(ask: (text: string) => Answer): (text: string) => Answer {
  const kept = new Map<string, Answer>();
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const answer = ask(text);
    if (kept.size >= MOST) kept.clear();
    kept.set(text, answer);
    return answer;
  };
}
