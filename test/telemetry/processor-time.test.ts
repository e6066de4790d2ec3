// Runs alone: it measures the processor time of this process.
import { assert } from 'chai';
import { ProcessorTime } from '../../src/telemetry/processor-time.js';

const REPEATED = 80;

const turn = () => new Promise((resolve) => setImmediate(resolve));

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

describe('the measured processor time', () => {
  it('of the service is what requests of each kind use, alone and mixed', async () => {
    const time = new ProcessorTime(() => Promise.resolve(null));
    for (let i = 0; i < REPEATED; i += 1) {
      // Requests of different kinds overlap, as those of different clients do.
      const mixed = NAMES.filter((_, at) => (i >> at) % 2 === 0);
      for (const _ of mixed) time.begin();
      for (const kind of mixed) {
        work(KINDS[kind]);
        time.end(kind, 0);
      }
      await turn();
    }
    for (const kind of NAMES) {
      time.begin();
      const ratio = time.end(kind, 0) / KINDS[kind];
      assert.isAbove(ratio, 0.5, kind);
      assert.isBelow(ratio, 2, kind);
    }
  });

  it('of a long response, which is measured by itself, is not shared out', async () => {
    const time = new ProcessorTime(() => Promise.resolve(null));
    for (let i = 0; i < REPEATED; i += 1) {
      time.begin();
      work(20);
      time.measured(20);
      work(2);
      time.end('search', 0);
      await turn();
    }
    time.begin();
    assert.isBelow(time.end('search', 0), 4);
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
