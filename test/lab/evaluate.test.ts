import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { assert } from 'chai';
import { main } from '../../lab/evaluate.js';
import type { Report } from '../../lab/evaluation/report.js';
import { useApi } from '../support/api.js';
import { record } from '../support/listings.js';
import { run, ends } from '../support/command.js';

describe('npm run evaluate', function () {
  const folder = mkdtempSync(path.join(tmpdir(), 'evaluate-'));

  const api = useApi();
  let key: string;
  before(async () => {
    key = await api.key();
    await api.load([
      record({ sku: 'red', name: 'Red kettle of steel' }),
      record({ sku: 'blue', name: 'Blue kettle of glass' }),
      record({ sku: 'lamp', name: 'Lamp' }),
    ]);
  });
  after(async () => {
    rmSync(folder, { recursive: true });
  });

  const file = (name: string, text: string): string => {
    const target = path.join(folder, name);
    writeFileSync(target, text);
    return target;
  };
  const evaluate = (...args: string[]) => run(main, args, { env: { API_KEY: key } });
  const search = (judgements: string, ...more: string[]) =>
    evaluate('search', '--url', api.url, '--judgements', file('judgements.csv', judgements), ...more);
  const HEADER = 'query,source,sku,rating\n';
  /**
   * Asserts that the command fails with one sentence and without a stack trace, before it measures anything.
   */
  const fails = async (ended: ReturnType<typeof evaluate>, message: RegExp) => {
    const { code, out, err } = await ended;
    assert.equal(code, 1, out);
    assert.match(err, message);
    assert.notMatch(err, / at .*\.ts:/);
    assert.equal(out, '');
  };

  it('measures searches by judgements, and counts those that the catalogue lacks', async () => {
    const json = path.join(folder, 'before.json');
    const judgements = `${HEADER}kettle,shop_a,red,3\nkettle,shop_a,gone,1.5\nlamp,shop_a,lamp,2\nlamp,shop_b,x,0\n`;
    const { code, out, err } = await search(judgements, '--json', json);
    assert.equal(code, 0, err);
    assert.match(out, /^in all +missing in the catalogue +such as$/m);
    assert.match(out, /^4 +2 +shop_a gone, shop_b x$/m);
    assert.equal(JSON.parse(readFileSync(json, 'utf8')).command, 'search');
    const again = await search(judgements, '--compare', json);
    assert.match(again.out, /NDCG@10, unjudged count 0 .*\+0\.000 \(\+0\.000 to \+0\.000\)$/m);
  });

  it('measures several files at once, and on a scale from 1 that is worth nothing', async () => {
    const more = file(
      'more_judgements.csv',
      `${HEADER}kettle,shop_a,red,4\nkettle,shop_a,blue,1\nlamp,shop_a,lamp,1\n`,
    );
    const json = path.join(folder, 'several.json');
    const judgements = `${HEADER}kettle,shop_a,red,3\nkettle,shop_a,blue,3\n`;
    const { code, out, err } = await search(judgements, '--judgements', more, '--json', json);
    assert.equal(code, 0, err);
    assert.match(out, /^judgements: NDCG@10, unjudged left out +1\.000 .* 1$/m);
    // A rating of 1 does not count as relevant, so only one query remains.
    assert.match(out, /^more: NDCG@10, unjudged left out +(?:1\.000|0\.631) .* 1$/m);
    assert.match(out, /^more: judged listings$/m);
    const { figures } = JSON.parse(readFileSync(json, 'utf8')) as Pick<Report, 'figures'>;
    assert.deepEqual(Object.keys(figures[0]?.by ?? {}), ['kettle']);
  });

  it('measures unit prices by true quantities, without a service', async () => {
    const listings = file(
      'listings.ndjson',
      ['Rice 2 kg', 'Rice 500 g', 'Cola 6 x 330 ml', 'Kettle 1.7 l', 'Vanilla sugar 5 x 10 g']
        .map((name) => JSON.stringify({ source: 'a', sku: name, name, price: '3.00', currency: 'EUR' }))
        .join('\n'),
    );
    const truth = file(
      'quantities.csv',
      'source,sku,quantity,unit\na,Rice 2 kg,2,kg\na,Rice 500 g,400,g\na,Cola 6 x 330 ml,1980,ml\na,Kettle 1.7 l,1,stk\n' +
        'a,Vanilla sugar 5 x 10 g,10,g\n',
    );
    const { code, out, err } = await run(
      main,
      ['unit-price', '--listings', listings, '--truth', truth, '--draw', '9'],
      { env: {} },
    );
    assert.equal(code, 0, err);
    assert.match(out, /^precision +0\.500 .* 4$/m);
    assert.match(out, /^precision, without truths of one package +0\.667 .* 3$/m);
    assert.match(out, /^recall +0\.400 .* 5$/m);
    assert.match(out, /^l +1980 +name +3\.00 EUR +1\.5152 +Cola 6 x 330 ml$/m);
    assert.include(out, '500 (kg) instead of 400 g: Rice 500 g');
    assert.include(out, 'none instead of 1 stk: Kettle 1.7 l');
  });

  it('refuses what is no rating', async () => {
    const wrong = `${HEADER}kettle,shop_a,red,3\nkettle,shop_a,blue,good\nlamp,shop_a,lamp,6\nlamp,shop_a,red,\nlamp,shop_a,blue,-1\n`;
    const shown =
      /judgements\.csv: a rating is a number from 0 to 5, but there is\n {2}"good" for blue and the query "kettle"\n {2}"6" for lamp and .*\n {2}"" for red and .*\n {2}"-1"/;
    await fails(search(wrong), shown);
    await fails(search(`${HEADER}kettle,shop_a,red,0\n`), /has no query with a rating above 0/);
    await fails(search(HEADER), /has no query with a rating above 0/);
    await fails(search(`${HEADER}"kettle,shop_a,red,0\n`), /judgements\.csv: /);
  });

  it('refuses what is no label', async () => {
    const pairs = file('pairs.csv', 'a_source,a_sku,b_source,b_sku,label\nshop_a,red,shop_b,x,yes\n');
    const gold = file('gold.csv', 'a_source,a_sku,b_source,b_sku\nshop_a,red,shop_b,x\n');
    await fails(
      evaluate('match', '--url', api.url, '--gold', gold, '--pairs', pairs),
      /a label is 1 or 0, but there is\n {2}"yes" for red and x/,
    );
  });

  it('fails where none of the judged listings is there', async () => {
    await fails(search(`${HEADER}kettle,shop_b,red,3\n`), /none of the judged listings is in the catalogue/);
  });

  it('says what it needs', async () => {
    const wrong: [string[], RegExp][] = [
      [
        [],
        /Name one of these commands: search, match, groups, pairs, model, best-price, names, tasks, make-tasks, unit-price/,
      ],
      [['best-price'], /best-price needs either --gold FILE or --truth FILE/],
      [['serach'], /Name one of these commands: .*, not "serach"/],
      [['search'], /search --judgements FILE is needed/],
      [['model', '--judgements', 'a.csv'], /unknown option '--judgements'/],
      [['model', '--sample', '0'], /model --sample must be a whole number from 1/],
    ];
    for (const [args, message] of wrong) {
      const { code, out, err } = await evaluate(...args);
      assert.deepEqual([code, out], [2, ''], args.join(' '));
      assert.match(err, message);
    }
    await ends(run(main, ['model'], { env: { API_KEY: '' } }), 2, {
      err: /an API key is needed: --key KEY, API_KEY, or API_KEY_FILE/,
    });
    const away = await run(main, ['model'], { env: { API_KEY: '', API_KEY_FILE: '/no/such/file' } });
    assert.deepInclude(away, { code: 2, out: '' });
    assert.match(away.err, /^API_KEY_FILE names \/no\/such\/file, which cannot be read \(ENOENT\)/);
  });

  it('says what is wrong with a report to compare with', async () => {
    const judgements = `${HEADER}kettle,shop_a,red,3\n`;
    const nowhere = path.join(folder, 'nowhere.json');
    await fails(search(judgements, '--compare', nowhere), /cannot read .*nowhere\.json/);
    await fails(
      search(judgements, '--compare', file('cut.json', '{"command":"sea')),
      /cut\.json is not a report/,
    );
    await fails(search(judgements, '--compare', file('other.json', '{}')), /other\.json is not a report/);
    await ends(search(judgements, '--json', path.join(folder, 'no/folder.json')), 1, {
      err: /^cannot write .*folder\.json/,
    });
    assert.isFalse(existsSync(path.join(folder, 'no')));
  });
});
