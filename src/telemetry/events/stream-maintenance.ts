import type { Client } from '@elastic/elasticsearch';
import { isDiskFullError } from '../../engine/disk-full.js';
import { loggable, type Logger } from '../logger.js';
import { enforceRetention } from './retention.js';
import { type EventStream, preparedStream, type Storage } from './streams.js';

const MAINTAIN_EVERY_MS = 3_600_000;

/** Prepares the streams of events, and every hour deletes what is beyond their limits. */
export class StreamMaintenance {
  /** How Elasticsearch stores the streams; null until all of them are prepared. */
  private storage: Storage | null = null;
  /** Whether the user of the service may create templates and delete events. */
  private mayManage = true;
  private readonly stopping = new AbortController();
  private readonly timer = setInterval(() => this.tryToRun(), MAINTAIN_EVERY_MS).unref();

  constructor(
    private readonly es: Client,
    private readonly streams: readonly EventStream[],
    private readonly options: { maxBytes: number; logger: Logger; now: () => Date },
  ) {
    this.tryToRun();
  }

  /** Returns how Elasticsearch stores the streams, once they are prepared. @throws if Elasticsearch does not answer. */
  async storageOfStreams(signal: AbortSignal): Promise<Storage> {
    return this.storage ?? (await this.run(signal));
  }

  stop(): void {
    clearInterval(this.timer);
    this.stopping.abort();
  }

  private tryToRun(): void {
    this.run(this.stopping.signal).catch((error: unknown) => {
      // A full disk is not logged here, because it is logged when the first batch of events cannot be
      // written.
      if (this.stopping.signal.aborted || isDiskFullError(error)) return;
      this.options.logger.warn('the indices of events could not be prepared', loggable(error));
    });
  }

  private async run(signal: AbortSignal): Promise<Storage> {
    const { maxBytes, logger, now } = this.options;
    let { storage } = this;
    for (const stream of this.mayManage ? this.streams : []) {
      const prepared = await preparedStream(this.es, stream, signal);
      storage = prepared.storage;
      this.mayManage = prepared.allowed;
      if (this.mayManage) continue;
      logger.info('templates and retention of events are left to npm run engine-users and npm run follow-up');
      break;
    }
    if (storage === null) throw new Error('unreachable: there are streams');
    // Nothing is written before all streams are prepared: an event that is written before the template of its
    // stream exists would create an index without its mappings and its alias.
    this.storage = storage;
    for (const stream of this.mayManage ? this.streams : []) {
      const deleted = await enforceRetention(this.es, stream, storage, { maxBytes, now: now(), signal });
      if (deleted.length > 0) logger.warn(`deleted for EVENTS_MAX_SIZE: ${deleted.join(', ')}`);
    }
    return storage;
  }
}
