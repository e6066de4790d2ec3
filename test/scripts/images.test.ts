// Chaos only (kills, sampled): it hashes the pictures of a catalogue, and kills the command at every point.
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { assert } from 'chai';
import { main } from '../../scripts/images.js';
import type { StoredListing } from '../../src/listing/listing.js';
import { startApi, type Api } from '../support/api.js';
import { isChaos } from '../support/chaos.js';
import { run, startCommand } from '../support/command.js';
import { record } from '../support/listings.js';
import { nestedMasks, productPicture } from '../usecases/images/pictures.js';
import { until } from '../support/until.js';
import { startServer, type TestServer } from '../usecases/images/server.js';

/** The number of listings exceeds the batch of 200 listings whose hashes are stored together. */
const LISTINGS = isChaos ? 500 : 300;

describe('npm run images', function () {
  let api: Api;
  let server: TestServer;
  /** The number of requests after which the server answers none, so that a command cannot end before it is killed. */
  let answeredAtMost = Infinity;
  before(async () => {
    const picture = await productPicture(1);
    server = await startServer(({ url }, response) => {
      const send = () => response.end(url === '/masks.svg' ? nestedMasks() : picture);
      if (server.requests.length <= answeredAtMost) setTimeout(send, 3);
    });
    api = await startApi();
    await api.load(
      Array.from({ length: LISTINGS }, (_listing, i) =>
        record({ sku: `l-${i}`, image_url: server.url(`/picture-${i}.png`) }),
      ),
    );
  });
  after(() => Promise.all([api.stop(), server.stop()]));

  const envOf = (more: NodeJS.ProcessEnv = {}) => ({
    INDEX_PREFIX: api.prefix,
    IMAGE_ALLOWED_HOSTS: server.host,
    ...more,
  });
  const images = async (args: string[], env: NodeJS.ProcessEnv = {}) => {
    const { code, out, err } = await run(main, args, { env: envOf(env) });
    return { code, output: err + out };
  };
  const start = (args: string[]) => startCommand('scripts/images.ts', args, envOf());
  async function hashes(): Promise<(string | undefined)[]> {
    await api.es.indices.refresh({ index: api.products });
    const { hits } = await api.es.search<StoredListing>({ index: api.products, size: LISTINGS });
    return hits.hits.map(({ _source }) => _source?.internal.image?.hash ?? undefined);
  }
  /** Returns process ids, on Linux. */
  const decodersOf = ({ pid }: ChildProcess): number[] =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number)
      .filter((each) => readFileSync(`/proc/${each}/cmdline`, 'utf8').includes('decode-process'));

  it('refuses private addresses unless they are allowed', async () => {
    const { code, output } = await images(['--limit', '3', '--concurrency', '1'], {
      IMAGE_ALLOWED_HOSTS: '',
    });
    assert.equal(code, 0);
    assert.match(output, /3 {2}without a hash\n +3 {4}port not allowed/);
    assert.isEmpty(server.requests);
  });

  it('rejects a source that no listing has ever had', async () => {
    const { code, output } = await images(['--source', 'nosuch']);
    assert.equal(code, 2);
    assert.match(
      output,
      /No listing has ever had the source "nosuch"; no image was fetched\. The sources are /,
    );
    assert.isEmpty(server.requests);
  });

  it('ends in the same state after SIGKILL and SIGINT as without', async () => {
    answeredAtMost = 250;
    const killed = start(['--again']);
    const kept = async () => (await hashes()).filter((hash) => hash !== undefined).length;
    await until(async () => (await kept()) > 0);
    killed.child.kill('SIGKILL');
    assert.equal((await killed.ended).signal, 'SIGKILL');
    assert.isBelow(await kept(), LISTINGS);

    answeredAtMost = server.requests.length + 50;
    const interrupted = start(['--again']);
    await until(() => server.requests.length > answeredAtMost);
    interrupted.child.kill('SIGINT');
    assert.equal((await interrupted.ended).signal, 'SIGINT');
    assert.match((await interrupted.ended).out, /Interrupted; what is counted above is kept/);
    answeredAtMost = Infinity;

    // The failures of the first test would only be retried after days, so the command runs with `--again`.
    const all = await images(['--again']);
    assert.equal(all.code, 0);
    assert.match(all.output, new RegExp(`${LISTINGS}  hashed\\n +0  without a hash\\n +0  left`));
    const found = await hashes();
    assert.lengthOf(found, LISTINGS);
    assert.lengthOf(new Set(found), 1);
    assert.isDefined(found[0]);

    server.requests.length = 0;
    assert.equal((await images([])).code, 0);
    assert.isEmpty(server.requests);
  });

  it('stops at Ctrl-C while Elasticsearch accepts no hashes', async () => {
    await api.es.indices.putSettings({ index: api.products, settings: { 'index.blocks.write': true } });
    const abort = new AbortController();
    const onError = (text: string) => {
      if (text.includes('is blocked for writes')) abort.abort();
    };
    const { signal } = abort;
    const args = ['--again', '--limit', '5'];
    const { code, out } = await run(main, args, { env: envOf(), signal, onError }).finally(() =>
      api.es.indices.putSettings({ index: api.products, settings: { 'index.blocks.write': false } }),
    );
    assert.equal(code, 130);
    assert.match(out, /5 {2}left for the next run\nInterrupted; what is counted above is kept/);
  });

  it('stops at SIGTERM during an endless image, and leaves no process behind', async () => {
    await api.load([record({ sku: 'masks', source: 'masks', image_url: server.url('/masks.svg') })]);
    const { child, ended } = start(['--source', 'masks']);
    await until(() => server.requests.includes('/masks.svg'));
    const decoder = await until(() => decodersOf(child)[0]);
    child.kill('SIGTERM');
    const { signal, out } = await ended;
    assert.equal(signal, 'SIGTERM');
    assert.match(out, /1 {2}left for the next run/);
    await until(() => !existsSync(`/proc/${decoder}`));

    server.requests.length = 0;
    const killed = start(['--source', 'masks']);
    await until(() => server.requests.includes('/masks.svg'));
    const orphan = await until(() => decodersOf(killed.child)[0]);
    killed.child.kill('SIGKILL');
    assert.equal((await killed.ended).signal, 'SIGKILL');
    await until(() => !existsSync(`/proc/${orphan}`));
  });

  it('reports what it cannot do', async () => {
    const wrong = await images(['--concurrency', '0']);
    assert.equal(wrong.code, 2);
    assert.match(wrong.output, /^--concurrency must be/m);
    const nothing = await images([], { INDEX_PREFIX: `${api.prefix}-none` });
    assert.equal(nothing.code, 1);
    assert.match(nothing.output, /There is no catalogue/);
    const help = await images(['--help']);
    assert.equal(help.code, 0);
    assert.match(help.output, /IMAGE_ALLOWED_HOSTS/);
  });
});
