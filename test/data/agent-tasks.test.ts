import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { assert } from 'chai';
import { parse } from 'csv-parse/sync';
import { type Agent, connectAgent, ERAS } from '../support/agent.js';
import { startApi, type Api } from '../support/api.js';

const data = new URL('../../../shared/data/', import.meta.url);

/** A shopping task: its text, and all correct offers as `source:sku`. */
interface Task {
  task: string;
  family: string;
  phrases: string;
  answer: string;
}

/** The category of tasks that ask for every offer of one product. */
const ALL_OFFERS = 'specific';
/** The category of tasks that ask for the cheapest offer of a product. */
const CHEAPEST = 'cheapest';

const FEWEST = 10;

interface Offer {
  source: string;
  sku: string;
  price: string;
}

/** The agent uses only the tools; it knows neither the paths of the API nor the catalogue. */
describe('an agent with tools alone', function () {
  this.timeout(300_000);
  let api: Api;
  let agent: Agent;
  before(async () => {
    api = await startApi();
    const lines = gunzipSync(readFileSync(new URL('webmall.ndjson.gz', data)))
      .toString()
      .trim()
      .split('\n');
    await api.load(lines.map((line) => JSON.parse(line) as unknown));
    agent = await connectAgent(api.url, `Bearer ${await api.key()}`, ERAS[1] ?? 'each request');
  });
  after(async () => {
    await agent.close();
    await api.stop();
  });

  /**
   * Asks for the best price, makes the call that the answer suggests, if any, and then asks for the other
   * offers.
   */
  async function offersOf(q: string): Promise<Offer[]> {
    const best = await agent.call('find_best_price', { q, limit: 20, view: 'full' });
    if (!best.isError) return best.structured.items;
    const [, name = '', args = '{}'] = /\nThis call works: (\w+) (\{.*\})$/.exec(best.text) ?? [];
    const { structured } = await agent.call(name, { ...JSON.parse(args), limit: 1, view: 'full' });
    const [first] = structured.items ?? [];
    if (first === undefined) return [];
    const compared = await agent.call('compare_products', { product_id: first.id, view: 'full' });
    return [first, ...compared.structured.comparisons[0].matches];
  }

  it(`completes at least ${FEWEST} shopping tasks`, async () => {
    const tasks = (
      parse(readFileSync(new URL('webmall_tasks.csv', data)), { columns: true }) as Task[]
    ).filter(({ family }) => [ALL_OFFERS, CHEAPEST].includes(family));
    const completed: string[] = [];
    for (const { task, family, phrases, answer } of tasks) {
      const right = answer.split(' ').sort();
      const found = (await Promise.all(phrases.split('|').map(offersOf))).flat();
      const wanted = family === CHEAPEST ? found.filter(({ price }) => price === found[0]?.price) : found;
      const keys = wanted.map(({ source, sku }) => `${source}:${sku}`).sort();
      if (keys.join(' ') === right.join(' ')) completed.push(task);
    }
    assert.isAtLeast(completed.length, FEWEST, completed.join(', '));
  });
});
