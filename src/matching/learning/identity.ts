import { isInStoreGtin } from '../../listing/gtin.js';
import type { StoredListing } from '../../listing/listing.js';
import { foldProse } from '../../text/fold.js';
import { type Candidate, compareAll } from '../evidence.js';
import { isContradicted } from '../verdict.js';
import type { Label } from './training-pairs.js';

export type Identity = ReturnType<typeof identityOf>;

/** The minimum length of a stated model number that identifies a product of its brand. */
const MIN_MODEL = 5;

type Identified = Pick<StoredListing, 'name' | 'brand'> & {
  internal: Pick<StoredListing['internal'], 'gtins' | 'models'>;
};

export function identityOf({ name, brand, internal: { gtins, models } }: Identified) {
  const maker = brand === null ? '' : foldProse(brand).trim();
  const isNumber = (model: string) => model.length >= MIN_MODEL && /\d/.test(model);
  return {
    name: foldProse(name).trim(),
    /** The GTINs that identify the product in all sources. */
    gtins: gtins.filter((gtin) => !isInStoreGtin(gtin)),
    /** The stated model numbers, each with the brand, because makers number their models alike. */
    models: maker === '' ? [] : models.filter(isNumber).map((model) => `${maker} ${model}`),
  };
}

/** The key of the product of a listing: its first GTIN, otherwise its first stated model; null if it states neither. */
export function productKey({ gtins, models }: Identity): string | null {
  const [gtin] = [...gtins].sort();
  const [model] = [...models].sort();
  return gtin !== undefined ? `gtin ${gtin}` : model !== undefined ? `model ${model}` : null;
}

/** Whether two listings are the same product by their identifiers. If model or name agree, a product may have several GTINs. */
export function labelOf(a: Identity, b: Identity): Label {
  const share = (one: readonly string[], other: readonly string[]) =>
    one.some((value) => other.includes(value));
  if (share(a.gtins, b.gtins)) return 1;
  const sameModel = share(a.models, b.models);
  if (a.gtins.length > 0 && b.gtins.length > 0) return sameModel || a.name === b.name ? null : 0;
  if (a.models.length > 0 && b.models.length > 0) return sameModel ? 1 : a.name === b.name ? null : 0;
  return null;
}

/** Matches keys of metadata that state an identifier. */
const IDENTIFIER_KEY = /(?:gtin|ean|upc|isbn|asin|mpn|model|part|sku|article)/i;

/** The listing without GTINs, and with `hideModels` without models, because a model would otherwise learn from nothing else. */
export function withoutIdentifiers<L extends Candidate>(
  listing: L,
  { hideModels }: { hideModels: boolean },
): L {
  const { metadata, internal } = listing;
  const shown = Object.entries(metadata ?? {}).filter(([key]) => !IDENTIFIER_KEY.test(key));
  return {
    ...listing,
    ...(hideModels && metadata !== undefined && { metadata: Object.fromEntries(shown) }),
    internal: { ...internal, gtins: [], models: hideModels ? [] : internal.models },
  };
}

/** The maximum number of listings of a product that are compared to find out whether they agree. */
const MAX_COMPARED = 8;
/** The share of contradicting pairs of listings from which on their identifier is taken for shared by several products. */
const MAX_CONTRADICTED = 1 / 3;

/** Whether listings with a common identifier, such as a GTIN that a shop puts on everything, contradict each other. */
export function isSharedByProducts(listings: readonly Candidate[]): boolean {
  const [first, ...others] = listings
    .slice(0, MAX_COMPARED)
    .map((listing) => withoutIdentifiers(listing, { hideModels: true }));
  if (first === undefined || others.length === 0) return false;
  const { features, between } = compareAll(first, others, []);
  let contradicted = features.filter(isContradicted).length;
  for (let a = 0; a < others.length; a += 1)
    for (let b = a + 1; b < others.length; b += 1) contradicted += Number(isContradicted(between(a, b)));
  return contradicted / ((others.length * (others.length + 1)) / 2) > MAX_CONTRADICTED;
}
