import { assert } from 'chai';
import { readConfig } from '../../src/platform/config/config.js';
import { redactForms, redactor, redactPath, redactText } from '../../src/telemetry/redact.js';

const RANDOM = 'Ab0-_'.repeat(10);
const JWT = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.${RANDOM}`;

describe('redaction', () => {
  it('removes keys that are complete, truncated or percent-encoded', () => {
    for (const key of [
      `svc_live_${RANDOM}`,
      `svc_test_${RANDOM}`,
      'svc_live_short',
      'SVC_LIVE_x',
      `svc%5Flive%5f${RANDOM}`,
    ]) {
      assert.equal(redactForms(`before ${key} after`), 'before [redacted] after', key);
    }
  });

  it('removes tokens with and without their signature', () => {
    assert.equal(redactForms(`q=${JWT}&x`), 'q=[redacted]&x');
    assert.equal(redactForms(JWT.slice(0, JWT.lastIndexOf('.'))), '[redacted]');
    assert.equal(redactForms(`token_${JWT}`), 'token_[redacted]');
    for (const kind of ['oat', 'ort', 'oac'])
      assert.equal(redactForms(`code=${kind}_${RANDOM.slice(0, 43)}&x`), 'code=[redacted]&x');
    assert.equal(redactForms(`a file.${JWT}, ${JWT}`), 'a file.[redacted], [redacted]');
  });

  it('removes credentials from URLs and keeps the rest of the URL', () => {
    const text = 'connect https://elastic:p%40ss@engine:9200 failed, redis://:hunter2@cache:6379/0';
    assert.equal(
      redactForms(text),
      'connect https://[redacted]@engine:9200 failed, redis://[redacted]@cache:6379/0',
    );
    assert.equal(redactForms('https://svc_live_a:hunter2@engine'), 'https://[redacted]@engine');
  });

  it('does not change other texts', () => {
    for (const text of [
      'wh-1000xm5 wireless headphones',
      'https://shop.example:8080/a@b?x=1',
      'svc_livery',
      'eyJ is no token. Nor is eyJust.',
      'mail me@shop.example: now',
    ]) {
      assert.equal(redactForms(text), text);
    }
  });

  it('removes the secrets of the configuration in every encoding', () => {
    const redact = redactor(
      readConfig({
        ADMIN_SECRET: 'admin "quoted" secret',
        JWT_SECRET: 'signing-secret-1',
        JWT_SECRET_PREVIOUS: 'signing-secret-0',
        ELASTICSEARCH_USERNAME: 'elastic',
        ELASTICSEARCH_PASSWORD: 'engine pa$$word',
        REDIS_URL: 'redis://:red%2Fis-pass@localhost:6379',
      }),
    );
    const basic = Buffer.from('elastic:engine pa$$word').toString('base64');
    const spellings = [
      'admin "quoted" secret',
      'admin \\"quoted\\" secret',
      'admin%20%22quoted%22%20secret',
      'signing-secret-1',
      'signing-secret-0',
      'engine pa$$word',
      basic,
      'red%2Fis-pass',
      'red/is-pass',
    ];
    for (const secret of spellings) assert.equal(redact(`<${secret}>`), '<[redacted]>');
  });

  it('decodes a path before it decides what to keep', () => {
    assert.equal(redactPath(`/a/%73vc_live_${RANDOM}/b`, redactForms), '/a/[redacted]/b');
    assert.equal(redactPath('/100%25/%C3%A9', redactForms), '/100%25/%C3%A9');
    assert.equal(redactPath('/100%/svc_live_abc', redactForms), '/100%/[redacted]');
    assert.equal(redactPath('/100%/%73vc_live_abc', redactForms), '/100%/[redacted]');
  });

  it('truncates a long text, and removes a secret that the truncation cuts', () => {
    assert.equal(redactText('x'.repeat(1_000), redactForms), 'x'.repeat(1_000));
    assert.equal(redactText('x'.repeat(1_001), redactForms), `${'x'.repeat(999)}…`);
    const secret = 'a secret of the/configuration';
    const redact = redactor(readConfig({ ADMIN_SECRET: secret }));
    for (const text of [secret, JWT, `https://elastic:${RANDOM}@engine`]) {
      for (const keep of [redactText, redactPath]) {
        // Keys of 900 characters are replaced by short texts, so that the end of the text that is read is
        // near the beginning of the result.
        const keys = `svc_live_${'x'.repeat(889)} ,`.repeat(5);
        for (let before = 3_990 - text.length; before < 4_000; before += 1) {
          const kept = keep(`${keys.slice(0, before - 1)} ${text}${'/'.repeat(9_000)}`, redact);
          for (let from = 0; from + 8 < text.length; from += 4)
            assert.notInclude(kept, text.slice(from, from + 8), `${before}`);
        }
      }
    }
  });
});
