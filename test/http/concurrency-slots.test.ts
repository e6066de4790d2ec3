import { mock } from 'node:test';
import { assert } from 'chai';
import { createPools } from '../../src/http/admission/pools.js';
import {
  ConcurrencySlots,
  type PoolBounds,
  type SlotRequest,
} from '../../src/http/admission/concurrency-slots.js';

const bounds = (size: number, others: Partial<PoolBounds> = {}): PoolBounds => ({
  limit: { size: () => size },
  queue: 100,
  maxWait: 60_000,
  ...others,
});

/** Waits until all promises that can settle have settled. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Lets 20 ms pass for the timers that were started since `mockTime`, without waiting. */
const passTime = async () => {
  mock.timers.tick(20);
  await settle();
};
const mockTime = () => {
  mock.timers.enable({ apis: ['setTimeout'] });
};

/** Acquires slots for several clients; `entered` lists the admitted requests in order. */
function crowd(slots: ConcurrencySlots) {
  const entered: string[] = [];
  const refused: string[] = [];
  const leaving: (() => void)[] = [];
  const ask = (client: string, wants = 1) => {
    slots.acquire({ client }, wants).then(
      (leave) => {
        entered.push(client);
        leaving.push(leave);
      },
      () => refused.push(client),
    );
  };
  /** Releases the slots of the request that was admitted first. */
  const leave = async () => {
    leaving.shift()?.();
    await settle();
  };
  return { entered, refused, ask, leave };
}

/** Tries to acquire slots, and returns the error with which they are refused. */
const refusalOf = (slots: ConcurrencySlots, client: string): Promise<unknown> =>
  slots.acquire({ client }).then(
    () => assert.fail('the slots were not refused'),
    (error: unknown) => error,
  );

const many = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

describe('ConcurrencySlots', () => {
  afterEach(() => {
    mock.timers.reset();
  });

  it('admits as many requests as there are slots and releases each slot once', async () => {
    const slots = new ConcurrencySlots(bounds(2, { queue: 0 }));
    const first = await slots.acquire({ client: 'a' });
    await slots.acquire({ client: 'b' });
    assert.propertyVal(await refusalOf(slots, 'c'), 'status', 503);
    first();
    first();
    await slots.acquire({ client: 'c' });
    assert.propertyVal(await refusalOf(slots, 'd'), 'status', 503);
    assert.equal(slots.heldBy('a'), 0);
    assert.equal(slots.heldBy('c'), 1);
  });

  it('gives one client all slots while no other client waits', async () => {
    const { ask, entered } = crowd(new ConcurrencySlots(bounds(8)));
    many(8, () => ask('a'));
    await settle();
    assert.lengthOf(entered, 8);
  });

  it('admits the client with the fewest slots next, so that a request after a burst waits for one slot only', async () => {
    const { ask, entered, leave } = crowd(new ConcurrencySlots(bounds(4)));
    many(25, () => ask('burst'));
    ask('other');
    await settle();
    assert.deepEqual(entered, Array<string>(4).fill('burst'));
    await leave();
    assert.equal(entered.at(-1), 'other');
    await leave();
    assert.equal(entered.at(-1), 'burst', 'no other client waits');
  });

  it('serves clients that keep sending requests equally often', async () => {
    const { ask, entered, leave } = crowd(new ConcurrencySlots(bounds(6)));
    const clients = ['a', 'b', 'c'];
    for (const client of clients) many(20, () => ask(client));
    for (let i = 0; i < 24; i += 1) await leave();
    for (const client of clients)
      assert.closeTo(entered.filter((one) => one === client).length, 10, 1, client);
  });

  it('refuses the latest request of the greediest client when the queue is full', async () => {
    const { ask, entered, refused, leave } = crowd(new ConcurrencySlots(bounds(1, { queue: 3 })));
    many(6, () => ask('burst'));
    await settle();
    assert.lengthOf(refused, 2);
    ask('other');
    await settle();
    assert.deepEqual(refused, ['burst', 'burst', 'burst']);
    await leave();
    assert.deepEqual(entered, ['burst', 'other']);
  });

  it('refuses the latest of several waiting requests of one client when the queue is full', async () => {
    const slots = new ConcurrencySlots(bounds(1, { queue: 2 }));
    const leave = await slots.acquire({ client: 'a' });
    const outcomes: string[] = [];
    for (const name of ['first', 'second', 'third'])
      slots.acquire({ client: 'a' }).then(
        () => outcomes.push(`${name} admitted`),
        () => outcomes.push(`${name} refused`),
      );
    await settle();
    leave();
    await settle();
    assert.deepEqual(outcomes, ['third refused', 'first admitted']);
  });

  it('refuses a request after the maximum wait, with the error of the pool', async () => {
    const slots = new ConcurrencySlots(bounds(1, { maxWait: 5, refusal: () => new Error('full') }));
    const leave = await slots.acquire({ client: 'a' });
    assert.propertyVal(await refusalOf(slots, 'b'), 'message', 'full');
    leave();
    assert.equal(slots.heldBy('b'), 0);
    await slots.acquire({ client: 'b' });
  });

  it('shortens the maximum wait when the queue has lasted for long, until it was empty', async () => {
    let now = 0;
    const overload = { after: 1_000, maxWait: 1 };
    const slots = new ConcurrencySlots(bounds(1, { overload }), () => now);
    const leave = await slots.acquire({ client: 'a' });
    const first = slots.acquire({ client: 'b' });
    now = 1_001;
    assert.propertyVal(await refusalOf(slots, 'c'), 'status', 503);
    leave();
    const next = await first;
    // Before this request, the queue was empty, so it may wait longer than the maximum under overload.
    mockTime();
    const last = slots.acquire({ client: 'c' });
    await passTime();
    next();
    (await last)();
  });

  it('does not let small requests overtake a large one for ever; one that needs more than all slots runs alone', async () => {
    const { ask, entered, leave } = crowd(new ConcurrencySlots(bounds(4)));
    many(4, () => ask('small'));
    ask('large', 10);
    many(4, () => ask('small'));
    await settle();
    assert.lengthOf(entered, 4);
    for (let i = 0; i < 3; i += 1) await leave();
    assert.lengthOf(entered, 4);
    await leave();
    assert.deepEqual(entered.slice(4), ['large']);
    await leave();
    assert.deepEqual(entered.slice(5), Array<string>(4).fill('small'));
  });

  it('reports to the limit how long slots were held, and notices when the limit grows', async () => {
    let now = 1_000;
    const observed: unknown[] = [];
    let size = 1;
    const limit = { size: () => size, observe: (...given: unknown[]) => void observed.push(given) };
    const slots = new ConcurrencySlots(bounds(0, { limit }), () => now);
    const { ask, entered, leave } = crowd(slots);
    ask('a');
    ask('a');
    await settle();
    assert.lengthOf(entered, 1);
    size = 3;
    ask('a');
    await settle();
    assert.lengthOf(entered, 3);
    now = 1_250;
    await leave();
    assert.deepEqual(observed, [[250, 1_250, 1, false]]);
    const release = await slots.acquire({ client: 'a' });
    release(0, null);
    assert.lengthOf(observed, 1, 'a failure says nothing');
  });

  it('gives one client one slot at a time if its share is none, and admits other clients meanwhile', async () => {
    const shares = { request: 1, client: () => 1, alone: 0, member: 1 };
    const { ask, entered, leave } = crowd(new ConcurrencySlots(bounds(3, { shares })));
    many(4, () => ask('burst'));
    ask('other');
    await settle();
    assert.deepEqual(entered, ['burst', 'other']);
    await leave();
    assert.deepEqual(entered, ['burst', 'other', 'burst']);
  });

  it('admits a request that has begun before others of its client, and does not refuse it early', async () => {
    const overload = { after: 0, maxWait: 5 };
    let now = 0;
    const slots = new ConcurrencySlots(bounds(1, { queue: 1, overload }), () => (now += 1));
    const begun = { client: 'a' };
    const leave = await slots.acquire(begun);
    const entered: string[] = [];
    const refused: string[] = [];
    const ask = (name: string, request: SlotRequest) => {
      slots.acquire(request).then(
        () => entered.push(name),
        () => refused.push(name),
      );
    };
    mockTime();
    ask('new', { client: 'a' });
    many(5, () => ask('begun', begun));
    await settle();
    assert.deepEqual(refused, [], 'what has begun takes no room in the queue');
    await passTime();
    assert.deepEqual(refused, ['new']);
    ask('new', { client: 'a' });
    leave();
    await settle();
    assert.deepEqual(entered, ['begun']);
  });

  it('gives no slot to a request that is over', async () => {
    const slots = new ConcurrencySlots(bounds(1));
    const leave = await slots.acquire({ client: 'a' });
    let isOver = false;
    const waiting = many(3, () => slots.acquire({ client: 'a', had: 1, isOver: () => isOver }));
    isOver = true;
    leave();
    const outcomes = await Promise.allSettled(waiting);
    assert.deepEqual([...new Set(outcomes.map(({ status }) => status))], ['rejected']);
    assert.equal(slots.heldBy('a'), 0);
    await slots.acquire({ client: 'b' });
  });

  describe('with shares for one request and one client', () => {
    const shares = { request: 1 / 4, client: () => 8, alone: 3 / 4, member: 1 / 2 };

    it('gives a request at most its share of the slots, also after their number has fallen', async () => {
      let size = 32;
      const slots = new ConcurrencySlots(bounds(0, { limit: { size: () => size }, shares }));
      const leave = await slots.acquire({ client: 'a' }, 60);
      assert.equal(slots.heldBy('a'), 8);
      size = 8;
      leave();
      await slots.acquire({ client: 'a' }, 60);
      assert.equal(slots.heldBy('a'), 2);
    });

    it('leaves slots to others while others use the pool, and a quarter when a client is alone', async () => {
      let now = 0;
      const slots = new ConcurrencySlots(bounds(16, { shares }), () => now);
      const { ask, entered } = crowd(slots);
      many(4, () => ask('a', 9));
      await settle();
      assert.equal(slots.heldBy('a'), 12, 'the client is alone');
      ask('b');
      await settle();
      assert.deepEqual(entered, ['a', 'a', 'a', 'b']);

      const shared = new ConcurrencySlots(bounds(16, { shares }), () => now);
      const both = crowd(shared);
      both.ask('b');
      many(4, () => both.ask('a', 9));
      await settle();
      many(4, () => both.ask('a'));
      await settle();
      assert.equal(
        shared.heldBy('a'),
        4,
        'a large request runs alone, and later ones of its client wait for it',
      );
      both.ask('b', 3);
      await settle();
      assert.equal(shared.heldBy('b'), 4, 'a waiting request of another client is overtaken');
      now = 3_000;
      both.ask('a');
      await settle();
      assert.equal(shared.heldBy('a'), 12, 'the other client has not used the pool for three seconds');
    });

    it('lets short requests of others pass before a long one, for a multiple of what the last one of its client took', async () => {
      let now = 0;
      const slots = new ConcurrencySlots(bounds(32, { shares: { ...shares, short: 2 } }), () => now);
      const entered: string[] = [];
      const ask = (name: string, request: SlotRequest, wanted: number) => {
        const admitted = slots.acquire(request, wanted);
        void admitted.then(() => entered.push(name));
        return admitted;
      };
      const ofSeveral = { client: 'a' };
      (await ask('first', ofSeveral, 2))(0);
      const long = await ask('long', ofSeveral, 1);
      long(10);
      const short = await ask('short', { client: 'b' }, 1);
      const own = await ask('short of the same client', { client: 'a' }, 2);
      void ask('second long', ofSeveral, 1);
      void ask('long of another client', { client: 'c' }, 4);
      await settle();
      assert.deepEqual(entered.slice(3), ['short of the same client', 'long of another client']);
      now = 39;
      (await ask('another short', { client: 'd' }, 1))();
      assert.notInclude(entered, 'second long');
      now = 40;
      (await ask('another short', { client: 'd' }, 1))();
      await settle();
      assert.include(entered, 'second long', 'it has waited long enough');

      const leave = await ask('short', { client: 'e' }, 1);
      short();
      (await ask('long', { client: 'f' }, 4))(10);
      void ask('last long', { client: 'f' }, 4);
      await settle();
      assert.notInclude(entered, 'last long');
      leave();
      await settle();
      assert.notInclude(entered, 'last long', 'a short request of the first client runs');
      own();
      await settle();
      assert.include(entered, 'last long');
    });

    it('does not count requests that wait for their own client as overload', async () => {
      let now = 0;
      const overload = { after: 1_000, maxWait: 1 };
      const slots = new ConcurrencySlots(
        bounds(4, { shares: { ...shares, client: () => 2 }, overload }),
        () => now,
      );
      const { ask, refused } = crowd(slots);
      ask('b');
      many(3, () => ask('a'));
      await settle();
      // Nothing happens in the pool until then.
      now = 2_000;
      mockTime();
      many(2, () => ask('a'));
      await passTime();
      assert.deepEqual(refused, []);
    });
  });

  it('leaves slots for exports to other keys, however many processes there are', async () => {
    for (const [workers, alone, shared] of [
      [1, 16, 8],
      [8, 2, 1],
    ] as const) {
      const { exports } = createPools({ workers });
      const taken = async (client: string) => {
        const all = await Promise.allSettled(many(32, () => exports.acquire({ client })));
        return all.filter(({ status }) => status === 'fulfilled').length;
      };
      assert.equal(await taken('a'), alone);
      assert.equal(await taken('b'), shared);
    }
  });

  it('accepts fifty simultaneous light requests of one client after the engine was slow', async () => {
    let now = 0;
    const { requests } = createPools({ clock: () => now });
    const slow: (() => void)[] = [];
    for (let i = 0; i < 200; i += 1) {
      now += 100;
      if (slow.length > 5) slow.shift()?.();
      slow.push(await requests.acquire({ client: 'b' }, 20));
    }
    for (const each of slow) each();
    const { ask, entered, refused, leave } = crowd(requests);
    many(50, () => ask('a', 20));
    await settle();
    assert.isBelow(entered.length, 50);
    assert.lengthOf(refused, 0);
    while (entered.length < 50) await leave();
    assert.lengthOf(refused, 0);
  });
});
