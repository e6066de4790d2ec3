import type { Estimate } from '../../../src/text/statistics.js';
import { quotient } from '../estimate.js';
import type { BenchFinding } from '../context.js';
import { type EnvironmentOptions, type Engines, prepareContext } from '../environment.js';
import { linePlot } from '../plot.js';
import { throughputs } from './search.js';

/**
 * The minimum share of the throughput that remains when the catalogue grows tenfold. Search by relevance has
 * no target: in small catalogues, it costs little more than looking up its words.
 */
const TARGETS: Record<string, number | null> = {
  'search by relevance': null,
  'search for all words': 0.33,
  trending: 0.6,
  categories: 0.95,
};

async function measure(engines: Engines, options: EnvironmentOptions): ReturnType<typeof throughputs> {
  const context = await prepareContext(engines, options);
  try {
    return await throughputs(context);
  } finally {
    await context.stop();
  }
}

export async function growth(
  engines: Engines,
  sizes: readonly number[],
  rounds: EnvironmentOptions['rounds'],
): Promise<{ found: BenchFinding[]; plot: string }> {
  const ascending = [...sizes].sort((a, b) => a - b);
  const points: (Estimate & { x: number; line: string })[] = [];
  const costs: BenchFinding[] = [];
  for (const listings of ascending) {
    process.stderr.write(`Measuring growth at ${listings} listings\n`);
    for (const [line, measured] of Object.entries(await measure(engines, { listings, rounds }))) {
      points.push({ x: listings, line, ...measured.rate });
      for (const [process, cost] of Object.entries(measured.costs))
        costs.push({
          work: `${listings} listings: ${line}`,
          figure: `CPU time of ${process} per response`,
          ...cost,
          target: null,
          better: 'cheaper',
          worse: 'more expensive',
          unit: ' ms',
          details: `${measured.rate.value.toFixed(0)}/s`,
        });
    }
  }
  const [large, largest] = ascending.slice(-2);
  const at = (x: number | undefined, line: string) =>
    points.find((point) => point.x === x && point.line === line) ?? { value: NaN, low: NaN, high: NaN };
  const found = Object.entries(TARGETS).map(([line, least]): BenchFinding => ({
    work: `growth from ${large ?? 0} to ${largest ?? 0} listings: ${line}`,
    figure: 'share of the throughput that remains',
    ...quotient(at(largest, line), at(large, line)),
    target: least === null ? null : { least },
    details: ascending.map((size) => `${size}: ${at(size, line).value.toFixed(0)}/s`).join(', '),
  }));
  const axes = {
    title: 'Throughput, 32 concurrent',
    x: 'listings',
    y: 'responses per second',
    logarithmicY: true,
  };
  const plot = linePlot(
    points.map(({ x, line, value }) => ({ x, y: value, line })),
    axes,
  );
  return { found: [...found, ...costs], plot };
}

/**
 * Measures how the number of shards of the index affects speed, relative to the first number. All shards are
 * on one node, where further shards cost time and bring no benefit.
 */
export async function shards(
  engines: Engines,
  counts: readonly number[],
  options: EnvironmentOptions,
): Promise<BenchFinding[]> {
  const found: BenchFinding[] = [];
  let first: Awaited<ReturnType<typeof measure>> | null = null;
  for (const count of counts) {
    process.stderr.write(`Measuring with ${count} shards\n`);
    const here = await measure(engines, { ...options, shards: count });
    first ??= here;
    for (const [work, { rate }] of Object.entries(here)) {
      const base = first[work]?.rate ?? rate;
      found.push({
        work: `${work}, ${count} ${count === 1 ? 'shard' : 'shards'}`,
        figure: `throughput against ${counts[0] ?? count}`,
        ...quotient(rate, base),
        target: null,
        unit: '×',
        details: `${rate.value.toFixed(0)}/s against ${base.value.toFixed(0)}/s`,
      });
    }
  }
  return found;
}
