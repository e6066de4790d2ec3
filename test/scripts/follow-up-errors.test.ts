import { Writable } from 'node:stream';
import { errors } from '@elastic/elasticsearch';
import { assert } from 'chai';
import { keepDoing } from '../../scripts/follow-up.js';
import { CommandError } from '../../scripts/shared/exit.js';
import { LeaseLostError } from '../../src/engine/lease.js';

describe('work that is repeated', () => {
  /** Runs work that throws an error. The command is stopped as soon as the error is printed. */
  const printed = async (error: Error): Promise<string> => {
    const stop = new AbortController();
    let text = '';
    const err = new Writable({
      write(chunk: Buffer, _encoding, done) {
        text += chunk.toString();
        stop.abort();
        done();
      },
    });
    const io = { err, signal: stop.signal } as unknown as Parameters<typeof keepDoing>[1];
    await keepDoing(
      () => Promise.reject(error),
      io,
      () => undefined,
    );
    return text;
  };

  it('continues after a failure of Elasticsearch and after an error that the operator can fix', async () => {
    const failures = [
      new errors.ConnectionError('away'),
      new CommandError('There is no catalogue.'),
      new LeaseLostError('lost'),
    ];
    for (const error of failures) assert.equal(await printed(error), `${error.message} Trying again.\n`);
  });

  it('ends with a programming error', async () => {
    const error = await printed(new TypeError('x is undefined')).catch((thrown: unknown) => thrown);
    assert.instanceOf(error, TypeError);
  });
});
