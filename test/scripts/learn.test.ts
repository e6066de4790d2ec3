// Chaos only (commands, sampled, 2 min): it learns from a catalogue of hundreds of products.
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { assert } from 'chai';
import { main as learn } from '../../scripts/learn.js';
import { main as link } from '../../scripts/link.js';
import type { StoredListing } from '../../src/listing/listing.js';
import { matchingModels } from '../../src/published/matching-models.js';
import { seededRandom } from '../../src/text/statistics.js';
import { type Api, startApi } from '../support/api.js';
import { run, ends } from '../support/command.js';
import { record } from '../support/listings.js';

const SHOPS = ['shop_a', 'shop_b', 'shop_c'];
const FINISHES = ['ribbed', 'fluted'];
const FAMILIES = 40;

const random = seededRandom(5);
const SYLLABLES = ['ka', 'lo', 'mi', 'ren', 'sto', 'vu', 'tal', 'ber', 'zi', 'pog'];
const word = () => Array.from({ length: 3 }, () => SYLLABLES[Math.floor(random() * 10)]).join('');

/** Returns a GTIN-13 with a valid check digit. */
function gtin(number: number): string {
  const digits = `40${String(number).padStart(10, '0')}`;
  const sum = [...digits].reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 1 : 3), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

/**
 * Creates listings of bottles in two finishes. Only one word of the name distinguishes the finishes; each has
 * a GTIN.
 */
const bottles = (families: number) =>
  Array.from({ length: families }, (_, at) => ({ name: `Velor ${word()} ${word()} bottle`, at })).flatMap(
    ({ name, at }) =>
      FINISHES.flatMap((finish, nth) =>
        SHOPS.map((source) =>
          record({
            sku: `${at}-${finish}-${source}`,
            source,
            name: `${name} ${finish}`,
            metadata: { ean: gtin(2 * at + nth) },
          }),
        ),
      ),
  );

/** Bottles without identifiers, whose finishes the service can only distinguish by what it has learned. */
const UNIDENTIFIED = FINISHES.flatMap((finish) =>
  SHOPS.map((source) =>
    record({ sku: `new-${finish}-${source}`, source, name: `Velor Olande Farrow bottle ${finish}` }),
  ),
);

describe('npm run learn', function () {
  const apis: Api[] = [];

  const catalogue = async (records: unknown[]): Promise<Api> => {
    const api = await startApi();
    apis.push(api);
    await api.load(records);
    return api;
  };
  after(() => Promise.all(apis.map((api) => api.stop())));

  const learned = async ({ prefix }: Api, ...args: string[]) => {
    const { code, out, err } = await run(learn, args, { env: { INDEX_PREFIX: prefix } });
    assert.strictEqual(code, 0, err);
    return out;
  };

  /**
   * Returns the SKUs of the matches of a bottle without identifiers, from a service that has just started.
   */
  const matches = async (api: Api): Promise<string[]> => {
    const id = await api.id('new-ribbed-shop_a');
    const fresh = await startApi({ INDEX_PREFIX: api.prefix });
    try {
      const headers = { authorization: `Bearer ${await api.key()}` };
      const { body } = await fresh.open(`/v1/products/compare?product_id=${id}`, { headers });
      return body.matches.map(({ sku }: { sku: string }) => sku).sort();
    } finally {
      await fresh.stop();
    }
  };

  it('learns a word that tells products apart, and can be rolled back', async () => {
    const api = await catalogue([...bottles(FAMILIES), ...UNIDENTIFIED]);
    const all = ['fluted-shop_b', 'fluted-shop_c', 'ribbed-shop_b', 'ribbed-shop_c'].map(
      (one) => `new-${one}`,
    );
    assert.deepEqual(await matches(api), all);

    let now = 0;
    const running = matchingModels(api.es, api.prefix).reader(() => now);
    assert.isNull(await running());

    assert.include(await learned(api, '--matcher', '--dry-run'), 'would be activated');
    assert.match(await learned(api, '--status'), /shipped +active$/m);
    const report = JSON.parse(await learned(api, '--matcher', '--json')).matcher;
    assert.deepInclude(report, { outcome: 'activated', version: 1 });
    assert.isAbove(report.figures.change.low, 0);
    assert.isAbove(report.counts.samePairs, 200);
    assert.deepEqual(await matches(api), ['new-ribbed-shop_b', 'new-ribbed-shop_c']);
    assert.isNull(await running(), 'the active model is cached for ten seconds');
    now = 10_000;
    assert.strictEqual((await running())?.version, 1);
    const list = JSON.parse(await learned(api, '--status', '--json')).matcher;
    assert.strictEqual(list.active, 1);
    assert.deepEqual(list.versions[0].figures, report.figures);
    assert.include(await learned(api, '--rollback'), 'The shipped model is active');
    assert.deepEqual(await matches(api), all);
    assert.include(await learned(api, '--matcher', '--use', '1'), 'Model 1 is active');

    await ends(run(link, ['--all'], { env: { INDEX_PREFIX: api.prefix } }), 0);
    await api.es.indices.refresh({ index: api.products });
    const { hits } = await api.es.search<StoredListing>({
      index: api.products,
      query: { prefix: { sku: 'new-' } },
    });
    const groups = new Map(hits.hits.map(({ _source }) => [_source?.sku, _source?.internal.group_id]));
    assert.strictEqual(groups.get('new-ribbed-shop_a'), groups.get('new-ribbed-shop_c'));
    assert.notStrictEqual(groups.get('new-ribbed-shop_a'), groups.get('new-fluted-shop_a'));
  });

  it('learns nothing from a small catalogue, but counts decisions', async () => {
    const api = await catalogue(UNIDENTIFIED);
    const file = path.join(tmpdir(), `${api.prefix}-decisions.csv`);
    const row = 'shop_a,new-ribbed-shop_a,shop_b,new-ribbed-shop_b,same';
    await writeFile(file, `a_source,a_sku,b_source,b_sku,decision\n${row}`);
    await run(link, ['--decisions', file], { env: { INDEX_PREFIX: api.prefix } });
    const report = JSON.parse(await learned(api, '--matcher', '--json')).matcher;
    assert.deepInclude(report, { outcome: 'too few pairs', version: null, figures: null });
    assert.strictEqual(report.counts.decisions, 1);
  });

  for (const [args, message] of [
    [['--matcher', '--use', '7'], 'There is no matching model 7.'],
    [['--matcher', '--use', 'latest'], 'must be a whole number'],
    [['--rollback'], 'No other matching model was active before.'],
    [['--status', '--rollback'], 'Choose one of'],
  ] as const)
    it(`fails for ${args.join(' ')} where that is not possible`, async () => {
      const [api] = apis.slice(-1);
      const { code, err } = await run(learn, [...args], { env: { INDEX_PREFIX: api?.prefix } });
      assert.notStrictEqual(code, 0);
      assert.include(err, message);
    });
});
