import type { Context } from '../context.js';
import { GROUPS_SCHEMA } from '../../listing/schema-versions.js';
import { searchStoredListings } from '../../engine/search-listings.js';
import { flaggedSelection, qualityRequest } from '../../engine/queries/quality.js';
import { flagReasons } from '../../listing/flags.js';
import type { PageQuery } from '../../schemas/include.js';
import { productWith, schemasOfInclude } from '../../products/included.js';
import type { Flag } from '../../schemas/quality.js';
import { checkOffset, checkSchema, pageFrame } from '../../products/list-requests.js';
import { roundTo } from '../../text/statistics.js';

type SourceFilter = { source?: string[]; platform?: string[] };

type CountsByName = { buckets: Record<string, { doc_count: number }> };

interface AssessedBucket extends Record<'stated' | 'known' | 'freshness' | 'flags' | 'claims', CountsByName> {
  doc_count: number;
  serious: { doc_count: number };
}

interface QualityAggregations {
  all: AssessedBucket;
  sources: { buckets: (AssessedBucket & { key: string })[] };
}

const MINUTE_MS = 60_000;

/** Reports how complete, fresh and free of flags the listings are, for all sources together and for each source. */
export async function reportQuality(context: Context, query: SourceFilter) {
  const { es, products, now } = context;
  await checkSchema(context, { quality: GROUPS_SCHEMA });
  // Ages are measured at the start of the minute, so that the request cache of the engine answers repeated requests.
  const minute = new Date(Math.floor(now().getTime() / MINUTE_MS) * MINUTE_MS);
  const request = { index: products, ...qualityRequest(query, minute) };
  const { aggregations } = await es.search<unknown, QualityAggregations>(request);
  if (aggregations === undefined) throw new Error('the engine left the aggregations out');
  const { all, sources } = aggregations;
  const assessed = sources.buckets.map(({ key, ...bucket }) => ({ source: key, ...toAssessment(bucket) }));
  return { body: { all: toAssessment(all), sources: assessed, total: assessed.length } };
}

const WEIGHTS = { completeness: 40, freshness: 30, flags: 30 };

function toAssessment(bucket: AssessedBucket) {
  const { doc_count: listings, stated, known, freshness, flags, claims, serious } = bucket;
  const countsOf = ({ buckets }: CountsByName) =>
    Object.fromEntries(Object.entries(buckets).map(([name, { doc_count }]) => [name, doc_count]));
  const shareOf = (count: number) => (listings === 0 ? 0 : count / listings);
  const shares = Object.entries(countsOf(stated)).map(([name, count]) => [name, shareOf(count)] as const);
  const { delivery = 0, unit_price = 0 } = countsOf(known);
  const { day = 0, week = 0, month = 0, older = 0, never = 0 } = countsOf(freshness);
  const completeness = shares.reduce((sum, [, share]) => sum + share, 0) / Math.max(shares.length, 1);
  const score =
    WEIGHTS.completeness * completeness +
    WEIGHTS.freshness * shareOf(day + week) +
    WEIGHTS.flags * (1 - shareOf(serious.doc_count));
  return {
    listings,
    score: listings === 0 ? 0 : Math.round(score),
    completeness: Object.fromEntries(shares.map(([name, share]) => [name, roundTo(3, share)])),
    price_details: { delivery: roundTo(3, shareOf(delivery)), unit_price: roundTo(3, shareOf(unit_price)) },
    freshness: { day, week, month, older, never },
    flags: countsOf(flags),
    claims: claimCounts(countsOf(claims)),
  };
}

function claimCounts(counts: Record<string, number>) {
  const { stated = 0, supported = 0, exaggerated = 0, unsupported = 0 } = counts;
  const judged = supported + exaggerated + unsupported;
  const unsupported_share = judged === 0 ? null : roundTo(3, unsupported / judged);
  return { stated, supported, exaggerated, unsupported, unknown: stated - judged, unsupported_share };
}

export async function listFlagged(context: Context, flag: Flag, query: SourceFilter & PageQuery) {
  const { es, products, now } = context;
  const { limit = 20, offset = 0, include } = query;
  checkOffset(offset);
  await checkSchema(context, { quality: GROUPS_SCHEMA, ...schemasOfInclude(include) });
  const at = now();
  const selection = flaggedSelection(flag, query, at);
  const { total, listings } = await searchStoredListings(es, products, selection, { limit, offset });
  const items = listings.map((listing) => ({
    ...productWith(include, listing, context),
    reason: flagReasons(listing, at)[flag] ?? 'changed since it was found',
  }));
  const frame = pageFrame({ total, items: items.length }, { limit, offset });
  return { body: { ...frame, items }, event: { results: total } };
}
