import { listingKey } from '../../src/listing/identify.js';
import { groupBy, mapLimited } from '../../scripts/shared/collections.js';
import { type EvaluationApi, type Listing } from './api.js';
import { type JudgedPair } from './judgements.js';
import type { ListingKey } from '../../src/schemas/decisions.js';
import { decimal, type Findings, type Table } from './report.js';
import {
  precisionFrom,
  SHOWN,
  SURE,
  type Scored,
  bootstrap,
  bootstrapByCase,
  type Contribution,
  type Figure,
  retrievalFigures,
  type Retrieved,
  sum,
} from './statistics.js';
import { chunksOf } from '../../src/platform/chunks.js';

/** The shares of listings without another listing of their product, for which precision is reported. Judged sets have fewer. */
const SHARES = [0.4, 0.8, 0.99];
const MATRIX_SIZE = 20;
const WORST = 20;
/** The minimum number of listings without a counterpart from which precision is extrapolated. */
const MIN_WITHOUT_COUNTERPART = 20;

interface ReturnedMatch extends Listing {
  match_score: number;
  match_reasons: string[];
}

/** A judged listing and the response of `compare` for it. */
interface Compared {
  listing: Listing;
  /** The matches that `compare` returned, best first, limited to the judged platforms. */
  matches: ReturnedMatch[];
  /** The keys of the listings that people judged to be the same product as this one. */
  gold: Set<string>;
  /** The labelled pairs of the listing; empty without the option `--pairs`. */
  pairs: JudgedPair[];
  /** Whether the listing counts in the figures over all judged listings, besides those over labelled pairs. */
  isSource: boolean;
}

/** Measures `compare` over judged listings and labelled pairs, and its calibration. */
export async function evaluateMatch(
  api: EvaluationApi,
  judged: { gold: JudgedPair[]; sources: ListingKey[] | null; pairs: JudgedPair[] },
): Promise<Findings> {
  const compared = await compareAll(api, judged);
  const sources = compared.filter(({ isSource }) => isSource);
  const by = (name: string, contribution: (one: Compared) => Contribution, of?: Figure['of']) =>
    bootstrapByCase(name, byListing(sources, contribution), of);
  const figures: Figure[] = [
    ...retrievalFigures(byListing(sources, firstCounts), (figure) => `end-to-end ${figure}`),
    by('share without any match', (one) => 1 - firstCounts(one).found),
    by(
      'expected calibration error',
      (one) => scoredOf(one).flatMap(({ score, same }) => [score, Number(same)]),
      'calibration',
    ),
    by(`precision of scores from ${SURE}`, (one) => {
      const sure = scoredOf(one).filter(({ score }) => score >= SURE);
      return [sure.filter(({ same }) => same).length, sure.length];
    }),
    ...withoutCounterpart(sources),
  ];
  const inPairs = compared.filter(({ pairs }) => pairs.length > 0);
  if (inPairs.length > 0)
    figures.push(...retrievalFigures(byListing(inPairs, pairCounts), (figure) => `pair ${figure}`));
  return { figures, tables: [calibration(sources)], worst: worstOf(sources) };
}

const scoredOf = (one: Compared, weight = 1): Scored[] =>
  one.matches.map((match) => ({ score: match.match_score, same: isGold(one, match), weight }));

/** The precision of the matches if a share of the listings had no counterpart: judged listings with and without one are weighted. */
function withoutCounterpart(sources: readonly Compared[]): Figure[] {
  const having = sources.filter(({ gold }) => gold.size > 0).length;
  const lacking = sources.length - having;
  if (lacking < MIN_WITHOUT_COUNTERPART || having === 0) return [];
  return SHARES.map((share) =>
    bootstrap(`precision, ${share * 100} % without a counterpart`, sources, (cases) =>
      precisionFrom(
        cases.flatMap((one) => scoredOf(one, one.gold.size > 0 ? (1 - share) / having : share / lacking)),
        SHOWN,
      ),
    ),
  );
}

const isGold = ({ gold }: Compared, match: ReturnedMatch | undefined): boolean =>
  match !== undefined && gold.has(listingKey(match));

const byListing = <T>(compared: readonly Compared[], of: (one: Compared) => T): Map<string, T> =>
  new Map(compared.map((one) => [String(one.listing.id), of(one)]));

const firstCounts = (one: Compared): Retrieved => ({
  right: Number(isGold(one, one.matches[0])),
  found: Number(one.matches[0] !== undefined),
  all: one.gold.size,
});

/** Counts the labelled pairs of a listing: correctly found, found, and those of the same product. */
function pairCounts({ matches, pairs }: Compared): Retrieved {
  const keys = new Set(matches.map(listingKey));
  const found = pairs.filter(({ b }) => keys.has(listingKey(b)));
  const same = (some: readonly JudgedPair[]) => some.filter((pair) => pair.same).length;
  return { right: same(found), found: found.length, all: same(pairs) };
}

function calibration(compared: readonly Compared[]): Table {
  const scored = compared.flatMap((one) => scoredOf(one));
  const rows = [0.5, 0.6, 0.7, 0.8, 0.9].map((from) => {
    const within = scored.filter(({ score }) => score >= from && (score < from + 0.0999999 || from === 0.9));
    const mean = (of: (one: Scored) => number) => decimal(sum(within.map(of)) / within.length);
    const range = `${from} to ${(from + 0.1).toFixed(1)}`;
    return [range, within.length, mean(({ score }) => score), mean(({ same }) => Number(same))];
  });
  const header = ['score', 'matches', 'mean score', 'true share'];
  return { title: 'Of all matches with a score', header, rows };
}

function worstOf(compared: readonly Compared[]): string[] {
  const wrong = compared
    .filter((one) => one.matches[0] !== undefined && !isGold(one, one.matches[0]))
    .sort((a, b) => (b.matches[0]?.match_score ?? 0) - (a.matches[0]?.match_score ?? 0))
    .map(
      (one) =>
        `wrong ${decimal(one.matches[0]?.match_score ?? 0)}  ${one.listing.name}\n             ${one.matches[0]?.name ?? ''}`,
    );
  const missed = compared
    .filter((one) => one.matches.length === 0 && one.gold.size > 0)
    .map((one) => `missed       ${one.listing.name}`);
  return [...wrong.slice(0, WORST), ...missed.slice(0, WORST)];
}

async function compareAll(
  api: EvaluationApi,
  { gold, sources, pairs }: Parameters<typeof evaluateMatch>[1],
): Promise<Compared[]> {
  const shopsA = new Set([...gold, ...pairs].map(({ a }) => a.source));
  const shopsB = new Set([...gold, ...pairs].map(({ b }) => b.source));
  const sameSource = [...shopsA].some((shop) => shopsB.has(shop));
  const known = new Map<string, Listing>();
  for (const shop of shopsA)
    for (const listing of await api.listings(shop)) known.set(listingKey(listing), listing);

  const counted = new Set((sources ?? gold.map(({ a }) => a)).map(listingKey));
  const keys = new Set([...counted, ...pairs.map(({ a }) => listingKey(a))]);
  const judged = [...keys].flatMap((key) => known.get(key) ?? []);
  const goldOf = groupBy(gold, ({ a }) => listingKey(a));
  const pairsOf = groupBy(pairs, ({ a }) => listingKey(a));
  const batches = chunksOf(
    judged.map(({ id }) => id),
    MATRIX_SIZE,
  );
  const answers = await mapLimited(batches, 2, (ids) => matchesOf(api, ids, sameSource));
  const matches = new Map(answers.flat());
  return judged.map((listing) => {
    const key = listingKey(listing);
    return {
      listing,
      matches: (matches.get(listing.id) ?? []).filter(
        ({ source, match_score }) => shopsB.has(source) && match_score >= SHOWN,
      ),
      gold: new Set((goldOf.get(key) ?? []).map(({ b }) => listingKey(b))),
      pairs: pairsOf.get(key) ?? [],
      isSource: counted.has(key),
    };
  });
}

interface MatchComparison {
  source_product_id: number;
  matches: ReturnedMatch[];
}

async function matchesOf(
  api: EvaluationApi,
  ids: number[],
  sameSource: boolean,
): Promise<[number, ReturnedMatch[]][]> {
  const [only] = ids;
  if (ids.length === 1) {
    const one = await api.get<MatchComparison>(
      `/v1/products/compare?product_id=${only}&include_same_source=${sameSource}`,
    );
    return one === null ? [] : [[one.source_product_id, one.matches]];
  }
  const body = { product_ids: ids, include_same_source: sameSource };
  const matrix = await api.post<{ comparisons: MatchComparison[] }>('/v1/products/compare', body);
  return (matrix?.comparisons ?? []).map((one) => [one.source_product_id, one.matches]);
}
