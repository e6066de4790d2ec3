import { readFile } from 'node:fs/promises';
import type { Client } from '@elastic/elasticsearch';
import type { StoredListing } from '../../src/listing/listing.js';
import { compareAll, type Comparisons } from '../../src/matching/evidence.js';
import { candidatesSearch, siblingsSearch } from '../../src/queries/candidates.js';
import { toCandidate } from '../../src/comparison/compare.js';
import type { ExchangeRates } from '../../src/rates/convert.js';
import { fromCaller } from '../../scripts/shared/terminal.js';

/** A listing compared with all that `compare` would look at, and which of its candidates are the same product. */
export interface Case {
  /** Of the listing. */
  id: number;
  comparisons: Comparisons;
  /** One for each candidate. */
  labels: (0 | 1)[];
  /** How many listings are the same product, retrieved or not. */
  gold: number;
}

/** The judgements of one data set. */
export interface Judgements {
  name: string;
  /** CSV `a_source,a_sku,b_source,b_sku`: every pair that is the same product. */
  gold: string;
  /** CSV `a_source,a_sku`: every listing that was judged, with a match or without. */
  sources: string;
}

const BATCH = 50;

/**
 * Reads judgements and asks the engine for the candidates of every judged listing.
 * @returns the cases, and how many pairs are the same product, retrieved or not.
 */
export async function readCases(
  es: Client,
  index: string,
  judgements: Judgements,
  rates: ExchangeRates,
): Promise<{ cases: Case[]; gold: number }> {
  const gold = (await rows(judgements.gold)).map((row) => row.slice(0, 4));
  const same = new Set(gold.map((row) => row.join('|')));
  const matchesOf = (source: string, sku: string) =>
    gold.filter(([otherSource, otherSku]) => otherSource === source && otherSku === sku).length;
  const shops = new Set(gold.map(([, , shop]) => shop));
  const sources = await rows(judgements.sources);
  const cases: Case[] = [];
  for (let at = 0; at < sources.length; at += BATCH) {
    const listings = await findListings(es, index, sources.slice(at, at + BATCH));
    if (listings.length === 0) continue;
    const searches = listings.flatMap((listing) => [
      { index },
      candidatesSearch(listing, { includeSameSource: false }),
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
      const labels = candidates.map(
        ({ source, sku }) => Number(same.has([listing.source, listing.sku, source, sku].join('|'))) as 0 | 1,
      );
      const comparable = (one: StoredListing) => toCandidate(one, listing.currency, rates);
      cases.push({
        id: listing.id,
        comparisons: compareAll(
          comparable(listing),
          candidates.map(comparable),
          (found[2 * i + 1] ?? []).map(comparable),
        ),
        labels,
        gold: matchesOf(listing.source, listing.sku),
      });
    });
  }
  return { cases, gold: gold.length };
}

async function findListings(es: Client, index: string, keys: string[][]): Promise<StoredListing[]> {
  const should = keys.map(([source = '', sku = '']) => ({
    bool: { filter: [{ term: { source } }, { term: { sku } }] },
  }));
  const answer = await es.search<StoredListing>({ index, query: { bool: { should } }, size: keys.length });
  return answer.hits.hits.flatMap(({ _source }) => _source ?? []);
}

async function rows(file: string): Promise<string[][]> {
  const [, ...lines] = (await readFile(fromCaller(file), 'utf8')).trim().split(/\r?\n/);
  return lines.map((line) => line.split(','));
}
