import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { createMatcherPool, MatcherUnavailableError } from '../../src/matcher/worker-pool.js';
import type { MatchRequest } from '../../src/matcher/match-request.js';

/** Creates a request that the workers of these tests answer with its number, or do not answer. */
const numbered = (number: number) => ({ of: { index: '', id: number } }) as unknown as MatchRequest;
const NEVER = -1;

const THREAD = `
let answered = 0;
export default ({ of: { id } }) => {
  const end = performance.now() + 2;
  while (id === ${NEVER} || performance.now() < end);
  return { id, answered: answered++ };
};`;

describe('the pool of matcher workers', () => {
  let folder: string;
  const threadOf = async (source: string) => {
    const file = join(folder, 'thread.mjs');
    await writeFile(file, source);
    return { url: pathToFileURL(file), execArgv: [] };
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'matcher-workers-'));
  });

  after(async () => {
    await rm(folder, { recursive: true });
  });

  const failureOf = async (response: Promise<unknown>): Promise<unknown> =>
    response.then(
      () => null,
      (error: unknown) => error,
    );

  it('answers requests in their order', async () => {
    const match = createMatcherPool({ thread: await threadOf(THREAD), threads: 1 });
    const numbers = Array.from({ length: 12 }, (_, number) => number);
    const order: number[] = [];
    await Promise.all(
      numbers.map(async (number) => {
        await match(numbered(number));
        order.push(number);
      }),
    );
    expect(order).to.deep.equal(numbers);
  });

  it('is replaced if a worker hangs, and fails all waiting requests', async () => {
    const match = createMatcherPool({ thread: await threadOf(THREAD), deadlineMs: 1_000 });
    const hung = Array.from({ length: 5 }, () => match(numbered(NEVER)));
    for (const failure of await Promise.all(hung.map(failureOf)))
      expect(failure).to.be.instanceOf(MatcherUnavailableError);
    // On a busy machine, a new thread may take long to start.
    const again = async (): Promise<unknown> => {
      try {
        return await match(numbered(7));
      } catch (error) {
        if (error instanceof MatcherUnavailableError) return again();
        throw error;
      }
    };
    expect(await again()).to.deep.include({ id: 7 });
  });

  it('fails every request if workers cannot start', async () => {
    const match = createMatcherPool({ thread: await threadOf('throw new Error("broken");') });
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const failures = await Promise.all(
        [numbered(1), numbered(2)].map((request) => failureOf(match(request))),
      );
      for (const failure of failures) expect(failure).to.be.instanceOf(Error);
    }
  });
});
