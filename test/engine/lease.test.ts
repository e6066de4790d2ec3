import { assert } from 'chai';
import {
  ensureLeases,
  Lease,
  type LeasedOperation,
  LeaseHeldError,
  LeaseLostError,
  readLease,
} from '../../src/engine/lease.js';
import { storedIndex } from '../../src/platform/stored.js';
import { identify } from '../../src/platform/process-identity.mjs';
import { testCatalogue } from '../support/test-catalogue.js';
import { until } from '../support/until.js';

const OPERATION: LeasedOperation<{ done: number }> = { name: 'count', index: 'leases', initial: { done: 0 } };

/** A process of another machine. Whether it runs can be told only from the counter of its lease. */
const ELSEWHERE = { machine: 'elsewhere boot namespace', pid: 1, birth: 'then' };

const errorOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

describe('a lease', () => {
  const { es, prefix, empty, remove } = testCatalogue('leases');
  const index = storedIndex(prefix, OPERATION.index);
  const leases: Lease<{ done: number }>[] = [];
  beforeEach(() => ensureLeases(es, prefix, OPERATION.index));
  afterEach(async () => {
    await Promise.all(leases.splice(0).map((lease) => lease.release()));
    await empty();
  });
  after(() => remove());

  const acquire = async (onWait: (note: string) => void = () => undefined) => {
    const lease = await Lease.acquire(es, prefix, OPERATION, onWait);
    leases.push(lease);
    return lease;
  };
  const stored = () => readLease(es, prefix, OPERATION);
  const write = (owner: typeof ELSEWHERE | null, beat: number) =>
    es.index({ index, id: OPERATION.name, document: { done: 7, owner, beat } });

  it('shows by its counter that its process still runs', async () => {
    await acquire();
    const { beat } = await stored();
    await until(async () => (await stored()).beat > beat);
  });

  it('is refused while a process of another machine renews it', async () => {
    await write(ELSEWHERE, 1);
    const notes: string[] = [];
    const error = await errorOf(
      acquire((note) => {
        notes.push(note);
        void write(ELSEWHERE, 2);
      }),
    );
    assert.instanceOf(error, LeaseHeldError);
    assert.match((error as Error).message, /^Another count is at work \(process 1 on elsewhere\)/);
    assert.deepEqual(notes, ['The last count ran on elsewhere; making sure that it has ended']);
    assert.deepEqual((await stored()).owner, ELSEWHERE);
  });

  it('is acquired with its state as soon as a process of another machine releases it', async () => {
    await write(ELSEWHERE, 1);
    const lease = await acquire(() => void write(null, 2));
    assert.deepEqual(lease.state, { done: 7 });
    assert.include((await stored()).owner, identify());
  });

  it('is acquired at once if the process of this machine that held it has ended', async () => {
    await acquire();
    const { owner, beat } = await stored();
    assert.instanceOf(await errorOf(acquire()), LeaseHeldError);
    await write({ ...(owner as typeof ELSEWHERE), birth: 'earlier' }, beat);
    const notes: string[] = [];
    await acquire((note) => notes.push(note));
    assert.isEmpty(notes);
  });

  it('is acquired even if the last write of an ended process of this machine arrives late', async () => {
    await acquire();
    const { owner, beat } = await stored();
    const ended = { ...(owner as typeof ELSEWHERE), birth: 'earlier' };
    await write(ended, beat);
    // Writes of the ended process arrive while the lease is read and written.
    let isWriting = true;
    const late = (async () => {
      for (let later = beat; isWriting && later < beat + 40; later += 1) await write(ended, later);
    })();
    const lease = await acquire();
    isWriting = false;
    await late;
    assert.deepEqual(lease.state, { done: 7 });
  });

  it('aborts the work with its next renewal once another process has taken over', async () => {
    const lease = await acquire();
    let reason: unknown = null;
    const working = errorOf(
      lease.hold(new AbortController().signal, async (signal) => {
        await write(ELSEWHERE, 99);
        await until(() => signal.aborted);
        reason = signal.reason;
        throw new Error('the error of work that was aborted');
      }),
    );
    assert.instanceOf(await working, LeaseLostError);
    assert.instanceOf(reason, LeaseLostError);
    assert.deepEqual(await stored(), { done: 7, owner: ELSEWHERE, beat: 99 });
  });

  it('reports that it was lost even if the work has ended well, and is released otherwise', async () => {
    const lost = await acquire();
    const working = errorOf(
      lost.hold(new AbortController().signal, async () => {
        await write(ELSEWHERE, 99);
        await errorOf(lost.renew());
      }),
    );
    assert.instanceOf(await working, LeaseLostError);
    await write(null, 100);
    const lease = await acquire();
    const stop = new AbortController();
    const ended = await lease.hold(stop.signal, (signal) => {
      stop.abort();
      return Promise.resolve(signal.aborted);
    });
    assert.isTrue(ended);
    assert.isNull((await stored()).owner);
  });

  it('is lost, without a change of the state, once another process has taken over', async () => {
    const lease = await acquire();
    await write(ELSEWHERE, 99);
    const error = await errorOf(lease.save({ done: 8 }));
    assert.instanceOf(error, LeaseLostError);
    assert.deepEqual(await stored(), { done: 7, owner: ELSEWHERE, beat: 99 });
  });
});
