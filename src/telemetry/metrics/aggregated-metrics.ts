import { AggregatorRegistry, Gauge, Registry } from 'prom-client';
import type { MetricsSource } from './metrics-server.js';

/** The metrics of one process of the service, as returned by `Registry.getMetricsAsJSON`. */
export type ProcessMetrics = readonly { type: unknown }[];

/**
 * The metrics of all processes of an instance. Counts of ended processes stay in the sums, because a counter
 * that decreases would look like a restart of the instance.
 */
export class AggregatedMetrics implements MetricsSource {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  private ended: ProcessMetrics = [];
  private readonly own = new Registry();
  private readonly started = new Gauge({
    name: 'process_start_time_seconds',
    help: 'When this instance started, or last replaced a process that had ended by itself; in seconds since 1970',
    // Each worker process exports this metric as well. The value of the primary process is used, which comes
    // first.
    aggregator: 'first',
    registers: [this.own],
  });

  /**
   * Creates the metrics of an instance.
   * @param collect reads the metrics of each running process of the instance.
   */
  constructor(private readonly collect: () => Promise<ProcessMetrics[]>) {
    this.restarted();
  }

  async metrics(): Promise<string> {
    const own = (await this.own.getMetricsAsJSON()) as ProcessMetrics;
    // The metrics are collected last and summed at once, because a process that ended in between would be
    // counted twice or not at all.
    const running = await this.collect();
    return sum([own, ...running, this.ended]).metrics();
  }

  /** Keeps the counts that an ended process sent last, so that they stay in the sums. */
  keep(last: ProcessMetrics): void {
    const counted = last.filter(({ type }) => type !== 'gauge');
    this.ended = sum([this.ended, counted]).getMetricsAsArray() as unknown as ProcessMetrics;
  }

  /** Records that a process of the instance ended unexpectedly and is being replaced. */
  restarted(): void {
    this.started.setToCurrentTime();
  }
}

const sum = (processes: readonly ProcessMetrics[]): Registry =>
  AggregatorRegistry.aggregate(processes as ProcessMetrics[]);
