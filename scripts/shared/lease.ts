import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, errors } from '@elastic/elasticsearch';
import { SERVICE } from '../../src/engine/indices.js';
import { isRefusal } from '../../src/engine/backoff.js';
import { identify, isRunning } from './process.mjs';
import { CommandError } from './exit.js';

/** Work that one process at a time may do, and what one run of it leaves for the next. */
export interface Leased<State extends object> {
  /** Of the command, as its users call it, and of the document. */
  name: string;
  /** Where the document is. */
  indexOf: (indexPrefix: string) => string;
  /** Before the first run. */
  nothing: State;
}

interface Holder {
  /** Who works on it; null: nobody. */
  owner: { machine: string; pid: number; birth: string } | null;
  /** Counts the signs of life. */
  beat: number;
}

type Stored<State> = State & Holder;

const BEAT_MS = 4_000;
/** An owner on another machine that shows no sign of life for so long is gone. */
const LEASE_MS = 20_000;
const POLL_MS = 500;
const WRITE_ATTEMPTS = 4;

/** Another process has taken the work over. */
export class LeaseLostError extends CommandError {
  override name = 'LeaseLostError';
}

/** What the last run left, and who works on it, without taking it over. */
export async function readState<State extends object>(
  es: Client,
  indexPrefix: string,
  work: Leased<State>,
): Promise<Stored<State>> {
  return (await read(es, indexPrefix, work)).stored;
}

/**
 * The right to do some work, held by one process at a time, and the state of the work: one document, written only
 * over the version that this process wrote last. A holder that was killed is succeeded at once on the same machine,
 * else when it has shown no sign of life for a while.
 */
export class Lease<State extends object> {
  #writing: Promise<unknown> = Promise.resolve();
  #lost = false;
  readonly #timer: NodeJS.Timeout;

  private constructor(
    private readonly es: Client,
    private readonly indexPrefix: string,
    private readonly work: Leased<State>,
    private stored: Stored<State>,
    private version: { if_seq_no: number; if_primary_term: number } | null,
  ) {
    this.#timer = setInterval(() => void this.touch().catch(() => undefined), BEAT_MS);
  }

  /**
   * @param onWait told, for people, when there is another holder.
   * @throws CommandError when somebody else holds it.
   */
  static async take<State extends object>(
    es: Client,
    indexPrefix: string,
    work: Leased<State>,
    onWait: (note: string) => void,
  ): Promise<Lease<State>> {
    await ensureIndex(es, work.indexOf(indexPrefix));
    const found = await read(es, indexPrefix, work);
    await untilGone(es, indexPrefix, work, found.stored, onWait);
    const { stored, version } = await read(es, indexPrefix, work);
    if (stored.owner !== null && stored.beat !== found.stored.beat) throw taken(work, stored.owner);
    const lease = new Lease(es, indexPrefix, work, { ...stored, owner: self() }, version);
    try {
      await lease.touch();
    } catch (error) {
      clearInterval(lease.#timer);
      throw error instanceof LeaseLostError ? taken(work) : error;
    }
    return lease;
  }

  get state(): State {
    const { owner: _owner, beat: _beat, ...state } = this.stored;
    // What is left of a sum of the two is the state.
    return state as unknown as State;
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
    const [index, id] = [this.work.indexOf(this.indexPrefix), this.work.name];
    for (let attempt = 1; ; attempt++) {
      if (this.#lost) throw new LeaseLostError(`Another ${this.work.name} has taken over; this one stops.`);
      try {
        const condition = this.version ?? { op_type: 'create' as const };
        const written = await this.es.index(
          { index, id, document: this.stored, ...condition },
          // The client's own second try would be refused like that of a stranger.
          { maxRetries: 0 },
        );
        this.version = { if_seq_no: written._seq_no ?? 0, if_primary_term: written._primary_term ?? 0 };
        return;
      } catch (error) {
        if (attempt === WRITE_ATTEMPTS || !isUncertain(error)) throw error;
        const found = await read(this.es, this.indexPrefix, this.work);
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

async function read<State extends object>(
  es: Client,
  indexPrefix: string,
  { name, indexOf, nothing }: Leased<State>,
) {
  const index = indexOf(indexPrefix);
  const found = await es.get<Stored<State>>({ index, id: name }, { ignore: [404] });
  const { _source: stored = { ...nothing, owner: null, beat: 0 }, _seq_no, _primary_term } = found;
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
async function untilGone<State extends object>(
  es: Client,
  indexPrefix: string,
  work: Leased<State>,
  { owner, beat }: Holder,
  onWait: (note: string) => void,
): Promise<void> {
  if (owner === null) return;
  if (owner.machine === machine()) {
    if (isRunning(owner)) throw taken(work, owner);
    return;
  }
  onWait(`A ${work.name} on ${owner.machine.split(' ')[0]} was the last; making sure that it has ended`);
  // By this clock alone: those of two machines need not agree.
  for (const since = performance.now(); performance.now() - since < LEASE_MS; await sleep(POLL_MS)) {
    const now: Holder = await readState(es, indexPrefix, work);
    if (now.owner === null) return;
    if (now.beat !== beat) throw taken(work, now.owner);
  }
}

function taken({ name }: { name: string }, owner: Holder['owner'] = null): CommandError {
  const who = owner === null ? '' : ` (process ${owner.pid} on ${owner.machine.split(' ')[0]})`;
  return new CommandError(`Another ${name} is at work${who}; wait for its end, or stop it.`);
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
