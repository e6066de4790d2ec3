import { Readable, Writable } from 'node:stream';
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
import { run, ends } from '../../support/command.js';

describe('a command', () => {
  /** A command that prints its options and operands. */
  const echo = command({
    name: 'echo',
    about: 'Says what it heard.',
    operands: { show: 'WORD...', missing: 'Say a word' },
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

  for (const args of [['--help'], ['word'], ['--lewd']])
    it(`ends as usual if the reader closes the pipe, as head does: ${args}`, async () => {
      const closed = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
      const pipe = () => new Writable({ write: (_chunk, _encoding, done) => done(closed) });
      const [out, err] = [pipe(), pipe()];
      const io = { stdin: Readable.from([]), out, err, signal: new AbortController().signal };
      assert.equal(await echo(args, {}, io), args[0] === '--lewd' ? EXIT.misused : EXIT.done);
      await new Promise(setImmediate);
      assert.isTrue(out.destroyed || err.destroyed);
    });

  it('parses options and operands', async () => {
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

  it('reports wrong arguments and does nothing', async () => {
    const wrong: [string[], RegExp][] = [
      [[], /^Say a word\n/],
      [['a', '--lewd'], /--lewd/],
      [['a', '--times'], /--times/],
      [['a', '--times', '--loud'], /--times needs a value, not the option --loud/],
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
      assert.match(err, /npm run echo -- --help shows how to use it\.\n$/);
    }
  });

  it('prints help with its options and exit codes', async () => {
    const [long, short] = [await run(echo, ['--help']), await run(echo, ['-h', 'a'])];
    assert.equal(
      long.out,
      `npm run echo -- [options] WORD...

Says what it heard.

Options:
  --loud             shout
  --times <N>        how often (default: 1)
  --speed <N>        how fast
  --tone <high|low>  how it sounds
  --to <NAME>        to whom
  -h, --help         show this help

Exit code: 0 done; 1 failed; 2 invalid use.
`,
    );
    assert.deepEqual(short, long);
  });

  it('ends with the exit code of the error, and prints a stack only for unexpected errors', async () => {
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
    await ends(failing(new ConfigError('PORT is no number')), EXIT.misused, {
      err: /^PORT is no number\nnpm run fail/,
    });
    await ends(failing(new TypeError('of ours')), EXIT.failed, { err: /TypeError: of ours\n +at / });
  });
});

describe('a command with subcommands', () => {
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
        operands: { show: 'NAME' },
        options: shared,
        run: ({ operands }, _env, { out }) => Promise.resolve(void out.write(`${operands}`)),
      }),
    },
  });

  it('runs the subcommand that the first argument names', async () => {
    assert.deepEqual(await run(pets, ['feed', '--food', 'hay']), { code: 0, out: 'hay', err: '' });
    assert.deepEqual(await run(pets, ['call', 'Rex', '--where', 'x']), { code: 0, out: 'Rex', err: '' });
    const wrong: [string[], RegExp][] = [
      [[], /^Name one of these commands: feed, call\n/],
      [['fed'], /^Name one of these commands: feed, call, not "fed"\n/],
      [['toString'], /not "toString"/],
      [['feed'], /^feed --food FOOD is needed/],
      [['feed', '--food', ''], /^feed --food must not be empty/],
      [['feed', 'Rex', '--food', 'hay'], /^too many arguments for 'feed'/],
      [['call', 'Rex', 'Max'], /^too many arguments for 'call'/],
      [['call', '--food', 'hay'], /^unknown option '--food'/],
    ];
    for (const [args, message] of wrong) {
      const { code, out, err } = await run(pets, args);
      assert.deepEqual([code, out], [EXIT.misused, ''], args.join(' '));
      assert.match(err, message);
    }
  });

  it('explains each subcommand', async () => {
    const { out } = await run(pets, ['--help']);
    assert.match(out, /^npm run pets -- COMMAND/);
    assert.include(out, '  feed [options]       give it food\n  call [options] NAME  by its name\n');
    assert.include(out, '\nnpm run pets -- COMMAND --help shows the options of a command.\n');
    const feed = await run(pets, ['feed', '--help']);
    assert.match(feed.out, /^npm run pets -- feed \[options\]\n/);
    assert.include(feed.out, '  --where <URL>  where it is\n  --food <FOOD>  what it gets\n');
  });
});

describe('a command that is interrupted', () => {
  const never = new Promise<number>(() => undefined);
  const ended = (
    onInterrupt: Parameters<typeof command>[0]['onInterrupt'],
    work: (signal: AbortSignal) => Promise<unknown>,
  ) => {
    const abort = new AbortController();
    const main = command({
      name: 'wait',
      about: '',
      options: {},
      ...(onInterrupt === undefined ? {} : { onInterrupt }),
      run: async (_given, _env, { signal }) => {
        setImmediate(() => abort.abort());
        return Number((await work(signal)) ?? EXIT.done);
      },
    });
    return run(main, [], { signal: abort.signal });
  };
  const until = (signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));

  it('is abandoned without a message', async () => {
    assert.deepEqual(await ended(undefined, () => never), { code: EXIT.interrupted, out: '', err: '' });
  });

  it('ends by itself if it can, and prints its message', async () => {
    const onInterrupt = { graceMs: 60_000, message: 'Enough.' };
    const interrupted = { code: EXIT.interrupted, out: 'Enough.\n', err: '' };
    assert.deepEqual(
      await ended(onInterrupt, (signal) => until(signal).then(() => EXIT.interrupted)),
      interrupted,
    );
    const broken = (signal: AbortSignal) =>
      until(signal).then(() => Promise.reject<number>(new Error('a request was cut off')));
    assert.deepEqual(await ended(onInterrupt, broken), interrupted);
    assert.deepEqual(await ended({ graceMs: 1, message: 'Enough.' }, () => never), interrupted);
  });

  it('reports success if it completed its work nevertheless', async () => {
    const done = await ended({ graceMs: 0, message: 'Enough.' }, until);
    assert.deepEqual(done, { code: EXIT.done, out: '', err: '' });
  });
});
