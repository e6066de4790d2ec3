import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Config } from './platform/config/config.js';
import { listen, urlOf } from './http/listen.js';
import { metricsAddress } from './telemetry/address.js';
import { AggregatedMetrics, type ProcessMetrics } from './telemetry/aggregated-metrics.js';
import type { Logger } from './telemetry/logger.js';
import { metricsServer } from './telemetry/metrics-server.js';
import type { Service } from './wiring.js';
import { threadFile } from './platform/thread-file.js';

/** A running process of the service: a single process, the primary of several workers, or a worker. */
export interface Running {
  /** Ends it in order. @throws Error where that was not possible. */
  stop(): Promise<void>;
  /** Replaces the workers, at a SIGHUP. */
  reload(): void;
}

/** What a worker tells the primary: that it listens, or its metrics. */
type Told = { url: string; ready: boolean } | { metrics: ProcessMetrics };
/** What the primary asks a worker to do: to tell its metrics, or to end once its connections have had their last answer. */
type Asked = 'metrics' | 'drain';

interface Member {
  worker: Worker;
  state: 'starting' | 'serving' | 'draining';
  startedAt: number;
  /** As they were known last. */
  metrics: ProcessMetrics;
  /** Called once it has told its metrics, or has ended. */
  waiting: (() => void)[];
  /** Settles once it listens: whether it is ready. false: it ended before. */
  ready: Promise<boolean>;
  exited: Promise<void>;
}

/** A worker that lived as long as this was not broken from the start: it is replaced at once. */
const LIVED_MS = 60_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** So long a request of a worker that drains may take: it may be an export that its client reads slowly. */
const DRAINED_WITHIN_MS = 600_000;

/** A worker that has not told its metrics in this time is counted as it was before. */
const METRICS_WITHIN_MS = 2_000;

/** At a reload: so long a new worker may take to start, and so long the next one waits for a former one to end. */
const STARTED_WITHIN_MS = 30_000;
const NEXT_AFTER_MS = 15_000;

/**
 * Starts `WORKERS` processes of the service that share the port. Settles as soon as they are being started.
 * @throws ConfigError where the port of the metrics cannot be had.
 */
export async function startWorkers(config: Config, logger: Logger): Promise<Running> {
  const { url, execArgv = [] } = threadFile(import.meta.url, 'main');
  cluster.setupPrimary({ exec: fileURLToPath(url), args: [], execArgv: [...process.execArgv, ...execArgv] });
  const workers = new Workers(config.workers, logger);
  if (config.metrics !== null) {
    const server = metricsServer(workers.metrics, logger);
    const host = metricsAddress(config.metrics.host);
    await listen(server, { ...config.metrics, host }, 'METRICS_PORT');
    logger.info(`metrics on ${urlOf(server, host)}/metrics`);
  }
  workers.start();
  return workers;
}

/** Starts the service as a worker, which ends when the primary asks for it or is gone. */
export async function startWorker(logger: Logger, start: () => Promise<Service>): Promise<Running> {
  const service = await start();
  const tell = (message: Told) =>
    new Promise<void>((resolve) => {
      process.send?.(message, undefined, undefined, () => {
        resolve();
      });
    });
  const tellMetrics = async () => {
    await tell({ metrics: (await service.metrics?.getMetricsAsJSON()) ?? [] });
  };
  process.on('message', (asked: Asked) => {
    if (asked === 'metrics') void tellMetrics();
    if (asked !== 'drain') return;
    logger.info('draining: another worker takes new connections');
    void service
      .drain(DRAINED_WITHIN_MS)
      .then(tellMetrics)
      .then(() => process.exit(0));
  });
  await tell({ url: service.url, ready: service.ready });
  return {
    async stop() {
      await service.stop();
      await tellMetrics();
    },
    // The primary replaces it.
    reload: () => undefined,
  };
}

/** The workers of an instance, as its primary sees them. */
class Workers implements Running {
  readonly metrics = new AggregatedMetrics(() => this.askMetrics());
  private readonly members = new Set<Member>();
  private stopping = false;
  /** Ended by itself, several times in a row. */
  private failures = 0;
  private unclean = 0;
  private started: Promise<unknown> = Promise.resolve();
  private isReloadWanted = false;
  private isReloading = false;

  constructor(
    private readonly count: number,
    private readonly logger: Logger,
  ) {}

  /** The first one alone: what keeps it from starting keeps all from starting, and is told once. */
  start(): void {
    this.started = this.fork().ready.then(() => {
      this.fill();
      return Promise.all([...this.members].map(({ ready }) => ready));
    });
  }

  reload(): void {
    this.isReloadWanted = true;
    if (!this.isReloading) void this.reloadWhileWanted();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    const members = [...this.members];
    // Some have had the signal already, from a terminal or systemd.
    for (const { worker } of members) worker.process.kill('SIGTERM');
    await Promise.all(members.map(({ exited }) => exited));
    if (this.unclean > 0) throw new Error(`${this.unclean} workers did not end in order`);
  }

  private fill(): void {
    const isActive = ({ state }: Member) => state !== 'draining';
    while (!this.stopping && [...this.members].filter(isActive).length < this.count) this.fork();
  }

  private fork(): Member {
    const worker = cluster.fork();
    let serving: (ready: boolean) => void = () => undefined;
    const member: Member = {
      worker,
      state: 'starting',
      startedAt: performance.now(),
      metrics: [],
      waiting: [],
      ready: new Promise((resolve) => (serving = resolve)),
      exited: new Promise((resolve) => {
        worker.once('exit', (code: number | null, signal: string | null) => {
          this.ended(member, code, signal);
          resolve();
        });
        worker.on('error', (error) => {
          this.logger.warn(`worker ${worker.id}: ${error.message}`);
          // It could not even be started, and has no exit.
          if (worker.process.pid === undefined) worker.emit('exit', 1, null);
        });
      }),
    };
    worker.on('message', (told: Told) => {
      if ('metrics' in told) {
        member.metrics = told.metrics;
        member.waiting.splice(0).forEach((resume) => {
          resume();
        });
        return;
      }
      if (member.state === 'starting') member.state = 'serving';
      if (worker.id === 1) this.logger.info(`listening on ${told.url}`);
      this.logger.info(`worker ${worker.process.pid} serves${told.ready ? '' : ', but is not ready'}`);
      serving(told.ready);
    });
    void member.exited.then(() => {
      serving(false);
    });
    this.members.add(member);
    return member;
  }

  private ended(member: Member, code: number | null, signal: string | null): void {
    const { worker, state, startedAt } = member;
    this.members.delete(member);
    this.metrics.keep(member.metrics);
    member.waiting.splice(0).forEach((resume) => {
      resume();
    });
    if (this.stopping) {
      // One that was still loading ends by the signal.
      if (code !== 0 && signal !== 'SIGTERM') this.unclean += 1;
      return;
    }
    const how = signal ?? `code ${code}`;
    if (state === 'draining') {
      this.logger.info(`former worker ${worker.process.pid} ended with ${how}`);
      return;
    }
    if (state === 'starting' && ![...this.members].some((other) => other.state === 'serving')) {
      this.logger.error(
        `worker ${worker.process.pid} ended with ${how} before it listened, and no other one serves: see what it said before, and start again`,
      );
      process.exit(1);
    }
    this.failures = performance.now() - startedAt > LIVED_MS ? 0 : this.failures + 1;
    const pause =
      this.failures === 0 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.failures - 1));
    this.logger.error(`worker ${worker.process.pid} ended with ${how}: it is replaced in ${pause} ms`);
    setTimeout(() => {
      this.metrics.restarted();
      this.fill();
    }, pause);
  }

  /** A SIGHUP while the workers start or are replaced is not lost: they are replaced afterwards. */
  private async reloadWhileWanted(): Promise<void> {
    this.isReloading = true;
    await this.started;
    while (this.isReloadWanted && !this.stopping) {
      this.isReloadWanted = false;
      this.logger.info('reload: replacing the workers one after the other');
      if (await this.replaceAll()) this.logger.info('reload: all workers are new');
    }
    this.isReloading = false;
  }

  /** @returns whether all were replaced. */
  private async replaceAll(): Promise<boolean> {
    for (const former of [...this.members].filter(({ state }) => state === 'serving')) {
      // One that ended by itself meanwhile has a new one in its place.
      if (this.stopping || !this.members.has(former)) continue;
      const fresh = this.fork();
      const isReady = await Promise.race([fresh.ready, sleep(STARTED_WITHIN_MS, false)]);
      if (this.stopping) return false;
      if (!isReady) {
        this.logger.error(
          'reload given up, and the former workers go on: a new worker did not become ready; see what it said before, then send SIGHUP again',
        );
        this.drain(fresh);
        return false;
      }
      if (!this.members.has(former)) continue;
      this.drain(former);
      await Promise.race([former.exited, sleep(NEXT_AFTER_MS)]);
    }
    return !this.stopping;
  }

  private drain(member: Member): void {
    if (!this.members.has(member)) return;
    const { worker, state } = member;
    member.state = 'draining';
    if (state === 'starting') worker.process.kill('SIGTERM');
    else ask(worker, 'drain');
    const hung = setTimeout(() => worker.process.kill('SIGKILL'), DRAINED_WITHIN_MS + NEXT_AFTER_MS);
    void member.exited.then(() => {
      clearTimeout(hung);
    });
  }

  private async askMetrics(): Promise<ProcessMetrics[]> {
    const listening = [...this.members].filter(({ state }) => state !== 'starting');
    await Promise.all(
      listening.map(
        ({ worker, waiting }) =>
          new Promise<void>((resolve) => {
            const late = setTimeout(resolve, METRICS_WITHIN_MS);
            waiting.push(() => {
              clearTimeout(late);
              resolve();
            });
            ask(worker, 'metrics');
          }),
      ),
    );
    return [...this.members].map(({ metrics }) => metrics);
  }
}

/** A worker that has just ended is not asked: its exit is on the way. */
function ask(worker: Worker, what: Asked): void {
  if (worker.isConnected()) worker.send(what, () => undefined);
}
