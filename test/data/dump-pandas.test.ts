import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { assert } from 'chai';
import { main } from '../../scripts/dump.js';
import { providePython } from '../../tools/schemathesis/virtual-environment.js';
import { type Api, startApi } from '../support/api.js';
import { run } from '../support/command.js';
import { record } from '../support/listings.js';
import { elasticsearchUrl } from '../support/services.js';

const PACKAGES = ['pandas==3.1.1', 'pyarrow==26.0.1'];

/** The recipe in docs/data.md, and its beginning for the other kind of file. */
const [, recipe = ''] =
  /```python\n(import json\nimport pandas.*?)```/s.exec(readFileSync('docs/data.md', 'utf8')) ?? [];
const ofNdjson = recipe.replace(/# For NDJSON: (.*)\n.*\n/, '$1\n');

/** Python assertions on what the recipe has read, which are the same for both kinds of file. */
const CHECKS = `
assert len(listings) == 3 and listings["id"].dtype == "int64", listings.dtypes
assert listings.set_index("sku")["price"].to_dict() == {"A": 10.0, "B": 7.5, "C": 3.25}
assert listings.set_index("sku")["gtin"]["A"] is not None
assert sorted(points[points["sku"] == "A"]["price"]) == [10.0, 12.0, 12.5], points
assert str(points["at"].dt.tz) == "UTC" and points["at"].min().year == 2026
assert list(points.columns) == ["source", "sku", "currency", "price", "at"], points.columns
print("CHECKED")
`;

describe('The pandas recipe for a dump', function () {
  // The time limit includes the download of the Python packages.
  this.timeout(900_000);
  const folder = mkdtempSync(path.join(tmpdir(), 'pandas-'));
  let api: Api;
  let python: string;
  before(async () => {
    python = path.join(await providePython(PACKAGES, () => undefined), 'python');
    api = await startApi();
    const history = [
      { price: '12.00', at: '2026-01-01T00:00:00Z' },
      { price: '12.50', at: '2026-02-01T00:00:00.5Z' },
    ];
    await api.load([
      record({
        sku: 'A',
        gtin: '4006381333931',
        price_history: history,
        last_checked: '2026-03-01T00:00:00Z',
      }),
      record({ sku: 'B', source: 'shop_b', price: '7.50', last_checked: '2026-03-01T00:00:00Z' }),
      record({ sku: 'C', source: 'shop_b', price: '3.25', last_checked: '2026-03-01T00:00:00Z' }),
    ]);
  });
  after(async () => {
    await api.stop();
    rmSync(folder, { recursive: true });
  });

  for (const [file, script] of [
    ['all.parquet', recipe],
    ['all.ndjson.gz', ofNdjson],
  ] as const) {
    it(`runs on ${file}`, async () => {
      const env = {
        ELASTICSEARCH_URL: elasticsearchUrl,
        INDEX_PREFIX: api.products.replace(/-products$/, ''),
      };
      const dumped = await run(main, ['--out', path.join(folder, file), '--history'], { env });
      assert.strictEqual(dumped.code, 0, dumped.err);
      assert.include(script, file);
      const ran = await promisify(execFile)(python, ['-c', script + CHECKS], { cwd: folder });
      assert.match(ran.stdout, /shop_b[\s\S]*CHECKED/);
    });
  }
});
