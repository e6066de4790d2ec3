import { assert } from 'chai';
import { createLogger } from '../../src/telemetry/logger.js';
import { ECS_VERSION } from '../../src/platform/version.js';
import { redactPath, redactForms } from '../../src/telemetry/redact.js';

const FORGED = '/a%0a12:00:00.000 info GET / 200%1b[2J%c2%9b%e2%80%ae%e2%80%a8%f3%a0%80%81/svc_live_x';

/** These tests were seen to fail when lines were logged unchanged. A redacted path is the decoded path. */
describe('log lines', () => {
  const lineOf = (environment: string, message: string, more: object): string => {
    const { format } = createLogger({ environment, logLevel: 'info' });
    const info = format.transform({ level: 'info', message, ...more });
    return String((info as Record<symbol, unknown>)[Symbol.for('message')]);
  };
  const path = redactPath(FORGED, redactForms);

  for (const environment of ['development', 'production']) {
    it(`are one line each, and move no cursor, in ${environment}`, () => {
      const line = lineOf(environment, `GET ${path} 404`, {
        developer: 'a\n\u001b\u009b\u202eb',
        stack: 'a\nb',
      });
      assert.notMatch(line, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      const shown =
        '/a\\u000a12:00:00.000 info GET / 200\\u001b[2J\\u009b\\u202e\\u2028\\udb40\\udc01/[redacted]';
      if (environment === 'development') assert.include(line, `info GET ${shown} 404 {`);
      else assert.equal((JSON.parse(line) as { message: string }).message, `GET ${path} 404`);
    });
  }

  /** This test was seen to fail when the lines had the dataset and the ECS version of the log format. */
  it('belong to one data set each, of the same scheme and version as events', () => {
    const lineWith = (more: object): Record<string, any> => JSON.parse(lineOf('production', 'a', more));
    const cases = [
      [{}, 'catalog.service'],
      [{ event: { duration: 1 } }, 'catalog.service'],
      [{ event: { dataset: 'catalog.audit' } }, 'catalog.audit'],
    ] as const;
    for (const [more, dataset] of cases) {
      const line = lineWith(more);
      assert.equal(line['event'].dataset, dataset);
      assert.notProperty(line, 'event.dataset');
      assert.equal(line['ecs.version'], ECS_VERSION);
    }
    assert.equal(lineWith({ event: { duration: 1 } })['event'].duration, 1);
  });

  it('keep the letters of all languages', () => {
    const text = 'Müller 酒 ไทย हिन्दी 🎧 "quoted" \\ tab';
    assert.include(lineOf('development', text, {}), text);
  });
});
