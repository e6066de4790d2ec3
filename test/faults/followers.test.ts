// Chaos only (faults, 2 min): it opens more than a thousand connections.
import { Agent, request } from 'node:http';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from 'chai';
import { startApi, type Api } from '../support/api.js';
import { record } from '../support/listings.js';
import { elasticsearchUrl, redisUrl } from '../support/services.js';
import { until } from '../support/until.js';
import { type ApiProcess, startApiProcess } from './api-process.js';

/** The number of requests that may wait for changes, of all keys and of one key with the tier `premium`. */
const BOUNDS = { all: 1_000, perKey: 250 };
const KEYS = 5;
/** The number of requests of each key that come at once. */
const WAVE = 10;
const QUIET = { followers: 200, ms: 20_000 };

interface Answer {
  status: number;
  retryAfter: string | undefined;
  body: any;
}

describe('clients that wait for changes', function () {
  this.timeout(300_000);
  let api: Api;
  let service: ApiProcess;
  let keys: string[];
  let cursor = '';
  // Each key has an agent of its own network, because the service limits the connections of one network.
  const agents = new Map<string, Agent>();
  const agentOf = (key: string): Agent => {
    const localAddress = `127.0.${agents.size + 1}.1`;
    const agent = agents.get(key) ?? new Agent({ keepAlive: true, maxSockets: Infinity, localAddress });
    agents.set(key, agent);
    return agent;
  };
  before(async () => {
    api = await startApi();
    await api.load([record({ sku: 'a', price: '30.00' })]);
    keys = await Promise.all(Array.from({ length: KEYS }, (_, i) => api.key('premium', `follower-${i}`)));
    service = await startApiProcess({
      ELASTICSEARCH_URL: elasticsearchUrl,
      REDIS_URL: redisUrl,
      INDEX_PREFIX: api.prefix,
    });
    ({ cursor } = (await get('/v1/changes', keys[0])).body);
  });
  after(async () => {
    for (const agent of agents.values()) agent.destroy();
    await service.stop();
    await api.stop();
  });

  const getOnce = (path: string, key = ''): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request(`${service.url}${path}`, {
        agent: agentOf(key),
        headers: { authorization: `Bearer ${key}` },
      });
      sent.on('error', reject).on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            retryAfter: response.headers['retry-after'],
            body: JSON.parse(text),
          }),
        );
      });
      sent.end();
    });
  /** On a busy machine a request may come so late that the service answers 408, and is then sent again. */
  const get = async (path: string, key = ''): Promise<Answer> => {
    const answer = await getOnce(path, key);
    return answer.status === 408 ? get(path, key) : answer;
  };
  const follow = (key = '') => get(`/v1/changes?wait=25&view=ids&cursor=${cursor}`, key);
  /** Waits until there is a change, with one request after another, unless a request is refused. */
  const followUntilChange = async (key: string): Promise<Answer> => {
    for (;;) {
      const answer = await follow(key);
      if (answer.status !== 200 || answer.body.items.length > 0) return answer;
    }
  };
  /** The CPU time of the service in milliseconds. */
  const processorMs = (): number => {
    const fields = readFileSync(`/proc/${service.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10;
  };

  it('are limited per key and in total, while other requests are served and a change reaches all waiting clients', async () => {
    const waiting: Promise<Answer>[] = [];
    // They come in waves, because a burst of all of them is refused as overload before it reaches these bounds.
    for (let i = 0; i < BOUNDS.perKey + 10; i += WAVE) {
      for (const key of keys) for (let j = 0; j < WAVE; j += 1) waiting.push(followUntilChange(key));
      await until(async () => (await get('/v1/search?q=a', keys[0])).status === 200);
    }
    // Those that are refused are answered at once, the others wait.
    const refusals = async (): Promise<number> => {
      const answered = await Promise.all(waiting.map((one) => Promise.race([one, null])));
      return answered.filter((answer) => answer !== null).length;
    };
    while ((await refusals()) < waiting.length - BOUNDS.all) await sleep(50);
    await until(async () => (await get('/v1/search?q=a', keys[0])).status === 200);
    await api.load([record({ sku: 'a', price: '29.00' })]);
    const all = await Promise.all(waiting);
    const refused = all.filter(({ status }) => status !== 200);
    for (const { status, retryAfter } of refused) {
      assert.include([429, 503], status);
      assert.isString(retryAfter);
    }
    const told = all.filter(({ status }) => status === 200);
    assert.isAtMost(told.length, BOUNDS.all);
    assert.isAtLeast(told.length, 0.9 * BOUNDS.all);
    for (const { body } of told) assert.lengthOf(body.items, 1);
    ({ cursor } = told[0]?.body ?? {});
    const memory = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1];
    console.log(
      `  ${refused.length} of ${waiting.length} refused; the service has ${Math.round(Number(memory) / 1024)} MB`,
    );
  });

  it('that are quiet cost next to no CPU time', async () => {
    const during = async () => {
      const before = processorMs();
      await sleep(QUIET.ms);
      return processorMs() - before;
    };
    const idle = await during();
    const key = await api.key('premium', 'quiet');
    const waiting = Array.from({ length: QUIET.followers }, async () => {
      // While the engine is busy, the service refuses requests with 503, and clients send them again.
      for (;;) {
        const answer = await follow(key);
        if (answer.status !== 503) return answer;
        await sleep(Number(answer.retryAfter) * 1_000);
      }
    });
    await sleep(2_000);
    const quiet = await during();
    for (const { status, body } of await Promise.all(waiting))
      assert.deepEqual([status, body.items], [200, []]);
    console.log(
      `  CPU time in ${QUIET.ms / 1000} s: ${idle} ms idle, ${quiet} ms with ${QUIET.followers} followers`,
    );
  });
});
