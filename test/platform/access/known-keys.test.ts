import { assert } from 'chai';
import { type Endings, KnownKeys } from '../../../src/platform/access/known-keys.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse('2026-05-04T03:02:01.000Z');

describe('keys that are known while Redis is away', () => {
  const key = (id: string, expiresAt?: string) => ({
    ...{ id, counter: `key:${id}`, developerId: 'dev-1' },
    ...{ tier: 'free' as const, environment: 'live' as const },
    ...(expiresAt === undefined ? {} : { expiresAt }),
  });
  let passed: number;
  let stored: Endings | null;
  let reads: number;
  let known: KnownKeys;
  const now = () => new Date(START + passed);
  const accept = (name: string) => known.accept(name, now());

  beforeEach(() => {
    passed = 0;
    reads = 0;
    stored = new Map();
    known = new KnownKeys(
      {
        record: () => Promise.resolve(),
        read() {
          reads += 1;
          return stored === null ? Promise.reject(new Error('away')) : Promise.resolve(stored);
        },
      },
      { now: () => 1 + passed },
    );
  });

  it('are accepted for a minute without a look at the revocations, used or not', async () => {
    stored = null;
    known.confirm('hash', key('a'));
    for (; passed <= MINUTE; passed += MINUTE / 6) assert.deepEqual(await accept('hash'), key('a'));
    assert.equal(reads, 0);
    passed = MINUTE + 1;
    assert.isUndefined(await accept('hash'));
    assert.isUndefined(await accept('other'));
  });

  it('read for twelve hours while the revocations can be read, and for a minute after that', async () => {
    known.confirm('hash', key('a'));
    for (passed = 1; passed < 12 * HOUR; passed += HOUR / 2) assert.equal((await accept('hash'))?.id, 'a');
    assert.isAbove(reads, 20);
    assert.deepEqual(await accept('hash'), undefined, 'it was confirmed too long ago');

    known.confirm('hash', key('a'));
    passed += HOUR;
    assert.deepEqual(await accept('hash'), { ...key('a'), readsOnly: true });
    stored = null;
    passed += MINUTE;
    assert.isTrue(known.areServed);
    assert.equal((await accept('hash'))?.id, 'a');
    passed += 1;
    assert.isFalse(known.areServed);
    assert.isUndefined(await accept('hash'));
  });

  it('are refused once they were revoked or have expired, by whichever credential', async () => {
    const at = (ms: number) => new Date(START + ms).toISOString();
    for (const id of ['revoked', 'replaced', 'kept']) known.confirm(`hash of ${id}`, key(id));
    known.confirm('expiring', key('expiring', at(2 * HOUR)));
    stored = new Map([
      ['revoked', at(1)],
      ['replaced', at(3 * HOUR)],
    ]);
    const states = async () =>
      Object.fromEntries(
        await Promise.all(
          ['hash of revoked', 'revoked', 'hash of replaced', 'hash of kept', 'expiring'].map(
            async (name) => [name, (await accept(name))?.id ?? null] as const,
          ),
        ),
      );
    passed = HOUR;
    const early = { 'hash of revoked': null, revoked: null, 'hash of kept': 'kept' };
    assert.deepEqual(await states(), { ...early, 'hash of replaced': 'replaced', expiring: 'expiring' });
    passed = 3 * HOUR;
    assert.deepEqual(await states(), { ...early, 'hash of replaced': null, expiring: null });
    assert.isNull(await accept('revoked'), 'and not merely unknown');
  });

  it('are forgotten once Redis does not know them, or when this process revokes them', async () => {
    for (const id of ['a', 'b']) known.confirm(`hash of ${id}`, key(id));
    assert.equal((await accept('a'))?.id, 'a', 'a token stands for the same key');
    known.confirm('hash of a', null);
    assert.isUndefined(await accept('hash of a'));
    assert.isUndefined(await accept('a'));
    known.forget('b');
    assert.isUndefined(await accept('hash of b'));
  });

  it('are limited in number; the one that was confirmed the longest ago is removed', async () => {
    for (const name of ['first', 'second', 'first']) known.confirm(name, key(name));
    for (let i = 0; i < 99_999; i++) known.confirm(`${i}`, key(`${i}`));
    assert.equal((await accept('first'))?.id, 'first');
    assert.isUndefined(await accept('second'));
  });
});
