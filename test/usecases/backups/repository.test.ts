import { mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import type { Client } from '@elastic/elasticsearch';
import { assert } from 'chai';
import { createElasticsearch } from '../../../src/engine/client.js';
import { checkFiles } from '../../../src/usecases/backups/repository.js';
import { flipByte, keepFile, removeFile } from '../../support/damage.js';
import { indexPrefix } from '../../support/services.js';
import { type SnapshotEngine, snapshotEngine } from '../../support/snapshot-engine.js';

const DEADLINES = { requestTimeout: 60_000, maxRetries: 0 };

describe('the files of a snapshot repository', function () {
  this.timeout(120_000);
  const repository = `${indexPrefix}-files`;
  const indices = [`${repository}-one`, `${repository}-two`];
  let engine: SnapshotEngine;
  let es: Client;
  const files = () =>
    readdirSync(engine.folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(engine.folder, path.join(entry.parentPath, entry.name)))
      .sort();
  const take = (snapshot: string, index: string | string[]) =>
    es.snapshot.create({
      repository,
      snapshot,
      indices: index,
      include_global_state: false,
      wait_for_completion: true,
    });
  const faultOf = (snapshot: string) =>
    checkFiles(es, repository, snapshot).then(
      (text) => assert.fail(text),
      (error: unknown) => (error as Error).message,
    );
  let firstOnes: string[];

  before(async () => {
    engine = await snapshotEngine();
    es = createElasticsearch({ nodes: [engine.url], auth: null, caFile: null }, DEADLINES);
    for (const index of indices) await es.index({ index, document: { name: index }, refresh: true });
    const settings = { location: engine.folder };
    await es.snapshot.createRepository({ name: repository, repository: { type: 'fs', settings } });
    await take('first', indices.slice(0, 1));
    firstOnes = files();
    await take('second', indices);
  });
  after(async () => {
    await es.snapshot.deleteRepository({ name: repository });
    await es.indices.delete({ index: indices });
    await es.close();
    await engine.stop();
  });

  it('are checked for the chosen snapshot, and those of shards are left to Elasticsearch', async () => {
    // index-N, index.latest, and for each index of the snapshot its metadata and the list of its only shard.
    assert.include(await checkFiles(es, repository, 'first'), `6 checked in ${engine.folder}`);
    assert.include(await checkFiles(es, repository, 'second'), `8 checked in ${engine.folder}`);
  });

  it('are named if they are missing or damaged', async () => {
    const described = files().filter((file) => !/\/\d+\/(__|snap-)/.test(file));
    const ofFirst = described.filter((file) => /^(snap|meta)-/.test(file) && firstOnes.includes(file));
    assert.lengthOf(ofFirst, 2);
    for (const file of described)
      for (const damage of [removeFile, flipByte]) {
        const whole = path.join(engine.folder, file);
        const restoreFile = keepFile(whole);
        damage(whole);
        if (ofFirst.includes(file)) await checkFiles(es, repository, 'second');
        const name = file.startsWith('index-') && damage === removeFile ? 'index-N' : file;
        const fault = await faultOf(ofFirst.includes(file) ? 'first' : 'second');
        assert.match(fault, /^The repository in .* is damaged: .*\.$/);
        assert.include(fault, name, damage.name);
        restoreFile();
      }
    await checkFiles(es, repository, 'second');
  });

  it('are not checked if the folder is that of another machine', async () => {
    const elsewhere = path.join(engine.folder, 'elsewhere');
    const settings = { location: elsewhere };
    const name = `${repository}-elsewhere`;
    await es.snapshot.createRepository({ name, repository: { type: 'fs', settings }, verify: false });
    assert.match(await checkFiles(es, name, 'second'), /^not checked: ENOENT/);
    mkdirSync(elsewhere);
    assert.match(
      await checkFiles(es, name, 'second'),
      /^not checked: .* is not the folder of Elasticsearch$/,
    );
    await es.snapshot.deleteRepository({ name });
    rmdirSync(elsewhere);
  });
});
