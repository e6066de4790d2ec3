// Chaos too (hostile, 3 min): npm test attacks some of the endpoints and headers, with some of the texts.
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { assert } from 'chai';
import { endpoints } from '../../src/http/routes/index.js';
import { startApi, type Api } from '../support/api.js';
import { sampled } from '../support/chaos.js';
import { words } from '../support/words.js';

/** What Node takes of a request's head, but for its other lines. */
const LONG = 15_000;
const SHORT = 15;
/** A request may cost so many times as much with a text that is a thousand times as long. */
const MOST = 10;
/** Other work of the process adds to a cost, never to the least of some. */
const TRIES = 6;

/** Repeated, each is the worst for some pattern that one might write. */
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

/** Makes the attacks of one kind: with this text, or as much of it as one parameter of many may hold. */
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

  /** CPU time in µs of this process, which is client and service, for one request. */
  const costOf = async ({ method, path, headers, body }: Attack): Promise<number> => {
    // Each from an address of its own: no limit is to answer instead.
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
    // The log is written, and not shown.
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
            // The machine may have become slower meanwhile, for both.
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
