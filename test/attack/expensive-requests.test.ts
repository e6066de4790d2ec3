import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from 'chai';
import { type Api, type Reply, startApi } from '../support/api.js';
import { startGate, type Gate } from '../support/gate.js';
import { record } from '../support/listings.js';
import { elasticsearchUrl } from '../support/services.js';
import { until } from '../support/until.js';

const VICTIMS = 12;
/** How much longer, in ms, Elasticsearch takes for each request of an expensive search, as if it were busy. */
const ENGINE_MS = 700;
/** The maximum number of words of a text that are searched for. */
const MOST_WORDS = 40;

/** Words that no listing has, which mark the requests of the attacker. */
const words = (count: number) => Array.from({ length: count }, (_, at) => `vex${at}`);

/** Texts of nearly a thousand characters, which is the most that a search accepts. */
const EXPENSIVE = {
  'many words': words(130).join(' '),
  'long phrases': `${Array.from({ length: 4 }, () => `"${'vex k '.repeat(33).trim()}"`).join(' ')} kettle`,
  'words joined by hyphens': `kettle ${words(120).join('-')}`,
  'a text without blanks': `kettle vex ${'電動歯ブラシ'.repeat(140)}`,
};

const expensive = (q: string) =>
  `/v1/search?highlight=true&explain=true&limit=100&facets=brand,category,source,price,rating,attributes&q=${encodeURIComponent(q)}`;

/** Tests that the most expensive searches of one client leave room for simple searches of others. */
describe('expensive searches', () => {
  let gate: Gate;
  let api: Api;
  before(async () => {
    gate = await startGate(elasticsearchUrl);
    api = await startApi({ ELASTICSEARCH_URL: gate.url, PUBLIC_READ: 'on', TRUST_PROXY: 'loopback' });
    await api.load(
      Array.from({ length: 40 }, (_, at) => record({ sku: `s${at}`, name: `Kettle ${at} steel` })),
    );
  });
  afterEach(() => {
    gate.watch(() => undefined);
  });
  after(async () => {
    await api.stop();
    await gate.close();
  });

  /** Sends simple searches of another client while each attacker sends expensive ones, and returns those that fail. */
  async function refusedWhile(attacks: (() => Promise<Reply>)[], simple: (at: number) => Promise<Reply>) {
    let isDelayed = false;
    let isOver = false;
    gate.watch(({ body, answer }) => {
      if (isOver || answer !== undefined || !/vex|電動/.test(body)) return undefined;
      isDelayed = true;
      return sleep(ENGINE_MS);
    });
    const attackers = attacks.map(async (attack) => {
      while (!isOver) await attack();
    });
    await until(() => isDelayed);
    const refused: Reply[] = [];
    for (let at = 0; at < VICTIMS; at += 1) {
      const reply = await simple(at);
      if (reply.status !== 200) refused.push(reply);
    }
    isOver = true;
    await Promise.all(attackers);
    return refused;
  }

  const withKey = async () => ({ headers: { authorization: `Bearer ${await api.key('free', 'attacker')}` } });
  const simple = (at: number) => api.get(`/v1/search?q=kettle+${at}`);

  for (const [kind, q] of Object.entries(EXPENSIVE)) {
    it(`of one key with two connections fail no search of another key: ${kind}`, async () => {
      const attacker = await withKey();
      const attacks = [0, 1].map((at) => () => api.get(expensive(`${q} ${at}`), attacker));
      assert.deepEqual(await refusedWhile(attacks, simple), []);
    });
  }

  it('of ten connections of one key fail no search of another key', async () => {
    const attacker = await withKey();
    const attacks = Array.from(
      { length: 10 },
      (_, at) => () => api.get(expensive(`${EXPENSIVE['many words']} ${at}`), attacker),
    );
    // The other key uses the service before, so that the attacker cannot take all slots.
    await simple(0);
    assert.deepEqual(await refusedWhile(attacks, simple), []);
  });

  it('without a key fail no search, with or without a key', async () => {
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
    const attacks = Array.from(
      { length: 8 },
      (_, at) => () => api.open(expensive(`${EXPENSIVE['many words']} ${at}`), from(`198.51.100.${at % 4}`)),
    );
    await simple(0);
    assert.deepEqual(await refusedWhile(attacks, simple), []);
    const alone = [() => api.open(expensive(EXPENSIVE['many words']), from('198.51.100.5'))];
    const other = (at: number) => api.open(`/v1/search?q=kettle+${at}`, from(`203.0.113.${at}`));
    assert.deepEqual(await refusedWhile(alone, other), []);
  });

  it('send no clause with more words than a search may have', async () => {
    const attacker = await withKey();
    for (const [kind, q] of Object.entries(EXPENSIVE)) {
      let longest = 0;
      gate.watch(({ body, answer }) => {
        if (answer !== undefined) return;
        for (const line of body.split('\n').filter((one) => one !== ''))
          longest = Math.max(longest, longestClause(JSON.parse(line)));
      });
      assert.equal((await api.get(expensive(q), attacker)).status, 200);
      assert.isAtMost(longest, MOST_WORDS, kind);
    }
  });
});

/** The largest number of words of a text that a request to Elasticsearch searches for. */
function longestClause(node: unknown): number {
  if (typeof node !== 'object' || node === null) return 0;
  return Math.max(
    0,
    ...Object.entries(node).map(([member, value]) =>
      member === 'query' && typeof value === 'string' ? value.split(/[\s|]+/).length : longestClause(value),
    ),
  );
}
