import { setImmediate as turn } from 'node:timers/promises';
import { assert } from 'chai';
import { EventQueue, type QueueBounds, type Send } from '../../../src/telemetry/events/queue.js';
import type { EventDocument } from '../../../src/telemetry/events/write.js';
import { until } from '../../support/until.js';

const event = (n: number): EventDocument => ({ id: String(n), at: new Date(0), json: `{"n":${n}}` });
const all = (batch: readonly EventDocument[]) => ({ written: batch.length, refused: 0, again: [] });

describe('the queue of events', () => {
  const queues: EventQueue[] = [];
  const queueOf = (send: Send, bounds: Partial<QueueBounds>) => {
    const queue = new EventQueue(send, { everyMs: 5, ...bounds });
    queues.push(queue);
    return queue;
  };
  afterEach(async () => {
    for (const queue of queues.splice(0)) await queue.close(0);
  });
  const add = (queue: EventQueue, from: number, to: number) => {
    for (let n = from; n < to; n += 1) queue.add(event(n));
  };

  it('sends in order and in batches, one batch at a time', async () => {
    const batches: string[][] = [];
    let sending = 0;
    const queue = queueOf(
      async (batch) => {
        sending += 1;
        assert.equal(sending, 1);
        await turn();
        sending -= 1;
        batches.push(batch.map(({ id }) => id));
        return all(batch);
      },
      { batchEvents: 4 },
    );
    add(queue, 0, 10);
    await until(() => queue.written === 10);
    assert.deepEqual(
      batches.map(({ length }) => length),
      [4, 4, 2],
    );
    assert.deepEqual(batches.flat(), [...'0123456789']);
    assert.equal(queue.length, 0);
  });

  it('bounds a batch by its bytes too, but never sends nothing', async () => {
    const sizes: number[] = [];
    const queue = queueOf(
      async (batch) => {
        sizes.push(batch.length);
        return all(batch);
      },
      { batchBytes: 16 },
    );
    add(queue, 0, 4);
    queue.add({ ...event(4), json: 'x'.repeat(100) });
    await until(() => queue.written === 5);
    assert.deepEqual(sizes, [2, 2, 1]);
  });

  it('keeps what cannot be sent up to its bound, drops and counts the rest, and sends it later', async () => {
    let away = true;
    const taken: string[] = [];
    const queue = queueOf(
      async (batch) => {
        if (away) throw new Error('away');
        taken.push(...batch.map(({ id }) => id));
        return all(batch);
      },
      { events: 5, batchEvents: 2 },
    );
    add(queue, 0, 8);
    await until(() => queue.dropped === 3);
    assert.equal(queue.length, 5);
    away = false;
    await until(() => queue.written === 5);
    assert.deepEqual(taken, [...'01234']);
    assert.equal(queue.dropped, 3);
  });

  it('sends again what was not taken, and counts what was refused', async () => {
    let first = true;
    const taken: string[] = [];
    const queue = queueOf(async (batch) => {
      const [busy, wrong, ...fine] = batch;
      const again = first && busy ? [busy] : [];
      const refused = first && wrong ? 1 : 0;
      taken.push(...(first ? fine : batch).map(({ id }) => id));
      first = false;
      return { written: batch.length - again.length - refused, refused, again };
    }, {});
    add(queue, 0, 4);
    await until(() => queue.written === 3);
    assert.deepEqual(taken, ['2', '3', '0']);
    assert.equal(queue.dropped, 1);
    assert.equal(queue.length, 0);
  });

  it('sends what is left when it is closed', async () => {
    const queue = queueOf(async (batch) => all(batch), { everyMs: 60_000, batchEvents: 3 });
    add(queue, 0, 2);
    await queue.close(10_000);
    assert.equal(queue.written, 2);
    assert.equal(queue.dropped, 0);
  });

  it('is closed in time even if the engine never answers, and counts what is lost', async () => {
    let aborted = false;
    const hung: Send = (_batch, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          aborted = true;
          reject(new Error('aborted'));
        });
      });
    const queue = queueOf(hung, {});
    add(queue, 0, 3);
    await queue.close(50);
    assert.isTrue(aborted);
    assert.equal(queue.dropped, 3);
    assert.equal(queue.length, 0);
  });
});
