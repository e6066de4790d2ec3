import { assert } from 'chai';
import { DocumentCache } from '../../src/platform/document-cache.js';

/** A cache whose documents are read when the test answers. */
function slowCache() {
  const answers = new Map<string, { resolve(document: string | null): void; reject(error: Error): void }>();
  const cache = new DocumentCache<string | null>({
    read: (url) => new Promise((resolve, reject) => answers.set(url, { resolve, reject })),
    isFailure: (document) => document === null,
    busy: () => new Error('busy'),
  });
  /** Requests a document, and returns its content or the message of the error. */
  const get = (url: string, address: string) =>
    cache.get(url, address).catch((error: unknown) => (error as Error).message);
  return { answers, get };
}

describe('a cache of documents', () => {
  it('fetches two at a time for a network, and eight for all', async () => {
    const { answers, get } = slowCache();
    const sent = ['a', 'b'].map((url) => get(url, '198.51.100.1'));
    assert.equal(await get('c', '198.51.100.1'), 'busy');
    // One that is being fetched is no further fetch.
    sent.push(get('a', '198.51.100.1'));
    for (let at = 2; at < 8; at += 1) sent.push(get(`of ${at}`, `198.51.100.${at}`));
    assert.equal(await get('c', '198.51.100.9'), 'busy');
    for (const { resolve } of answers.values()) resolve('read');
    assert.deepEqual(await Promise.all(sent), Array<string>(9).fill('read'));
    const third = get('c', '198.51.100.1');
    answers.get('c')?.reject(new Error('failed'));
    assert.equal(await third, 'failed');
    assert.equal(await get('c', '198.51.100.1'), 'failed', 'a failure is remembered');
  });

  it('counts the addresses of a /48 as one network', async () => {
    const { answers, get } = slowCache();
    const sent = ['a', 'b'].map((url, at) => get(url, `2001:db8:1:${at}::1`));
    assert.equal(await get('c', '2001:db8:1:ffff::1'), 'busy');
    sent.push(get('c', '2001:db8:2::1'));
    for (const { resolve } of answers.values()) resolve(null);
    assert.deepEqual(await Promise.all(sent), [null, null, null]);
  });
});
