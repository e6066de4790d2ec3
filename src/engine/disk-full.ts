import type { Client, estypes, TransportRequestOptions } from '@elastic/elasticsearch';
import { rejectionStatus, rejectionType } from './errors.js';

/** The kinds of documents that the service writes, as the labels of metrics name them. */
const WRITE_KINDS = ['listings', 'suggestions', 'events', 'audit_events'] as const;
export type WriteKind = (typeof WRITE_KINDS)[number];

/** The words with which messages to the operator say that a disk is full. */
export const DISK_FULL = 'its disk is full';

/** Whether a disk is above its flood-stage watermark. Other write blocks have the status 403. */
export const isDiskFull = (status: number | undefined, type: string | undefined): boolean =>
  status === 429 && type === 'cluster_block_exception';

export const isDiskFullError = (error: unknown): boolean =>
  isDiskFull(rejectionStatus(error), rejectionType(error));

/** The indices of a catalogue that Elasticsearch has made read-only, because a disk is full. */
export async function readOnlyIndices(
  es: Client,
  indexPrefix: string,
  options: TransportRequestOptions = {},
): Promise<string[]> {
  const name = 'index.blocks.read_only_allow_delete';
  const states = await es.indices.getSettings(
    { index: `${indexPrefix}-*`, expand_wildcards: 'all', name, flat_settings: true },
    options,
  );
  return Object.entries(states).flatMap(([index, { settings }]) =>
    (settings as Record<string, unknown> | undefined)?.[name] === 'true' ? [index] : [],
  );
}

/** The age in ms from which a rejection no longer counts, if another kind of write has succeeded since. */
const OUTDATED_MS = 60_000;

/** Records which kinds of documents a full disk blocks, because a disk holds only some of the indices. */
export class DiskFull {
  /** For each kind of document, the number of writes since the start that a full disk rejected. */
  readonly refusals = Object.fromEntries(WRITE_KINDS.map((kind) => [kind, 0])) as Record<WriteKind, number>;
  /** When a full disk last rejected each kind of write, in milliseconds on the monotonic clock. */
  readonly #refused = new Map<WriteKind, number>();

  /** @param onChange called when a full disk begins and ceases to block writes. */
  constructor(private readonly onChange: (isFull: boolean) => void) {}

  get isFull(): boolean {
    return this.#refused.size > 0;
  }

  refused(kind: WriteKind, count: number): void {
    const before = this.isFull;
    this.refusals[kind] += count;
    this.#refused.set(kind, performance.now());
    if (!before) this.onChange(true);
  }

  accepted(kind: WriteKind): void {
    if (!this.isFull) return;
    this.#refused.delete(kind);
    for (const [other, at] of this.#refused) {
      if (performance.now() - at > OUTDATED_MS) this.#refused.delete(other);
    }
    if (!this.isFull) this.onChange(false);
  }

  /** Detects a full disk by the errors of bulk responses. @param kindOf returns the kind of document that an index or alias contains. */
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
