import { randomUUID } from 'node:crypto';
import type { Client } from '@elastic/elasticsearch';
import { cachedFor } from '../engine/index-versions.js';
import { ensureIndex } from '../engine/indices.js';
import { type IndexKind, storedIndex } from '../platform/stored.js';
import { OperationError } from '../platform/operation-errors.js';
import { formatInstant } from '../listing/instant.js';

/** One version of what was learned from the catalogue, as JSON that can be sent to a worker thread without parsing. */
export interface LearnedVersion {
  version: number;
  json: Uint8Array;
}

/** The active versions of what was learned from the catalogue; null: none. */
export interface ActiveVersions {
  brands: number | null;
  matcher: number | null;
}

/** The record of a version of what was learned, without its content. */
export interface VersionRecord {
  version: number;
  learned_at: string;
  /** The numbers of listings and other things that the version was learned from. */
  counts: Record<string, number>;
  /** The quality of this version, and of the version that was active before, on listings that neither was learned from. */
  figures: Record<string, { value: number; low: number; high: number }>;
}

type StoredVersion = VersionRecord & { model: string };

/** The number of the active version, and of those that were active before, the latest last. Null: what the service ships. */
interface Activation {
  active: number | null;
  earlier: (number | null)[];
  /** Identifies the activation. Activations by earlier releases have none. */
  id?: string;
}

const ACTIVATION_ID = 'active';
const NEVER: Activation = { active: null, earlier: [] };
const MAX_EARLIER = 50;
const MAX_LISTED = 1_000;
const REFRESH_MS = 10_000;

const documentId = (version: number): string => `model-${version}`;

/** The versions of what one command learned from the catalogue, stored in an index, and which of them is active. */
export class LearnedVersions {
  readonly index: string;

  /** @param name what messages call a version, such as "matching model". */
  constructor(
    private readonly es: Client,
    private readonly indexPrefix: string,
    private readonly kind: IndexKind,
    private readonly name: string,
  ) {
    this.index = storedIndex(indexPrefix, kind);
  }

  async activeNumber(): Promise<number | null> {
    return (await this.activation()).version;
  }

  async active(): Promise<LearnedVersion | null> {
    const version = await this.activeNumber();
    return version === null ? null : this.read(version);
  }

  /** Reads one version with its content. @throws OperationError if there is no such version. */
  async read(version: number): Promise<LearnedVersion> {
    const { es, index } = this;
    const answer = await es.get<StoredVersion>({ index, id: documentId(version) }, { ignore: [404] });
    if (answer._source === undefined) throw new OperationError(`There is no ${this.name} ${version}.`);
    return { version, json: Buffer.from(answer._source.model) };
  }

  /** Creates a function that returns the active version, as `refreshed` does; null if none is active. */
  reader(clock = () => performance.now()): () => Promise<LearnedVersion | null> {
    const current = refreshed<{ key: string; learned: LearnedVersion | null }>(
      { key: '', learned: null },
      async (known) => {
        const { key, version } = await this.activation();
        if (key === known.key) return known;
        return { key, learned: version === null ? null : await this.read(version) };
      },
      clock,
    );
    return async () => (await current()).learned;
  }

  /** Returns the active version number, null if none is, and a key that changes with every activation. */
  async activation(): Promise<{ key: string; version: number | null }> {
    const { active, id = '' } = await this.#readActivation();
    return { key: `${active} ${id}`, version: active };
  }

  /** Returns all versions, the latest first, and the number of the active one. */
  async list(): Promise<{ active: number | null; versions: VersionRecord[] }> {
    const active = await this.activeNumber();
    const { hits } = await this.es.search<VersionRecord>({
      index: this.index,
      ignore_unavailable: true,
      query: { exists: { field: 'version' } },
      sort: [{ version: { order: 'desc', unmapped_type: 'long' } }],
      size: MAX_LISTED,
      _source_excludes: ['model'],
    });
    return { active, versions: hits.hits.flatMap(({ _source }) => _source ?? []) };
  }

  /** Stores content as the next version, and activates it. @returns the record of the version. */
  async store(
    content: unknown,
    { now, ...record }: Pick<VersionRecord, 'counts' | 'figures'> & { now: Date },
  ): Promise<VersionRecord> {
    await this.ensureIndex();
    const { versions } = await this.list();
    const version = (versions[0]?.version ?? 0) + 1;
    const stored: VersionRecord = { version, learned_at: formatInstant(now.getTime()), ...record };
    const document: StoredVersion = { ...stored, model: JSON.stringify(content) };
    await this.es.create({ index: this.index, id: documentId(version), document, refresh: true });
    await this.#activate(version);
    return stored;
  }

  ensureIndex(): Promise<void> {
    const fields = { version: { type: 'long' } } as const;
    return ensureIndex(this.es, this.indexPrefix, this.kind, fields, { hidden: true });
  }

  /** Makes a stored version the active one; null: what the service ships. @throws OperationError if there is no such version. */
  async activate(version: number | null): Promise<void> {
    if (version !== null) await this.read(version);
    await this.#activate(version);
  }

  /** Activates the version before and returns its number; null: the shipped one. @throws OperationError if there is none. */
  async rollBack(): Promise<number | null> {
    const { earlier } = await this.#readActivation();
    const version = earlier.at(-1);
    if (version === undefined) throw new OperationError(`No other ${this.name} was active before.`);
    await this.#saveActivation({ active: version, earlier: earlier.slice(0, -1) });
    return version;
  }

  async #activate(version: number | null): Promise<void> {
    const { active, earlier } = await this.#readActivation();
    if (active === version) return;
    await this.#saveActivation({ active: version, earlier: [...earlier, active].slice(-MAX_EARLIER) });
  }

  async #readActivation(): Promise<Activation> {
    const answer = await this.es.get<Activation>({ index: this.index, id: ACTIVATION_ID }, { ignore: [404] });
    return answer._source ?? NEVER;
  }

  #saveActivation(activation: Activation) {
    const document: Activation = { ...activation, id: randomUUID() };
    return this.es.index({ index: this.index, id: ACTIVATION_ID, document, refresh: true });
  }
}

/** Creates a function that returns a value, which it reads again every ten seconds at most. If that fails, the last one stays. */
export function refreshed<T>(initial: T, read: (known: T) => Promise<T>, clock = () => performance.now()) {
  let current: Promise<T> = Promise.resolve(initial);
  // A reading waits for the one before it, whose result would otherwise replace its own.
  const update = () => (current = current.then((known) => read(known).catch(() => known)));
  return cachedFor(update, REFRESH_MS, clock);
}
