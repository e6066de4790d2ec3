import { ALTERNATIVES } from '../text/vocabulary.js';

/** For each property with exclusive options, such as `cord`, the index of the stated one; null if a name states several. */
export type Alternatives = ReadonlyMap<string, number | null>;

export function readAlternatives(words: readonly string[]): Alternatives {
  const stated = new Map<string, number | null>();
  for (const word of words) {
    const found = ALTERNATIVES.get(word);
    if (found === undefined) continue;
    const { property, option } = found;
    stated.set(property, stated.has(property) && stated.get(property) !== option ? null : option);
  }
  return stated;
}

/** Whether two names state different options of a property, as "corded drill" and "cordless drill" do. */
export const haveOtherAlternatives = (a: Alternatives, b: Alternatives): boolean =>
  [...a].some(([property, option]) => {
    const other = b.get(property) ?? null;
    return option !== null && other !== null && option !== other;
  });
