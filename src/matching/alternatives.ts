import { ALTERNATIVES } from '../text/vocabulary.js';

/**
 * What a name states about properties with mutually exclusive options, such as `cord` with the options corded and cordless.
 * Each key is a property. Its value is the index of the stated option, such as 1 for a cordless drill, or null if the name
 * states several options.
 */
export type Alternatives = ReadonlyMap<string, number | null>;

/** Returns the options that the words of a name state. */
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
