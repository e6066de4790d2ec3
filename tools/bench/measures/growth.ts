import { type Estimate, quotient } from '../estimate.js';
import { linePlot } from '../plot.js';
import type { BenchFinding } from '../scene.js';
import { type Engines, setScene } from '../stage.js';
import type { Turns } from '../works.js';
import { throughputs } from './search.js';

/**
 * Share of its throughput that each work must keep from the second largest size to the largest, ten times as many; null
 * where it is told and nothing is asked for: ten times as many listings have a common word, and each is scored.
 */
const AIMS: Record<string, number | null> = {
  'search by relevance': null,
  'search for all words': 0.33,
  trending: 0.6,
  categories: 0.95,
};

/** Throughput of the service at each size, what of it is kept, and the plot of it. */
export async function growth(
  engines: Engines,
  sizes: readonly number[],
  turns: Turns,
): Promise<{ found: BenchFinding[]; plot: string }> {
  const ascending = [...sizes].sort((a, b) => a - b);
  const points: (Estimate & { x: number; line: string })[] = [];
  for (const listings of ascending) {
    process.stderr.write(`Measuring growth at ${listings}\n`);
    const scene = await setScene(engines, { listings, turns });
    for (const [line, throughput] of Object.entries(await throughputs(scene)))
      points.push({ x: listings, line, ...throughput });
    await scene.stop();
  }
  const [large, largest] = ascending.slice(-2);
  const at = (x: number | undefined, line: string) =>
    points.find((point) => point.x === x && point.line === line) ?? { value: NaN, low: NaN, high: NaN };
  const found = Object.entries(AIMS).map(([line, least]): BenchFinding => ({
    work: `growth from ${large ?? 0} to ${largest ?? 0} listings: ${line}`,
    figure: 'throughput that is kept',
    ...quotient(at(largest, line), at(large, line)),
    aim: least === null ? null : { least },
    digits: 2,
    unit: '',
    behind: ascending.map((size) => `${size}: ${at(size, line).value.toFixed(0)}/s`).join(', '),
  }));
  const axes = { title: 'Throughput, 32 at once', x: 'listings', y: 'answers a second', logarithmicY: true };
  return {
    found,
    plot: linePlot(
      points.map(({ x, line, value }) => ({ x, y: value, line })),
      axes,
    ),
  };
}
