import type { Client } from '@elastic/elasticsearch';
import { pauseBetweenSlices } from '../platform/slices.js';

/** The processor time that requests of one kind use, in ms, as a moving average of what was measured. */
interface Average {
  ms: number;
  /** The weight of the next measurement, which falls to `LATEST` with the first measurements. */
  weight: number;
}

/** The first averages, before anything was measured: those of a search of the sample catalogue. */
const FIRST_MS = { engine: 20, service: 10 };
const LEAST_MS = 0.1;

/** The lowest weight of the latest measurement in a moving average. */
const LATEST = 0.2;

/** The bounds of the factor by which a single measurement may change a rate or an average. */
const FACTOR = { min: 0.5, max: 2 };

/** The maximum length, in ms, of an interval whose processor time in the service is divided among requests. */
const INTERVAL_MS = 250;

/** How often, in ms, the processor time of Elasticsearch is read while requests are served. */
const READ_MS = 2_000;

/** The number of processors of Elasticsearch that is assumed until it is known. */
const FEWEST_PROCESSORS = 2;

/** The bounds of the processor time of Elasticsearch for a millisecond that its searches take. */
const RATE = { min: 0.1, max: 4 };

/** The processor time in ms that failures can make expected, which is several times that of a simple search. */
const FAILED_MS = 200;

/** Reads the processor time in ms that Elasticsearch has used, and its number of processors; null if they are not known. */
export type ReadEngineTime = () => Promise<{ ms: number; processors: number } | null>;

/** Reads the processor time of all nodes from their statistics, which the user may have no permission to read. */
export const engineTime =
  (es: Client): ReadEngineTime =>
  async () => {
    const options = { requestTimeout: 1_000, maxRetries: 0 };
    const [used, machine] = await Promise.all([
      es.nodes.stats({ metric: 'process', filter_path: 'nodes.*.process.cpu.total_in_millis' }, options),
      es.nodes.info({ metric: 'os', filter_path: 'nodes.*.os.allocated_processors' }, options),
    ]);
    const times = Object.values(used.nodes ?? {}).map((node) => node.process?.cpu?.total_in_millis ?? 0);
    const processors = Object.values(machine.nodes ?? {}).map(({ os }) => os?.allocated_processors ?? 0);
    return times.length === 0 ? null : { ms: sumOf(times), processors: sumOf(processors) };
  };

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

interface Share {
  /** The processor time that is assumed for the request, or was measured for it, in ms. */
  ms: number;
  /** The average from which the time is assumed; null if the time was measured. */
  average: Average | null;
  pay(ms: number): void;
}

/**
 * Measures the processor time of requests, in the service and in Elasticsearch.
 *
 * - Elasticsearch: its processor time of an interval, shared out by the time that its requests took (`took`). Time that a
 *   request waits for other requests of the service is not part of it.
 * - The service: its processor time of an interval, from the arrival of requests until their responses are sent, shared out by
 *   the averages of the kinds of requests in the interval. Intervals contain different mixtures of kinds, and most of them one
 *   request, so the averages approach what each kind uses. Async hooks would measure each request, but cost a tenth of the
 *   throughput.
 */
export class ProcessorTime {
  private readonly engineKinds = new Kinds(FIRST_MS.engine);
  private readonly serviceKinds = new Kinds(FIRST_MS.service);
  private running = 0;
  private interval = { began: 0, cpu: process.cpuUsage(), shares: [] as Share[] };
  private tookMs = 0;
  private rate = 1;
  private engine: number | null = null;
  private engineProcessors = FEWEST_PROCESSORS;
  private readAt = -Infinity;

  /** @param workers the number of processes that use Elasticsearch as this one does. */
  constructor(
    private readonly readEngine: ReadEngineTime,
    private readonly workers = 1,
  ) {}

  /** The expected time of Elasticsearch, in whole ms. @param kind the endpoint and the API. @param size on a logarithmic scale. */
  expected(kind: string, size: number): number {
    return Math.ceil(this.engineKinds.of(kind, size).ms);
  }

  /** Called when a request to Elasticsearch has ended, with its own measurement. @returns the processor time of Elasticsearch in ms. */
  answered(kind: string, size: number, tookMs: number): number {
    const average = this.engineKinds.of(kind, size);
    const used = tookMs * this.rate;
    learn(average, used / average.ms);
    this.tookMs += tookMs;
    if (performance.now() - this.readAt > READ_MS) void this.readRate();
    return used;
  }

  /**
   * Called when a request to Elasticsearch has failed after this time in ms. @returns twice what was expected, but not more than that
   * time. Elasticsearch may be the cause and not the request, so the average does not grow beyond `FAILED_MS`.
   */
  failed(kind: string, size: number, elapsedMs: number): number {
    const expected = this.engineKinds.of(kind, size).ms / this.rate;
    return this.answered(
      kind,
      size,
      Math.min(elapsedMs, FACTOR.max * expected, Math.max(FAILED_MS, expected)),
    );
  }

  get processors(): number {
    return this.engineProcessors;
  }

  begin(): void {
    if (this.running > 0) pauseBetweenSlices();
    else if (this.interval.shares.length === 0) this.startInterval();
    this.running += 1;
  }

  ended(): void {
    this.running -= 1;
    if (this.running === 0 || performance.now() - this.interval.began > INTERVAL_MS) this.shareOut();
  }

  /** Called when a request has been handled. @param pay is called with its processor time in ms soon after the response was sent. */
  handled(endpoint: string, size: number, pay: Share['pay']): void {
    const average = this.serviceKinds.of(endpoint, size);
    this.interval.shares.push({ ms: average.ms, average, pay });
  }

  /** Called when a part of a long response has been formatted, which took a number of ms. */
  measured(ms: number, pay: Share['pay']): void {
    this.interval.shares.push({ ms, average: null, pay });
  }

  private startInterval(cpu = process.cpuUsage()): void {
    this.interval = { began: performance.now(), cpu, shares: [] };
  }

  private shareOut(): void {
    const { cpu: before, shares } = this.interval;
    // Reading the processor time is a system call, so one reading both ends an interval and begins the next one.
    const cpu = process.cpuUsage();
    this.startInterval(cpu);
    const [user, system] = [cpu.user - before.user, cpu.system - before.system];
    const expected = shares.reduce((sum, { ms }) => sum + ms, 0);
    if (expected === 0) return;
    const factor = (user + system) / 1_000 / expected;
    const change = within(FACTOR, factor) - 1;
    for (const { ms, average, pay } of shares) {
      // Processor time that is more than twice the expected time is that of other work, and is not charged.
      pay(ms * Math.min(FACTOR.max, factor));
      if (average !== null) learn(average, 1 + (ms / expected) * change);
    }
  }

  /** Computes the processor time of Elasticsearch for each millisecond that searches took since it was read last. */
  private async readRate(): Promise<void> {
    this.readAt = performance.now();
    const tookMs = this.tookMs;
    this.tookMs = 0;
    const now = await this.readEngine().catch(() => null);
    const before = this.engine;
    this.engine = now?.ms ?? null;
    if (now === null) return;
    this.engineProcessors = Math.max(FEWEST_PROCESSORS, now.processors);
    if (before === null || tookMs === 0) return;
    const rate = within(RATE, (now.ms - before) / this.workers / tookMs);
    this.rate += (rate - this.rate) * LATEST;
  }
}

/** Adds a measurement to an average. @param factor the measured time relative to the average. */
function learn(average: Average, factor: number): void {
  const { ms, weight } = average;
  average.ms = Math.max(LEAST_MS, ms * (1 + (factor - 1) * weight));
  average.weight = Math.max(LATEST, weight / (1 + weight));
}

class Kinds {
  private readonly kinds = new Map<string, (Average | undefined)[]>();

  constructor(private readonly firstMs: number) {}

  of(kind: string, size: number): Average {
    let sizes = this.kinds.get(kind);
    if (sizes === undefined) this.kinds.set(kind, (sizes = []));
    return (sizes[size] ??= this.guess(sizes, size));
  }

  /** The first average of a size: that of the nearest known size, twice as high for each size in between. */
  private guess(sizes: readonly (Average | undefined)[], size: number): Average {
    for (let near = size - 1; near >= 0; near -= 1) {
      const smaller = sizes[near];
      if (smaller !== undefined) return { ms: smaller.ms * 2 ** (size - near), weight: 1 };
    }
    return { ms: sizes.find((larger) => larger !== undefined)?.ms ?? this.firstMs, weight: 1 };
  }
}

const within = ({ min, max }: { min: number; max: number }, value: number): number =>
  Math.min(max, Math.max(min, value));
