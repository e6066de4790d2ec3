import { assert } from 'chai';
import { ConfigError } from '../../../src/platform/config/config.js';
import { command, commands, subcommand } from '../../../scripts/shared/command.js';
import { CommandError, EXIT, StoppedError } from '../../../scripts/shared/exit.js';
import {
  flag,
  needed,
  oneOf,
  positive,
  preset,
  several,
  text,
  wholeNumber,
} from '../../../scripts/shared/options.js';
import { run } from '../../support/command.js';

describe('a command', () => {
  /** Prints what it was given. */
  const echo = command({
    name: 'echo',
    about: 'Says what it heard.',
    operands: { show: 'WORD...', missing: 'Say a word', max: 2 },
    options: {
      loud: flag('shout'),
      times: preset(wholeNumber('how often', { min: 1, max: 1_000 }), 1),
      speed: positive('how fast'),
      tone: oneOf(['high', 'low'], 'how it sounds'),
      to: several(text('NAME', 'to whom')),
    },
    run: (given, env, io) => {
      io.out.write(JSON.stringify({ ...given, env: env['ECHO'] }));
      return Promise.resolve();
    },
  });
  const heard = async (...args: string[]) => {
    const { code, out, err } = await run(echo, args, { env: { ECHO: 'cave' } });
    assert.deepEqual([code, err], [EXIT.done, '']);
    return JSON.parse(out);
  };

  it('is told its options by their meaning, and what stands beside them', async () => {
    assert.deepEqual(await heard('a'), {
      operands: ['a'],
      options: { loud: false, times: 1, to: [] },
      env: 'cave',
    });
    const args = ['a', '--loud', '--times', '7', '--times=8', '--to', 'x', '--to', 'y', '--tone', 'low', 'b'];
    assert.deepEqual(await heard(...args, '--speed', '0.5'), {
      operands: ['a', 'b'],
      options: { loud: true, times: 8, speed: 0.5, tone: 'low', to: ['x', 'y'] },
      env: 'cave',
    });
  });

  it('does nothing where it is used wrongly, and says what is wrong', async () => {
    const wrong: [string[], RegExp][] = [
      [[], /^Say a word\n/],
      [['a', 'b', 'c'], /does not know what to do with "c"/],
      [['a', '--lewd'], /--lewd/],
      [['a', '--times'], /--times/],
      [['a', '--loud=yes'], /--loud/],
      [['a', '--times', '0'], /--times must be a whole number from 1 to 1,000, not "0"/],
      [['a', '--times', '1e2'], /--times must be a whole number/],
      [['a', '--times', '1001'], /--times must be a whole number/],
      [['a', '--speed', '-1'], /--speed/],
      [['a', '--speed', '0'], /--speed must be a number above 0, not "0"/],
      [['a', '--tone', 'flat'], /--tone must be one of high, low, not "flat"/],
      [['a', '--to', ' '], /--to must not be empty/],
    ];
    for (const [args, message] of wrong) {
      const { code, out, err } = await run(echo, args);
      assert.deepEqual([code, out], [EXIT.misused, ''], args.join(' '));
      assert.match(err, message);
      assert.match(err, /npm run echo -- --help says more\.\n$/);
    }
  });

  it('explains itself, each option with its meaning, and the exit codes', async () => {
    const [long, short] = [await run(echo, ['--help']), await run(echo, ['-h', 'a'])];
    assert.equal(
      long.out,
      `npm run echo -- WORD...

Says what it heard.

  --loud           shout
  --times N        how often
  --speed N        how fast
  --tone high|low  how it sounds
  --to NAME        to whom
  --help

Exit code: 0 done; 1 failed; 2 wrong use.
`,
    );
    assert.deepEqual(short, long);
  });

  it('ends with the code of what went wrong, in a sentence where its user can mend it', async () => {
    const failing = (error: unknown) =>
      run(
        command({ name: 'fail', about: '', options: {}, run: () => Promise.reject<number>(error as Error) }),
        [],
      );
    assert.deepEqual(await failing(new CommandError('no such shop')), {
      code: EXIT.failed,
      out: '',
      err: 'no such shop\n',
    });
    assert.equal((await failing(new StoppedError('it would break'))).code, EXIT.stopped);
    const taken = Object.assign(new Error('listen EADDRINUSE'), { syscall: 'listen' });
    assert.deepEqual(await failing(taken), { code: EXIT.failed, out: '', err: 'listen EADDRINUSE\n' });
    const misconfigured = await failing(new ConfigError('PORT is no number'));
    assert.equal(misconfigured.code, EXIT.misused);
    assert.match(misconfigured.err, /^PORT is no number\nnpm run fail/);
    const bug = await failing(new TypeError('of ours'));
    assert.equal(bug.code, EXIT.failed);
    assert.match(bug.err, /TypeError: of ours\n +at /);
  });
});

describe('a command of several', () => {
  const shared = { where: text('URL', 'where it is') };
  const pets = commands({
    name: 'pets',
    about: 'Pets.',
    commands: {
      feed: subcommand({
        about: 'give it food',
        options: { ...shared, food: needed(text('FOOD', 'what it gets')) },
        run: ({ options }, _env, { out }) => Promise.resolve(void out.write(options.food)),
      }),
      call: subcommand({
        about: 'by its name',
        operands: { show: 'NAME', max: 1 },
        options: shared,
        run: ({ operands }, _env, { out }) => Promise.resolve(void out.write(`${operands}`)),
      }),
    },
  });

  it('does what its first word says, with the options of that', async () => {
    assert.deepEqual(await run(pets, ['feed', '--food', 'hay']), { code: 0, out: 'hay', err: '' });
    assert.deepEqual(await run(pets, ['call', 'Rex', '--where', 'x']), { code: 0, out: 'Rex', err: '' });
    const wrong: [string[], RegExp][] = [
      [[], /^Say what to do: feed, call\n/],
      [['fed'], /^Say what to do: feed, call, not "fed"\n/],
      [['toString'], /not "toString"/],
      [['feed'], /^feed --food FOOD is needed/],
      [['feed', '--food', ''], /^feed --food must not be empty/],
      [['feed', 'Rex', '--food', 'hay'], /^feed does not know what to do with "Rex"/],
      [['call', '--food', 'hay'], /^call has no option --food/],
    ];
    for (const [args, message] of wrong) {
      const { code, out, err } = await run(pets, args);
      assert.deepEqual([code, out], [EXIT.misused, ''], args.join(' '));
      assert.match(err, message);
    }
  });

  it('explains each of them, and once what they share', async () => {
    const { out } = await run(pets, ['call', '--help']);
    assert.include(
      out,
      '  feed       give it food\n    --food FOOD  what it gets\n  call NAME  by its name\n',
    );
    assert.match(out, /\n\n {2}--where URL {2}where it is\n {2}--help\n\n/);
  });
});

describe('a command that is asked to end', () => {
  const never = new Promise<number>(() => undefined);
  const ended = (
    ending: Parameters<typeof command>[0]['ending'],
    work: (signal: AbortSignal) => Promise<unknown>,
  ) => {
    const abort = new AbortController();
    const main = command({
      name: 'wait',
      about: '',
      options: {},
      ...(ending === undefined ? {} : { ending }),
      run: async (_given, _env, { signal }) => {
        setImmediate(() => abort.abort());
        return Number((await work(signal)) ?? EXIT.done);
      },
    });
    return run(main, [], { signal: abort.signal });
  };
  const until = (signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));

  it('is left where it is, without a word', async () => {
    assert.deepEqual(await ended(undefined, () => never), { code: EXIT.interrupted, out: '', err: '' });
  });

  it('ends in order where it can, and says so', async () => {
    const ending = { graceMs: 60_000, said: 'Enough.' };
    const interrupted = { code: EXIT.interrupted, out: 'Enough.\n', err: '' };
    assert.deepEqual(
      await ended(ending, (signal) => until(signal).then(() => EXIT.interrupted)),
      interrupted,
    );
    const broken = (signal: AbortSignal) =>
      until(signal).then(() => Promise.reject<number>(new Error('a request was cut off')));
    assert.deepEqual(await ended(ending, broken), interrupted);
    assert.deepEqual(await ended({ graceMs: 1, said: 'Enough.' }, () => never), interrupted);
  });

  it('is done where it came to its end all the same', async () => {
    const done = await ended({ graceMs: 0, said: 'Enough.' }, until);
    assert.deepEqual(done, { code: EXIT.done, out: '', err: '' });
  });
});
