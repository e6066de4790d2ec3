import { errors } from '@elastic/elasticsearch';
import { assert } from 'chai';
import { Backoff } from '../../src/engine/backoff.js';

const meta = { warnings: null, meta: {} as never, headers: {} };
/** As the engine answers where copies of a shard do not agree on which of them leads. */
const halfDone = { ...meta, statusCode: 500, body: { _shards: { total: 2, successful: 1, failed: 1 } } };

describe('waiting for an engine', () => {
  it('asks again where some shards have not done it, and says so', async () => {
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

  it('asks once where the engine itself is wrong', async () => {
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
