import { createReadStream } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Client } from '@elastic/elasticsearch';
import { assert } from 'chai';
import { casesOf, rememberProfiles } from '../../lab/fitting/cases.js';
import { matchingFigures } from '../../lab/fitting/quality.js';
import { readJudged } from '../../lab/fitting/training.js';
import { readFeed } from '../../src/feeds/read/feed.js';
import { ensureCatalogue, productsAlias } from '../../src/engine/indices.js';
import { loadRecords } from '../../src/usecases/ingest/load-records.js';
import { MODEL } from '../../src/matching/model.js';
import { readRates } from '../../src/products/read-rates.js';
import { indexPrefix } from '../support/services.js';
import { connectEngine } from '../support/engine.js';

const data = new URL('../../../shared/data/', import.meta.url);
const file = (name: string) => fileURLToPath(new URL(name, data));

/**
 * The data sets with the minimum of each figure, which is slightly below the measured value, so that a loss
 * of quality fails the test.
 */
const SETS = [
  {
    set: 'abt_buy',
    retrieved: 0.98,
    floors: { 'pair F1': 0.93, 'first match F1': 0.93, 'precision from 0.9': 0.95 },
  },
  { set: 'amazon_google', retrieved: 0.98, floors: { 'pair F1': 0.65, 'first match F1': 0.65 } },
];

describe('matching of public listings with human judgements', function () {
  this.timeout(300_000);
  const prefix = `${indexPrefix}-matching-${randomBytes(3).toString('hex')}`;
  const index = productsAlias(prefix);
  let es: Client;

  before(async () => {
    es = connectEngine({ requestTimeout: 60_000, maxRetries: 2 });
    await ensureCatalogue(es, prefix);
    for (const { set } of SETS) {
      const records = readFeed(createReadStream(file(`${set}.ndjson.gz`)));
      await loadRecords({ es, indexPrefix: prefix, records });
    }
    await es.indices.refresh({ index });
  });
  after(async () => {
    await es.indices.delete({ index: Object.keys(await es.indices.get({ index })) });
    await es.close();
  });

  for (const { set, retrieved, floors } of SETS) {
    it(`holds on ${set}`, async () => {
      const asked = { set, folder: fileURLToPath(data), most: Infinity, rates: readRates(null) };
      const judged = (await readJudged(es, index, asked, () => undefined)).filter(({ isSource }) => isSource);
      const gold = judged.reduce((sum, one) => sum + one.gold, 0);
      const found = judged.flatMap(({ labels }) => labels.slice(0, 20).filter((label) => label === 1)).length;
      assert.isAtLeast(found / gold, retrieved);
      const read = rememberProfiles();
      const figures = matchingFigures(
        judged.flatMap((one) => casesOf(one, read)),
        MODEL,
      );
      const text = figures.map(({ name, value }) => `${name} ${value.toFixed(3)}`).join(', ');
      for (const [name, floor] of Object.entries(floors)) {
        assert.isAtLeast(figures.find((one) => one.name === name)?.value ?? NaN, floor, text);
      }
    });
  }
});
