import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, errors } from '@elastic/elasticsearch';
import { SERVICE } from '../../src/catalogue/indices.js';
import { isRefusal } from '../../src/elasticsearch/backoff.js';
import { identify, isRunning } from '../shared/process.mjs';
import { CommandError } from '../shared/exit.js';

/** The alias on its way from one index to another. */
export interface Move {
  kind: 'reindex' | 'rollback';
  from: string;
  to: string;
  /** `TODAY` of the run that created `to`. */
  mappings: string;
  /**
   * `copying`: loads go on. `blocked`: `from` takes no writes, or is about to; the block may be lifted.
   * `swapping`: `to` is complete, the alias may be changed any moment, so from here there is only the way forward.
   */
  phase: 'copying' | 'blocked' | 'swapping';
  /** Every write to `from` up to this sequence number is in `to`; -1: not one is known to be. */
  covered: number;
  /** A copy by the engine that may be under way, and what will be covered when it is done. */
  running: { task: string; covers: number } | null;
}

/** What one run leaves for the next. */
export interface State {
  /** An unfinished move. */
  move: Move | null;
  /** The index before the live one, and up to which write to the live one it has everything. */
  previous: { index: string; covered: number } | null;
}

interface Stored extends State {
  /** Who works on it; null: nobody. */
  owner: { machine: string; pid: number; birth: string } | null;
  /** Counts the signs of life. */
  beat: number;
}

const ID = 'reindex';
const BEAT_MS = 4_000;
/** An owner on another machine that shows no sign of life for so long is gone. */
const LEASE_MS = 20_000;
const POLL_MS = 500;
const WRITE_ATTEMPTS = 4;
const NOTHING: Stored = { move: null, previous: null, owner: null, beat: 0 };

/** Another process has taken the work over. */
export class LeaseLostError extends CommandError {
  override name = 'LeaseLostError';
}

const stateIndex = (indexPrefix: string): string => `${indexPrefix}-reindex`;

/** What the last run left, without taking it over. */
export async function readState(es: Client, indexPrefix: string): Promise<Stored> {
  return (await read(es, stateIndex(indexPrefix))).stored;
}

/**
 * The right to move the alias, held by one process at a time, and the state of the move: one document, written only
 * over the version that this process wrote last. A holder that was killed is succeeded at once on the same machine,
 * else when it has shown no sign of life for a while.
 */
export class Lease {
  #writing: Promise<unknown> = Promise.resolve();
  #lost = false;
  readonly #timer: NodeJS.Timeout;

  private constructor(
    private readonly es: Client,
    private readonly index: string,
    private stored: Stored,
    private version: { if_seq_no: number; if_primary_term: number } | null,
  ) {
    this.#timer = setInterval(() => void this.touch().catch(() => undefined), BEAT_MS);
  }

  /**
   * @param onWait told, for people, when there is another holder.
   * @throws CommandError when somebody else holds it.
   */
  static async take(es: Client, indexPrefix: string, onWait: (note: string) => void): Promise<Lease> {
    const index = stateIndex(indexPrefix);
    await ensureIndex(es, index);
    const found = await read(es, index);
    await untilGone(es, index, found.stored, onWait);
    const { stored, version } = await read(es, index);
    if (stored.owner !== null && stored.beat !== found.stored.beat) throw taken(stored.owner);
    const lease = new Lease(es, index, { ...stored, owner: self() }, version);
    try {
      await lease.touch();
    } catch (error) {
      clearInterval(lease.#timer);
      throw error instanceof LeaseLostError ? taken() : error;
    }
    return lease;
  }

  get state(): State {
    const { move, previous } = this.stored;
    return { move, previous };
  }

  /** Keeps the state for this run and the next. @throws LeaseLostError when another process has taken over. */
  save(state: Partial<State>): Promise<void> {
    this.stored = { ...this.stored, ...state };
    return this.touch();
  }

  /** Makes sure that the lease is still held. @throws LeaseLostError when another process has taken over. */
  touch(): Promise<void> {
    const write = this.#writing.then(() => this.#write());
    this.#writing = write.catch(() => undefined);
    return write;
  }

  async #write(): Promise<void> {
    this.stored = { ...this.stored, beat: this.stored.beat + 1 };
    const { beat, owner } = this.stored;
    for (let attempt = 1; ; attempt++) {
      if (this.#lost) throw new LeaseLostError('Another reindex has taken over; this one stops.');
      try {
        const condition = this.version ?? { op_type: 'create' as const };
        const written = await this.es.index(
          { index: this.index, id: ID, document: this.stored, ...condition },
          // The client's own second try would be refused like that of a stranger.
          { maxRetries: 0 },
        );
        this.version = { if_seq_no: written._seq_no ?? 0, if_primary_term: written._primary_term ?? 0 };
        return;
      } catch (error) {
        if (attempt === WRITE_ATTEMPTS || !isUncertain(error)) throw error;
        const found = await read(this.es, this.index);
        this.#lost =
          found.stored.owner !== null && JSON.stringify(found.stored.owner) !== JSON.stringify(owner);
        // What seemed to fail may have landed, this write or one before.
        this.version = found.version;
        if (!this.#lost && found.stored.beat === beat) return;
      }
    }
  }

  /** Lets the next one in at once. */
  async release(): Promise<void> {
    clearInterval(this.#timer);
    const { owner } = this.stored;
    this.stored = { ...this.stored, owner: null };
    await this.touch().catch(() => {
      this.stored = { ...this.stored, owner };
    });
  }
}

/** Whether a write may have landed, or another one before it. */
function isUncertain(error: unknown): boolean {
  if (!(error instanceof errors.ResponseError)) return error instanceof errors.ElasticsearchClientError;
  return error.statusCode === 409 || isRefusal(error.statusCode ?? 0);
}

async function read(es: Client, index: string) {
  const found = await es.get<Stored>({ index, id: ID }, { ignore: [404] });
  const { _source: stored = NOTHING, _seq_no, _primary_term } = found;
  const version = _seq_no === undefined ? null : { if_seq_no: _seq_no, if_primary_term: _primary_term ?? 0 };
  return { stored, version };
}

async function ensureIndex(es: Client, index: string): Promise<void> {
  const meta = { service: SERVICE };
  const settings = { number_of_shards: 1, auto_expand_replicas: '0-1', hidden: true };
  await es.indices.create(
    { index, settings, mappings: { dynamic: false, _meta: meta } },
    // It exists already, as a rule.
    { ignore: [400] },
  );
  const { [index]: found } = await es.indices.getMapping({ index });
  if (found?.mappings._meta?.['service'] !== SERVICE) {
    throw new CommandError(`${index} is not an index of this service; nothing was touched.`);
  }
}

/** Watches the holder until it shows a sign of life, or none for the length of a lease. */
async function untilGone(
  es: Client,
  index: string,
  { owner, beat }: Stored,
  onWait: (note: string) => void,
): Promise<void> {
  if (owner === null) return;
  if (owner.machine === machine()) {
    if (isRunning(owner)) throw taken(owner);
    return;
  }
  onWait(`A reindex on ${owner.machine.split(' ')[0]} was the last; making sure that it has ended`);
  // By this clock alone: those of two machines need not agree.
  for (const since = performance.now(); performance.now() - since < LEASE_MS; await sleep(POLL_MS)) {
    const now = (await read(es, index)).stored;
    if (now.owner === null) return;
    if (now.beat !== beat) throw taken(now.owner);
  }
}

function taken(owner: Stored['owner'] = null): CommandError {
  const who = owner === null ? '' : ` (process ${owner.pid} on ${owner.machine.split(' ')[0]})`;
  return new CommandError(`Another reindex is at work${who}; wait for its end, or stop it.`);
}

const self = () => ({ machine: machine(), ...identify() });

/** Where a process id means the same: this boot of this machine, and the same container. */
function machine(): string {
  const parts = [hostname()];
  try {
    parts.push(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
    parts.push(readlinkSync('/proc/self/ns/pid'));
  } catch {
    // Not Linux: the name will do.
  }
  return parts.join(' ');
}
