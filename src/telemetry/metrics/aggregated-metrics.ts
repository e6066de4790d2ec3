import { AggregatorRegistry, Gauge, Registry } from 'prom-client';
import type { MetricsSource } from './metrics-server.js';

/** The metrics of one process of the service, as returned by `Registry.getMetricsAsJSON`. */
export type ProcessMetrics = readonly { type: unknown }[];

/** The metrics of all processes of an instance. Counts of ended processes stay in the sums, because counters must not decrease. */
export class AggregatedMetrics implements MetricsSource {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  private ended: ProcessMetrics = [];
  private readonly own = new Registry();
  private readonly started = new Gauge({
    name: 'process_start_time_seconds',
    help: 'When this instance started, or last replaced a process that had ended by itself; in seconds since 1970',
    // Worker processes export this metric as well. That of the primary process comes first.
    aggregator: 'first',
    registers: [this.own],
  });

  /** @param collect reads the metrics of each running process of the instance. */
  constructor(private readonly collect: () => Promise<ProcessMetrics[]>) {
    this.restarted();
  }

  async metrics(): Promise<string> {
    const own = (await this.own.getMetricsAsJSON()) as ProcessMetrics;
    // They are collected last, because a process that ended in between would be counted twice or not at all.
    const running = await this.collect();
    return sum([own, ...running, this.ended]).metrics();
  }

  /** Keeps the counts that an ended process sent last, so that they stay in the sums. */
  keep(last: ProcessMetrics): void {
    const counted = last.filter(({ type }) => type !== 'gauge');
    this.ended = sum([this.ended, counted]).getMetricsAsArray() as unknown as ProcessMetrics;
  }

  restarted(): void {
    this.started.setToCurrentTime();
  }
}

const sum = (processes: readonly ProcessMetrics[]): Registry =>
  AggregatorRegistry.aggregate(processes as ProcessMetrics[]);
