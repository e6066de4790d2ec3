import type { Reject } from './load-records.js';
import type { RunRecord } from '../../sources/runs.js';
import { runCounts, type Summary } from './summary.js';
import { readKey, reasonKind } from '../../listing/validate.js';
import { redactForms } from '../../telemetry/redact.js';
import { ECS_VERSION, SERVICE_NAME, SERVICE_VERSION } from '../../platform/version.js';

/** The maximum numbers of reasons and of sources for one load, because a feed may have any number. */
const MAX_REJECTIONS = 200;
const MAX_SOURCES = 200;

export interface SourceCounts {
  records: number;
  rejected: number;
}

/** The maximum length of a source name in the documents of a load; a longer one may be why its record is rejected. */
const MAX_SOURCE_LENGTH = 200;

export class LoadEvents {
  readonly #sources = new Map<string, SourceCounts>();
  #unidentified = 0;
  readonly #rejections = new Map<string, { source: string | undefined; reason: string; count: number }>();

  /** @param id a UUID of the load. @param file the feed without its folder. @param complete the sources that it contains whole. */
  constructor(
    private readonly id: string,
    private readonly file: string,
    private readonly complete: readonly string[] = [],
  ) {}

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
    const source = known?.slice(0, MAX_SOURCE_LENGTH);
    for (const reason of new Set(reasons.map(reasonKind))) this.#count(source, reason);
  }

  #count(source: string | undefined, reason: string): void {
    const name = JSON.stringify([source, reason]);
    const known = this.#rejections.get(name);
    if (known !== undefined) known.count += 1;
    else if (this.#rejections.size < MAX_REJECTIONS) this.#rejections.set(name, { source, reason, count: 1 });
    else this.#rejections.set('', { ...OTHERS, count: (this.#rejections.get('')?.count ?? 0) + 1 });
  }

  /** Documents of the load, its sources, and reasons for rejections. `duration`: in ms; `failed`: the end was not reached. */
  documents(summary: Summary, { at, duration, failed }: { at: Date; duration: number; failed: boolean }) {
    const [source] = this.#sources.size === 1 ? this.#sources.keys() : [];
    const outcome = failed || summary.interrupted ? 'failure' : 'success';
    const complete = this.complete.length > 0 ? { complete: this.complete } : {};
    const { vanished: _, ...counts } = runCounts(summary, 0);
    const load = { action: 'load', outcome, duration: Math.round(duration * 1e6) };
    const rejection = { action: 'rejection', outcome: 'failure' };
    return [
      this.#document(at, load, { source, ...complete, ...counts }),
      ...this.#bySource().map((one) => this.#document(at, { action: 'source', outcome }, one)),
      ...[...this.#rejections.values()].map((one) => this.#document(at, rejection, one)),
    ];
  }

  /** Returns the counts of each source, and of sources for which the feed is complete even if nothing was read. */
  #bySource(): (SourceCounts & { source: string })[] {
    const none = this.complete.map((source) => [source, { records: 0, rejected: 0 }] as const);
    const sources = [...new Map<string, SourceCounts>([...none, ...this.#sources])];
    // If the feed has only one source, records whose source cannot be read are counted for that source.
    const more = sources.length === 1 ? this.#unidentified : 0;
    return sources.map(([source, { records, rejected }]) => ({
      source,
      records: records + more,
      rejected: rejected + more,
    }));
  }

  /** Creates the document about absent listings. @param options.reason why they were not marked; null: they were. */
  completion(
    counts: { source: string; available: number; vanished: number; newer: number; marked: number },
    { at, reason }: { at: Date; reason: string | null },
  ): LoadDocument {
    const outcome = reason === null ? 'success' : 'failure';
    return this.#document(
      at,
      { action: 'complete', outcome },
      { ...counts, ...(reason !== null && { reason }) },
    );
  }

  #document(at: Date, event: object, more: object): LoadDocument {
    return loadDocument(at, event, { id: this.id, file: redactForms(this.file), ...more });
  }
}

type LoadDocument = Record<string, unknown>;

const loadDocument = (at: Date, event: object, load: object): LoadDocument => ({
  '@timestamp': at.toISOString(),
  ecs: { version: ECS_VERSION },
  event: { kind: 'event', category: ['database'], dataset: 'catalog.loads', ...event },
  service: { name: SERVICE_NAME, version: SERVICE_VERSION },
  catalog: { load },
});

/** Creates the document of one run of a source by `npm run sync`, for dashboards. */
export function loadEventOfRun(run: RunRecord, source: string): LoadDocument {
  const { started_at, ended_at, outcome, columns, map, rule, reason, price_change_pct } = run;
  const at = new Date(ended_at ?? started_at);
  const { vanished, ...counts } = run.counts;
  const event = {
    action: 'sync',
    outcome: outcome === 'loaded' || outcome === 'not_modified' ? 'success' : 'failure',
    duration: (at.getTime() - Date.parse(started_at)) * 1e6,
  };
  return loadDocument(at, event, {
    id: run.run,
    file: redactForms(run.files[0] ?? ''),
    source,
    result: outcome,
    ...counts,
    marked: vanished,
    bytes: run.bytes,
    ...(map !== null && { map: `${map.name} ${map.version}` }),
    ...(rule !== null && { rule }),
    ...(reason !== null && { reason }),
    columns_changed: columns.lost.length + columns.added.length,
    ...(price_change_pct !== null && { price_change_pct }),
  });
}

const OTHERS = { source: undefined, reason: 'other reasons' };
