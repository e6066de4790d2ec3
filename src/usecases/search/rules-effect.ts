import type { Client, estypes } from '@elastic/elasticsearch';
import { schemaVersionOf } from '../../engine/index-versions.js';
import { targetClause } from '../../engine/queries/rule-clauses.js';
import type { RuleSet } from '../../engine/queries/rules.js';
import { MIN_PEOPLE, mostUsedRequest } from '../../engine/queries/trending.js';
import { DAY_MS } from '../../listing/instant.js';
import type { Product } from '../../schemas/product.js';
import type { RuleFile, RuleTarget } from '../../schemas/rules.js';
import { findByText, TEXT_ALONE } from './text-match.js';
import { listingKey } from '../../listing/identify.js';
import { ndcg } from '../../text/statistics.js';
import { chunksOf } from '../../platform/chunks.js';

/** A query whose results are compared before and after a change of the merchandising rules. */
export interface ComparedQuery {
  query: string;
  /** The rating that people gave each listing, by the key of the listing; null if nobody judged the query. */
  ratings: ReadonlyMap<string, number> | null;
  /** The number of developers who searched for the query in the last days; null if it was not logged. */
  developers: number | null;
}

/** The number of first results that are shown, and the number that is read to find the earlier position of a listing. */
const SHOWN = 10;
const READ = 50;

type ShownListing = Pick<Product, 'id' | 'source' | 'sku' | 'name'>;

/** The results of a query with one version of the rules. */
interface RuledResults {
  total: number;
  names: readonly string[];
  listings: ShownListing[];
}

/** The effect of a change of the rules on the results of one query. Positions are counted from 1. */
export interface QueryEffect extends ComparedQuery {
  rules: readonly string[];
  total: { before: number; after: number };
  /** NDCG@10, in which unjudged listings count as 0; null if the query was not judged. */
  ndcg: { before: number; after: number } | null;
  /** The listings whose positions change, if the change concerns one of the first ten results. */
  moves: { listing: ShownListing; before: number | null; after: number | null }[];
}

/** Compares the results of queries by relevance, before and after a change of the merchandising rules. */
export async function effectsOfRules(
  { es, products, now, signal }: { es: Client; products: string; now: Date; signal: AbortSignal },
  { before, after }: { before: RuleSet; after: RuleSet },
  queries: readonly ComparedQuery[],
): Promise<QueryEffect[]> {
  const schema = await schemaVersionOf(es, products);
  const search = async (query: string, published: RuleSet): Promise<RuledResults> => {
    const { hits, total, rules } = await findByText(es, {
      ...TEXT_ALONE,
      text: query,
      recognizesNames: true,
      findsLinkedOffers: true,
      rules: { published, now },
      schema,
      target: { index: products },
      page: { slice: { limit: READ, offset: 0 }, request: { _source: ['id', 'source', 'sku', 'name'] } },
    });
    return { total, names: rules.names, listings: hits.flatMap(({ _source }) => _source ?? []) };
  };
  const effects: QueryEffect[] = [];
  for (const compared of queries) {
    signal.throwIfAborted();
    const [old, changed] = [await search(compared.query, before), await search(compared.query, after)];
    effects.push(effectOf(compared, old, changed));
  }
  return effects;
}

const ndcgOf = ({ listings }: RuledResults, ratings: ReadonlyMap<string, number>): number =>
  ndcg(
    listings.map((listing) => ratings.get(listingKey(listing)) ?? 0),
    [...ratings.values()],
  );

function effectOf(compared: ComparedQuery, before: RuledResults, after: RuledResults): QueryEffect {
  const { ratings } = compared;
  const positions = ({ listings }: RuledResults) => new Map(listings.map(({ id }, at) => [id, at + 1]));
  const [old, changed] = [positions(before), positions(after)];
  const left = before.listings.slice(0, SHOWN).filter(({ id }) => (changed.get(id) ?? READ) > SHOWN);
  const moves = [...after.listings.slice(0, SHOWN), ...left].flatMap((listing) => {
    const move = { before: old.get(listing.id) ?? null, after: changed.get(listing.id) ?? null };
    return move.before === move.after ? [] : [{ listing, ...move }];
  });
  return {
    ...compared,
    rules: after.names,
    total: { before: before.total, after: after.total },
    ndcg: ratings === null ? null : { before: ndcgOf(before, ratings), after: ndcgOf(after, ratings) },
    moves,
  };
}

/** The time for which logged queries are counted, in milliseconds. */
const LOGGED_MS = 30 * DAY_MS;

/** Returns the queries for which the most developers, and at least three, searched in the last 30 days. */
export async function mostSearched(
  es: Client,
  { requests, now, size }: { requests: string; now: Date; size: number },
): Promise<{ query: string; developers: number }[]> {
  const request = mostUsedRequest('searches', new Date(now.getTime() - LOGGED_MS), {
    part: { partition: 0, num_partitions: 1 },
    size,
  });
  const { aggregations } = await es.search<unknown, { most: { buckets: SearchedText[] } }>({
    index: requests,
    ignore_unavailable: true,
    allow_no_indices: true,
    ...request,
  });
  return (aggregations?.most.buckets ?? []).flatMap(({ key, askers: { value } }) =>
    value >= MIN_PEOPLE ? [{ query: key, developers: value }] : [],
  );
}

interface SearchedText {
  key: string;
  askers: { value: number };
}

const TARGETS_PER_REQUEST = 100;

/** Returns the listings, brands, categories and sources that a rule file names and the catalogue does not have. */
export async function missingTargets(
  { es, products }: { es: Client; products: string },
  { rules }: RuleFile,
): Promise<string[]> {
  const targets = new Map(
    rules
      .flatMap(({ pin = [], hide = [], boost = [] }) => [...pin, ...hide, ...boost])
      .map(({ id, brand, category, source }): [string, RuleTarget] => {
        const target = { id, brand, category, source };
        const [[key, value] = []] = Object.entries(target).filter(([, given]) => given !== undefined);
        return [`${key} ${value}`, target];
      }),
  );
  const missing: string[] = [];
  for (const chunk of chunksOf([...targets], TARGETS_PER_REQUEST)) {
    const filters = Object.fromEntries(chunk.map(([name, target]) => [name, targetClause(target)]));
    const { aggregations } = await es.search<
      unknown,
      { targets: { buckets: Record<string, estypes.AggregationsFiltersBucket> } }
    >({ index: products, size: 0, track_total_hits: false, aggs: { targets: { filters: { filters } } } });
    for (const [name, { doc_count: count }] of Object.entries(aggregations?.targets.buckets ?? {}))
      if (count === 0) missing.push(name);
  }
  return missing;
}
