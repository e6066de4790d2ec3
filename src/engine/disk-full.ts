import type { Client, estypes } from '@elastic/elasticsearch';
import { rejectionStatus, rejectionType } from './errors.js';

/**
 * The kinds of documents that the service writes to Elasticsearch, as they are called in the labels of
 * metrics.
 */
export const WRITE_KINDS = ['listings', 'suggestions', 'events', 'audit_events'] as const;
export type WriteKind = (typeof WRITE_KINDS)[number];

/** The reason for a rejected write, as messages to the operator state it. */
export const DISK_FULL = 'its disk is full';

/**
 * Whether Elasticsearch rejected a write because a disk exceeds the flood-stage watermark. A write block that a reindex or
 * an operator sets on an index has the status 403 instead.
 * https://www.elastic.co/docs/reference/elasticsearch/configuration-reference/cluster-level-shard-allocation-routing-settings
 */
export const isDiskFull = (status: number | undefined, type: string | undefined): boolean =>
  status === 429 && type === 'cluster_block_exception';

/** Whether Elasticsearch rejected a request because one of its disks is full. */
export const isDiskFullError = (error: unknown): boolean =>
  isDiskFull(rejectionStatus(error), rejectionType(error));

/**
 * The time in milliseconds after which a rejected write no longer counts as a sign of a full disk, provided
 * that a write of another kind was accepted since. Without this limit, one rejection would count for ever
 * if no further write of that kind follows.
 */
const OUTDATED_MS = 60_000;

/**
 * Records whether Elasticsearch rejects writes because a disk is full. Each kind of write is recorded separately, because a
 * full disk blocks only the indices that have a shard on it.
 */
export class DiskFull {
  /**
   * For each kind of document, the number of writes that a full disk rejected since the process started.
   */
  readonly refusals = Object.fromEntries(WRITE_KINDS.map((kind) => [kind, 0])) as Record<WriteKind, number>;
  /**
   * For each kind of document, the time of the last write that a full disk rejected, in milliseconds on the
   * monotonic clock.
   */
  readonly #refused = new Map<WriteKind, number>();

  /**
   * @param onChange is called once when a full disk begins to block writes, and once when writes are
   * accepted again.
   */
  constructor(
    private readonly onChange: (isFull: boolean) => void = () => undefined,
    private readonly clock: () => number = () => performance.now(),
  ) {}

  /** Whether the last write of any kind of document was rejected because a disk is full. */
  get isFull(): boolean {
    return this.#refused.size > 0;
  }

  /** Records that writes of one kind of document were rejected because a disk is full. */
  refused(kind: WriteKind, count: number): void {
    const before = this.isFull;
    this.refusals[kind] += count;
    this.#refused.set(kind, this.clock());
    if (!before) this.onChange(true);
  }

  /** Records that Elasticsearch accepted a write of one kind of document. */
  accepted(kind: WriteKind): void {
    if (!this.isFull) return;
    this.#refused.delete(kind);
    for (const [other, at] of this.#refused) {
      if (this.clock() - at > OUTDATED_MS) this.#refused.delete(other);
    }
    if (!this.isFull) this.onChange(false);
  }

  /**
   * Inspects the answer to each bulk request of a client for writes that a full disk rejected.
   * @param kindOf the kind of document in an index or alias.
   */
  watch(es: Client, kindOf: (target: string) => WriteKind): void {
    es.diagnostic.on('response', (_error, answer) => {
      const [, target = '', action] = answer?.meta.request.params.path.split('/') ?? [];
      if (action !== '_bulk') return;
      const { items = [] } = (answer?.body ?? {}) as Partial<estypes.BulkResponse>;
      const results = items.map((item) => item.create ?? item.index ?? item.update ?? item.delete);
      const count = results.filter((result) => isDiskFull(result?.status, result?.error?.type)).length;
      const kind = kindOf(decodeURIComponent(target));
      if (count > 0) this.refused(kind, count);
      else if (results.some((result) => (result?.status ?? 500) < 300)) this.accepted(kind);
    });
  }
}
