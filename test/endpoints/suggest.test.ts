// Chaos too (oracles): npm test makes the suggestions of a third of the listings.
import { randomUUID } from 'node:crypto';
import type { estypes } from '@elastic/elasticsearch';
import { assert } from 'chai';
import { main } from '../../scripts/suggest.js';
import { search } from '../../src/http/routes/search.js';
import { parameterCheck } from '../../src/http/validation.js';
import type { SearchParameters } from '../../src/usecases/search/parameters.js';
import { eventStream, prepareStream } from '../../src/telemetry/events/streams.js';
import { writeEvents } from '../../src/telemetry/events/stream-writer.js';
import { Backoff } from '../../src/engine/backoff.js';
import { connectionsOf } from '../../src/listing/connections.js';
import type { StoredListing } from '../../src/listing/listing.js';
import { parseQueryText } from '../../src/engine/queries/query-text.js';
import { textSelection } from '../../src/engine/queries/search.js';
import { filterClauses } from '../../src/engine/queries/refinements.js';
import { shippedJson } from '../../src/platform/shipped-files.js';
import { recountValues } from '../../src/usecases/suggest/recount-values.js';
import { searchOf } from '../../src/engine/queries/suggestions.js';
import type { StoredSuggestion, Suggestion } from '../../src/schemas/suggestion.js';
import { generateCatalogue, SAMPLE_DEFAULTS } from '../../tools/sample-catalogue/catalogue.js';
import { type Api, startApi, useApi } from '../support/api.js';
import { isChaos } from '../support/chaos.js';
import { outputOf, run } from '../support/command.js';
import { record } from '../support/listings.js';

const SUGGESTIONS_INDEX = shippedJson('mappings/suggestions.json') as {
  mappings: estypes.MappingTypeMapping;
  settings: estypes.IndicesIndexSettings;
};

const checkQuery = parameterCheck(search.query, 'query');

const makeSuggestions = ({ prefix }: Api) => outputOf(main, prefix);

describe('GET /v1/suggest', function () {
  const api = useApi();
  const suggest = async (parameters: Record<string, string>): Promise<Suggestion[]> => {
    const body = await api.ok(`/v1/suggest?${new URLSearchParams(parameters)}`);
    assert.equal(body.q, parameters['q']);
    return body.items;
  };
  const texts = async (q: string, more: Record<string, string> = {}) =>
    (await suggest({ q, ...more })).map(({ text }) => text);

  before(async () => {
    assert.deepEqual((await api.get('/v1/suggest?q=a')).body.items, [], 'there is nothing to suggest');
    const named = (sku: string, name: string, more = {}) => record({ sku, name, ...more });
    await api.load([
      ...['1', '2', '3'].map((n) =>
        named(n, `Auralis AX-1000M5 Wireless Headphones ${n}`, {
          brand: 'Auralis',
          category: 'Headphones',
          metadata: { model: 'AX-1000M5' },
        }),
      ),
      named('4', 'Auralis lamp', { brand: 'AURALIS', category: 'Lamps' }),
      named('5', 'Head torch', { brand: 'Headlite', category: 'Torches' }),
      named('6', 'Crème', { brand: 'Crème & Co', category: 'Beauty' }),
      ...['7', '8', '9'].map((n) => named(n, `索尼蓝牙耳机 ${n}`)),
      ...Array.from({ length: 12 }, (_, n) =>
        named(`t${n}`, `Torch ${n}`, { brand: 'Lumo', category: 'Overhead lights' }),
      ),
    ]);
    await searchedBy(3, 'wireless headphones auralis', 3);
    await searchedBy(2, 'lumo torch', 12);
    await searchedBy(3, 'headless horseman', 0);
    await searchedBy(4, 'torch@lumo', 12);
    // The first phrase was searched with five keys of one developer, the second one with keys of two
    // developers.
    await searchedBy(5, 'overhead torch lumo', 12, 1);
    await searchedBy(5, 'torch lumo', 12, 2);
    await searchedBy(3, 'wirless headphones', 3);
    assert.equal((await api.get('/v1/suggest?q=b')).status, 503, 'before any were made');
    await makeSuggestions(api);
  });

  /** Stores events of searches as the service does. */
  async function searchedBy(keys: number, query: string, results: number, developers = keys): Promise<void> {
    const stream = eventStream('requests', { indexPrefix: api.prefix, retentionDays: 30 });
    const storage = await prepareStream(api.es, stream);
    const now = new Date();
    const developer = (i: number) => `developer ${i % developers}`;
    const events = Array.from({ length: keys }, (_, i) => ({
      id: randomUUID(),
      at: now,
      json: JSON.stringify({
        '@timestamp': now.toISOString(),
        catalog: {
          query,
          results,
          zero_results: results === 0,
          key: { id: randomUUID(), tier: 'free', developer: developer(i) },
        },
      }),
    }));
    const { refused } = await writeEvents(api.es, { stream, storage }, events);
    assert.equal(refused, 0);
    await api.es.indices.refresh({ index: stream.name });
  }

  it('ranks matches of the beginning, then of a word, then with a typo, each by the number of listings', async () => {
    assert.deepEqual(await texts('head', { types: 'brand,category,query' }), [
      'Headphones',
      'Headlite',
      'wireless headphones auralis',
    ]);
    assert.deepEqual(await texts('overhed', { types: 'category' }), ['Overhead lights']);
    assert.deepEqual(await texts('haedphones', { types: 'category' }), ['Headphones']);
    assert.deepEqual(await texts('ax1oo0'), [], 'no typo in what has digits');
    assert.deepEqual(await texts('lom'), [], 'none in three letters');
  });

  it('returns the matched ranges, the number of listings and the search that finds them', async () => {
    const [first] = await suggest({ q: 'AX1000', types: 'model' });
    assert.deepEqual(first, {
      type: 'model',
      text: 'AX-1000M5',
      matched: [[0, 7]],
      count: 3,
      search: { q: 'AX-1000M5' },
    });
    const [brand] = await suggest({ q: 'creme', types: 'brand|category' });
    assert.deepEqual([brand?.text, brand?.matched, brand?.count], ['Crème & Co', [[0, 5]], 1]);
    assert.deepEqual(await texts('auralis', { types: 'brand,model', limit: '1' }), ['Auralis']);
  });

  it('matches two words typed as one, and one word typed as two', async () => {
    assert.deepEqual(await texts('overheadli', { types: 'category' }), ['Overhead lights']);
    assert.deepEqual(await texts('head phones', { types: 'category' }), ['Headphones']);
    const [first] = await suggest({ q: 'wirelessheadph', types: 'product' });
    assert.equal(first?.text, 'Wireless Headphones');
    assert.deepEqual(first?.matched, [[0, 15]]);
  });

  it('ranks a product before its accessories, and does not take another word for a typo', async () => {
    const phones = await startApi();
    await phones.load([
      ...['1', '2', '3', '4', '5'].map((n) =>
        record({ sku: `c${n}`, name: `Clear Case for iPhone 15, no. ${n}`, category: 'Covers' }),
      ),
      ...['1', '2', '3'].map((n) =>
        record({ sku: `p${n}`, name: `Apple iPhone 15 Pro (${n})`, brand: 'Apple', category: 'Smartphones' }),
      ),
      ...['1', '2', '3'].map((n) =>
        record({ sku: `k${n}`, name: `Kitchen knife (${n})`, category: 'Knives' }),
      ),
    ]);
    await makeSuggestions(phones);
    const found = async (q: string) =>
      ((await phones.get(`/v1/suggest?q=${encodeURIComponent(q)}`)).body.items as Suggestion[]).map(
        ({ text }) => text,
      );
    const texts = await found('iphone');
    const firstCase = texts.findIndex((text) => text.includes('Case'));
    assert.isAbove(firstCase, 0, texts.join());
    for (const text of texts.slice(firstCase)) assert.include(text, 'Case');
    assert.include(await found('iphone15'), 'Apple iPhone 15 Pro');
    assert.include(await found('iphone case'), 'Clear Case for iPhone 15');
    assert.deepEqual(await found('iknife'), []);
    await phones.stop();
  });

  it('matches Chinese text by characters', async () => {
    const found = await suggest({ q: '耳机' });
    assert.isAbove(found.length, 0);
    for (const { text, matched } of found) {
      assert.include(text, '耳机');
      assert.deepEqual(matched, [[text.indexOf('耳机'), text.indexOf('耳机') + 2]]);
    }
  });

  it('suggests texts that several developers searched for with results, and none of a single developer', async () => {
    assert.deepEqual(await texts('wir', { types: 'query' }), ['wireless headphones auralis']);
    assert.deepEqual(await texts('head', { types: 'query' }), ['wireless headphones auralis']);
    assert.deepEqual(await texts('torch', { types: 'query' }), []);
  });

  it('returns each text once', async () => {
    const found = (await texts('a', { limit: '20' })).map((text) => text.toLowerCase());
    assert.equal(new Set(found).size, found.length);
    assert.equal(found.filter((text) => text === 'auralis').length, 1);
  });

  it('reports all invalid parameters at once, and returns no suggestions for a text without letters', async () => {
    const { status, body } = await api.get('/v1/suggest?limit=21&types=colour');
    assert.equal(status, 422);
    const named = body.detail.map(({ loc }: { loc: string[] }) => loc[1]);
    assert.deepEqual(named, ['q', 'types', 'limit']);
    const kinds = await api.get('/v1/suggest?q=a&types=brand,colour');
    assert.equal(kinds.status, 422);
    assert.deepEqual(kinds.body.detail[0].loc, ['query', 'types', 1]);
    const repeated = await suggest({ q: 'auralis', types: 'category' });
    assert.deepEqual((await api.get('/v1/suggest?q=auralis&types=category&types=,')).body.items, repeated);
    const all = await suggest({ q: 'auralis' });
    assert.deepEqual((await api.get('/v1/suggest?q=auralis&types=')).body.items, all);
    assert.equal((await api.get(`/v1/suggest?q=${'x'.repeat(101)}`)).status, 422);
    assert.deepEqual(await suggest({ q: ' ?! ' }), []);
  });

  it('counts in a separate window of ten times the requests', async () => {
    const headers = { authorization: `Bearer ${await api.key('free')}` };
    const typed = await api.get('/v1/suggest?q=a', { headers });
    assert.equal(typed.headers.get('x-ratelimit-limit'), '1000');
    assert.equal(typed.headers.get('x-ratelimit-remaining'), '999');
    const searched = await api.get('/v1/search?q=a', { headers });
    assert.equal(searched.headers.get('x-ratelimit-limit'), '100');
    assert.equal(searched.headers.get('x-ratelimit-remaining'), '99');
    const again = await api.get('/v1/suggest?q=b', { headers });
    assert.equal(again.headers.get('x-ratelimit-remaining'), '998');
    assert.equal((await api.open('/v1/suggest?q=a')).status, 401);
  });

  it('follows the catalogue after a rebuild, and leaves one index', async () => {
    await api.load([record({ sku: 'new', brand: 'Zephyrine', name: 'Zephyrine fan' })]);
    // The request is sent so many times at once that its response is cached.
    for (const found of await Promise.all(Array.from({ length: 12 }, () => texts('zephy'))))
      assert.deepEqual(found, []);
    assert.match(await makeSuggestions(api), /^suggestions: .*1 query.*from 22 listings in /m);
    const asked = await Promise.all(Array.from({ length: 12 }, () => texts('zephy')));
    for (const found of asked) assert.deepEqual(found, ['Zephyrine']);
    const indices = await api.es.indices.get({ index: `${api.prefix}-suggestions-*` });
    assert.lengthOf(Object.keys(indices), 1);
  });
});

describe('the suggestions of several owners', function () {
  const brands = { a: ['Kestrion', 'Kestwood'], b: ['Kestrion', 'Kestwood'], c: ['KESTRION', 'Kest Unsold'] };
  const offer = (source: string, brand: string, n = 0) => ({
    ...record({ sku: `${brand}-${n}`, source }),
    source,
    brand,
    name: `Thing number ${n}`,
    category: null,
    metadata: null,
  });
  const api = useApi([
    ...Object.entries(brands).flatMap(([source, some]) => some.map((brand) => offer(source, brand))),
    ...Array.from({ length: 30 }, (_, n) => offer('c', 'KESTRION', n)),
    ...Array.from({ length: 40 }, (_, n) => offer('c', 'Kestrel deals', n)),
    offer('c', 'Kestrels at kestrel.example'),
  ]);
  before(() => makeSuggestions(api));
  const texts = async (q: string) =>
    ((await api.ok(`/v1/suggest?q=${q}&types=brand`)).items as Suggestion[]).map(({ text }) => text);
  /** Loads listings of brands, and counts these again in an index of suggestions. */
  const written = async (suggestions: string, ...some: string[]) => {
    await api.load(some.map((brand) => offer('d', brand)));
    const { hits } = await api.es.search<StoredListing>({
      index: api.products,
      query: { term: { source: 'd' } },
    });
    const connections = hits.hits.flatMap(({ _source: listing }) =>
      listing !== undefined && some.includes(listing.brand ?? '') ? [connectionsOf(listing)] : [],
    );
    const where = { es: api.es, indexPrefix: api.prefix, products: api.products, suggestions };
    return recountValues({ ...where, backoff: new Backoff({}) }, connections);
  };
  const blocking = (...args: string[]) => outputOf(main, api.prefix, args);

  it('that one owner alone states rank last, and have the spelling of most owners', async () => {
    assert.deepEqual(await texts('kest'), ['Kestrion', 'Kestwood', 'Kestrel deals', 'Kest Unsold']);
    // A typo of what several owners state comes before the beginning of what one does.
    assert.deepEqual(await texts('kestr'), ['Kestrion', 'Kestwood', 'Kestrel deals', 'Kest Unsold']);
  });

  it('are left out if the operator has blocked their words, also those of listings that are written later', async () => {
    assert.match(await blocking('--block', 'Deals', '--block', 'kestwood'), /^suggestions: /m);
    assert.deepEqual(await texts('kest'), ['Kestrion', 'Kest Unsold']);
    assert.strictEqual(await blocking('--blocked'), 'deals\nkestwood\n');
    assert.strictEqual(await written(`${api.prefix}-suggestions`, 'Kestdale deals', 'Kestdale'), 1);
    assert.deepEqual(await texts('kest'), ['Kestrion', 'Kest Unsold', 'Kestdale']);
    await blocking('--unblock', 'DEALS');
    assert.deepEqual(await texts('kestrel'), ['Kestrel deals']);
    assert.strictEqual(await blocking('--blocked'), 'kestwood\n');
    const { code, err } = await run(main, ['--block', ' ?! '], { env: { INDEX_PREFIX: api.prefix } });
    assert.deepEqual([code, err.includes('contains no word')], [2, true]);
  });

  it('are added to an index of an earlier version, which has no field for owners', async () => {
    const index = `${api.prefix}-suggestions-earlier`;
    const { properties = {} } = SUGGESTIONS_INDEX.mappings;
    const { alone: _, ...earlier } = properties;
    const mappings = { ...SUGGESTIONS_INDEX.mappings, properties: earlier };
    await api.es.indices.create({
      index,
      ...SUGGESTIONS_INDEX,
      mappings,
      aliases: { [`${index}-alias`]: {} },
    });
    assert.strictEqual(await written(`${index}-alias`, 'Kestmoor'), 1);
    await api.es.indices.delete({ index });
  });
});

describe('the suggestions of a catalogue', function () {
  const LISTINGS = isChaos ? 1_500 : 500;
  const sample = generateCatalogue({
    ...SAMPLE_DEFAULTS,
    listings: LISTINGS,
    now: new Date(),
    imageBaseUrl: 'https://shop.example',
  });
  const api = useApi([...sample]);
  before(async () => {
    await makeSuggestions(api);
  });

  it('find at least as many listings as they state', async () => {
    const all = await api.es.helpers.search<StoredSuggestion>({
      index: `${api.prefix}-suggestions`,
      size: 10_000,
    });
    assert.isAbove(all.length, LISTINGS / 3);
    const few: unknown[] = [];
    for (let at = 0; at < all.length; at += 200) {
      const some = all.slice(at, at + 200);
      const { responses } = await api.es.msearch({
        index: api.products,
        searches: some.flatMap(({ type, text }): estypes.MsearchRequestItem[] => {
          const { value, issues } = checkQuery(searchOf(type, text));
          assert.deepEqual(issues, []);
          const { q, ...filters } = value as SearchParameters;
          const filter = filterClauses(filters, new Date());
          const { query } =
            q === undefined ? { query: { bool: { filter } } } : textSelection(parseQueryText(q), { filter });
          return [{}, { query, size: 0, track_total_hits: true }];
        }),
      });
      responses.forEach((answer, i) => {
        const total = 'hits' in answer ? (answer.hits.total as estypes.SearchTotalHits).value : 0;
        if (total < Math.max(1, some[i]?.count ?? 1)) few.push({ ...some[i], total });
      });
    }
    assert.deepEqual(few, []);
  });
});
