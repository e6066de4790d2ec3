import type { Client } from '@elastic/elasticsearch';

/**
 * The processor time that requests of one kind are expected to use, in ms, as moving averages of what was measured.
 */
interface Averages {
  engine: number;
  service: number;
}

/** The averages of the first request of an endpoint: those of a search of the sample catalogue. */
const FIRST: Averages = { engine: 20, service: 10 };
const LEAST_MS = 0.1;

/** The weight of the latest measurement in a moving average. */
const LATEST = 0.2;

/** The bounds of the factor by which one measurement changes a rate or an average. */
const FACTOR = { min: 0.5, max: 2 };

/** The longest time in ms over which the time of the service is shared out. */
const INTERVAL_MS = 250;

/** How often, in ms, the processor time of Elasticsearch is read while requests are served. */
const READ_MS = 2_000;

/** The bounds of the processor time of Elasticsearch for a millisecond that its searches take. */
const RATE = { min: 0.1, max: 4 };

/** Reads the processor time in ms that Elasticsearch has used; null if it is not known. */
export type ReadEngineTime = () => Promise<number | null>;

/** Reads the processor time of all nodes from their statistics, which the user may have no permission to read. */
export const engineTime =
  (es: Client): ReadEngineTime =>
  async () => {
    const request = { metric: 'process' as const, filter_path: 'nodes.*.process.cpu.total_in_millis' };
    const { nodes = {} } = await es.nodes.stats(request, { requestTimeout: 1_000, maxRetries: 0 });
    const times = Object.values(nodes).map(({ process: used }) => used?.cpu?.total_in_millis ?? 0);
    return times.length === 0 ? null : times.reduce((sum, one) => sum + one, 0);
  };

/**
 * Measures the processor time of requests, in the service and in Elasticsearch.
 *
 * - Elasticsearch: its processor time of an interval, shared out by the time that the searches of each request took
 *   (`took`). Time that a request waits for other requests of the service is not part of it.
 * - The service: its processor time of an interval, shared out by the averages of the kinds of requests in the interval.
 *   Intervals contain different mixtures of kinds, and most of them one request, so the averages approach what each kind
 *   uses. Async hooks would measure each request, but cost a tenth of the throughput.
 */
export class ProcessorTime {
  private readonly kinds = new Map<string, Averages[]>();
  private running = 0;
  private interval = { began: 0, cpu: process.cpuUsage(), direct: 0, shares: new Map<Averages, number>() };
  private tookMs = 0;
  private rate = 1;
  private engine: number | null = null;
  private readAt = -Infinity;

  /** @param workers the number of processes that use Elasticsearch as this one does. */
  constructor(
    private readonly readEngine: ReadEngineTime,
    private readonly workers = 1,
  ) {}

  /**
   * The processor time in ms that a request is expected to use.
   * @param endpoint the name of its endpoint.
   * @param size the size of the request on a logarithmic scale: a request of the next size uses up to twice as much.
   */
  estimate(endpoint: string, size: number): number {
    const { engine, service } = this.averagesOf(endpoint, size);
    return engine + service;
  }

  /** Called when a request, or a step of one, begins to use processors. */
  begin(): void {
    if (this.running === 0 && this.interval.shares.size === 0) this.startInterval();
    this.running += 1;
  }

  /**
   * Called when a request, or a step of one, has ended.
   * @param used.tookMs the time that its searches took.
   * @param used.directMs the processor time of the service, if it was measured.
   * @returns the processor time in ms that it has used.
   */
  end(
    endpoint: string,
    size: number,
    { tookMs, directMs }: { tookMs: number; directMs?: number | undefined },
  ): number {
    const averages = this.averagesOf(endpoint, size);
    const engine = tookMs * this.rate;
    averages.engine += (engine - averages.engine) * LATEST;
    if (directMs !== undefined) {
      averages.service += (directMs - averages.service) * LATEST;
      this.interval.direct += directMs;
    }
    const service = directMs ?? averages.service;
    if (directMs === undefined)
      this.interval.shares.set(averages, (this.interval.shares.get(averages) ?? 0) + service);
    this.running -= 1;
    this.tookMs += tookMs;
    // The response is serialized and sent after the request has ended, so the interval ends later.
    setImmediate(() => {
      if (this.running === 0 || performance.now() - this.interval.began > INTERVAL_MS) this.shareOut();
    });
    if (performance.now() - this.readAt > READ_MS) void this.readRate();
    return engine + service;
  }

  private averagesOf(endpoint: string, size: number): Averages {
    let sizes = this.kinds.get(endpoint);
    if (sizes === undefined) this.kinds.set(endpoint, (sizes = []));
    return (sizes[size] ??= guessOf(sizes, size));
  }

  private startInterval(): void {
    this.interval = { began: performance.now(), cpu: process.cpuUsage(), direct: 0, shares: new Map() };
  }

  private shareOut(): void {
    const { cpu, direct, shares } = this.interval;
    const { user, system } = process.cpuUsage(cpu);
    this.startInterval();
    const expected = [...shares.values()].reduce((sum, share) => sum + share, 0);
    if (expected === 0) return;
    const factor = within(FACTOR, ((user + system) / 1_000 - direct) / expected);
    for (const [averages, share] of shares) {
      const change = 1 + (share / expected) * (factor - 1) * LATEST;
      averages.service = Math.max(LEAST_MS, averages.service * change);
    }
  }

  /** Computes the processor time of Elasticsearch for each millisecond that searches took since it was read last. */
  private async readRate(): Promise<void> {
    this.readAt = performance.now();
    const tookMs = this.tookMs;
    this.tookMs = 0;
    const now = await this.readEngine().catch(() => null);
    const before = this.engine;
    this.engine = now;
    if (now === null || before === null || tookMs === 0) return;
    const rate = within(RATE, (now - before) / this.workers / tookMs);
    this.rate += (rate - this.rate) * LATEST;
  }
}

/** The first averages of a size: those of the nearest known size, twice as high for each size in between. */
function guessOf(sizes: readonly (Averages | undefined)[], size: number): Averages {
  for (let near = size - 1; near >= 0; near -= 1) {
    const smaller = sizes[near];
    if (smaller === undefined) continue;
    const factor = 2 ** (size - near);
    return { engine: smaller.engine * factor, service: smaller.service * factor };
  }
  return { ...(sizes.find((larger) => larger !== undefined) ?? FIRST) };
}

const within = ({ min, max }: { min: number; max: number }, value: number): number =>
  Math.min(max, Math.max(min, value));
