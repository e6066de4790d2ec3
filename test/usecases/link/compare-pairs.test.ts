import { assert } from 'chai';
import type { StoredListing } from '../../../src/listing/listing.js';
import { createComparer } from '../../../src/usecases/link/compare.js';
import type { ComparisonRequest } from '../../../src/usecases/link/compare-pairs.js';
import { parseRates } from '../../../src/products/read-rates.js';

const rates = parseRates({ base: 'USD', date: '2026-01-31', rates: { EUR: '0.8' } });

const listing = (id: number, name: string, gtins: string[] = []) =>
  ({
    id,
    source: `shop_${id}`,
    merchant_id: null,
    name,
    brand: 'Sony',
    price: '199.00',
    currency: 'USD',
    updated_at: '2026-01-31T00:00:00Z',
    internal: { gtins, models: [] },
  }) as unknown as StoredListing;

const sought = listing(1, 'Sony WH-1000XM5 Wireless Headphones Black', ['4548736132580']);
const found = [
  listing(2, 'SONY Headphones Wireless WH1000XM5 black', ['4548736132580']),
  listing(3, 'Sony WF-C700N Wireless Earbuds White'),
];

const bodyOf = (responses: object[]): Uint8Array => Buffer.from(JSON.stringify({ responses }));
const hitsOf = (listings: readonly StoredListing[]) => ({
  hits: { hits: listings.map((_source) => ({ _source })) },
});
const request = (...bodies: object[][]): ComparisonRequest => ({
  listings: [sought],
  rates,
  model: null,
  responses: bodies.map(bodyOf),
});

describe('the comparison of a linking run', function () {
  it('has the same result in this thread and in worker threads', async () => {
    const [inThread, inWorkers] = [createComparer(1, 1_000), createComparer(2, 1_000)];
    const asked = request([hitsOf(found)]);
    const expected = await inThread(asked);
    assert.isTrue('pairs' in expected);
    const [pairs = []] = 'pairs' in expected ? expected.pairs : [];
    const compared = pairs.map(([id, probability, contradicted]) => [id, probability > 0.5, contradicted]);
    assert.deepEqual(compared, [
      [2, true, 0],
      [3, false, 1],
    ]);
    assert.deepEqual(await Promise.all([inWorkers(asked), inWorkers(asked)]), [expected, expected]);
  });

  it('requests further listings if all candidates share a GTIN, and compares them as well', async () => {
    const compare = createComparer(4, 10);
    const first = [
      hitsOf(Array.from({ length: 20 }, (_, at) => ({ ...found[0], id: 10 + at })) as StoredListing[]),
    ];
    const wanted = await compare(request(first));
    assert.lengthOf('wanted' in wanted ? wanted.wanted : [], 1);
    const complete = await compare(request(first, [hitsOf([{ ...found[0], id: 99 } as StoredListing])]));
    const [pairs = []] = 'pairs' in complete ? complete.pairs : [];
    assert.deepEqual([pairs.length, pairs.at(-1)?.[0]], [21, 99]);
  });

  it('compares a candidate also with the candidates of the own source, which may fit it better', async () => {
    const compare = createComparer(1, 10);
    const candidate = listing(2, 'Sony Compact Dryer DLE3733W');
    const sibling = (source: string) =>
      ({ ...listing(3, 'Sony Compact Dryer DLE3733W White'), source }) as StoredListing;
    const plain = listing(1, 'Sony Vented Dryer');
    const probabilityWith = async (other: StoredListing) => {
      const compared = await compare({ ...request([hitsOf([candidate, other])]), listings: [plain] });
      return 'pairs' in compared ? (compared.pairs[0]?.[0]?.[1] ?? NaN) : NaN;
    };
    const [own, another] = [
      await probabilityWith(sibling('shop_1')),
      await probabilityWith(sibling('shop_3')),
    ];
    assert.isBelow(own, another);
  });

  it('does not group a listing with another listing of a shop that has one with exactly its name', async () => {
    const unbranded = (id: number, source: string, name: string) =>
      ({ ...listing(id, name), source, brand: null }) as StoredListing;
    const plain = unbranded(1, 'shop_1', 'Velrock Falcon Mechanical Keyboard');
    const [namesake, white] = [
      unbranded(2, 'shop_2', 'Velrock FALCON Mechanical Keyboard'),
      unbranded(3, 'shop_2', 'Velrock Falcon Mechanical Keyboard, White'),
    ] as const;
    const contradicted = async (...others: StoredListing[]) => {
      const compared = await createComparer(1, 10)({ ...request([hitsOf(others)]), listings: [plain] });
      return 'pairs' in compared ? compared.pairs[0]?.map(([id, , other]) => [id, other]) : null;
    };
    assert.deepEqual(await contradicted(namesake, white), [
      [2, 0],
      [3, 1],
    ]);
    assert.deepEqual(await contradicted(white), [[3, 0]]);
  });

  it('takes a pair that only words connect for less likely than it scores', async () => {
    const unbranded = (id: number, name: string) => ({ ...listing(id, name), brand: null }) as StoredListing;
    const scoreOf = async (name: string) => {
      const compared = await createComparer(
        1,
        10,
      )({ ...request([hitsOf([unbranded(2, name)])]), listings: [unbranded(1, name)] });
      return 'pairs' in compared ? compared.pairs[0]?.[0]?.[1] : null;
    };
    // 0.89 is the highest score of names alone.
    assert.isAtMost((await scoreOf('Velrock Falcon Mechanical Keyboard')) ?? 1, 0.84);
    assert.isAbove((await scoreOf('Velrock VK8500 Mechanical Keyboard')) ?? 0, 0.89);
  });

  it('reports the failure of a search', async () => {
    const error = { type: 'search_phase_execution_exception', reason: 'all shards failed' };
    assert.deepEqual(await createComparer(1, 10)(request([{ error }])), { failed: error });
  });
});
