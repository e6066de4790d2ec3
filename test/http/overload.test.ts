import { assert } from 'chai';
import { createPools } from '../../src/http/admission/pools.js';

const TIMES = 5;
const OVERLOADED_MS = 10_000;
const STEP_MS = 5;
const CLIENTS = 100;

/** An Elasticsearch that searches with four threads, each of which takes 40 ms for a search. */
const THREADS = 4;
const SEARCH_MS = 40;
const PER_SECOND = (THREADS * 1_000) / SEARCH_MS;

/** The shares of served requests that the service answers within a number of seconds, at least. */
const SERVED_WITHIN: [seconds: number, share: number][] = [
  [1, 0.99],
  [2.5, 1],
];

/**
 * The counterpart of `faults/overload.test.ts`, which sends such a load to a real service. Here the time is simulated, so that
 * the durations depend only on the admission control, and not on the machine.
 */
describe('the concurrency slots under five times the load that can be served', () => {
  const { setTimeout, clearTimeout } = globalThis;
  /** The simulated timers, and the simulated time in ms. */
  const timers = new Map<number, { at: number; run: () => void }>();
  let now = 0;
  before(() => {
    let last = 0;
    globalThis.setTimeout = ((run: () => void, ms: number) => {
      timers.set((last += 1), { at: now + ms, run });
      return last;
    }) as unknown as typeof setTimeout;
    globalThis.clearTimeout = (timer) => timers.delete(Number(timer));
  });
  after(() => Object.assign(globalThis, { setTimeout, clearTimeout }));

  it('serve as many requests as Elasticsearch can, in time, and refuse the others early', async () => {
    const { requests } = createPools({ clock: () => now });
    const durations: number[] = [];
    const refusals: { status: unknown; after: number }[] = [];
    /** The requests that Elasticsearch processes or that wait inside it, with the times when they end. */
    const running: { end: number; release: () => void; since: number }[] = [];
    const freeAt = Array.from({ length: THREADS }, () => 0);

    const send = async (client: string) => {
      const since = now;
      try {
        const release = await requests.acquire({ client }, 30);
        const thread = freeAt.indexOf(Math.min(...freeAt));
        const end = Math.max(now, freeAt[thread] ?? 0) + SEARCH_MS;
        freeAt[thread] = end;
        running.push({ end, release, since });
      } catch (error) {
        refusals.push({ status: (error as { status?: unknown }).status, after: now - since });
      }
    };
    const step = async () => {
      now += STEP_MS;
      for (const [timer, { at, run }] of timers) {
        if (at > now) continue;
        timers.delete(timer);
        run();
      }
      for (const ended of running.filter(({ end }) => end <= now)) {
        running.splice(running.indexOf(ended), 1);
        durations.push(now - ended.since);
        ended.release();
      }
      // All promises that can settle have settled when this one does.
      await new Promise((resolve) => setImmediate(resolve));
    };

    let sent = 0;
    while (now < OVERLOADED_MS) {
      const due = (TIMES * PER_SECOND * now) / 1_000;
      for (; sent < due; sent += 1) void send(`client ${sent % CLIENTS}`);
      await step();
    }
    const served = durations.length;
    while (durations.length + refusals.length < sent) await step();

    assert.isAtLeast(served, 0.9 * PER_SECOND * (OVERLOADED_MS / 1_000));
    for (const [seconds, share] of SERVED_WITHIN) {
      const inTime = durations.filter((ms) => ms <= seconds * 1_000).length;
      assert.isAtLeast(inTime / durations.length, share, `within ${seconds} s`);
    }
    assert.isAbove(refusals.length, 0);
    assert.deepEqual([...new Set(refusals.map(({ status }) => status))], [503]);
    const early = refusals.filter(({ after }) => after <= 500).length;
    assert.isAtLeast(early / refusals.length, 0.95, 'refusals within half a second');
    // The load is over, so every request is served again.
    const statuses = refusals.length;
    for (let i = 0; i < 50; i += 1) {
      void send('one client');
      for (let passed = 0; passed < SEARCH_MS * 2; passed += STEP_MS) await step();
    }
    assert.equal(refusals.length, statuses);
  });
});
