import { expect } from 'chai';
import { type Answer, FIRST_PACE, type Pace, paceAfter } from '../../../src/usecases/ingest/pace.js';

const QUICK: Answer = { tookMs: 300 };
const after = (pace: Pace, ...answers: Answer[]) => answers.reduce(paceAfter, pace);
const times = (count: number, answer: Answer) => Array<Answer>(count).fill(answer);

describe('the pace of a load', () => {
  it('is halved by a refusal, and by a batch that takes a quarter of a minute', () => {
    const half = { records: 500, bytes: 4 * 1024 * 1024, inFlight: 1 };
    expect(after(FIRST_PACE, 'refused')).to.eql(half);
    expect(after(FIRST_PACE, { tookMs: 15_001 })).to.eql(half);
  });

  it('grows a step for each quick batch: its size first, then how many there are at once', () => {
    const low = after(FIRST_PACE, 'refused', 'refused');
    expect(after(low, QUICK)).to.eql({ records: 375, bytes: 3 * 1024 * 1024, inFlight: 1 });
    expect(after(low, ...times(6, QUICK))).to.eql({ ...FIRST_PACE, inFlight: 1 });
    expect(after(low, ...times(8, QUICK))).to.eql({ ...FIRST_PACE, inFlight: 3 });
  });

  it('stays while batches are neither quick nor slow', () => {
    expect(after(FIRST_PACE, { tookMs: 2_001 }, { tookMs: 15_000 })).to.equal(FIRST_PACE);
  });

  it('keeps between its bounds, however long either lasts', () => {
    expect(after(FIRST_PACE, ...times(100, 'refused'))).to.eql({
      records: 125,
      bytes: 1024 * 1024,
      inFlight: 1,
    });
    expect(after(FIRST_PACE, ...times(100, QUICK))).to.eql({ ...FIRST_PACE, inFlight: 6 });
  });

  it('settles below what an engine of a small queue refuses', () => {
    // It takes 2,000 documents at once.
    let pace = FIRST_PACE;
    let refused = 0;
    for (let batch = 0; batch < 200; batch += 1) {
      const fits = pace.records * pace.inFlight <= 2_000;
      if (!fits) refused += 1;
      pace = paceAfter(pace, fits ? QUICK : 'refused');
    }
    expect(refused).to.be.within(1, 40);
  });
});
