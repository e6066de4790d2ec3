// Chaos too (oracles): npm test compares after one sequence of loads, npm run test:chaos after six.
import { assert } from 'chai';
import { main as ingest } from '../../scripts/ingest.js';
import { main as quality } from '../../scripts/quality.js';
import { main as suggest } from '../../scripts/suggest.js';
import { flagReasons } from '../../src/listing/flags.js';
import type { StoredSuggestion } from '../../src/schemas/suggestion.js';
import { Random } from '../../tools/sample-catalogue/random.js';
import { isChaos } from '../support/chaos.js';
import { ends, run } from '../support/command.js';
import { ndjson, testCatalogue } from '../support/test-catalogue.js';
import { storedIndex } from '../../src/platform/stored.js';

const LISTINGS = 400;
const LOADS = 6;
const SOURCES = ['lido', 'mira', 'nova', 'orbi'];
const BRANDS = ['Kestrel', 'KESTREL', 'Crème & Fils', 'Creme & Fils', 'Tarn', 'Öland Works', null];
const CATEGORIES = ['Home & Garden', 'Home / garden', 'Garden', 'Lamps', 'Phones > Cases', 'Fälle', null];
const MODELS = ['KX-1000', 'KX 1000', 'kx1000', 'T.90', 'T90', 'Z-7', 'Q 5 Max'];
const NAMES = ['Kestrel bench lamp', 'Garden hose, 20 m', 'Phone case clear', 'Tarn kettle steel'];

/** A GTIN-13 with its check digit. */
function gtin(number: number): string {
  const digits = `59012340${String(number).padStart(4, '0')}`;
  const sum = [...digits].reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 1 : 3), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

function randomRecord(random: Random, sku: number) {
  const pick = <T>(values: readonly T[]): T => values[random.below(values.length)] as T;
  const chance = (share: number) => random.unit() < share;
  const product = random.below(60);
  return {
    sku: `k${sku}`,
    source: SOURCES[sku % SOURCES.length],
    name: chance(0.5) ? pick(NAMES) : `${pick(NAMES)} ${product}`,
    brand: pick(BRANDS),
    category: pick(CATEGORIES),
    image_url: 'https://shop.example/p.jpg',
    currency: 'SGD',
    price: chance(0.03) ? '1.00' : chance(0.05) ? '900.00' : `${20 + random.below(4)}.00`,
    ...(chance(0.6) ? { gtin: gtin(product) } : {}),
    ...(chance(0.5) ? { metadata: { model: pick(MODELS) } } : {}),
  };
}

describe('the follow-up of small loads', () => {
  const catalogue = testCatalogue('follow-up-compared');
  const { env, es, file, prefix, alias } = catalogue;
  after(() => catalogue.remove());
  beforeEach(() => catalogue.empty());

  const load = (records: unknown[]) =>
    ends(run(ingest, [file('feed.ndjson', ndjson(records)), '--max-cleared', '100'], { env }), 0);

  /** What users see of flags and of suggestions that are values. */
  async function seen() {
    const now = new Date();
    const flags = Object.fromEntries(
      [...(await catalogue.stored())].flatMap(([key, { listing }]) => {
        const reasons = Object.entries(flagReasons(listing, now));
        // The numbers of listings that share a low price are updated by a full pass.
        const stated = reasons.map(([flag, why]) => [flag, why.replace(/ as \d+ other listings .*/, '')]);
        return stated.length === 0
          ? []
          : [[key, { ...Object.fromEntries(stated), stored: listing.internal.flags }]];
      }),
    );
    const crowd = [...(await catalogue.stored())].flatMap(([key, { listing }]) =>
      listing.internal.crowd === true ? [key] : [],
    );
    const index = storedIndex(prefix, 'suggestions');
    await es.indices.refresh({ index });
    const { hits } = await es.search<StoredSuggestion>({ index, size: 10_000 });
    const counts = hits.hits.flatMap(({ _source }) =>
      _source === undefined || ['product', 'query'].includes(_source.type)
        ? []
        : [`${_source.type} ${_source.key}: ${_source.count}${_source.alone === true ? ', alone' : ''}`],
    );
    return { flags, crowd: crowd.sort(), counts: counts.sort() };
  }

  /** Puts listings of the same GTIN into one group, as linking does. */
  async function group(): Promise<void> {
    await es.indices.refresh({ index: alias });
    await es.updateByQuery({
      index: alias,
      refresh: true,
      query: { exists: { field: 'internal.gtins' } },
      script: {
        source: 'ctx._source.internal.group_id = Long.parseLong(ctx._source.internal.gtins[0]) % 97 + 1',
      },
    });
  }

  for (let seed = 1; seed <= (isChaos ? 6 : 1); seed++)
    it(`gives the flags and values that full passes give (seed ${seed})`, async () => {
      const random = new Random('follow-up', seed);
      await load(Array.from({ length: LISTINGS }, (_, sku) => randomRecord(random, sku)));
      await group();
      await ends(run(quality, [], { env }), 0);
      const changed = new Set<string>();
      for (let at = 0; at < LOADS; at++) {
        const size = 1 + random.below(60);
        const skus = new Set(Array.from({ length: size }, () => random.below(LISTINGS + 30)));
        const { out } = await load([...skus].map((sku) => randomRecord(random, sku)));
        assert.match(out, /^follow-up: /m);
        assert.notMatch(out, /^(quality|suggestions|brands): /m, 'no full pass');
        for (const flag of /flags of (\d+)/.exec(out)?.slice(1) ?? []) if (flag !== '0') changed.add(flag);
      }
      assert.isAbove(changed.size, 0, 'some flags changed');
      const scoped = await seen();
      await ends(run(quality, [], { env }), 0);
      await ends(run(suggest, [], { env }), 0);
      const full = await seen();
      assert.deepEqual(scoped.flags, full.flags);
      assert.deepEqual(scoped.crowd, full.crowd);
      assert.isNotEmpty(full.crowd);
      assert.deepEqual(scoped.counts, full.counts);
      assert.include(JSON.stringify(full.flags), 'price_outlier');
      assert.include(JSON.stringify(full.flags), 'gtin_conflict');
      assert.include(JSON.stringify(full.flags), 'duplicate');
    });
});
