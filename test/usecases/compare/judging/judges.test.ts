import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { createJudges, JudgesGoneError } from '../../../../src/usecases/shared/judging/judges.js';
import type { Question } from '../../../../src/usecases/shared/judging/judge.js';

/** A question that the threads of these tests answer with its number, or never. */
const ask = (number: number) => ({ of: { index: '', id: number } }) as unknown as Question;
const NEVER = -1;

const THREAD = `
let asked = 0;
export default ({ of: { id } }) => {
  const end = performance.now() + 2;
  while (id === ${NEVER} || performance.now() < end);
  return { id, asked: asked++ };
};`;

describe('threads that judge', () => {
  let folder: string;
  const threadOf = async (source: string) => {
    const file = join(folder, 'thread.mjs');
    await writeFile(file, source);
    return { url: pathToFileURL(file), execArgv: [] };
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'judges-'));
  });

  after(async () => {
    await rm(folder, { recursive: true });
  });

  const failureOf = async (judged: Promise<unknown>): Promise<unknown> =>
    judged.then(
      () => null,
      (error: unknown) => error,
    );

  it('answer in the order of the questions', async () => {
    const judge = createJudges({ thread: await threadOf(THREAD), threads: 1 });
    const numbers = Array.from({ length: 12 }, (_, number) => number);
    const order: number[] = [];
    await Promise.all(
      numbers.map(async (number) => {
        await judge(ask(number));
        order.push(number);
      }),
    );
    expect(order).to.deep.equal(numbers);
  });

  it('are given up where one hangs, with all that waits, and others take their place', async () => {
    const judge = createJudges({ thread: await threadOf(THREAD), deadlineMs: 1_000 });
    const hung = Array.from({ length: 5 }, () => judge(ask(NEVER)));
    for (const failure of await Promise.all(hung.map(failureOf)))
      expect(failure).to.be.instanceOf(JudgesGoneError);
    // On a busy machine a new thread may itself be late.
    const again = async (): Promise<unknown> => {
      try {
        return await judge(ask(7));
      } catch (error) {
        if (error instanceof JudgesGoneError) return again();
        throw error;
      }
    };
    expect(await again()).to.deep.include({ id: 7 });
  });

  it('that cannot start fail whoever asks, and nobody else', async () => {
    const judge = createJudges({ thread: await threadOf('throw new Error("broken");') });
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const failures = await Promise.all([ask(1), ask(2)].map((question) => failureOf(judge(question))));
      for (const failure of failures) expect(failure).to.be.instanceOf(Error);
    }
  });
});
