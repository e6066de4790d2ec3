import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { assert } from 'chai';
import { Webhook } from 'standardwebhooks';
import { main as alerts } from '../../scripts/alerts.js';
import { nextDelivery } from '../../src/usecases/alerts/deliver-events.js';
import { createWebhookSender, webhookUrlError } from '../../src/usecases/alerts/send-webhook.js';
import { useApi } from '../support/api.js';
import { run } from '../support/command.js';
import { record } from '../support/listings.js';

const JWT_SECRET = 'the-first-secret-of-the-service-is-long';
const NEXT_SECRET = 'the-next-secret-of-the-service-is-longer';

describe('webhooks of alerts', () => {
  const received: { headers: IncomingHttpHeaders; body: string }[] = [];
  let status = 200;
  let receiver: Server;
  let host = '';
  const api = useApi([record({ sku: 'a', price: '30.00' })], async () => {
    receiver = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => {
        received.push({ headers: request.headers, body });
        response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end('secret');
      });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    return { WEBHOOK_ALLOWED_HOSTS: host, JWT_SECRET };
  });
  after(() => receiver.close());
  const deliver = async (secrets: NodeJS.ProcessEnv = { JWT_SECRET }) => {
    received.length = 0;
    const env = { INDEX_PREFIX: api.prefix, WEBHOOK_ALLOWED_HOSTS: host, ...secrets };
    const { code, err } = await run(alerts, [], { env });
    assert.strictEqual(code, 0, err);
    return received;
  };
  const create = async (url: string) =>
    api.post('/v1/alerts', {
      product_id: await api.id('a'),
      when: { any_price_change: true },
      cooldown_s: 0,
      url,
    });
  const delivery = async (id: string) => (await api.ok(`/v1/alerts/${id}/events`)).items.at(-1).delivery;

  it('are signed by the secret, retried with the same id, and paused if the receiver is gone', async () => {
    await deliver();
    const { body: alert } = await create(`http://${host}/hook`);
    const { alert_id: id, secret } = alert;
    await api.load([record({ sku: 'a', price: '20.00' })]);
    status = 302;
    const [first] = await deliver();
    const verify = (key: string, message = first) =>
      new Webhook(key).verify(message?.body ?? '', message?.headers as Record<string, string>) as any;
    const { type, data } = verify(secret);
    assert.deepEqual([type, data.previous_price, data.product.price], ['alert.fired', '30.00', '20.00']);
    assert.throws(() => verify('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'));
    assert.deepInclude(await delivery(id), { state: 'pending', attempts: 1, error: 'HTTP 302' });
    const eventId = String(first?.headers['webhook-id']);

    status = 200;
    const rotated = (await api.post(`/v1/alerts/${id}/rotate`, '')).body.secret;
    assert.strictEqual((await api.post(`/v1/alerts/${id}/events/${eventId}/redeliver`, '')).status, 202);
    const [again] = await deliver();
    assert.strictEqual(again?.headers['webhook-id'], eventId);
    const redelivered = await Promise.all(
      Array.from({ length: 60 }, () => api.post(`/v1/alerts/${id}/events/${eventId}/redeliver`, '')),
    );
    for (const answer of redelivered) assert.oneOf(answer.status, [202, 503], answer.text);
    assert.lengthOf(await deliver(), 1);
    for (const key of [secret, rotated]) assert.strictEqual(verify(key, again).type, 'alert.fired');
    assert.deepInclude(await delivery(id), { state: 'delivered', error: null });

    status = 410;
    await api.post(`/v1/alerts/${id}/test`, '');
    assert.lengthOf(await deliver(), 1);
    assert.deepInclude(await delivery(id), { state: 'given_up', error: 'HTTP 410' });
    assert.strictEqual((await api.ok(`/v1/alerts/${id}`)).state, 'paused');
  });

  it('are signed by secrets that are encrypted, also after JWT_SECRET has changed', async () => {
    status = 200;
    const { body: alert } = await create(`http://${host}/encrypted`);
    const { alert_id: id, secret } = alert;
    const stored = async () => {
      const { _source } = await api.es.get<{ secrets: unknown[] }>({ index: `${api.prefix}-alerts`, id });
      return JSON.stringify(_source?.secrets);
    };
    const first = await stored();
    assert.notInclude(first, secret);
    const test = async (secrets: NodeJS.ProcessEnv) => {
      await api.post(`/v1/alerts/${id}/test`, '');
      const [message] = await deliver(secrets);
      if (message === undefined) return (await delivery(id)).error;
      return new Webhook(secret).verify(message.body, message.headers as Record<string, string>);
    };
    assert.strictEqual(
      await test({ JWT_SECRET: NEXT_SECRET }),
      'the secret of the alert cannot be decrypted',
    );
    assert.strictEqual(await test({}), 'the secret of the alert cannot be decrypted');
    assert.isObject(await test({ JWT_SECRET: NEXT_SECRET, JWT_SECRET_PREVIOUS: JWT_SECRET }));
    assert.notEqual(await stored(), first);
    assert.isObject(await test({ JWT_SECRET: NEXT_SECRET }));
  });

  it('go to https at public addresses only, which is checked when connecting', async () => {
    for (const url of [
      'http://hooks.example.com/',
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://localhost./',
      'https://metadata.google.internal./',
      'https://redis/',
      'https://[::ffff:7f00:1]/',
      'https://0x7f000001/',
      'https://127.1/',
      'https://169.254.169.254/',
      'https://a:b@x.example/',
      'x',
    ])
      assert.strictEqual((await create(url)).status, 422, url);
    const sender = createWebhookSender({
      targets: { webhookAllowedHosts: [] },
      resolve: (_name, _options, callback) => callback(null, [{ address: '10.0.0.1', family: 4 }]),
    });
    const message = {
      url: 'https://hooks.example.com/',
      id: 'ev_1',
      body: '{}',
      secrets: [],
      at: new Date(),
    };
    assert.strictEqual(await sender.send(message), 'its address is not public');
    await sender.close();
  });

  it('go to ports 443 and 8443 only', async () => {
    for (const port of ['22', '25', '80', '444', '6379', '9200', '65535']) {
      for (const name of ['hooks.example.com', '1.1.1.1', '[2606:4700::1111]']) {
        const { status, body } = await create(`https://${name}:${port}/`);
        assert.strictEqual(status, 422, port);
        assert.strictEqual(body.detail[0].msg, 'Value error, its port is not 443 or 8443');
      }
    }
    const { body: alert } = await create('https://hooks.example.com:8443/');
    const change = (url: string) =>
      api.get(`/v1/alerts/${alert.alert_id}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ url }),
      });
    assert.strictEqual((await change('https://hooks.example.com:22/')).status, 422);
    assert.strictEqual((await change('https://hooks.example.com:443/')).status, 200);
    const targets = { webhookAllowedHosts: ['hooks.example.com:9443'] };
    assert.isNull(webhookUrlError('https://hooks.example.com:9443/', targets));
    const sender = createWebhookSender({ targets });
    const stored = {
      url: 'https://hooks.example.com:22/',
      id: 'ev_1',
      body: '{}',
      secrets: [],
      at: new Date(),
    };
    assert.strictEqual(await sender.send(stored), 'its port is not 443 or 8443', 'an alert of before');
    await sender.close();
  });

  it('are retried with growing pauses and then given up', () => {
    const now = new Date('2026-01-01T00:00:00Z');
    const pauses = Array.from({ length: 8 }, (_, attempts) => {
      const { next_at } = nextDelivery(attempts, 'timeout', now);
      return next_at === null ? null : (Date.parse(next_at) - now.getTime()) / 1_000;
    });
    assert.deepEqual(pauses, [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000, null]);
  });
});
