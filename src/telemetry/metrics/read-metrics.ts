import { type Aggregator, Counter, Gauge } from 'prom-client';

export type Series = readonly (readonly [value: number, labels?: Record<string, string>])[];
type Figures = Series | number | null;

/** A metric whose series, or only value, is read at each scrape. It has no series if this fails or the value is unknown (null). */
interface ReadMetric {
  help: string;
  labelNames?: string[];
  /** How the values of the processes of one instance are combined. */
  aggregator?: Aggregator;
  read(): Figures | Promise<Figures>;
}

/** Creates a counter, of which the sum over all processes is exported by default. It is in no registry. */
export const counter = (name: string, { read, ...options }: ReadMetric): Counter =>
  new Counter({
    name,
    ...options,
    registers: [],
    async collect() {
      const series = await readOrNone(read);
      this.reset();
      for (const [value, labels = {}] of series) this.inc(labels, value);
    },
  });

/** Creates a gauge, of which the maximum over all processes is exported by default. It is in no registry. */
export const gauge = (name: string, { read, ...options }: ReadMetric): Gauge =>
  new Gauge({
    name,
    aggregator: 'max',
    ...options,
    registers: [],
    async collect() {
      const series = await readOrNone(read);
      this.reset();
      // A gauge without labels is removed until its value is known, because it would be exported as 0.
      if (options.labelNames === undefined) this.remove();
      for (const [value, labels = {}] of series) this.set(labels, value);
    },
  });

async function readOrNone(read: ReadMetric['read']): Promise<Series> {
  try {
    const figures = await read();
    if (typeof figures === 'number') return [[figures]];
    return figures ?? [];
  } catch {
    return [];
  }
}

/** The series of a metric with one label, from a table of values by label. */
export const byLabel = (name: string, values: Record<string, number>): Series =>
  Object.entries(values).map(([label, value]) => [value, { [name]: label }]);
