// Chaos only (commands, sampled): it checks rules against judged queries.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { assert } from 'chai';
import { main as reindex } from '../../scripts/reindex.js';
import { main as rules } from '../../scripts/rules.js';
import { CURRENT_SCHEMA } from '../../src/listing/schema-versions.js';
import { productsAlias } from '../../src/engine/indices.js';
import { findByText, TEXT_ALONE } from '../../src/usecases/search/text-match.js';
import { PublishedRules, ruleVersions } from '../../src/published/published-rules.js';
import { useApi } from '../support/api.js';
import { run } from '../support/command.js';
import { offer } from '../support/listings.js';

describe('npm run rules', () => {
  const api = useApi(
    Array.from({ length: 30 }, (_, at) =>
      offer(`lamp-${at}`, `Brass desk lamp ${at}`, '20.00', { brand: at < 10 ? 'Lumo' : 'Glim' }),
    ),
  );
  let folder = '';
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'rules-'));
  });
  after(() => rm(folder, { recursive: true }));

  const write = async (name: string, text: string): Promise<string> => {
    const file = path.join(folder, name);
    await writeFile(file, text);
    return file;
  };
  const called = (...args: string[]) => run(rules, args, { env: { INDEX_PREFIX: api.prefix } });
  const done = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await called(...args);
    assert.equal(code, 0, err);
    return out;
  };
  /** Returns the first listing that a service finds once it has noticed the active version. */
  const firstSku = async () => {
    const published = await new PublishedRules(ruleVersions(api.es, api.prefix)).current();
    const { hits } = await findByText(api.es, {
      ...TEXT_ALONE,
      text: 'desk lamp',
      rules: { published, now: new Date() },
      schema: CURRENT_SCHEMA,
      target: { index: api.products },
      page: { slice: { limit: 1, offset: 0 } },
    });
    return hits[0]?._source?.sku;
  };
  const pinning = (id: number) =>
    `rules:\n  - name: best lamp\n    query: {exact: [desk lamp]}\n    pin: [{id: ${id}}, {id: 99}]\n    hide: [{brand: Lumo}]\n`;

  it('shows the effect of a file without publishing it', async () => {
    const file = await write('rules.yaml', pinning(await api.id('lamp-29')));
    const judgements = await write(
      'judged.csv',
      'query,source,sku,rating\ndesk lamp,shop_a,lamp-29,3\ndesk lamp,shop_a,lamp-3,2\nbrass,shop_a,lamp-4,1\nbrass,shop_a,lamp-5,0\n',
    );
    const out = await done('check', file, '--judgements', judgements);
    assert.include(out, 'The catalogue has no listing of id 99.');
    assert.match(out, /"desk lamp": rules: best lamp; 30 → 20 found; NDCG@10 0\.\d{3} → 0\.\d{3}/);
    assert.match(out, /^ {2}1 +was \d+ +Brass desk lamp 29 \(shop_a lamp-29\)$/m);
    assert.match(out, /^1 of 2 queries change\.$/m);
    assert.match(out, /NDCG@10 of the 2 judged queries is 0\.\d{3} and would be 0\.\d{3}\./);
    assert.notEqual(await firstSku(), 'lamp-29');
    const { effects } = JSON.parse(await done('check', file, '--json'));
    assert.deepEqual(effects[0].total, { before: 30, after: 20 });
    const earlier = await write('dated.yaml', `${pinning(1)}    from: 2020-01-01\n    until: 2020-01-31\n`);
    assert.include(await done('check', earlier), '0 of 1 queries change.');
    assert.include(await done('check', earlier, '--at', '2020-01-31T12:00:00Z'), '30 → 20 found');
  });

  it('publishes, lists and rolls back versions, which a reindex and its rollback keep', async () => {
    const file = await write('rules.yaml', pinning(await api.id('lamp-29')));
    assert.match(await done('publish', file), /^rules: version 1 with 1 rule is active$/m);
    assert.match(await done('publish', file), /version 1 is active and has the same rules/);
    assert.equal(await firstSku(), 'lamp-29');

    const moved = await run(reindex, [], { env: { INDEX_PREFIX: api.prefix } });
    assert.equal(moved.code, 0, moved.err);
    assert.equal(await firstSku(), 'lamp-29');
    const back = await run(reindex, ['--rollback'], { env: { INDEX_PREFIX: api.prefix } });
    assert.equal(back.code, 0, back.err);
    assert.isTrue(await api.es.indices.existsAlias({ name: productsAlias(api.prefix) }));
    assert.equal(await firstSku(), 'lamp-29');

    const other = await write('other.yaml', pinning(await api.id('lamp-20')));
    await done('publish', other);
    assert.equal(await firstSku(), 'lamp-20');
    const listed = await done('list');
    assert.match(listed, /^2 +\S+ +1 +active$/m);
    assert.match(listed, /^best lamp +pin 2, hide 1 +active$/m);
    assert.equal(await done('rollback'), 'rules: version 1 is active\n');
    assert.equal(await firstSku(), 'lamp-29');
    assert.equal(await done('rollback'), 'rules: none are active\n');
    assert.notEqual(await firstSku(), 'lamp-29');
    const { code, err } = await called('rollback');
    assert.equal(code, 1);
    assert.include(err, 'No other version of the merchandising rules was active before.');
  });

  it('refuses an invalid file with the line of each error', async () => {
    const file = await write(
      'wrong.yaml',
      'rules:\n  - name: a\n    query: {exact: [lamp]}\n    pin: [{id: x}]\n',
    );
    for (const command of ['check', 'publish']) {
      const { code, err } = await called(command, file);
      assert.equal(code, 1);
      assert.include(err, `${file}:4: rules[0].pin[0].id: must be of the type integer`);
    }
    const large = await write('large.yaml', '#'.repeat(10_000_000));
    assert.include((await called('publish', large)).err, 'larger than the maximum of 262,144 bytes');
    assert.include((await called('publish', path.join(folder, 'none'))).err, 'no such file');
    assert.equal((await called('publish')).code, 2);
  });
});
