// Chaos only (builds, sampled, 2 min): it generates and installs the client.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { assert } from 'chai';
import { buildPythonClient, clientFolder } from '../../tools/clients.js';
import { startApi, type Api } from '../support/api.js';
import { record } from '../support/listings.js';
import { KETTLES } from './kettles.js';

const run = promisify(execFile);
const PROGRAM = join(clientFolder('python'), 'examples/nightly_mirror.py');

/** A program that sends lists, attributes and a body, and reads an error. */
const CALLS = `
import sys
from product_catalogue_client import AuthenticatedClient, models
from product_catalogue_client.api.agents import ucp_search
from product_catalogue_client.api.alerts import create_alert
from product_catalogue_client.api.comparison import best_price, diff, offers
from product_catalogue_client.api.listings import search

url, key = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=key)
brands = search.sync(client=client, brand=["Sonvara", "Rondure"])
assert {item.sku for item in brands.items} == {"a", "b"}, brands
grey = search.sync(client=client, attr_name=models.SearchAttrNAME.from_dict({"attr.colour": "grey"}))
assert [item.sku for item in grey.items] == ["c"], grey
compared = diff.sync(client=client, body=models.DiffBody(product_ids=[item.id for item in brands.items]))
assert len(compared.products) == 2, compared
best = best_price.sync(client=client, q="blue kettle")
assert isinstance(best, models.BestPrice) and best.name == "Blue kettle", best
several = best_price.sync(client=client, q="blue kettle", limit=3)
assert isinstance(several, models.BestPrices) and several.items[0].id == best.id, several
names = search.sync(client=client, q="kettle", fields=[models.SearchFieldsItem.NAME])
assert isinstance(names, models.SelectedPage) and "sku" not in names.items[0], names
assert offers.sync(best.id, client=client).offers[0].sku == "a"
when = models.PriceBelow(price_below="9.00", currency="SGD")
alert = create_alert.sync(client=client, body=models.NewAlert(product_id=best.id, when=when))
assert alert.when == when, alert
found = ucp_search.sync(
    client=client,
    body=models.UcpSearchBody(query="kettle"),
    ucp_agent='profile="https://platform.example/.well-known/ucp"',
)
assert isinstance(found, models.UcpPage) and found.products, found
wrong = search.sync(client=client, limit=0)
assert isinstance(wrong, models.ValidationError) and wrong.detail[0].type_ == "greater_than_equal", wrong
`;

describe('the Python client', function () {
  // The time limit includes the download of the Python packages.
  this.timeout(600_000);
  const folder = mkdtempSync(join(tmpdir(), 'python-client-'));
  const database = join(folder, 'mirror.sqlite');
  let api: Api;
  let key: string;
  let python: string;
  before(async () => {
    const programs = await buildPythonClient(() => undefined);
    python = join(programs, 'python');
    // The package is installed as its users install it, into a folder of its own.
    await run(python, ['-m', 'pip', 'install', '--quiet', '--target', folder, clientFolder('python')]);
    api = await startApi();
    key = await api.key();
    await api.load(KETTLES);
  });
  after(async () => {
    await api.stop();
    rmSync(folder, { recursive: true });
  });

  const runPython = async (...args: string[]): Promise<string> => {
    const env = { ...process.env, KEY: key, PYTHONPATH: folder };
    return (await run(python, args, { env, cwd: folder })).stdout;
  };
  const rows = async (sql: string): Promise<unknown> => {
    const program =
      'import json, sqlite3, sys; print(json.dumps(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchall()))';
    return JSON.parse(await runPython('-c', program, database, sql));
  };

  it('sends words, lists, attributes and bodies, and returns errors', async () => {
    await runPython('-c', CALLS, api.url, key);
  });

  it('mirrors the catalogue into SQLite night by night', async () => {
    const mirror = () => runPython(PROGRAM, api.url, database);
    assert.equal(await mirror(), '3 listings have changed\n');
    const listings = 'SELECT name, price FROM listings ORDER BY name';
    assert.deepEqual(await rows(listings), [
      ['Blue kettle', '20.00'],
      ['Grey kettle', null],
      ['Red kettle', '30.00'],
    ]);
    await api.load([record({ sku: 'a', name: 'Blue kettle', brand: 'Sonvara', price: '18.00' })]);
    await api.es.delete({ index: api.products, id: String(await api.id('b')), refresh: true });
    assert.equal(await mirror(), '1 listings have changed\n');
    assert.deepEqual(await rows('SELECT price FROM prices ORDER BY price'), [['18.00'], ['30.00']]);
    assert.equal(await mirror(), '0 listings have changed\n');
    const listing = "SELECT json_extract(listing, '$.brand') FROM listings WHERE price = '18.00'";
    assert.deepEqual(await rows(listing), [['Sonvara']]);
  });
});
