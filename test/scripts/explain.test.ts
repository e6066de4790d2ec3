import { assert } from 'chai';
import { main as explain } from '../../scripts/explain.js';
import { useApi } from '../support/api.js';
import { run, ends } from '../support/command.js';
import { record } from '../support/listings.js';
import { elasticsearchUrl } from '../support/services.js';

describe('npm run explain', () => {
  const api = useApi([
    record({ sku: 'red', name: 'Red kettle', price: '30.00', gtin: '4006381333931' }),
    record({ sku: 'blue', name: 'Blue glass kettle', price: null }),
    record({ sku: 'tv', name: 'Smart television', price: '500.00' }),
  ]);

  const explained = (...args: string[]) =>
    run(explain, args, { env: { INDEX_PREFIX: api.prefix, ELASTICSEARCH_URL: elasticsearchUrl } });

  it('prints the tokens, the words, the request, and the clauses that the first listings score by', async () => {
    const { code, out, err } = await explained('red ketle tv');
    assert.strictEqual(code, 0, err);
    assert.include(out, `finds 3 of 3 listings of ${api.products}, 0 of them with every word`);
    assert.include(out, 'searched for instead: red kettle tv');
    assert.match(out, /^ +2 {2}televis {2}\(synonym\)$/m);
    assert.include(out, 'ketle: in no listing found; read as kettle');
    const request = /_search\n(\{[\s\S]*?\n\})\n/.exec(out)?.[1] ?? '';
    const { hits } = await api.es.search({ index: api.products, ...(JSON.parse(request) as object) });
    assert.lengthOf(hits.hits, 3);
    const first = /FIRST LISTINGS\n +1\. ([\d.]+) {2}Red kettle\n.*\n(.*)/.exec(out);
    assert.isAbove(Number(first?.[1]), 500);
    assert.match(first?.[2] ?? '', /words [\d.]+.*; lacks tv$/);
    assert.include(out, 'no price');
  });

  it('prints how a name is read, without a catalogue', async () => {
    const args = ['--name', 'Leather case for Vesper 13 - Black'];
    const { code, out, err } = await run(explain, args, { env: {} });
    assert.strictEqual(code, 0, err);
    assert.match(out, /^0–7 +leather +material +item +.*lexicon material → material/m);
    assert.match(out, /^target +13$|^model +target +13$/m);
    assert.match(out, /^kind +item +case$/m);
    assert.strictEqual((await run(explain, ['kettle', ...args], { env: {} })).code, 2);
    assert.strictEqual((await explained(...args)).code, 0);
  });

  it('prints one listing with its score among all results, or that it is not found', async () => {
    const all = await explained('red kettle');
    const id = await api.id('blue');
    const { out } = await explained('red kettle', '--id', String(id));
    const score = / ([\d.]+) {2}Blue glass kettle/;
    assert.strictEqual(score.exec(out)?.[1], score.exec(all.out)?.[1]);
    assert.include(out, 'lacks red');
    assert.notInclude(out, 'Red kettle');
    const other = await explained('red kettle', '--id', String(await api.id('tv')));
    assert.include(other.out, 'not found: it has too few of the words');
    const none = await explained('red kettle', '--id', '1');
    assert.deepEqual([none.code, none.err.includes('There is no listing 1')], [1, true]);
  });

  it('reports that nothing is found, and rejects invalid arguments', async () => {
    await ends(explained('zzzz'), 0, { out: /finds 0 of 3 listings[\s\S]*FIRST LISTINGS\n {2}none\n$/ });
    for (const args of [[], [' '], ['a', 'b'], ['kettle', '--id', 'x']]) {
      assert.strictEqual((await explained(...args)).code, 2, args.join(' '));
    }
    for (const query of ['"', '(', '--']) assert.strictEqual((await explained('--', query)).code, 0, query);
  });
});
