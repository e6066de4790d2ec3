import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Config } from './platform/config/config.js';
import { listen, urlOf } from './http/server.js';
import { AggregatedMetrics, type ProcessMetrics } from './telemetry/metrics/aggregated-metrics.js';
import type { Logger } from './telemetry/logger.js';
import { metricsAddress, metricsServer } from './telemetry/metrics/metrics-server.js';
import type { Service } from './wiring.js';
import { threadFile } from './platform/thread-file.js';

/** A running process of the service: a single process, the primary of several workers, or a worker. */
export interface Running {
  /** Stops this process of the service gracefully. @throws Error if that failed. */
  stop(): Promise<void>;
  /** Replaces the worker processes of the service one by one. It is called on SIGHUP. */
  reload(): void;
}

/** A message of a worker process to the primary: that it listens, or its metrics. */
type WorkerMessage = { url: string; ready: boolean } | { metrics: ProcessMetrics };
/** A command of the primary: send the metrics, or end after the last response of open connections. */
type WorkerCommand = 'metrics' | 'drain';

interface Member {
  worker: Worker;
  state: 'starting' | 'serving' | 'draining';
  startedAt: number;
  metrics: ProcessMetrics;
  /** Functions to call when the worker process sends its metrics the next time, or when it ends. */
  onMetrics: (() => void)[];
  /** Resolves to whether the worker process is ready, once it listens; resolves to false if it ends before. */
  ready: Promise<boolean>;
  exited: Promise<void>;
}

/** A worker process that ends is replaced without a pause if it had run for more than this time in ms. */
const STABLE_MS = 60_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** How long a draining worker process may finish its requests: a client may read an export slowly. */
const DRAIN_MS = 600_000;

/** How long the primary waits for the metrics of a worker process before it uses the previous ones. */
const METRICS_MS = 2_000;

/** How long a reload waits for a new worker process to start, and for the old one to end. */
const START_MS = 30_000;
const OLD_WORKER_MS = 15_000;

/** Starts `WORKERS` processes of the service. @throws ConfigError if the metrics port cannot be opened. */
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

/** Starts the service as a worker process, which ends on command of the primary process, or when that has ended. */
export async function startWorker(logger: Logger, start: () => Promise<Service>): Promise<Running> {
  const service = await start();
  const report = (message: WorkerMessage) =>
    new Promise<void>((resolve) => process.send?.(message, undefined, undefined, () => resolve()));
  const sendMetrics = async () => {
    await report({ metrics: (await service.metrics?.getMetricsAsJSON()) ?? [] });
  };
  process.on('message', (command: WorkerCommand) => {
    if (command === 'metrics') void sendMetrics();
    if (command !== 'drain') return;
    logger.info('draining: another worker takes new connections');
    void service
      .drain(DRAIN_MS)
      .then(sendMetrics)
      .then(() => process.exit(0));
  });
  await report({ url: service.url, ready: service.ready });
  return {
    async stop() {
      await service.stop();
      await sendMetrics();
    },
    // A worker does not reload anything: the primary process starts a new worker instead.
    reload: () => undefined,
  };
}

class Workers implements Running {
  readonly metrics = new AggregatedMetrics(() => this.collectMetrics());
  private readonly members = new Set<Member>();
  private stopping = false;
  /** The number of worker processes in a row that ended unexpectedly soon after their start. */
  private failures = 0;
  private unclean = 0;
  private started: Promise<unknown> = Promise.resolve();
  private isReloadWanted = false;
  private isReloading = false;

  constructor(
    private readonly count: number,
    private readonly logger: Logger,
  ) {}

  /** Starts one worker before the others, so that an error that affects all of them is logged once. */
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
    // The worker processes may have received the signal already, from a terminal or systemd.
    for (const { worker } of members) worker.process.kill('SIGTERM');
    await Promise.all(members.map(({ exited }) => exited));
    if (this.unclean > 0) throw new Error(`${this.unclean} workers did not stop gracefully`);
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
      onMetrics: [],
      ready: new Promise((resolve) => (serving = resolve)),
      exited: new Promise((resolve) => {
        worker.once('exit', (code: number | null, signal: string | null) => {
          this.ended(member, code, signal);
          resolve();
        });
        worker.on('error', (error) => {
          this.logger.warn(`worker ${worker.id}: ${error.message}`);
          // A worker process that could not be spawned emits no exit event, so one is emitted here.
          if (worker.process.pid === undefined) worker.emit('exit', 1, null);
        });
      }),
    };
    worker.on('message', (message: WorkerMessage) => {
      if ('metrics' in message) {
        member.metrics = message.metrics;
        member.onMetrics.splice(0).forEach((resume) => resume());
        return;
      }
      if (member.state === 'starting') member.state = 'serving';
      if (worker.id === 1) this.logger.info(`listening on ${message.url}`);
      this.logger.info(`worker ${worker.process.pid} serves${message.ready ? '' : ', but is not ready'}`);
      serving(message.ready);
    });
    void member.exited.then(() => serving(false));
    this.members.add(member);
    return member;
  }

  private ended(member: Member, code: number | null, signal: string | null): void {
    const { worker, state, startedAt } = member;
    this.members.delete(member);
    this.metrics.keep(member.metrics);
    member.onMetrics.splice(0).forEach((resume) => resume());
    if (this.stopping) {
      // A worker process that has not installed its signal handler yet ends by SIGTERM itself, which is not a failure.
      if (code !== 0 && signal !== 'SIGTERM') this.unclean += 1;
      return;
    }
    const how = signal ?? `code ${code}`;
    if (state === 'draining') {
      this.logger.info(`old worker ${worker.process.pid} ended with ${how}`);
      return;
    }
    if (state === 'starting' && ![...this.members].some((other) => other.state === 'serving')) {
      this.logger.error(
        `worker ${worker.process.pid} ended with ${how} before it listened, and no other worker is running: see its log lines above, and start again`,
      );
      process.exit(1);
    }
    this.failures = performance.now() - startedAt > STABLE_MS ? 0 : this.failures + 1;
    const pause =
      this.failures === 0 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.failures - 1));
    this.logger.error(`worker ${worker.process.pid} ended with ${how}: it is replaced in ${pause} ms`);
    setTimeout(() => {
      this.metrics.restarted();
      this.fill();
    }, pause);
  }

  /** Replaces all worker processes, again if another SIGHUP arrived meanwhile. */
  private async reloadWhileWanted(): Promise<void> {
    this.isReloading = true;
    await this.started;
    while (this.isReloadWanted && !this.stopping) {
      this.isReloadWanted = false;
      this.logger.info('reload: replacing the workers one after the other');
      if (await this.replaceAll()) this.logger.info('reload: all workers were replaced');
    }
    this.isReloading = false;
  }

  /** Replaces all worker processes one after the other. @returns whether every one was replaced. */
  private async replaceAll(): Promise<boolean> {
    for (const old of [...this.members].filter(({ state }) => state === 'serving')) {
      // A worker process that ended during the reload was replaced already.
      if (this.stopping || !this.members.has(old)) continue;
      const fresh = this.fork();
      const isReady = await Promise.race([fresh.ready, sleep(START_MS, false)]);
      if (this.stopping) return false;
      if (!isReady) {
        this.logger.error(
          'reload given up, and the old workers continue: a new worker did not become ready; see its log lines above, then send SIGHUP again',
        );
        this.drain(fresh);
        return false;
      }
      if (!this.members.has(old)) continue;
      this.drain(old);
      await Promise.race([old.exited, sleep(OLD_WORKER_MS)]);
    }
    return !this.stopping;
  }

  private drain(member: Member): void {
    if (!this.members.has(member)) return;
    const { worker, state } = member;
    member.state = 'draining';
    if (state === 'starting') worker.process.kill('SIGTERM');
    else send(worker, 'drain');
    const hung = setTimeout(() => worker.process.kill('SIGKILL'), DRAIN_MS + OLD_WORKER_MS);
    void member.exited.then(() => clearTimeout(hung));
  }

  private async collectMetrics(): Promise<ProcessMetrics[]> {
    const listening = [...this.members].filter(({ state }) => state !== 'starting');
    const collected = listening.map(({ worker, onMetrics }) => {
      const sent = new Promise<void>((resolve) => onMetrics.push(resolve));
      send(worker, 'metrics');
      return Promise.race([sent, sleep(METRICS_MS, undefined, { ref: false })]);
    });
    await Promise.all(collected);
    return [...this.members].map(({ metrics }) => metrics);
  }
}

/** Sends a command to a worker process, unless it has just ended and its exit event is pending. */
function send(worker: Worker, command: WorkerCommand): void {
  if (worker.isConnected()) worker.send(command, () => undefined);
}
