import { createReadStream } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Client } from '@elastic/elasticsearch';
import { assert } from 'chai';
import { describeQuality, matchingQuality, type Quality } from '../../tools/fitting/quality.js';
import { readCases } from '../../tools/fitting/training.js';
import { readFeed } from '../../src/feed/feed.js';
import { ensureCatalogue, productsAlias } from '../../src/catalogue/indices.js';
import { loadFeed } from '../../src/catalogue/load.js';
import { createElasticsearch } from '../../src/elasticsearch/client.js';
import { readConfig } from '../../src/config.js';
import { MODEL } from '../../src/matching/match.js';
import { readRates } from '../../src/rates/read-rates.js';
import { elasticsearchUrl, indexPrefix } from '../support/services.js';

const data = new URL('../../../shared/data/', import.meta.url);
const file = (name: string) => fileURLToPath(new URL(name, data));

/** Floors a little below what was measured: a change that costs quality must not pass unseen. */
const SETS = [
  { name: 'abt_buy', retrieved: 0.98, first: 0.945, pairs: 0.945 },
  { name: 'amazon_google', retrieved: 0.98, first: 0.715, pairs: 0.74 },
];

describe('matching of public listings with human judgements', function () {
  this.timeout(300_000);
  const prefix = `${indexPrefix}-matching-${randomBytes(3).toString('hex')}`;
  const index = productsAlias(prefix);
  let es: Client;

  before(async () => {
    const { elasticsearch } = readConfig({ ...process.env, ELASTICSEARCH_URL: elasticsearchUrl });
    es = createElasticsearch(elasticsearch, { requestTimeout: 60_000, maxRetries: 2 });
    await ensureCatalogue(es, prefix);
    for (const { name } of SETS) {
      const records = readFeed(createReadStream(file(`${name}.ndjson.gz`)));
      await loadFeed({ es, indexPrefix: prefix, records });
    }
    await es.indices.refresh({ index });
  });
  after(async () => {
    await es.indices.delete({ index: Object.keys(await es.indices.get({ index })) });
    await es.close();
  });

  for (const { name, retrieved, first, pairs } of SETS) {
    it(`holds on ${name}`, async () => {
      const judgements = { name, gold: file(`${name}_gold.csv`), sources: file(`${name}_sources.csv`) };
      const { cases, gold } = await readCases(es, index, judgements, readRates(null));
      const quality = matchingQuality(cases, MODEL);
      const figures = `${name}: ${describeQuality([quality])}`;
      assert.isAtLeast(quality.matches / gold, retrieved, figures);
      assert.isAtLeast(f1(quality.firstRight, quality.firstWrong, gold), first, figures);
      assert.isAtLeast(f1(quality.right, quality.wrong, gold), pairs, figures);
      assertCalibrated(quality, figures);
    });
  }
});

const f1 = (right: number, wrong: number, gold: number): number => (2 * right) / (right + wrong + gold);

/** Of matches with 0.5 to 0.6 at least 0.4 are true, and so on: a score promises no more than it holds. */
function assertCalibrated({ tenths }: Quality, figures: string): void {
  tenths.forEach(({ count, matches }, tenth) => {
    if (count >= 30) assert.isAtLeast(matches / count, 0.5 + tenth / 10 - 0.15, figures);
  });
}
