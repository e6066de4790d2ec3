// Chaos only (builds, sampled): it generates and compiles the client.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { assert } from 'chai';
import { main as alerts } from '../../scripts/alerts.js';
import { buildTypescriptClient, clientFolder } from '../../tools/clients.js';
import { startApi, type Api } from '../support/api.js';
import { outputOf } from '../support/command.js';
import { record } from '../support/listings.js';
import { KETTLES } from './kettles.js';

const FOLDER = clientFolder('typescript');

/** The exports of the built client, whose types are checked when it is built. */
interface Built {
  createClient(options: { url: string; key: string }): {
    GET(path: string, init?: object): Promise<{ data?: any; error?: any; response: Response }>;
    POST(path: string, init?: object): Promise<{ data?: any; error?: any; response: Response }>;
  };
}

describe('the TypeScript client', function () {
  let api: Api;
  before(async () => {
    api = await startApi();
    await api.load(KETTLES);
    await buildTypescriptClient();
  });
  after(() => api.stop());

  it('sends words, lists, attributes and bodies, and returns errors unchanged', async () => {
    const { createClient } = (await import(pathToFileURL(join(FOLDER, 'dist/index.js')).href)) as Built;
    const client = createClient({ url: api.url, key: await api.key() });
    const found = async (query: object): Promise<string[]> =>
      (await client.GET('/v1/search', { params: { query } })).data.items.map(
        ({ sku }: { sku: string }) => sku,
      );
    assert.deepEqual(await found({ q: 'blue kettle', match: 'all' }), ['a']);
    assert.sameMembers(await found({ brand: ['Sonvara', 'Rondure'] }), ['a', 'b']);
    assert.deepEqual(await found({ 'attr.NAME': { 'attr.colour': 'grey' } }), ['c']);
    const { data: page } = await client.GET('/v1/search', { params: { query: { fields: ['sku', 'name'] } } });
    assert.hasAllKeys(page.items[0], ['id', 'sku', 'name']);
    const ids = [await api.id('a'), await api.id('b')];
    const one = await client.GET('/v1/products/{product_id}', { params: { path: { product_id: ids[0] } } });
    assert.equal(one.data.name, 'Blue kettle');
    const diff = await client.POST('/v1/products/compare/diff', { body: { product_ids: ids } });
    assert.lengthOf(diff.data.products, 2);
    const ask = async (path: string, init: object = {}) => (await client.GET(path, init)).data;
    const best = { q: 'blue kettle' };
    assert.equal((await ask('/v1/products/best-price', { params: { query: best } })).name, 'Blue kettle');
    const several = await ask('/v1/products/best-price', { params: { query: { ...best, limit: 3 } } });
    assert.equal(several.items[0].name, 'Blue kettle');
    const path = { product_id: ids[0] };
    const offers = await ask('/v1/products/{product_id}/offers', { params: { path } });
    assert.equal(offers.offers[0].sku, 'a');
    assert.isAbove((await ask('/v1/sources')).total, 0);
    const catalogue = await client.POST('/ucp/v1/catalog/search', {
      params: { header: { 'UCP-Agent': 'profile="https://platform.example/.well-known/ucp"' } },
      body: { query: 'kettle' },
    });
    assert.isNotEmpty(catalogue.data.products);
    const wrong = await client.GET('/v1/search', { params: { query: { limit: 0 } } });
    assert.equal(wrong.response.status, 422);
    assert.equal(wrong.error.detail[0].type, 'greater_than_equal');
  });

  it('has types that allow only what the API offers', async () => {
    const compiler = join(FOLDER, '../../node_modules/typescript/bin/tsc');
    const check = async (file: string) =>
      promisify(execFile)(process.execPath, [compiler, '--noEmit', '-p', join(FOLDER, file)]).then(
        () => '',
        ({ stdout }: { stdout: string }) => stdout,
      );
    assert.equal(await check('tsconfig.examples.json'), '');
    const declared = readFileSync(join(FOLDER, 'dist/schema.d.ts'), 'utf8');
    for (const name of ['search', 'compare', 'bestPrice']) assert.include(declared, `operations["${name}"]`);
    assert.match(declared, /match_reasons: \("gtin" \| "model"/);
  });

  it('watches a price', async () => {
    const program = join(FOLDER, 'examples/price-watch.ts');
    const watch = async (...args: string[]) => {
      const env = { ...process.env, KEY: await api.key() };
      const given = ['--import', 'tsx', program, api.url, 'Blue kettle', ...args, '--once'];
      return (await promisify(execFile)(process.execPath, given, { env })).stdout.trim().split('\n');
    };
    assert.deepEqual(await watch('9.00', 'SGD'), [
      'Blue kettle: SGD 20.00 at shop_a',
      'Waiting for a price below SGD 9.00',
    ]);
    await outputOf(alerts, api.prefix);
    await api.load([record({ sku: 'a', name: 'Blue kettle', brand: 'Sonvara', price: '8.50' })]);
    await outputOf(alerts, api.prefix);
    const [, , event = ''] = await watch('9.00', 'SGD');
    assert.match(event, /^\d{4}-.*Z: SGD 8\.50 at shop_a$/);
    const error = await watch('cheap', 'SGD').catch((thrown: unknown) => thrown as { stderr: string });
    assert.match('stderr' in error ? error.stderr : '', /price_below/);
  });

  it('is packed with all files that it needs', async () => {
    const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json'], { cwd: FOLDER });
    const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
    assert.sameMembers(
      files.map(({ path }) => path),
      [
        'README.md',
        'package.json',
        ...['index', 'schema'].flatMap((name) => [`dist/${name}.js`, `dist/${name}.d.ts`]),
      ],
    );
  });
});
