import Mocha, { type MochaOptions, type Runner, type Suite, type Test } from 'mocha';

const { EVENT_RUN_BEGIN, EVENT_RUN_END, EVENT_TEST_END, EVENT_TEST_FAIL, EVENT_TEST_PASS } =
  Mocha.Runner.constants;

const TERMINAL_INTERVAL_MS = 200;
const LOG_INTERVAL_MS = 15_000;

/** Prints a line of progress and each failure once. On a terminal, the line is overwritten; in a log, repeated every 15 seconds. */
export default class Progress extends Mocha.reporters.Base {
  private readonly begun = performance.now();
  private readonly files = new Set<string>();
  private passed = 0;
  private failed = 0;

  constructor(runner: Runner, options: MochaOptions) {
    super(runner, options);
    const { files = '?', name = 'tests' } = (options.reporterOptions ?? {}) as {
      files?: string;
      name?: string;
    };
    const { isTTY } = process.stdout;
    const show = () => {
      process.stdout.write(isTTY ? `\r\x1b[2K${this.line(name, files)}` : `${this.line(name, files)}\n`);
    };
    const timer = setInterval(show, isTTY ? TERMINAL_INTERVAL_MS : LOG_INTERVAL_MS);
    runner.once(EVENT_RUN_BEGIN, show);
    runner.on(EVENT_TEST_PASS, () => (this.passed += 1));
    runner.on(EVENT_TEST_END, (test: Test) => this.files.add(fileOf(test)));
    runner.on(EVENT_TEST_FAIL, (test: Test) => {
      this.failed += 1;
      process.stdout.write(`${isTTY ? '\r\x1b[2K' : ''}  failed: ${test.fullTitle()}\n`);
    });
    runner.once(EVENT_RUN_END, () => {
      clearInterval(timer);
      show();
      if (isTTY) process.stdout.write('\n');
      this.epilogue();
    });
  }

  private line(name: string, total: string): string {
    const seconds = Math.round((performance.now() - this.begun) / 1000);
    const minutes = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    return `  ${minutes}  ${this.files.size} of ${total} files begun, ${this.passed} ${name} passed, ${this.failed} failed`;
  }
}

/** The file of a test; its full title if a worker process reported its suite. */
function fileOf(test: Test & { parent?: Suite }): string {
  return test.file ?? test.fullTitle();
}
