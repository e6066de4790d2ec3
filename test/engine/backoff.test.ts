import { errors } from '@elastic/elasticsearch';
import { assert } from 'chai';
import { Backoff } from '../../src/engine/backoff.js';

const meta = { warnings: null, meta: {} as never, headers: {} };
/** The answer of Elasticsearch while the copies of a shard do not agree on the primary. */
const halfDone = { ...meta, statusCode: 500, body: { _shards: { total: 2, successful: 1, failed: 1 } } };

describe('backoff', () => {
  it('retries a request for which some shards failed, and reports the reason', async () => {
    const notes: string[] = [];
    const backoff = new Backoff({ giveUpAfterMs: 10_000, onWait: (note) => notes.push(note) });
    let asked = 0;
    const answer = await backoff.retry(() => {
      asked += 1;
      return asked === 1 ? Promise.reject(new errors.ResponseError(halfDone)) : Promise.resolve('done');
    });
    assert.equal(answer, 'done');
    assert.match(notes.join(), /1 of 2 shards did not/);
  });

  it('does not retry an internal error of Elasticsearch', async () => {
    const wrong = new errors.ResponseError({ ...meta, statusCode: 500, body: { error: { type: 'other' } } });
    let asked = 0;
    const answer = new Backoff({ giveUpAfterMs: 10_000 }).retry(() => {
      asked += 1;
      return Promise.reject(wrong);
    });
    assert.strictEqual(await answer.catch((error: unknown) => error), wrong);
    assert.equal(asked, 1);
  });
});
