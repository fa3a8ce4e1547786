/** Caches results: of a function of one text, emptied when it is full, and of reads by key. */

const MAX_ENTRIES = 10_000;
/** Longer texts are not cached: an isolate has 128 MB. */
const MAX_KEY_CHARS = 500;

/** Returns the function with a cache of results by text. */
export function memoize<Result>(compute: (text: string) => Result): (text: string) => Result {
  const cache = new Map<string, Result>();
  return (text) => {
    const cached = cache.get(text);
    if (cached !== undefined) return cached;
    const result = compute(text);
    if (cache.size >= MAX_ENTRIES) cache.clear();
    if (text.length <= MAX_KEY_CHARS) cache.set(text, result);
    return result;
  };
}

/** The value of a key, read once. */
export function memoized<Value>(cache: Map<string, Promise<Value>>, key: string, read: () => Promise<Value>): Promise<Value> {
  let value = cache.get(key);
  if (!value) {
    value = read();
    cache.set(key, value);
  }
  return value;
}
