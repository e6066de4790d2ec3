// Chaos only (builds, sampled, 3 min): it generates and compiles the client.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { assert } from 'chai';
import { buildGoClient, clientFolder } from '../../tools/clients.js';
import { startApi, type Api } from '../support/api.js';
import { goIsInstalled, goProgram } from '../support/go-program.js';
import { KETTLES } from './kettles.js';

if (goIsInstalled || process.env['CI']) {
  describe('the Go client', function () {
    // The time limit includes the download and the compilation of the generator and its modules.
    this.timeout(900_000);
    let api: Api;
    let program: string;
    let key: string;
    before(async () => {
      await buildGoClient();
      program = await goProgram(clientFolder('go'), './examples/facets');
      api = await startApi();
      key = await api.key();
      await api.load(KETTLES);
    });
    after(() => api.stop());

    const facets = async (...args: string[]): Promise<string[]> => {
      const { stdout } = await promisify(execFile)(program, [api.url, ...args], {
        env: { ...process.env, KEY: key },
      });
      return stdout.trim().split('\n');
    };

    it('counts the values of facets, and lists results with their prices as text', async () => {
      const lines = await facets('kettle');
      assert.equal(lines[0], '3 results');
      assert.includeMembers(lines, [
        'brand',
        '    Sonvara (1)',
        'source',
        '    shop_a (2)',
        'attr.colour',
        '    red (1)',
      ]);
      assert.includeMembers(lines, ['SGD 20.00: Blue kettle', 'SGD -: Grey kettle']);
    });

    it('filters by lists and attributes, and keeps the counts of other values', async () => {
      const brands = await facets('kettle', 'brand=Sonvara', 'brand=Rondure');
      assert.equal(brands[0], '2 results');
      assert.includeMembers(brands, ['  * Sonvara (1)', '  * Rondure (1)', '    Other (1)']);
      assert.include((await facets('kettle', 'attr.colour=grey')).join('\n'), '1 results\n');
    });

    it('calls ten operations, each with its types', async () => {
      const tour = await goProgram(clientFolder('go'), './examples/tour');
      const { stdout } = await promisify(execFile)(tour, [api.url, 'blue kettle'], {
        env: { ...process.env, KEY: key },
      });
      const lines = stdout.trim().split('\n');
      assert.lengthOf(lines, 10);
      assert.includeMembers(lines, [
        'best price: Blue kettle',
        'best prices: 1',
        'listing: Blue kettle',
        'offers: 1',
        'catalogue for agents: 200 OK',
      ]);
    });

    it('reports what the service refuses', async () => {
      const refused = await promisify(execFile)(program, [api.url, 'kettle'], {
        env: { ...process.env, KEY: 'wrong' },
      }).catch((error: unknown) => error as { stderr: string });
      assert.match(refused.stderr, /^401 Unauthorized: .*Invalid or revoked API key/);
    });
  });
}
