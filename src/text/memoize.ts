/** Computes a value on the first call, and returns the same value on later calls. */
export function lazy<V>(compute: () => V): () => V {
  let computed: { value: V } | undefined;
  return () => (computed ??= { value: compute() }).value;
}

/**
 * Memoizes a function of texts. Two generations of a map are faster than an LRU list, because most look-ups write nothing.
 * @param capacity the maximum number of texts in both generations together.
 * @param compute its result is shared by all callers, which must not change it.
 */
export function memoize<T>(capacity: number, compute: (text: string) => T): (text: string) => T {
  let current = new Map<string, T>();
  let previous = new Map<string, T>();
  return (text) => {
    const known = current.get(text);
    if (known !== undefined) return known;
    const result = previous.get(text) ?? compute(text);
    if (current.size >= capacity / 2) {
      previous = current;
      current = new Map();
    }
    current.set(text, result);
    return result;
  };
}
