import { expect } from 'chai';
import {
  type BatchResponse,
  FIRST_PACE,
  type LoadPace,
  paceAfter,
} from '../../../src/usecases/ingest/pace.js';

const QUICK: BatchResponse = { tookMs: 300 };
const after = (pace: LoadPace, ...answers: BatchResponse[]) => answers.reduce(paceAfter, pace);
const times = (count: number, answer: BatchResponse) => Array<BatchResponse>(count).fill(answer);

describe('the pace of a load', () => {
  it('is halved by a rejection and by a batch that takes more than 15 seconds', () => {
    const half = { records: 500, bytes: 4 * 1024 * 1024, inFlight: 1 };
    expect(after(FIRST_PACE, 'rejected')).to.eql(half);
    expect(after(FIRST_PACE, { tookMs: 15_001 })).to.eql(half);
  });

  it('grows one step per quick batch: first the size, then the number of concurrent batches', () => {
    const low = after(FIRST_PACE, 'rejected', 'rejected');
    expect(after(low, QUICK)).to.eql({ records: 375, bytes: 3 * 1024 * 1024, inFlight: 1 });
    expect(after(low, ...times(6, QUICK))).to.eql({ ...FIRST_PACE, inFlight: 1 });
    expect(after(low, ...times(8, QUICK))).to.eql({ ...FIRST_PACE, inFlight: 3 });
  });

  it('is unchanged by batches that are neither quick nor slow', () => {
    expect(after(FIRST_PACE, { tookMs: 2_001 }, { tookMs: 15_000 })).to.equal(FIRST_PACE);
  });

  it('stays within its limits', () => {
    expect(after(FIRST_PACE, ...times(100, 'rejected'))).to.eql({
      records: 125,
      bytes: 1024 * 1024,
      inFlight: 1,
    });
    expect(after(FIRST_PACE, ...times(100, QUICK))).to.eql({ ...FIRST_PACE, inFlight: 6 });
  });

  it('settles below what an Elasticsearch with a small queue rejects', () => {
    // The simulated Elasticsearch accepts 2,000 documents at once.
    let pace = FIRST_PACE;
    let refused = 0;
    for (let batch = 0; batch < 200; batch += 1) {
      const fits = pace.records * pace.inFlight <= 2_000;
      if (!fits) refused += 1;
      pace = paceAfter(pace, fits ? QUICK : 'rejected');
    }
    expect(refused).to.be.within(1, 40);
  });
});
