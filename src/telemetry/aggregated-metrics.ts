import { AggregatorRegistry, Gauge, Registry } from 'prom-client';
import type { Scraped } from './metrics-server.js';

/** The metrics of a process, as `Registry.getMetricsAsJSON` gives them. */
export type ProcessMetrics = readonly { type: unknown }[];

/**
 * The metrics of all processes of an instance, put together as each metric's `aggregator` says. What a process has counted
 * stays in the sums after it has ended, because a counter that falls would look like a restart of the instance.
 */
export class AggregatedMetrics implements Scraped {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  private ended: ProcessMetrics = [];
  private readonly own = new Registry();
  private readonly started = new Gauge({
    name: 'process_start_time_seconds',
    help: 'When this instance started, or last replaced a process that had ended by itself; in seconds since 1970',
    // The workers have one each.
    aggregator: 'first',
    registers: [this.own],
  });

  /** @param ask reads the metrics of each process that runs. */
  constructor(private readonly ask: () => Promise<ProcessMetrics[]>) {
    this.restarted();
  }

  async metrics(): Promise<string> {
    const own = (await this.own.getMetricsAsJSON()) as ProcessMetrics;
    // Nothing may be waited for in between: a process that ended would be counted twice, or not at all.
    const running = await this.ask();
    return sum([own, ...running, this.ended]).metrics();
  }

  /** A process has ended. @param last its metrics as they were known last. */
  keep(last: ProcessMetrics): void {
    const counted = last.filter(({ type }) => type !== 'gauge');
    this.ended = sum([this.ended, counted]).getMetricsAsArray() as unknown as ProcessMetrics;
  }

  /** A process has ended by itself, and another one starts in its place. */
  restarted(): void {
    this.started.setToCurrentTime();
  }
}

const sum = (processes: readonly ProcessMetrics[]): Registry =>
  AggregatorRegistry.aggregate(processes as ProcessMetrics[]);
