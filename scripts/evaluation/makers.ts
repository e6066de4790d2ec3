import { groupBy } from '../shared/group-by.js';
import type { Listing } from './api.js';
import { wordsOf } from './names.js';

const MIN_NAMES = 10;
const MIN_SOURCES = 2;
/** The minimum share of names with a word that begin with it, for the word to be taken as a maker. */
const MIN_SHARE = 0.5;

/**
 * Returns a function that reads the maker of a listing for evaluations, or null: the brand that the feed
 * states; or the first two words or the first word of the name, if they are a brand that another listing of
 * the catalogue states; or the first word, if many names of several sources begin with it.
 */
export function readMakers(listings: readonly Listing[]): (listing: Listing) => string | null {
  const stated = new Set(listings.flatMap(({ brand }) => (brand === null ? [] : [wordsOf(brand).join(' ')])));
  const names = listings.map(({ name, source }) => ({ words: wordsOf(name), source }));
  const mentions = new Map<string, number>();
  for (const { words } of names) {
    for (const word of new Set(words)) mentions.set(word, (mentions.get(word) ?? 0) + 1);
  }
  const leading = [...groupBy(names, ({ words }) => words[0] ?? '')].filter(
    ([word, some]) =>
      /^\p{L}{3,}$/u.test(word) &&
      some.length >= Math.max(MIN_NAMES, MIN_SHARE * (mentions.get(word) ?? 0)) &&
      new Set(some.map(({ source }) => source)).size >= MIN_SOURCES,
  );
  const learned = new Set(leading.map(([word]) => word));
  return ({ brand, name }) => {
    if (brand !== null) return wordsOf(brand).join(' ');
    const [first = '', second = ''] = wordsOf(name);
    const pair = `${first} ${second}`;
    if (stated.has(pair)) return pair;
    return stated.has(first) || learned.has(first) ? first : null;
  };
}

/**
 * Returns whether listings have different makers, none of which is named by all of them. A group of "HP
 * Toner" and "Toner for HP" therefore does not mix makers.
 */
export function mixesMakers(
  listings: readonly Listing[],
  makerOf: (listing: Listing) => string | null,
): boolean {
  const makers = new Set(listings.flatMap((listing) => makerOf(listing) ?? []));
  if (makers.size < 2) return false;
  const made = listings.filter((listing) => makerOf(listing) !== null);
  return ![...makers].some((maker) =>
    made.every(
      (listing) =>
        makerOf(listing) === maker || ` ${wordsOf(listing.name).join(' ')} `.includes(` ${maker} `),
    ),
  );
}
