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
