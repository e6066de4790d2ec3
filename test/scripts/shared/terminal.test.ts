import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { assert } from 'chai';
import { main as evaluate } from '../../../lab/evaluate.js';
import { progressOf } from '../../../scripts/loading/report.js';
import { main as kibana } from '../../../scripts/kibana.js';
import { formatDuration } from '../../../src/text/quantities.js';
import { fromCaller, showProgress } from '../../../scripts/shared/terminal.js';
import { main as sample } from '../../../tools/sample.js';
import { run } from '../../support/command.js';

class Screen extends Writable {
  isTTY = false;
  columns = 60;
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

function draw(isTTY: boolean): Screen {
  const screen = Object.assign(new Screen(), { isTTY });
  let ms = 0;
  const display = showProgress('feed', screen, () => ms);
  for (const share of [0.25, 0.26, 0.5]) {
    ms += isTTY ? 60 : 3_000;
    display.update({ share, note: 'some' });
  }
  display.line('a note');
  display.stop();
  return screen;
}

describe('progress', () => {
  it('is a bar with the remaining time on a terminal, redrawn rarely and removed at the end', () => {
    const { text } = draw(true);
    assert.deepEqual(text.split(/\r/), [
      '',
      'feed  ██████░░░░░░░░░░░░░░░░░░ 26 %  some, 342 ms left\x1b[K',
      '\x1b[2Ka note\n',
    ]);
  });

  it('is a plain line every few seconds without a terminal', () => {
    assert.strictEqual(draw(false).text, 'feed  26 %  some, 17 s left\na note\n');
  });

  it('keeps the rate and the remaining time on a narrow terminal', () => {
    const at = (columns: number, title = 'folder/of/a/shop/shopee_sg.ndjson.gz') => {
      const screen = Object.assign(new Screen(), { isTTY: true, columns });
      let ms = 0;
      const display = showProgress(title, screen, () => ms);
      ms = 100_000;
      display.update({ share: 0.42, note: '1,234,567 loaded, 31 rejected', rate: '12,345/s' });
      return screen.text.replace(/[\r]|\x1b\[K/g, '');
    };
    const whole = '42 %  1,234,567 loaded, 31 rejected, 12,345/s, 2 min 18 s left';
    assert.strictEqual(
      at(140),
      `folder/of/a/shop/shopee_sg.ndjson.gz  ${'█'.repeat(10)}${'░'.repeat(14)} ${whole}`,
    );
    assert.strictEqual(at(120), `folder/of/a/shop/shopee_sg.ndjson.gz  ████░░░░░░ ${whole}`);
    assert.strictEqual(at(85), `…ee_sg.ndjson.gz  ${whole}`);
    assert.strictEqual(at(64), whole);
    assert.strictEqual(at(60), '42 % 12,345/s 2 min 18 s left');
    assert.strictEqual(at(60, 'feed'), '42 % 12,345/s 2 min 18 s left');
    assert.strictEqual(at(30), '42 % 12,345/s 2 min 18 s left');
    assert.strictEqual(at(29), '12,345/s 2 min 18 s left');
  });

  it('never wraps', () => {
    const screen = Object.assign(new Screen(), { isTTY: true, columns: 20 });
    let ms = 0;
    showProgress('feed', screen, () => (ms += 1_000)).update({ share: null, note: 'x'.repeat(50) });
    assert.isAtMost(screen.text.replace('\x1b[K', '').trim().length, 19);
  });
});

describe('progress of a load', () => {
  it('counts the loaded records, not those that were only read', () => {
    const at = { ahead: 3_000, share: 0.8, elapsedMs: 500, dryRun: false };
    assert.deepEqual(progressOf({ read: 1_000, rejected: 10 }, at), {
      share: 0.2,
      note: '990 loaded, 10 rejected',
      rate: '2,000/s',
    });
    assert.deepEqual(progressOf({ read: 0, rejected: 0 }, { ...at, dryRun: true }), {
      share: null,
      note: '0 checked',
      rate: '0/s',
    });
  });
});

describe('paths that a user gives', () => {
  const before = process.env['INIT_CWD'];
  afterEach(() => {
    if (before === undefined) delete process.env['INIT_CWD'];
    else process.env['INIT_CWD'] = before;
  });

  it('are relative to the folder in which npm was called', () => {
    process.env['INIT_CWD'] = '/somewhere';
    assert.strictEqual(fromCaller('a/b.csv'), '/somewhere/a/b.csv');
    assert.strictEqual(fromCaller('/a/b.csv'), '/a/b.csv');
    delete process.env['INIT_CWD'];
    assert.strictEqual(fromCaller('b.csv'), path.resolve('b.csv'));
  });

  it('are resolved by every command that takes files', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'relative-'));
    process.env['INIT_CWD'] = folder;
    try {
      await run(sample, ['--listings', '3', '--out', 'sample.ndjson']);
      await run(kibana, ['--out', 'dashboards.ndjson']);
      assert.sameMembers(readdirSync(folder), ['dashboards.ndjson', 'sample.ndjson']);
      writeFileSync(path.join(folder, 'judged.csv'), 'query,sku\n');
      const { err } = await run(evaluate, ['search', '--key', 'none', '--judgements', 'judged.csv']);
      assert.match(err, /judged\.csv/);
      assert.notMatch(err, /cannot read/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('durations', () => {
  it('have a short form', () => {
    const shown = [850, 12_400, 200_000, 7_500_000].map(formatDuration);
    assert.deepEqual(shown, ['850 ms', '12 s', '3 min 20 s', '2 h 5 min']);
  });
});
