import type { BenchFinding } from '../scene.js';
import { type Engines, type SceneOptions, setScene } from '../stage.js';
import { quotient } from '../estimate.js';
import { throughputs } from './search.js';

/**
 * Measures the throughput for different numbers of shards, relative to the first number. All shards are on
 * one node, so this is the overhead of shards without their benefit.
 */
export async function shards(
  engines: Engines,
  counts: readonly number[],
  options: SceneOptions,
): Promise<BenchFinding[]> {
  const found: BenchFinding[] = [];
  let first: Awaited<ReturnType<typeof throughputs>> | null = null;
  for (const count of counts) {
    process.stderr.write(`Measuring with ${count} shards\n`);
    const scene = await setScene(engines, { ...options, shards: count });
    try {
      const here = await throughputs(scene);
      first ??= here;
      for (const [work, rate] of Object.entries(here)) {
        const base = first[work] ?? rate;
        found.push({
          work: `${work}, ${count} ${count === 1 ? 'shard' : 'shards'}`,
          figure: `throughput against ${counts[0] ?? count}`,
          ...quotient(rate, base),
          aim: null,
          digits: 2,
          unit: '×',
          behind: `${rate.value.toFixed(0)}/s of ${base.value.toFixed(0)}/s`,
        });
      }
    } finally {
      await scene.stop();
    }
  }
  return found;
}
