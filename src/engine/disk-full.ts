import { type Client, errors, type estypes } from '@elastic/elasticsearch';

/** What is written to Elasticsearch, as metrics name it. */
export const WRITE_KINDS = ['listings', 'suggestions', 'events', 'audit_events'] as const;
export type WriteKind = (typeof WRITE_KINDS)[number];

/** Why a write is refused, for people. */
export const DISK_FULL = 'its disk is full';

/**
 * Whether this is how Elasticsearch refuses a write because a disk is beyond the flood-stage watermark. The block that a
 * reindex or an operator sets on an index has the status 403.
 * https://www.elastic.co/docs/reference/elasticsearch/configuration-reference/cluster-level-shard-allocation-routing-settings
 */
export const isDiskFull = (status: number | undefined, type: string | undefined): boolean =>
  status === 429 && type === 'cluster_block_exception';

/** Whether a request failed because a disk of Elasticsearch is full. */
export function isDiskFullError(error: unknown): boolean {
  if (!(error instanceof errors.ResponseError)) return false;
  const { error: cause } = (error.body ?? {}) as { error?: { type?: string } };
  return isDiskFull(error.statusCode, cause?.type);
}

/** A kind of writes may have ended with a refusal; so long after it, what other kinds find counts for it too. */
const OUTDATED_MS = 60_000;

/**
 * Whether Elasticsearch refuses writes because a disk is full. Kinds of writes are told apart, since a full disk blocks
 * only the indices that have a shard on it.
 */
export class DiskFull {
  /** Writes that were refused since the process started. */
  readonly refusals = Object.fromEntries(WRITE_KINDS.map((kind) => [kind, 0])) as Record<WriteKind, number>;
  /** When each kind was refused last, on the monotonic clock. */
  readonly #refused = new Map<WriteKind, number>();

  /** @param onChange is told once when writes begin to be refused, and once when they are accepted again. */
  constructor(
    private readonly onChange: (isFull: boolean) => void = () => undefined,
    private readonly clock: () => number = () => performance.now(),
  ) {}

  /** Whether any write was refused and none of its kind accepted since. */
  get isFull(): boolean {
    return this.#refused.size > 0;
  }

  /** Writes were refused because a disk is full. */
  refused(kind: WriteKind, count: number): void {
    const before = this.isFull;
    this.refusals[kind] += count;
    this.#refused.set(kind, this.clock());
    if (!before) this.onChange(true);
  }

  /** A write was accepted. */
  accepted(kind: WriteKind): void {
    if (!this.isFull) return;
    this.#refused.delete(kind);
    for (const [other, at] of this.#refused) {
      if (this.clock() - at > OUTDATED_MS) this.#refused.delete(other);
    }
    if (!this.isFull) this.onChange(false);
  }

  /** Looks at the answer to every bulk request of a client. @param kindOf what is written to an index or alias. */
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
