import { assert } from 'chai';
import { CURRENT_SCHEMA } from '../../src/listing/schema-versions.js';
import { ruleVersions } from '../../src/published/published-rules.js';
import { findByText, TEXT_ALONE } from '../../src/usecases/search/text-match.js';
import { useApi } from '../support/api.js';
import { record } from '../support/listings.js';

const COLOURS = ['red', 'blue', 'grey', 'black', 'white'];

const lamp = (at: number) =>
  record({
    sku: `lamp-${at}`,
    name: `${COLOURS[at % 5]} desk lamp ${at}`,
    price: `${10 + (at % 9)}.00`,
    brand: at % 3 === 0 ? 'Luxalo' : 'Fenwick',
    category: 'Lamps',
    metadata: { colour: COLOURS[at % 5] },
  });

interface Page {
  total: number | null;
  has_more: boolean;
  offset: number;
  items: { id: number; sku: string }[];
  matched?: object;
  next_cursor?: string | null;
}

const COUNT = 120;

describe('a search with count=none', () => {
  const api = useApi([
    ...Array.from({ length: COUNT }, (_, at) => lamp(at)),
    ...Array.from({ length: 4 }, (_, at) =>
      record({
        sku: `shade-${at}`,
        name: `paper shade ${at}`,
        price: '5.00',
        metadata: { mpn: `PS-90${at}X` },
      }),
    ),
  ]);

  before(async () => {
    const id = await api.id('shade-1');
    const rules = { rules: [{ name: 'shades', query: { exact: ['white lamp'] }, pin: [{ id }] }] };
    const now = new Date('2026-11-24T12:00:00Z');
    await ruleVersions(api.es, api.prefix).store(rules, { now, counts: {}, figures: {} });
  });

  /** Reads all pages of a search: with `cursor` by cursor, otherwise by offset. */
  async function pages(path: string, more: Record<string, string>): Promise<Page[]> {
    const read: Page[] = [];
    let next: Record<string, string> | null = more['cursor'] === undefined ? { offset: '0' } : { cursor: '' };
    while (next !== null) {
      const query = new URLSearchParams({ ...more, ...next }).toString();
      const page = (await api.ok(`${path}?${query}`)) as Page;
      read.push(page);
      const { next_cursor: cursor, has_more: hasMore, offset, items } = page;
      next =
        cursor === undefined
          ? hasMore
            ? { offset: String(offset + items.length) }
            : null
          : cursor === null
            ? null
            : { cursor };
    }
    return read;
  }

  const searches: Record<string, string>[] = [
    {},
    { sort: 'price_asc', brand: 'Luxalo' },
    { q: 'desk lamp' },
    { q: 'red lamp' },
    { q: 'red lamp', brand: 'Luxalo', in_stock: 'false' },
    { q: 'white lamp' },
    { q: 'desk lamp', sort: 'rating' },
    { q: 'grey desk lamp 7' },
    { q: 'desk lamp shade' },
    { q: 'deks lamp' },
    { q: 'desk lamp zzqx' },
    { q: 'PS-902X' },
    { q: 'paper shade 3' },
    { q: 'zzqx' },
    { q: 'desk lamp', match: 'all' },
    { q: 'red desk', match: 'any' },
    { q: 'red desk', match: 'any', brand: 'Fenwick' },
    { q: 'red lamp', match: 'auto' },
    { q: 'lamp -red', fields: 'sku,name' },
    { q: 'red lamp under $15', interpret: 'true', highlight: 'true' },
  ];
  const pagings: Record<string, string>[] = [
    { limit: '7' },
    { limit: '20' },
    { limit: '24', cursor: '' },
    { limit: '30', cursor: '' },
  ];
  for (const search of searches)
    it(`has the pages of an exact count: ${JSON.stringify(search)}`, async () => {
      for (const paging of pagings) {
        const path = paging['limit'] === '7' ? '/v1/products' : '/v1/search';
        const exact = await pages(path, { ...search, ...paging });
        const uncounted = await pages(path, { ...search, ...paging, count: 'none' });
        const comparable = ({ next_cursor: next, ...page }: Page) => ({ ...page, ends: next === null });
        assert.deepEqual(
          uncounted.map(comparable),
          exact.map((page) => comparable({ ...page, total: null })),
        );
      }
    });

  it('counts no more listings than show whether there is a next page', async () => {
    const totalOf = async (text: string, limit: number, isCounted = false) => {
      const { total } = await findByText(api.es, {
        ...TEXT_ALONE,
        isCounted,
        text,
        target: { index: api.products },
        schema: CURRENT_SCHEMA,
        page: { slice: { limit, offset: 0 } },
      });
      return total;
    };
    assert.equal(await totalOf('desk lamp', 50, true), COUNT);
    assert.equal(await totalOf('desk lamp', 50), 51);
    // `match=auto` needs to know whether 20 listings have all words.
    assert.equal(await totalOf('desk lamp', 5), 20);
    assert.equal(await totalOf('desk lamp', COUNT), COUNT);
  });

  it('is the default with exact, and differs in its ETag', async () => {
    const [plain, exact, none] = await Promise.all(
      ['', '&count=exact', '&count=none'].map((count) => api.get(`/v1/search?q=lamp${count}`)),
    );
    assert.equal(exact?.text, plain?.text);
    assert.equal(none?.text, plain?.text.replace(`"total":${COUNT}`, '"total":null'));
    assert.notEqual(none?.headers.get('etag'), plain?.headers.get('etag'));
  });

  it('is refused with what counts listings, and with other values', async () => {
    const refused: [string, string][] = [
      ['facets=brand', 'Value error, none cannot be combined with facets'],
      ['facet_q=brand:lux', 'Value error, none cannot be combined with facet_q'],
      ['group=product', 'Value error, none cannot be combined with group'],
      ['explain=true', 'Value error, none cannot be combined with explain'],
    ];
    for (const path of ['/v1/search', '/v1/products'])
      for (const [parameter, msg] of refused) {
        const { status, body, text } = await api.get(`${path}?q=lamp&count=none&${parameter}`);
        assert.equal(status, 422, text);
        assert.deepEqual(body.detail, [{ loc: ['query', 'count'], msg, type: 'value_error' }]);
        assert.equal((await api.get(`${path}?q=lamp&count=exact&${parameter}`)).status, 200);
      }
    await api.ok('/v1/search?q=lamp&count=none&facets=&explain=false');
    for (const count of ['', 'NONE', 'estimate', '0']) {
      const { status, body } = await api.get(`/v1/search?q=lamp&count=${count}`);
      assert.equal(status, 422, count);
      assert.deepEqual(body.detail[0].loc, ['query', 'count']);
    }
  });

  it('is an unknown parameter of other lists', async () => {
    assert.isNumber((await api.ok('/v1/deals?count=none')).total);
    const { status, body } = await api.get('/v1/deals?count=none&strict=true');
    assert.equal(status, 422);
    assert.deepEqual(body.detail[0].loc, ['query', 'count']);
    assert.equal(body.detail[0].type, 'extra_forbidden');
  });
});
