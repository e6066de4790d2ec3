import { drawSample } from '../../src/text/statistics.js';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Client } from '@elastic/elasticsearch';
import type { StoredListing } from '../../src/listing/listing.js';
import type { Candidate, Sibling } from '../../src/matching/evidence.js';
import { createElasticsearch } from '../../src/engine/client.js';
import { productsAlias } from '../../src/engine/indices.js';
import { readConfig } from '../../src/platform/config/config.js';
import { readRates } from '../../src/products/read-rates.js';
import { candidatesSearch, siblingsSearch } from '../../src/engine/queries/candidates.js';
import type { ExchangeRates } from '../../src/listing/rates.js';
import { toCandidate } from '../../src/matching/stored-matches.js';
import { readPairs, readSources, type JudgedPair } from '../evaluation/judgements.js';
import type { Label } from '../../src/matching/learning/training-pairs.js';
import type { ListingKey } from '../../src/schemas/decisions.js';
import { listingKey } from '../../src/listing/identify.js';
import { CommandError } from '../../scripts/shared/exit.js';
import { fromCaller } from '../../scripts/shared/terminal.js';

/** A listing, the candidates that `compare` would examine for it, and the human judgements of them. */
export interface Judged {
  set: string;
  id: number;
  sought: Candidate;
  /** The key of a listing that stands for the product, by the judgements that two listings are the same product. */
  product: string;
  /** The candidates. There are more than `compare` examines, so that some are left without those of the same product. */
  candidates: Candidate[];
  siblings: Sibling[];
  /** The label of each candidate, in the order of `candidates`. */
  labels: Label[];
  /** The label of each candidate from the labelled pairs alone; null if there is none. */
  pairs: Label[];
  /** The labelled pairs of this listing that are the same product, retrieved or not. */
  samePairs: number;
  /** The number of listings that are the same product as this one, retrieved or not. */
  gold: number;
  /** Whether all candidates are judged, so that the best match is known to be right or wrong. */
  isSource: boolean;
}

/** The human judgements of one data set: which listings are the same product. */
interface Judgements {
  sources: Set<string>;
  gold: Map<string, Set<string>>;
  /** By the key of the first listing and that of the second: whether the labelled pair is the same product. */
  pairs: Map<string, Map<string, boolean>>;
  listings: ListingKey[];
  /** Maps the key of a listing to the key of a listing that stands for its product. */
  productOf: (key: string) => string;
}

const BATCH = 25;
const CANDIDATES = 34;

/** Reads the judgements of data sets in turn, at most `most` listings of each. @throws CommandError as `readJudged` does. */
export async function* readJudgedSets(
  sets: readonly string[],
  { folder, most, env }: { folder: string; most: number; env: NodeJS.ProcessEnv },
  onProgress: (share: number, set: string) => void = () => undefined,
): AsyncGenerator<[set: string, judged: Judged[]]> {
  const { elasticsearch, exchangeRatesFile, indexPrefix } = readConfig(env);
  const es = createElasticsearch(elasticsearch, { requestTimeout: 60_000, maxRetries: 2 });
  const rates = readRates(exchangeRatesFile);
  try {
    for (const [index, set] of sets.entries()) {
      const read = { set, folder, most, rates };
      const onShare = (share: number) => onProgress((index + share) / sets.length, set);
      yield [set, await readJudged(es, productsAlias(indexPrefix), read, onShare)];
    }
  } finally {
    await es.close();
  }
}

/**
 * Reads `SET_gold.csv`, `SET_sources.csv` and `SET_pairs.csv`, as far as they exist, and the candidates of at most `most` listings,
 * which are the same on every run.
 * @throws CommandError if there are no judgements, or if none of the listings is in the catalogue.
 */
export async function readJudged(
  es: Client,
  index: string,
  { set, folder, most, rates }: { set: string; folder: string; most: number; rates: ExchangeRates },
  onProgress: (share: number) => void,
): Promise<Judged[]> {
  const judgements = await readJudgements(folder, set);
  const shops = new Set(judgements.listings.map(({ source }) => source));
  const chosen = sampleOf(judgements.listings, most);
  const judged: Judged[] = [];
  for (let at = 0; at < chosen.length; at += BATCH) {
    onProgress(at / chosen.length);
    const listings = await findListings(es, index, chosen.slice(at, at + BATCH));
    if (listings.length === 0) continue;
    const searches = listings.flatMap((listing) => [
      { index },
      { ...candidatesSearch([listing], { includeSameSource: false }), size: CANDIDATES },
      { index },
      siblingsSearch(listing),
    ]);
    const { responses } = await es.msearch<StoredListing>({ searches });
    const found = responses.map((answer) => {
      if ('error' in answer) throw new Error(answer.error.reason ?? answer.error.type);
      return answer.hits.hits.flatMap(({ _source }) => _source ?? []);
    });
    listings.forEach((listing, i) => {
      const candidates = (found[2 * i] ?? []).filter(({ source }) => shops.has(source));
      const comparable = (one: StoredListing) => toCandidate(one, listing.currency, rates);
      judged.push({
        set,
        id: listing.id,
        sought: comparable(listing),
        product: judgements.productOf(listingKey(listing)),
        candidates: candidates.map(comparable),
        siblings: (found[2 * i + 1] ?? []).map(comparable),
        ...labelsOf(listing, candidates, judgements),
      });
    });
  }
  if (judged.length === 0) throw new CommandError(`none of the listings of ${set} is in the catalogue`);
  return judged;
}

function labelsOf(
  listing: ListingKey,
  candidates: readonly ListingKey[],
  { gold, pairs, sources }: Judgements,
): Pick<Judged, 'labels' | 'pairs' | 'samePairs' | 'gold' | 'isSource'> {
  const key = listingKey(listing);
  const matches = gold.get(key);
  const labelOf = (one: string, other: string): Label => {
    const same = pairs.get(one)?.get(other);
    return same === undefined ? null : same ? 1 : 0;
  };
  const isKnown = sources.has(key) || matches !== undefined;
  return {
    labels: candidates.map(listingKey).map((other) => {
      if (isKnown) return matches?.has(other) ? 1 : 0;
      return labelOf(key, other) ?? labelOf(other, key);
    }),
    pairs: candidates.map((one) => labelOf(key, listingKey(one))),
    samePairs: [...(pairs.get(key)?.values() ?? [])].filter(Boolean).length,
    gold: matches?.size ?? 0,
    isSource: sources.has(key),
  };
}

async function readJudgements(folder: string, set: string): Promise<Judgements> {
  const file = (kind: string): string | null =>
    [`${set}_${kind}.csv`, `${set}_${kind}.csv.gz`]
      .map((name) => path.join(fromCaller(folder), name))
      .find((name) => existsSync(name)) ?? null;
  const [goldFile, sourcesFile, pairsFile] = ['gold', 'sources', 'pairs'].map(file);
  if (!goldFile && !pairsFile) throw new CommandError(`no judgements of ${set} in ${folder}`);
  const gold = new Map<string, Set<string>>();
  const pairs = new Map<string, Map<string, boolean>>();
  const listings = new Map<string, ListingKey>();
  const sources = sourcesFile ? await readSources(sourcesFile) : [];
  const same = goldFile ? await readPairs(goldFile) : [];
  const labelled = pairsFile ? await readPairs(pairsFile) : [];
  for (const source of sources) listings.set(listingKey(source), source);
  const add = ({ a, b }: Pick<JudgedPair, 'a' | 'b'>) =>
    gold.set(listingKey(a), (gold.get(listingKey(a)) ?? new Set()).add(listingKey(b)));
  for (const { a, b } of same) {
    add({ a, b });
    add({ a: b, b: a });
    listings.set(listingKey(a), a).set(listingKey(b), b);
  }
  for (const { a, b, same: isSame } of labelled) {
    pairs.set(
      listingKey(a),
      (pairs.get(listingKey(a)) ?? new Map<string, boolean>()).set(listingKey(b), isSame),
    );
    listings.set(listingKey(a), a);
    if (!goldFile) listings.set(listingKey(b), b);
  }
  const matches = [...same, ...labelled.filter((pair) => pair.same)];
  return {
    sources: new Set(sources.map(listingKey)),
    gold,
    pairs,
    listings: [...listings.values()],
    productOf: productsOf(matches.map(({ a, b }) => [listingKey(a), listingKey(b)])),
  };
}

/** Joins listings that are the same product. @returns a function from a listing to the one that stands for its product. */
function productsOf(pairs: readonly (readonly [string, string])[]): (key: string) => string {
  const parents = new Map<string, string>();
  const find = (key: string): string => {
    const parent = parents.get(key);
    if (parent === undefined || parent === key) return key;
    const root = find(parent);
    parents.set(key, root);
    return root;
  };
  for (const [a, b] of pairs) parents.set(find(a), find(b));
  return find;
}

const sampleOf = <T>(all: readonly T[], most: number): readonly T[] =>
  all.length <= most ? all : drawSample(all, most, all.length);

async function findListings(
  es: Client,
  index: string,
  keys: readonly ListingKey[],
): Promise<StoredListing[]> {
  const should = keys.map(({ source, sku }) => ({
    bool: { filter: [{ term: { source } }, { term: { sku } }] },
  }));
  const answer = await es.search<StoredListing>({ index, query: { bool: { should } }, size: keys.length });
  return answer.hits.hits.flatMap(({ _source }) => _source ?? []);
}
