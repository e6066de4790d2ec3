import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { assert } from 'chai';
import { main as doctor } from '../../scripts/doctor.js';
import { main as sourcesMain } from '../../scripts/sources.js';
import { main as syncMain } from '../../scripts/sync.js';
import { ends, LOAD_ONLY, run } from '../support/command.js';
import { syncing } from '../support/syncing.js';
import { testCatalogue } from '../support/test-catalogue.js';

const HEADER = 'sku,name,price,currency\n';
const rows = (count: number): string =>
  Array.from({ length: count }, (_, i) => `L${i},Lamp ${i},${i + 1}.00,EUR\n`).join('');

describe('the messages of npm run sync', () => {
  const catalogue = testCatalogue('sync-messages');
  const { env, file } = catalogue;
  const { clear, folder, source, sync } = syncing(catalogue);
  beforeEach(async () => {
    clear();
    await catalogue.empty();
  });
  after(() => catalogue.remove());

  const daily = (files: string) => ({ folder: '..', files, schedule: '15 6 * * *' });
  const syncCommand = (...args: string[]) =>
    run(syncMain, [...args, '--sources', folder, ...LOAD_ONLY], { env });

  it('state why nothing was loaded', async () => {
    await ends(syncCommand(), 0, { out: /^.* has no source files that can be read\.\n$/ });
    source('by_name', { folder: '..', files: 'lamps.csv' });
    await ends(syncCommand(), 0, {
      out: /^No source is due, because none has a schedule\. Name the sources to load\.\n$/,
    });
    source('lamps', daily('lamps.csv'));
    file('lamps.csv', HEADER + rows(3));
    assert.include((await sync('2026-03-01T06:15:00Z')).said, 'lamps: loaded 3 records');
    const { idle } = await sync('2026-03-01T07:00:00Z');
    assert.strictEqual(idle, 'No source is due. The next one is lamps, at 2026-03-02T06:15:00Z.');
    assert.isNull((await sync('2026-03-02T06:15:00Z')).idle);
    assert.isNull((await sync('2026-03-02T06:16:00Z', ['by_name'])).idle);
  });

  it('state what was loaded although the run was refused', async () => {
    source('lamps', { ...daily('lamps.csv'), guards: { max_vanished: 10 } });
    file('lamps.csv', HEADER + rows(20));
    await sync('2026-03-01T06:15:00Z');
    file('lamps.csv', `${HEADER}${rows(9)}N1,New lamp,5.00,EUR\n`);
    assert.match(
      (await sync('2026-03-02T06:15:00Z')).said,
      /^lamps: refused by max_vanished: 11 of the 20 .* was marked unavailable\. Loaded nevertheless: 10 records: 1 new, 0 with another price, 0 changed otherwise, 0 rejected\.$/m,
    );
    file('lamps.csv', HEADER);
    assert.match(
      (await sync('2026-03-03T06:15:00Z')).said,
      /^lamps: refused by allow_empty: The feed contains no record.* Nothing was loaded\.$/m,
    );
  });

  it('state once that nothing was loaded, and the setting of the source file that would allow it', async () => {
    source('lamps', daily('lamps.csv'));
    file('lamps.csv', HEADER + rows(20));
    await sync('2026-03-01T06:15:00Z');
    const refusal = async (day: number, text: string) => {
      file('lamps.csv', text);
      const { said } = await sync(`2026-03-0${day}T06:15:00Z`);
      assert.lengthOf(said.match(/nothing was loaded/gi) ?? [], 1, said);
      return said;
    };
    assert.match(
      await refusal(2, HEADER + rows(20).replaceAll(/,\d+\.00,/g, ',,')),
      /more listings than the 20 % of guards\.max_cleared of lamps\.yaml:[^]*use guards\.max_cleared: 100 in lamps\.yaml\.$/m,
    );
    assert.match(
      await refusal(3, 'sku,name,currency\nL1,Lamp 1,EUR\n'),
      /If this is intended, use guards\.allow_missing: \[price\] in lamps\.yaml\.$/m,
    );
    assert.match(await refusal(4, HEADER), /use guards\.allow_empty: true in lamps\.yaml\./);
    assert.match(
      await refusal(5, HEADER + rows(20).replaceAll('.00,', '00.00,')),
      /above the 50 % of guards\.max_price_change of lamps\.yaml\./,
    );
  });

  it('show the lines that were rejected', async () => {
    source('lamps', { ...daily('lamps.csv'), guards: { max_rejected: 100 } });
    file('lamps.csv', `${HEADER}${rows(2)}L7,,1.00,EUR\n${rows(1)}L8,Lamp,zero,EUR\n`);
    const { said } = await sync('2026-03-01T06:15:00Z');
    assert.match(said, /^lamps: line 4: name: /m);
    assert.match(said, /^lamps: line 6: price: /m);
    assert.notInclude(said, '…');
    const nameless = Array.from({ length: 21 }, (_, i) => `X${i},,1.00,EUR\n`).join('');
    file('lamps.csv', `${HEADER}${rows(2)}${nameless}`);
    const many = (await sync('2026-03-02T06:15:00Z')).said;
    assert.lengthOf(many.match(/^lamps: line \d+: name: /gm) ?? [], 20);
    assert.match(many, /^lamps: …$/m);
  });

  it('are shown by npm run doctor if they failed or are late, and listed first', async () => {
    source('a_fine', daily('fine.csv'));
    source('b_stale', { ...daily('stale.csv'), expected_freshness: '1h' });
    source('c_failed', daily('nosuch.csv'));
    source('d_refused', daily('empty.csv'));
    file('fine.csv', HEADER + rows(1));
    file('stale.csv', HEADER + rows(1));
    file('empty.csv', HEADER);
    await sync('2026-03-01T06:15:00Z');
    const { out } = await run(doctor, [], { env });
    assert.match(out, /^WARN {2}sources +c_failed: the last run failed: .*\n +-> npm run sync -- c_failed$/m);
    assert.match(out, /^WARN {2}sources +d_refused: the last run was stopped by a guard: /m);
    assert.match(out, /^WARN {2}sources +b_stale is late: it has data of .* ago$/m);
    assert.notInclude(out, 'a_fine: the last run');
    writeFileSync(path.join(folder, 'broken.yaml'), 'folder: [\n');
    await ends(run(sourcesMain, ['list', '--sources', folder], { env }), 0, {
      out: /^name .*\nc_failed [^]*\nd_refused [^]*\nb_stale [^]*\na_fine /,
      err: /broken\.yaml/,
    });
  });
});
