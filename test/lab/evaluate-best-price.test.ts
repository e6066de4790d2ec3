import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { assert } from 'chai';
import { main } from '../../lab/evaluate.js';
import type { Report } from '../../lab/evaluation/report.js';
import { run } from '../support/command.js';
import { useApi } from '../support/api.js';
import { groupListings, record } from '../support/listings.js';

/**
 * Offers of two shops: two products whose names are equal in both shops, and a product whose name extends
 * that of the first one.
 */
const CATALOGUE = [
  ['shop_a', 'a1', 'Norda Kettle K200, steel, 1.7 l', '30.00'],
  ['shop_b', 'b1', 'Norda Kettle K200, steel, 1.7 l', '28.00'],
  ['shop_a', 'a2', 'Norda Kettle K200 Lite, plastic', '19.00'],
  ['shop_a', 'a3', 'Velto Phone P5+ 64 GB', '210.00'],
  ['shop_b', 'b3', 'Velto Phone P5 Plus 64GB', '205.00'],
] as const;

describe('npm run evaluate against the naive baseline', function () {
  const folder = mkdtempSync(path.join(tmpdir(), 'evaluate-best-price-'));
  const at = (name: string) => path.join(folder, name);

  const api = useApi();
  let key: string;
  before(async () => {
    key = await api.key();
    await api.load(CATALOGUE.map(([source, sku, name, price]) => record({ source, sku, name, price })));
  });
  after(async () => {
    rmSync(folder, { recursive: true });
  });

  /** Runs the command, and returns its output and the figures of its report. */
  const evaluate = async (command: string, ...args: string[]) => {
    const isMeasured = command !== 'make-tasks';
    const json = isMeasured ? ['--json', at('report.json')] : [];
    const { code, out, err } = await run(main, [command, '--url', api.url, ...json, ...args], {
      env: { API_KEY: key },
    });
    assert.equal(code, 0, err);
    const report = isMeasured ? (JSON.parse(readFileSync(at('report.json'), 'utf8')) as Report) : null;
    const figure = (name: string) => report?.figures.find((one) => one.name === name);
    return { out, figure };
  };

  it('requests names that several listings have, and shows the figures of both side by side', async () => {
    const { out, figure } = await evaluate('names');
    const right = figure('right');
    assert.deepInclude(right, { value: 1, cases: 2 });
    assert.equal(right?.baseline?.value, 1);
    assert.equal(right?.difference?.value, 0);
    assert.match(out, /^figure .* naive +value minus naive$/m);
    assert.match(out, /^of several sources +naive +2 +2 +0 +0 +0$/m);
  });

  it('shortens names to their heads, which longer names contain', async () => {
    const { figure } = await evaluate('names', '--heads', '--sample', '5');
    const longer = figure('longer name');
    assert.equal(longer?.cases, 2);
    // For "K200", the naive baseline returns the cheaper "K200 Lite".
    assert.equal(longer?.baseline?.value, 0.5);
  });

  it('performs tasks, and counts answers that are complete and right', async () => {
    const tasks = [
      'task,family,phrases,answer',
      '1,specific,velto phone p5 plus 64 gb,shop_a:a3 shop_b:b3',
      '2,cheapest,velto phone p5+ 64gb,shop_b:b3',
      '3,specific,velto phone p6,shop_a:a3',
    ];
    writeFileSync(at('tasks.csv'), tasks.join('\n'));
    const { out, figure } = await evaluate('tasks', '--tasks', at('tasks.csv'));
    const naive = (name: string) => figure(`specific and cheapest: ${name}`)?.baseline?.value.toFixed(2);
    assert.equal(naive('exactly the right offers'), '0.67');
    assert.equal(naive('a wrong offer'), '0.00');
    assert.equal(naive('no answer'), '0.33');
    assert.match(out, /^specific +naive +2 +1 +1 +0 +1$/m);
  });

  it('makes tasks, and writes those of half of the products to a file of their own', async () => {
    const { out } = await evaluate('make-tasks', '--out', at('open.csv'), '--held-back', at('held.csv'));
    const files = ['open.csv', 'held.csv'].map((name) => readFileSync(at(name), 'utf8'));
    assert.match(
      out,
      /open\.csv: \d tasks \(\d specific, \d cheapest\)\n.*held\.csv: \d tasks .*, held back\n$/,
    );
    for (const text of files) assert.match(text, /^"task","family","text","phrases","answer"\n/);
    // The name "Norda Kettle K200" also fits the K200 Lite, so only the phone is suitable for tasks.
    const rows = files.flatMap((text) => text.trim().split('\n').slice(1));
    assert.lengthOf(rows, 2);
    assert.match(rows.join('\n'), /"specific",.*(?:\+|plus).*"shop_[ab]:[ab]3 shop_[ab]:[ab]3"/i);
    assert.match(rows.join('\n'), /"cheapest",.*"shop_b:b3"/);
  });

  it('asks whether labelled pairs are the same product', async () => {
    const pairs = [
      'a_source,a_sku,b_source,b_sku,label',
      'shop_a,a1,shop_b,b1,1',
      'shop_a,a1,shop_a,a3,0',
      'shop_a,a1,shop_b,missing,1',
    ];
    writeFileSync(at('pairs.csv'), pairs.join('\n'));
    const { figure } = await evaluate('pairs', '--pairs', at('pairs.csv'));
    assert.deepInclude(figure('F1'), { value: 1, cases: 2 });
    assert.isBelow(figure('expected calibration error')?.value ?? 1, 0.5);
  });

  it('counts groups that mix makers, and prints groups whose names differ', async () => {
    const [lite, phone] = ['a2', 'a3'];
    await groupListings(api, ['a1', 'b1']);
    await groupListings(api, [lite, phone, 'b3']);
    // A brand that a listing states is recognized as the maker in every name that begins with it.
    await api.load([
      record({ sku: 'n', name: 'Norda Toaster', brand: 'Norda' }),
      record({ sku: 'n2', name: 'Norda Kettle', brand: 'Norda' }),
      record({ sku: 'v', name: 'Velto Watch', brand: 'Velto' }),
      record({ sku: 'v2', name: 'Velto Clock', brand: 'Velto' }),
    ]);
    for (const sku of ['n', 'n2', 'v', 'v2']) await groupListings(api, [sku]);
    const { out, figure } = await evaluate('groups');
    assert.deepInclude(figure('groups that mix makers'), { value: 0.5, cases: 2 });
    assert.match(out, /^mixes makers\n(?: {4}.*\n){3}drawn\n(?: {4}.*\n){3}$/m);
  });
});
