// Runs alone: it measures the processor time of this process.
import { assert } from 'chai';
import { ProcessorTime } from '../../src/telemetry/processor-time.js';

const REPEATED = 80;

/** Uses the processor for a number of ms, by the clock of the process. */
function work(ms: number): void {
  const started = process.cpuUsage();
  for (;;) {
    const { user, system } = process.cpuUsage(started);
    if (user + system >= ms * 1_000) return;
  }
}

/** The times of the service by kind, in ms: one that is ten times as expensive as another one. */
const KINDS = { cheap: 2, usual: 6, dear: 20 };
type Kind = keyof typeof KINDS;
const NAMES = Object.keys(KINDS) as Kind[];

/** A function that adds what somebody pays, and the sum. */
function account() {
  const own = { sum: 0, pay: (ms: number) => void (own.sum += ms) };
  return own;
}

describe('the measured processor time', () => {
  it('of the service is what requests of each kind use, alone and mixed', () => {
    const time = new ProcessorTime(() => Promise.resolve(null));
    const paid = Object.fromEntries(NAMES.map((kind) => [kind, account()]));
    const used = { cheap: 0, usual: 0, dear: 0 };
    for (let i = 0; i < REPEATED; i += 1) {
      // Requests of different kinds overlap, as those of different clients do.
      const mixed = NAMES.filter((_, at) => (i >> at) % 2 === 0);
      for (const _ of mixed) time.begin();
      for (const kind of mixed) {
        work(KINDS[kind]);
        // The first requests only make the averages known.
        const counts = i >= REPEATED / 2;
        if (counts) used[kind] += KINDS[kind];
        time.handled(kind, 0, (ms) => (counts ? paid[kind]?.pay(ms) : undefined));
      }
      for (const _ of mixed) time.ended();
    }
    for (const kind of NAMES) {
      const ratio = (paid[kind]?.sum ?? 0) / used[kind];
      assert.isAbove(ratio, 0.5, kind);
      assert.isBelow(ratio, 2, kind);
    }
  });

  it('of the service includes what it does before a request is handled and after it', () => {
    const time = new ProcessorTime(() => Promise.resolve(null));
    const paid = account();
    for (let i = 0; i < REPEATED; i += 1) {
      time.begin();
      work(2);
      time.handled('search', 0, paid.pay);
      work(2);
      time.ended();
    }
    assert.closeTo(paid.sum / REPEATED, 4, 1);
  });

  it('of a long response is charged as it is formatted, and not to others', () => {
    const time = new ProcessorTime(() => Promise.resolve(null));
    const [long, others] = [account(), account()];
    for (let i = 0; i < REPEATED; i += 1) {
      time.begin();
      work(10);
      time.measured(10, long.pay);
      work(2);
      time.handled('search', 0, others.pay);
      time.ended();
    }
    assert.closeTo(long.sum / REPEATED, 10, 3);
    assert.isBelow(others.sum / REPEATED, 4);
  });

  it('of Elasticsearch is shared out by the time that searches took', async () => {
    const time = new ProcessorTime(() => Promise.resolve(null));
    for (let i = 0; i < REPEATED; i += 1) {
      assert.equal(time.answered('search', 1, 5), 5);
      assert.equal(time.answered('search', 4, 80), 80);
    }
    assert.closeTo(time.expected('search', 1), 5, 1);
    assert.closeTo(time.expected('search', 4), 80, 1);
    assert.closeTo(time.expected('search', 2), 10, 2, 'twice that of the next smaller size');
    assert.closeTo(time.expected('search', 0), 5, 1, 'that of the next larger size');
  });
});
