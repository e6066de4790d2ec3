import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, errors } from '@elastic/elasticsearch';
import { OperationError } from '../platform/operation-errors.js';
import { type IndexKind, storedIndex } from '../platform/stored.js';
import { identify, isRunning, type ProcessIdentity } from '../platform/process-identity.mjs';
import { isRefusal } from './backoff.js';
import { ensureIndex, SERVICE, untilReadable } from './indices.js';

/** An operation that only one process at a time may run, such as a reindex. */
export interface LeasedOperation<State extends object> {
  /** The name of the operation, which is also the id of the document with its lease and its state. */
  name: string;
  index: IndexKind;
  initial: State;
}

interface Holder {
  /** The process, and its task if several share the operation; null if no process holds the lease. */
  owner: ({ machine: string; task?: string } & ProcessIdentity) | null;
  /** A counter that the holder increments to show that it is still running. */
  beat: number;
}

type Stored<State> = State & Holder;

const BEAT_MS = 4_000;
/** The time after which a lease on another machine expires if its counter stays the same. */
const LEASE_MS = 20_000;
const POLL_MS = 500;
/** The interval in which a request that waits for the lease tries again. */
const SHORT_POLL_MS = 100;
const WRITE_ATTEMPTS = 4;

export class LeaseLostError extends OperationError {
  override name = 'LeaseLostError';
}

export class LeaseHeldError extends OperationError {
  override name = 'LeaseHeldError';
  /** What the process that holds the lease does, as messages name it. */
  readonly holder: string;

  /** @param owner null if it is unknown, because it has acquired the lease just now. @param task what this process wanted to do. */
  constructor(
    { name }: { name: string },
    readonly owner: Holder['owner'],
    task = name,
  ) {
    const holder = owner?.task ?? name;
    const who = holder === task ? `Another ${holder}` : `A ${holder}`;
    const place = owner === null ? '' : ` (process ${owner.pid} on ${hostOf(owner)})`;
    super(`${who} is at work${place}; wait for its end, or stop it.`);
    this.holder = holder;
  }
}

/** Reads the state of an operation and which process holds its lease, without acquiring the lease. */
export async function readLease<State extends object>(
  es: Client,
  indexPrefix: string,
  operation: LeasedOperation<State>,
): Promise<Stored<State>> {
  return (await read(es, indexPrefix, operation)).stored;
}

/**
 * The exclusive right to run an operation, together with its state. Both are one document, which is written only if its version
 * is the one that this process wrote last. If a holder was killed, the next process on the same machine takes over at once; a
 * process on another machine waits until the lease expires.
 */
export class Lease<State extends object> {
  #writing: Promise<unknown> = Promise.resolve();
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;

  private constructor(
    private readonly es: Client,
    private readonly indexPrefix: string,
    private readonly operation: LeasedOperation<State>,
    private stored: Stored<State>,
    private version: { if_seq_no: number; if_primary_term: number } | null,
  ) {
    // A lost lease aborts the work; after any other error, the next renewal tries again.
    this.#timer = setInterval(() => void this.renew().catch(() => undefined), BEAT_MS);
  }

  /**
   * @param onWait receives a note for the operator if the lease of another process must expire first.
   * @param task what this process does, if several tasks share the operation. @throws LeaseHeldError if another process holds it.
   */
  static async acquire<State extends object>(
    es: Client,
    indexPrefix: string,
    operation: LeasedOperation<State>,
    onWait: (note: string) => void,
    task = operation.name,
  ): Promise<Lease<State>> {
    await ensureLeases(es, indexPrefix, operation.index);
    for (;;) {
      const found = await read(es, indexPrefix, operation);
      await untilExpired(es, indexPrefix, operation, found.stored, { onWait, task });
      const { stored, version } = await read(es, indexPrefix, operation);
      const isRenewed = stored.beat !== found.stored.beat && stored.owner !== null;
      if (isRenewed && !hasEnded(stored.owner)) throw new LeaseHeldError(operation, stored.owner, task);
      const lease = new Lease(es, indexPrefix, operation, { ...stored, owner: self(task) }, version);
      try {
        await lease.renew();
        return lease;
      } catch (error) {
        clearInterval(lease.#timer);
        if (!(error instanceof LeaseLostError)) throw error;
      }
      // Elasticsearch may store the last write of a killed process after that process has ended.
      const { owner } = (await read(es, indexPrefix, operation)).stored;
      if (!hasEnded(owner)) throw new LeaseHeldError(operation, owner, task);
    }
  }

  /** Acquires the lease, and waits for it at most `patienceMs`. @throws LeaseHeldError if another process still holds it. */
  static async acquireWithin<State extends object>(
    es: Client,
    indexPrefix: string,
    operation: LeasedOperation<State>,
    patienceMs: number,
  ): Promise<Lease<State>> {
    for (const since = performance.now(); ; await sleep(SHORT_POLL_MS)) {
      const { owner } = await readLease(es, indexPrefix, operation);
      const isFree = owner === null || hasEnded(owner);
      try {
        if (isFree) return await Lease.acquire(es, indexPrefix, operation, () => undefined);
      } catch (error) {
        if (!(error instanceof LeaseHeldError)) throw error;
      }
      if (performance.now() - since > patienceMs) throw new LeaseHeldError(operation, owner);
    }
  }

  get state(): State {
    const { owner: _owner, beat: _beat, ...state } = this.stored;
    // TypeScript does not see that `State & Holder` without the members of `Holder` is `State`.
    return state as unknown as State;
  }

  /**
   * Runs work while holding the lease, and releases the lease at its end.
   * @param signal ends the work.
   * @param work receives a signal that is also aborted as soon as a renewal finds that another process has taken over.
   * @throws LeaseLostError if another process has taken over, whatever the work did; otherwise what the work throws.
   */
  async hold<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const lost = this.#lost.signal;
    try {
      const result = await work(AbortSignal.any([signal, lost]));
      lost.throwIfAborted();
      return result;
    } catch (error) {
      lost.throwIfAborted();
      throw error;
    } finally {
      await this.release();
    }
  }

  /** Changes the state of the operation. It is stored with the next renewal, within a few seconds. */
  note(state: Partial<State>): void {
    this.stored = { ...this.stored, ...state };
  }

  /** Stores the state of the operation. @throws LeaseLostError if another process has taken over. */
  save(state: Partial<State>): Promise<void> {
    this.stored = { ...this.stored, ...state };
    return this.renew();
  }

  /** Writes the lease with an incremented counter. @throws LeaseLostError if another process has taken over the lease. */
  renew(): Promise<void> {
    const write = this.#writing.then(() => this.#write());
    this.#writing = write.catch(() => undefined);
    return write;
  }

  async #write(): Promise<void> {
    this.stored = { ...this.stored, beat: this.stored.beat + 1 };
    const { beat, owner } = this.stored;
    const [index, id] = [storedIndex(this.indexPrefix, this.operation.index), this.operation.name];
    for (let attempt = 1; ; attempt++) {
      this.#lost.signal.throwIfAborted();
      try {
        const condition = this.version ?? { op_type: 'create' as const };
        const written = await this.es.index(
          { index, id, document: this.stored, ...condition },
          // A retry would conflict with the first attempt, if that attempt succeeded although its answer was lost.
          { maxRetries: 0 },
        );
        this.version = { if_seq_no: written._seq_no ?? 0, if_primary_term: written._primary_term ?? 0 };
        return;
      } catch (error) {
        if (attempt === WRITE_ATTEMPTS || !mayHaveLanded(error)) throw error;
        const found = await read(this.es, this.indexPrefix, this.operation);
        if (found.stored.owner !== null && JSON.stringify(found.stored.owner) !== JSON.stringify(owner))
          this.#lost.abort(new LeaseLostError('Another process has taken over the work; this one stops.'));
        // The failed write was stored nevertheless, so this process still holds the lease.
        this.version = found.version;
        if (!this.#lost.signal.aborted && found.stored.beat === beat) return;
      }
    }
  }

  /** Frees the lease, so that the next process need not wait until it expires. */
  async release(): Promise<void> {
    clearInterval(this.#timer);
    const { owner } = this.stored;
    this.stored = { ...this.stored, owner: null };
    await this.renew().catch(() => {
      this.stored = { ...this.stored, owner };
    });
  }
}

/** Whether a write of the lease that failed with this error may have been stored nevertheless. */
function mayHaveLanded(error: unknown): boolean {
  if (!(error instanceof errors.ResponseError)) return error instanceof errors.ElasticsearchClientError;
  return error.statusCode === 409 || isRefusal(error.statusCode ?? 0);
}

async function read<State extends object>(
  es: Client,
  indexPrefix: string,
  { name, index: kind, initial }: LeasedOperation<State>,
) {
  const index = storedIndex(indexPrefix, kind);
  const found = await es.get<Stored<State>>({ index, id: name }, { ignore: [404] });
  const { _source: stored = { ...initial, owner: null, beat: 0 }, _seq_no, _primary_term } = found;
  const version = _seq_no === undefined ? null : { if_seq_no: _seq_no, if_primary_term: _primary_term ?? 0 };
  return { stored, version };
}

/** Creates an index of leases unless it exists, and waits up to 30 s for it. @throws OperationError if it is not of this service. */
export async function ensureLeases(es: Client, indexPrefix: string, kind: IndexKind): Promise<void> {
  const index = storedIndex(indexPrefix, kind);
  await ensureIndex(es, indexPrefix, kind, {}, { hidden: true });
  // Another process may have created the index just now.
  await untilReadable(es, index);
  const { [index]: found } = await es.indices.getMapping({ index });
  if (found?.mappings._meta?.['service'] !== SERVICE) {
    throw new OperationError(`${index} is not an index of this service; nothing was touched.`);
  }
}

/** Waits until the holder's lease is released or expires. @throws LeaseHeldError if the holder renews it. */
async function untilExpired<State extends object>(
  es: Client,
  indexPrefix: string,
  operation: LeasedOperation<State>,
  { owner, beat }: Holder,
  { onWait, task }: { onWait: (note: string) => void; task: string },
): Promise<void> {
  if (owner === null) return;
  if (owner.machine === machine()) {
    if (isRunning(owner)) throw new LeaseHeldError(operation, owner, task);
    return;
  }
  onWait(`The last ${owner.task ?? operation.name} ran on ${hostOf(owner)}; making sure that it has ended`);
  // The clocks of two machines need not agree, so only that of this one is used.
  for (const since = performance.now(); performance.now() - since < LEASE_MS; await sleep(POLL_MS)) {
    const now: Holder = await readLease(es, indexPrefix, operation);
    if (now.owner === null) return;
    if (now.beat !== beat) throw new LeaseHeldError(operation, now.owner, task);
  }
}

/** Whether the owner is a process of this machine that has ended. */
const hasEnded = (owner: Holder['owner']): boolean =>
  owner !== null && owner.machine === machine() && !isRunning(owner);

export const hostOf = ({ machine }: { machine: string }): string => machine.split(' ')[0] ?? '';

const self = (task: string) => ({ machine: machine(), ...identify(), task });

/** The scope in which process ids are unique: the machine, its boot, and the container. */
function machine(): string {
  const parts = [hostname()];
  try {
    parts.push(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
    parts.push(readlinkSync('/proc/self/ns/pid'));
  } catch {
    // Only Linux has a boot id. On other systems the scope is the host name.
  }
  return parts.join(' ');
}
