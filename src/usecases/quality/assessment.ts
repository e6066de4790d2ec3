import type { Assessment, Quality } from '../../schemas/quality.js';

type Counts = { buckets: Record<string, { doc_count: number }> };

/** A bucket of `qualityRequest`. */
export interface AssessedBucket {
  doc_count: number;
  stated: Counts;
  freshness: Counts;
  flags: Counts;
  serious: { doc_count: number };
}

export interface AssessedSources {
  all: AssessedBucket;
  sources: { buckets: (AssessedBucket & { key: string })[] };
}

export function toQuality({ all, sources: { buckets } }: AssessedSources): Quality {
  const sources = buckets.map(({ key, ...bucket }) => ({ source: key, ...toAssessment(bucket) }));
  return { all: toAssessment(all), sources, total: sources.length };
}

/** What each part adds to the score, of a hundred. */
const WEIGHTS = { completeness: 40, freshness: 30, flags: 30 };

function toAssessment({
  doc_count: listings,
  stated,
  freshness,
  flags,
  serious,
}: AssessedBucket): Assessment {
  const countsOf = ({ buckets }: Counts) =>
    Object.fromEntries(Object.entries(buckets).map(([name, { doc_count }]) => [name, doc_count]));
  const shareOf = (count: number) => (listings === 0 ? 0 : count / listings);
  const shares = Object.entries(countsOf(stated)).map(([name, count]) => [name, shareOf(count)] as const);
  const { day = 0, week = 0, month = 0, older = 0, never = 0 } = countsOf(freshness);
  const completeness = shares.reduce((sum, [, share]) => sum + share, 0) / Math.max(shares.length, 1);
  const score =
    listings === 0
      ? 0
      : WEIGHTS.completeness * completeness +
        WEIGHTS.freshness * shareOf(day + week) +
        WEIGHTS.flags * (1 - shareOf(serious.doc_count));
  return {
    listings,
    score: Math.round(score),
    completeness: Object.fromEntries(
      shares.map(([name, share]) => [name, Math.round(share * 1_000) / 1_000]),
    ),
    freshness: { day, week, month, older, never },
    flags: countsOf(flags),
  };
}
