import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { assert } from 'chai';
import { changeOf, estimate, verdictOf } from '../../tools/benchmark/estimate.js';
import { alternately } from '../../tools/benchmark/comparison.js';
import type { BenchFinding } from '../../tools/benchmark/context.js';
import type { BenchContext } from '../../tools/benchmark/environment.js';
import { ENDPOINTS } from '../../tools/benchmark/measures/endpoints.js';
import { shopperQueries } from '../../tools/benchmark/queries.js';
import { startRecorder } from '../../tools/benchmark/recorder.js';
import { type Run, table } from '../../tools/benchmark/report.js';

describe('the estimate of a benchmark', () => {
  it('is the median, between the extremes of six rounds and within those of nine', () => {
    assert.deepEqual(estimate([3, 1, 2, 5, 4, 6]), { value: 3, low: 1, high: 6 });
    assert.deepEqual(estimate([9, 8, 7, 6, 5, 4, 3, 2, 1]), { value: 5, low: 2, high: 8 });
  });

  it('contains the median of any distribution in at least 95 of 100 runs', () => {
    let state = 7;
    const random = () => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    };
    const runs = 2_000;
    for (const turns of [6, 9, 15, 24]) {
      // Draws from a long-tailed distribution with the median 1, like that of response times.
      const draw = () => (1 / random() - 1) ** 2;
      let held = 0;
      for (let run = 0; run < runs; run += 1) {
        const { low, high } = estimate(Array.from({ length: turns }, draw));
        if (low <= 1 && 1 <= high) held += 1;
      }
      assert.isAtLeast(held / runs, 0.94, `${turns} turns`);
    }
  });

  it('concludes nothing if intervals touch', () => {
    const wide = { value: 0.7, low: 0.6, high: 0.8 };
    assert.equal(verdictOf(wide, { least: 0.7 }), 'cannot tell');
    assert.equal(verdictOf(wide, { least: 0.6 }), 'reached');
    assert.equal(verdictOf(wide, { least: 0.81 }), 'missed');
    assert.equal(verdictOf(wide, { most: 0.8 }), 'reached');
    assert.equal(verdictOf(wide, { most: 0.5 }), 'missed');
    assert.equal(changeOf(wide, { value: 0.85, low: 0.8, high: 0.9 }, 'more'), 'cannot tell');
    assert.equal(changeOf(wide, { value: 0.5, low: 0.4, high: 0.55 }, 'more'), 'better');
    assert.equal(changeOf(wide, { value: 0.5, low: 0.4, high: 0.55 }, 'less'), 'worse');
  });
});

describe('the table of a benchmark', () => {
  const finding = (value: number, spread: number, more: Partial<BenchFinding> = {}): BenchFinding => ({
    work: 'search',
    figure: 'share',
    value,
    low: value - spread,
    high: value + spread,
    target: { least: 0.7 },
    digits: 2,
    unit: '',
    details: 'b',
    ...more,
  });
  const runOf = (findings: BenchFinding[]): Run => ({
    date: '2026-01-01',
    machine: 'm',
    node: 'n',
    elasticsearch: 'e',
    listings: 1,
    findings,
  });

  it('contains the interval and the verdict on the target', () => {
    const [, , row] = table([finding(0.5, 0.05)], null).split('\n');
    assert.equal(row, '| search | share | **0.50** (0.45 to 0.55) | ≥ 0.70 missed | b |');
    assert.include(table([finding(0.71, 0.05)], null), '≥ 0.70 cannot tell');
  });

  it('states faster, slower, or that it cannot tell', () => {
    const earlier = runOf([finding(0.5, 0.05)]);
    assert.include(table([finding(0.8, 0.05)], earlier), 'faster than 0.50 (0.45 to 0.55)');
    assert.include(table([finding(0.3, 0.05)], earlier), 'slower than 0.50');
    assert.include(table([finding(0.52, 0.05)], earlier), 'cannot tell from 0.50');
    const time = { target: { most: 400 }, unit: ' ms', digits: 0 };
    assert.include(
      table([finding(300, 5, time)], runOf([finding(500, 5, time)])),
      'faster than 500 ms (495 ms to 505 ms)',
    );
    const memory = { better: 'less of it', worse: 'more of it', target: { most: 150 } } as const;
    assert.include(table([finding(200, 5, memory)], runOf([finding(100, 5, memory)])), 'more of it than');
  });

  it('concludes nothing from an earlier run without intervals, and displays a figure without an target', () => {
    const { work, figure, target, digits, unit, details } = finding(0.1, 0);
    const old = { work, figure, target, digits, unit, details, value: 0.1 } as unknown as BenchFinding;
    assert.include(table([finding(0.8, 0.01)], runOf([old])), 'cannot tell from 0.10 |');
    assert.include(table([finding(0.8, 0.01, { target: null })], null), '| 0.80 (0.79 to 0.81) |  | b |');
  });
});

describe('the requests of a benchmark', () => {
  it('never repeat, to the service and to the plain service', () => {
    const ids = Array.from({ length: 500 }, (_, at) => at + 1);
    const context = { ids, queries: shopperQueries(500) } as unknown as BenchContext;
    for (const [name, { calls, plain }] of Object.entries(ENDPOINTS)) {
      const sent = calls(context).map((call) => JSON.stringify(call));
      assert.isAtLeast(sent.length, 25, name);
      assert.lengthOf(new Set(sent), sent.length, name);
      const other = plain?.(context) ?? [];
      assert.lengthOf(new Set(other), other.length, name);
    }
  });

  it('are sent to both sides in alternation, and the first round does not count', async () => {
    const order: string[] = [];
    const side = (name: string) => () => Promise.resolve(order.push(name));
    const counted = await alternately(2, { a: side('a'), b: side('b') });
    assert.deepEqual(order, ['a', 'b', 'b', 'a', 'a', 'b']);
    assert.deepEqual(counted, { a: [4, 5], b: [3, 6] });
  });

  it('are counted by their searches, of which _msearch has several', async () => {
    const engine = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1');
    await once(engine, 'listening');
    const recorder = await startRecorder(`http://127.0.0.1:${(engine.address() as AddressInfo).port}`);
    const search = '{"query":{"match_all":{}}}';
    const send = async (path: string, body?: string) =>
      (await fetch(`${recorder.url}${path}`, body === undefined ? {} : { method: 'POST', body })).text();
    await send('/lamps/_search?size=1', search);
    await send('/lamps/_msearch', `{}\n${search}\n{}\n${search}\n`);
    await send('/lamps/_doc/1');
    assert.deepEqual(recorder.take(), [1, 2, 0]);
    assert.deepEqual(recorder.take(), []);
    await recorder.close();
    engine.close();
  });
});
