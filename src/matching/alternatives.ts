import { ALTERNATIVES } from '../text/vocabulary.js';

/**
 * The options that a name states of properties whose options exclude each other, by property: `{cord: 1}` of a cordless drill.
 * The value is null if the name states several options.
 */
export type Alternatives = ReadonlyMap<string, number | null>;

/** Reads the options that the words of a name state. */
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

/** Whether two names state different options of a property: one is corded, the other cordless. */
export const haveOtherAlternatives = (a: Alternatives, b: Alternatives): boolean =>
  [...a].some(([property, option]) => {
    const other = b.get(property) ?? null;
    return option !== null && other !== null && option !== other;
  });
