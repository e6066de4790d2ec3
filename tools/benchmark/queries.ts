import { generateCatalogue } from '../sample-catalogue/catalogue.js';
import { Random } from '../sample-catalogue/random.js';

/** Queries of shoppers, made from the names of the generated catalogue, the same in every run. */
export interface Queries {
  /** Correctly spelled queries of two to four words, without duplicates. */
  typed: string[];
  /** The same number of queries. In 15 % of them, one word has one wrong letter. */
  misspelled: string[];
}

const NAMES = 8_000;
const MISSPELT_SHARE = 0.15;

export function shopperQueries(count: number): Queries {
  const random = new Random('bench', 'queries');
  const names = [
    ...generateCatalogue({
      seed: 42,
      listings: NAMES,
      now: new Date('2026-11-01T00:00:00Z'),
      imageBaseUrl: '',
    }),
  ].map((record) => String((record as { name: unknown }).name).match(/[\p{L}\p{N}]{3,}/gu) ?? []);
  const typed = new Set<string>();
  for (let attempt = 0; typed.size < count && attempt < 20 * count; attempt += 1) {
    const words = names[random.below(names.length)] ?? [];
    const length = 2 + random.below(3);
    const start = random.below(Math.max(1, words.length - length + 1));
    if (words.length >= length)
      typed.add(
        words
          .slice(start, start + length)
          .join(' ')
          .toLowerCase(),
      );
  }
  const all = [...typed];
  return { typed: all, misspelled: all.map((query) => misspelling(query, random)) };
}

/** Replaces one letter of the longest word of 15 % of the queries. */
function misspelling(query: string, random: Random): string {
  if (random.unit() >= MISSPELT_SHARE) return query;
  const words = query.split(' ');
  const longest = words.filter((word) => /^\p{L}{5,}$/u.test(word)).sort((a, b) => b.length - a.length)[0];
  if (longest === undefined) return query;
  const place = 1 + random.below(longest.length - 2);
  const wrong = `${longest.slice(0, place)}${longest[place] === 'q' ? 'x' : 'q'}${longest.slice(place + 1)}`;
  return words.map((word) => (word === longest ? wrong : word)).join(' ');
}
