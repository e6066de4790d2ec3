import { Writable } from 'node:stream';
import { assert } from 'chai';
import { formatDuration, showProgress } from '../../../scripts/shared/terminal.js';

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
  const display = showProgress('feed', screen as unknown as NodeJS.WriteStream, () => ms);
  for (const share of [0.25, 0.26, 0.5]) {
    ms += isTTY ? 60 : 3_000;
    display.update({ share, note: 'some' });
  }
  display.line('a note');
  display.stop();
  return screen;
}

describe('progress', () => {
  it('is a bar with the time left on a terminal, drawn now and then and taken away again', () => {
    const { text } = draw(true);
    assert.deepEqual(text.split(/\r/), [
      '',
      'feed  ██████░░░░░░░░░░░░░░░░░░ 26 %  some, 342 ms left\x1b[K',
      '\x1b[2Ka note\n',
    ]);
  });

  it('is plain lines, seconds apart, elsewhere', () => {
    assert.strictEqual(draw(false).text, 'feed  26 %  some, 17 s left\na note\n');
  });

  it('keeps rate and time left where there is little room', () => {
    const at = (columns: number, title = 'folder/of/a/shop/shopee_sg.ndjson.gz') => {
      const screen = Object.assign(new Screen(), { isTTY: true, columns });
      let ms = 0;
      const display = showProgress(title, screen as unknown as NodeJS.WriteStream, () => ms);
      ms = 100_000;
      display.update({ share: 0.42, note: '1,234,567 landed, 31 rejected', rate: '12,345/s' });
      return screen.text.replace(/[\r]|\x1b\[K/g, '');
    };
    const whole = '42 %  1,234,567 landed, 31 rejected, 12,345/s, 2 min 18 s left';
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
    showProgress('feed', screen as unknown as NodeJS.WriteStream, () => (ms += 1_000)).update({
      share: null,
      note: 'x'.repeat(50),
    });
    assert.isAtMost(screen.text.replace('\x1b[K', '').trim().length, 19);
  });
});

describe('durations', () => {
  it('are read at a glance', () => {
    const shown = [850, 12_400, 200_000, 7_500_000].map(formatDuration);
    assert.deepEqual(shown, ['850 ms', '12 s', '3 min 20 s', '2 h 5 min']);
  });
});
