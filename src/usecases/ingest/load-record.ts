import type { Reject } from './load.js';
import type { Summary } from './summary.js';
import { readKey, reasonKind } from '../../listing/validate.js';
import { redactForms } from '../../telemetry/redact.js';
import { SERVICE_NAME, SERVICE_VERSION } from '../../platform/version.js';
import { ECS_VERSION } from '../../telemetry/request-event.js';

/** Kinds of rejection told apart: a feed can invent sources without end. */
const MAX_REJECTIONS = 200;

/** Sources that a load has a document of each; for the same reason. */
const MAX_SOURCES = 200;

/** How many records of a source a feed had, and how many of these were rejected. */
export interface Counts {
  records: number;
  rejected: number;
}

/** Of a record that was rejected, perhaps for this. */
const MAX_SOURCE = 200;

interface Rejection {
  source: string | undefined;
  reason: string;
  count: number;
}

/** What dashboards are told of one load of one feed: gathered while it runs, made documents at its end. */
export class LoadRecord {
  readonly #sources = new Map<string, Counts>();
  #unidentified = 0;
  readonly #rejections = new Map<string, Rejection>();

  /**
   * @param id a UUID: what the load and its rejections have in common.
   * @param file the feed's name, without its folder.
   * @param complete the sources that it is said to be complete for.
   */
  constructor(
    private readonly id: string,
    private readonly file: string,
    private readonly complete: readonly string[] = [],
  ) {}

  /** A listing that the feed knows. */
  listing(source: string): void {
    const counts = this.#sources.get(source);
    if (counts !== undefined) counts.records += 1;
    else if (this.#sources.size < MAX_SOURCES) this.#sources.set(source, { records: 1, rejected: 0 });
  }

  rejected({ record, reasons }: Pick<Reject, 'record' | 'reasons'>): void {
    const known = readKey(record)?.source;
    const counts = known === undefined ? undefined : this.#sources.get(known);
    if (counts !== undefined) counts.rejected += 1;
    else if (known === undefined) this.#unidentified += 1;
    const source = known?.slice(0, MAX_SOURCE);
    for (const reason of new Set(reasons.map(reasonKind))) this.#count(source, reason);
  }

  #count(source: string | undefined, reason: string): void {
    const name = JSON.stringify([source, reason]);
    const known = this.#rejections.get(name);
    if (known !== undefined) known.count += 1;
    else if (this.#rejections.size < MAX_REJECTIONS) this.#rejections.set(name, { source, reason, count: 1 });
    else this.#rejections.set('', { ...OTHERS, count: (this.#rejections.get('')?.count ?? 0) + 1 });
  }

  /**
   * One document for the load, one for each source, and one for each source and reason of rejection.
   * @param duration in ms.
   * @param failed whether it did not reach the end of its feed.
   */
  documents(
    summary: Summary,
    { at, duration, failed }: { at: Date; duration: number; failed: boolean },
  ): Record<string, unknown>[] {
    const [source] = this.#sources.size === 1 ? this.#sources.keys() : [];
    const outcome = failed || summary.interrupted ? 'failure' : 'success';
    const complete = this.complete.length > 0 ? { complete: this.complete } : {};
    return [
      this.#document(
        at,
        { action: 'load', outcome, duration: Math.round(duration * 1e6) },
        { source, ...complete, ...countsOf(summary) },
      ),
      ...this.#bySource().map((counts) => this.#document(at, { action: 'source', outcome }, { ...counts })),
      ...[...this.#rejections.values()].map((rejection) =>
        this.#document(at, { action: 'rejection', outcome: 'failure' }, { ...rejection }),
      ),
    ];
  }

  /** Of a load that was stopped at once, too: it was to be of the sources that it is complete for. */
  #bySource(): (Counts & { source: string })[] {
    const none: [string, Counts][] = this.complete.map((source) => [source, { records: 0, rejected: 0 }]);
    const sources = [...new Map([...none, ...this.#sources])];
    // What names no source is of the only one.
    const more = sources.length === 1 ? this.#unidentified : 0;
    return sources.map(([source, { records, rejected }]) => ({
      source,
      records: records + more,
      rejected: rejected + more,
    }));
  }

  /**
   * The document for what became of a source's other listings.
   * @param reason why they were left as they are; null: they were marked unavailable.
   */
  completion(
    {
      source,
      ...counts
    }: { source: string; available: number; vanished: number; newer: number; marked: number },
    { at, reason }: { at: Date; reason: string | null },
  ): Record<string, unknown> {
    const outcome = reason === null ? 'success' : 'failure';
    const why = reason === null ? {} : { reason };
    return this.#document(at, { action: 'complete', outcome }, { source, ...counts, ...why });
  }

  #document(
    at: Date,
    event: Record<string, unknown>,
    more: Record<string, unknown>,
  ): Record<string, unknown> {
    return {
      '@timestamp': at.toISOString(),
      ecs: { version: ECS_VERSION },
      event: { kind: 'event', category: ['database'], dataset: 'catalog.loads', ...event },
      service: { name: SERVICE_NAME, version: SERVICE_VERSION },
      catalog: { load: { id: this.id, file: redactForms(this.file), ...more } },
    };
  }
}

const OTHERS = { source: undefined, reason: 'other reasons' };

/** `unchanged` includes what was merely checked again, repeated or entered the history alone: the five others add up to `records`. */
function countsOf(summary: Summary): Record<string, number> {
  const { read, created, changed, price_moved, unchanged, checked, history, repeated, rejected } = summary;
  return {
    records: read,
    new: created,
    changed,
    price_moved,
    unchanged: unchanged + checked + history + repeated,
    rejected,
  };
}
