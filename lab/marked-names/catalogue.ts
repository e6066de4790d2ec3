import { learnMakers } from '../../src/matching/learning/learn-makers.js';
import { inferMaker, makerNames } from '../../src/matching/makers.js';
import type { CatalogueWords } from '../../src/naming/classifiers/catalogue.js';
import type { StatedFields } from '../../src/naming/classifiers/stated.js';
import { proposalsFor } from '../../src/naming/read-name.js';
import { solve } from '../../src/naming/solver.js';
import { SCOPE_COUNT, type Weights } from '../../src/naming/weights.js';
import { nameKey, readSet, SETS } from './marks.js';
import { learnReadings, learnWords } from './word-uses.js';

/** The sets from whose listings words are learned, besides those that names are drawn from. */
const OTHER_SETS = ['abt_buy', 'webmall'];

/** A listing of a public data set, with the fields that are read. */
export interface SetListing {
  set: string;
  source: string;
  sku: string;
  name: string;
  brand?: string | null;
  category?: string | null;
  category_path?: readonly string[] | null;
  metadata?: { model?: unknown; attributes?: Record<string, unknown> } | null;
}

/** Reads the listings of the public data sets. */
export const readSets = (folder: string): SetListing[] =>
  [...SETS, ...OTHER_SETS].flatMap((set) =>
    readSet<Omit<SetListing, 'set'>>(folder, set).map((listing) => ({ ...listing, set })),
  );

const categoriesOf = ({ category, category_path }: SetListing): string[] =>
  [category, ...(category_path ?? [])].filter((one): one is string => typeof one === 'string');

/** Returns the brand, models, categories and attributes that the feed of a listing states outside of its name. */
export const statedBy = (listing: SetListing): StatedFields => ({
  brand: listing.brand ?? null,
  models: [listing.metadata?.model].flatMap((model) => (typeof model === 'string' ? [model] : [])),
  categories: categoriesOf(listing),
  attributes: new Map(
    Object.entries(listing.metadata?.attributes ?? {}).map(([name, value]) => [name, String(value)]),
  ),
});

/** Learns makers, lines and the uses of words from listings, as npm run learn does from a catalogue. */
export function learnCatalogue(listings: readonly SetListing[]): CatalogueWords {
  const makers = learnMakers(listings.map(({ source, name, brand = null }) => ({ source, name, brand })));
  const taught = listings.map((listing) => ({
    name: listing.name,
    maker: listing.brand ?? inferMaker(listing.name, makers)?.name ?? null,
    categories: categoriesOf(listing),
  }));
  return learnWords(taught, makerNames(makers));
}

/** Adds how the words are read in all names except the marked ones. */
export function withReadings(
  catalogue: CatalogueWords,
  listings: readonly SetListing[],
  marked: ReadonlySet<string>,
  weights: Weights,
): CatalogueWords {
  const read = listings.filter((listing) => !marked.has(nameKey(listing)));
  const stated = new Map(read.map((listing) => [listing.name, listing]));
  return learnReadings(catalogue, stated.keys(), (tokens) => {
    const listing = stated.get(tokens.source);
    const context = { catalogue, ...(listing === undefined ? {} : { stated: statedBy(listing) }) };
    return solve(tokens, proposalsFor(tokens, context), weights).map((label) =>
      Math.floor(label / SCOPE_COUNT),
    );
  });
}
