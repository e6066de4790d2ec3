import type { Client } from '@elastic/elasticsearch';
import { getListingsById } from '../../engine/documents.js';
import type { Backoff } from '../../engine/backoff.js';
import { scanListings } from '../../engine/search-pages.js';
import { CANDIDATE_FIELDS } from '../../engine/queries/candidates.js';
import type { StoredListing } from '../../listing/listing.js';
import { ownerOf } from '../../listing/owner.js';
import type { ExchangeRates } from '../../listing/rates.js';
import { compareAll } from '../../matching/evidence.js';
import { toCandidate } from '../../matching/stored-matches.js';
import {
  identityOf,
  isSharedByProducts,
  labelOf,
  productKey,
  withoutIdentifiers,
} from '../../matching/learning/identity.js';
import { trainingPairs, type TrainingPair } from '../../matching/learning/training-pairs.js';
import { MODEL, type Model } from '../../matching/model.js';
import type { PairDecision } from '../../matching/grouping/cluster.js';
import { hashShare } from '../../text/statistics.js';
import { findCandidates } from '../../matcher/find-matches.js';

export interface LearningCatalogue {
  es: Client;
  alias: string;
  rates: ExchangeRates;
  backoff: Backoff;
  signal: AbortSignal;
}

export interface LearningCounts extends Record<string, number> {
  identified: number;
  /** Products of the sample that several owners offer. */
  products: number;
  /** Identifiers that were not used, because the listings that share them contradict each other. */
  setAside: number;
  listings: number;
  samePairs: number;
  differentPairs: number;
  decisions: number;
}

/** The maximum numbers of sampled listings and of pairs, which bound the time and memory of learning. */
const MAX_LISTINGS = 6_000;
const MAX_PAIRS = 80_000;
const MAX_OF_PRODUCT = 8;
/** The number of sampled products that only one owner offers, as a share of the number of products that several owners offer. */
const WITHOUT_COUNTERPART = 0.25;
const MAX_DIFFERENT = 8;
/** The weight of a pair that people decided. A pair that identifiers decide has the weight 1. */
const DECISION_WEIGHT = 20;
const PRODUCTS = 10;
const CHUNK = 20;

const NOTHING_SAMPLED = { products: 0, setAside: 0, listings: 0, samePairs: 0, differentPairs: 0 };

type Products = Map<string, { ids: number[]; owners: Set<string> }>;

/**
 * Builds the training pairs of a catalogue: listings of different owners with a common identifier, and the most similar listings
 * with other identifiers. Identifiers are hidden before the listings are compared.
 */
export async function readTrainingPairs(
  catalogue: LearningCatalogue,
  decisions: readonly PairDecision[],
  active: Model,
  onProgress: (share: number, note: string) => void,
): Promise<{ pairs: TrainingPair[]; counts: LearningCounts }> {
  const { identified, products } = await sampleProducts(catalogue);
  const several = [...products].filter(([, { owners }]) => owners.size > 1);
  const single = [...products].filter(([, { owners }]) => owners.size === 1);
  const sampled = [...several, ...single.slice(0, Math.ceil(several.length * WITHOUT_COUNTERPART))];
  const counts: LearningCounts = { identified, ...NOTHING_SAMPLED, decisions: decisions.length };
  const pairs: TrainingPair[] = [];
  for (let at = 0; at < sampled.length && pairs.length < MAX_PAIRS; at += PRODUCTS) {
    catalogue.signal.throwIfAborted();
    onProgress(at / sampled.length, `${at} products compared`);
    const chunk = sampled.slice(at, at + PRODUCTS);
    const ids = chunk.flatMap(([, one]) => one.ids.slice(0, MAX_OF_PRODUCT));
    const stored = await read(catalogue, ids);
    const offers = chunk.flatMap(([product, one]): ProductListings[] => {
      const listings = one.ids.slice(0, MAX_OF_PRODUCT).flatMap((id) => stored.get(id) ?? []);
      const currency = listings[0]?.currency ?? null;
      const candidates = listings.map((listing) => toCandidate(listing, currency, catalogue.rates));
      if (!isSharedByProducts(candidates)) return [{ product, listings }];
      counts.setAside += 1;
      return [];
    });
    counts.products += offers.filter(({ listings }) => listings.length > 1).length;
    counts.listings += offers.reduce((sum, { listings }) => sum + listings.length, 0);
    pairs.push(...(await pairsOf(catalogue, offers, active)));
  }
  for (const { label } of pairs) counts[label === 1 ? 'samePairs' : 'differentPairs'] += 1;
  pairs.push(...(await decidedPairs(catalogue, decisions, active)));
  return { pairs, counts };
}

/** Draws a sample of the products with identifiers, by their keys alone, so that every run draws the same ones. */
async function sampleProducts({ es, alias, backoff, signal }: LearningCatalogue) {
  const should = [{ exists: { field: 'internal.gtins' } }, { exists: { field: 'internal.models' } }];
  const query = { bool: { should, minimum_should_match: 1 } };
  const { count } = await backoff.retry(() => es.count({ index: alias, query }));
  const share = Math.min(1, MAX_LISTINGS / Math.max(1, count));
  const products: Products = new Map();
  let identified = 0;
  const fields = ['id', 'source', 'name', 'brand', 'internal.gtins', 'internal.models', 'internal.owner'];
  for await (const page of scanListings<StoredListing>(es, alias, { query, fields, backoff })) {
    signal.throwIfAborted();
    for (const listing of page) {
      const key = productKey(identityOf(listing));
      if (key === null) continue;
      identified += 1;
      if (hashShare(`sample ${key}`) >= share) continue;
      const product = products.get(key) ?? { ids: [], owners: new Set() };
      product.ids.push(listing.id);
      product.owners.add(ownerOf(listing));
      products.set(key, product);
    }
  }
  return { identified, products };
}

const read = (
  { es, alias, backoff }: LearningCatalogue,
  ids: readonly number[],
): Promise<Map<number, StoredListing>> =>
  backoff.retry(() => getListingsById(es, alias, ids, CANDIDATE_FIELDS));

interface ProductListings {
  product: string;
  listings: StoredListing[];
}

async function pairsOf(
  { es, alias, rates, backoff }: LearningCatalogue,
  offers: readonly ProductListings[],
  active: Model,
): Promise<TrainingPair[]> {
  const all = offers.flatMap(({ product, listings }) => listings.map((listing) => ({ product, listing })));
  if (all.length === 0) return [];
  const listings = all.map(({ listing }) => listing);
  const found = await backoff.retry(() => findCandidates(es, alias, listings, { includeSameSource: false }));
  return all.flatMap(({ product, listing }, at) => {
    const { candidates, siblings } = found[at] ?? { candidates: [], siblings: [] };
    const identity = identityOf(listing);
    // Half of the listings with a GTIN keep their model numbers. Those without a GTIN lose them, because there the model numbers
    // alone tell what is the same product.
    const hideModels = identity.gtins.length === 0 || listing.id % 2 === 0;
    let different = 0;
    const labels = candidates.map((candidate) => {
      const other = identityOf(candidate);
      if (!hideModels && other.gtins.length === 0) return null;
      const label = labelOf(identity, other);
      if (label === 0) different += 1;
      return label === 0 && different > MAX_DIFFERENT ? null : label;
    });
    const comparable = (one: StoredListing) =>
      withoutIdentifiers(toCandidate(one, listing.currency, rates), { hideModels });
    const comparisons = compareAll(comparable(listing), candidates.map(comparable), siblings.map(comparable));
    return trainingPairs({ comparisons, owner: ownerOf(listing), product, labels, weight: 1 }, MODEL, active);
  });
}

async function decidedPairs(catalogue: LearningCatalogue, decisions: readonly PairDecision[], active: Model) {
  const { es, alias, rates, backoff, signal } = catalogue;
  const pairs: TrainingPair[] = [];
  for (let at = 0; at < decisions.length && pairs.length < MAX_PAIRS; at += CHUNK) {
    signal.throwIfAborted();
    const some = decisions.slice(at, at + CHUNK);
    const ids = some.flatMap(({ a, b }) => [a, b]);
    const stored = await read(catalogue, ids);
    const known = some.flatMap(({ a, b, same }) => {
      const [listing, other] = [stored.get(a), stored.get(b)];
      return listing === undefined || other === undefined ? [] : [{ listing, other, same }];
    });
    const listings = known.map(({ listing }) => listing);
    const found = await backoff.retry(() => findCandidates(es, alias, listings, { includeSameSource: true }));
    known.forEach(({ listing, other, same }, nth) => {
      const { candidates, siblings } = found[nth] ?? { candidates: [], siblings: [] };
      const others = candidates.some(({ id }) => id === other.id) ? candidates : [...candidates, other];
      const comparable = (one: StoredListing) => toCandidate(one, listing.currency, rates);
      const labels = others.map(({ id }) => (id === other.id ? (same ? 1 : 0) : null));
      const labelled = {
        comparisons: compareAll(comparable(listing), others.map(comparable), siblings.map(comparable)),
        owner: ownerOf(listing),
        product: productKey(identityOf(listing)) ?? `listing ${listing.id}`,
        labels,
        weight: DECISION_WEIGHT,
      } as const;
      pairs.push(...trainingPairs(labelled, MODEL, active));
    });
  }
  return pairs;
}
