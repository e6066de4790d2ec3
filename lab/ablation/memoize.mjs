/** The functions of `src/text/memoize.ts`, with memos whose content is dropped when a rule is switched. */
export const lazy = (compute) => {
  const memo = memoize(1, compute);
  return () => memo('');
};

export function memoize(capacity, compute) {
  let [generation, known] = [-1, new Map()];
  return (text) => {
    const { rules } = globalThis;
    if (generation !== rules.generation || known.size > capacity)
      [generation, known] = [rules.generation, new Map()];
    if (rules.effective !== null) return compute(text);
    if (!known.has(text)) known.set(text, compute(text));
    return known.get(text);
  };
}
