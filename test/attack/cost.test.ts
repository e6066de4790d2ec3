// Chaos too (hostile, 3 min): npm test attacks some of the endpoints and headers, with some of the texts.
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { assert } from 'chai';
import { endpoints } from '../../src/http/routes/index.js';
import { startApi, type Api } from '../support/api.js';
import { sampled } from '../support/chaos.js';
import { words } from '../support/words.js';

/**
 * The length of a long text, and that of a short one. The long text nearly fills the 16 kB that Node.js
 * accepts for the head of a request.
 */
const LONG = 15_000;
const SHORT = 15;
/**
 * The maximum factor by which the CPU time of a request may grow if its text is a thousand times as
 * long.
 */
const MOST = 10;
/**
 * The number of times that each request is measured. Other work of the process only increases the measured
 * time, so the lowest value counts.
 */
const TRIES = 6;

/**
 * Texts that, if they are repeated, take the longest time with some kind of badly written regular expression.
 */
const UNITS = [
  'eyJ',
  'eyJaaaaa.',
  'svc_live_',
  'svc%5F',
  'a://',
  ':',
  '/',
  '%',
  '%20',
  '%65%79%4a',
  '0',
  '.0',
  '-',
  ',',
  '&',
  '=1&',
  '[',
  '<a',
  '"',
  '\\',
];
const HEADERS = words(`
    authorization x-forwarded-for x-request-id x-admin-secret if-none-match accept-encoding
    content-type origin host
  `);

interface Attack {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/**
 * Creates an attack of one kind with a text. `share` is the part of the text that the attack may use if it
 * has several parameters.
 */
type Place = (text: (share: number) => string) => Omit<Attack, 'method' | 'headers'> & Partial<Attack>;

describe('the cost of a request', function () {
  const agent = new Agent({ keepAlive: true });
  let api: Api;
  let asked = 0;
  before(async () => {
    api = await startApi({
      EVENTS: 'on',
      METRICS_PORT: '0',
      LOG_LEVEL: 'info',
      CORS_ORIGINS: 'https://shop.example',
      TRUST_PROXY: 'loopback',
    });
  });
  after(async () => {
    agent.destroy();
    await api.stop();
  });

  /**
   * Measures the CPU time of one request in µs. The process contains both the client and the service.
   */
  const costOf = async ({ method, path, headers, body }: Attack): Promise<number> => {
    // Each request has another client address, so that no rate limit rejects it.
    asked += 1;
    const from = { 'x-forwarded-for': `10.0.${asked >> 8}.${asked & 255}` };
    const started = process.cpuUsage();
    const sent = request(api.url, { agent, method, path, headers: { ...from, ...headers } });
    sent.end(body);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    await answer.resume().toArray();
    const { user, system } = process.cpuUsage(started);
    assert.isBelow(answer.statusCode ?? 0, 500, path.slice(0, 100));
    assert.notEqual(answer.statusCode, 429, path.slice(0, 100));
    return user + system;
  };

  const compare = async (places: Record<string, Place>, method: string, headers: Record<string, string>) => {
    const { write } = process.stdout;
    // The service writes its log, but the log is not displayed.
    process.stdout.write = () => true;
    try {
      for (const [name, place] of Object.entries(places)) {
        const attack = (unit: string, length: number): Attack => {
          const { headers: more, ...rest } = place((share) => unit.repeat(length / share / unit.length));
          return { method, headers: { ...headers, ...more }, ...rest };
        };
        const leastShort = async () => {
          const costs: number[] = [];
          while (costs.length < TRIES) costs.push(await costOf(attack('x', SHORT)));
          return Math.min(...costs);
        };
        let short = await leastShort();
        for (const unit of sampled(UNITS, 8)) {
          let long = await costOf(attack(unit, LONG));
          for (let tries = 1; long / short > MOST && tries < TRIES; tries += 1) {
            // Both requests are measured again, because the machine may have become slower between the two
            // measurements.
            short = await leastShort();
            long = await costOf(attack(unit, LONG));
          }
          assert.isAtMost(long / short, MOST, `${name} of ${unit}: ${long} µs`);
        }
      }
    } finally {
      process.stdout.write = write;
    }
  };

  for (const { method, path, query, body, access } of sampled(endpoints, 12)) {
    it(`is hardly that of its path, agent, query or body: ${method} ${path}`, async () => {
      const plain = path.replaceAll(/\{\w+\}/g, '1');
      const names = Object.keys({ x: '', ...query.properties });
      const members = Object.keys(body?.properties ?? {});
      const places: Record<string, Place> = {
        path: (text) => ({
          path: path.includes('{') ? path.replace(/\{\w+\}/, () => text(1)) : `${plain}/${text(1)}`,
        }),
        agent: (text) => ({ path: `${plain}/x`, headers: { 'user-agent': text(1) } }),
        query: (text) => ({
          path: `${plain}?${names.map((name) => `${name}=${text(names.length)}`).join('&')}`,
        }),
      };
      if (body !== null) {
        places['body'] = (text) => ({ path: plain, body: text(1) });
        places['members'] = (text) => {
          const all = members.map((name) => [name, text(members.length)]);
          return { path: plain, body: JSON.stringify(Object.fromEntries(all)) };
        };
      }
      const key = access === 'key' ? { authorization: `Bearer ${await api.key()}` } : undefined;
      await compare(places, method, { ...key });
    });
  }

  it('with a hostile header hardly exceeds that with any other header', async () => {
    const places = sampled(HEADERS, 4).map((name): [string, Place] => [
      name,
      (text) => ({ path: '/v1', headers: { [name]: text(1) } }),
    ]);
    await compare(Object.fromEntries(places), 'get', { authorization: `Bearer ${await api.key()}` });
  });
});
