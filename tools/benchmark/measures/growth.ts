import { type Estimate, quotient } from '../estimate.js';
import { linePlot } from '../plot.js';
import type { BenchFinding } from '../scene.js';
import { type Engines, setScene } from '../stage.js';
import type { Turns } from '../works.js';
import { throughputs } from './search.js';

/**
 * The minimum share of the throughput that remains when the catalogue grows tenfold; null: no target. Search
 * by relevance has none, because it scores every listing that contains a query word.
 */
const AIMS: Record<string, number | null> = {
  'search by relevance': null,
  'search for all words': 0.33,
  trending: 0.6,
  categories: 0.95,
};

/** Measures the throughput for each catalogue size, and returns the remaining shares and a plot as SVG. */
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
