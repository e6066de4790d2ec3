import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { assert } from 'chai';

const PARTS = [
  ...[
    'docker/release.sh',
    'package.json',
    'package-lock.json',
    'docker-compose.yml',
    'mappings/products.json',
  ],
  'charts/product-catalogue/Chart.yaml',
];
const IMAGE = 'registry.example/product-catalogue';
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

/** A registry that has one tag, as the Docker client shows it, which writes down what it is asked for. */
const DOCKER = `#!/bin/sh
echo "$*" >>"$ASKED"
[ "$1" != manifest ] || [ "$3" = "${IMAGE}:0.9.0" ]
`;

describe('docker/release.sh', function () {
  this.timeout(60_000);
  let folder: string;
  let tree: string;

  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.org', ...args], {
      cwd: tree,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  const write = (file: string, change: (text: string) => string) => {
    const at = path.join(tree, file);
    writeFileSync(at, change(existsSync(at) ? readFileSync(at, 'utf8') : ''));
  };
  const commit = (tag?: string) => {
    git('add', '--all');
    git('commit', '--quiet', '--allow-empty', '--message', 'A state');
    if (tag !== undefined) git('tag', '--annotate', '--message', tag, tag);
  };
  const asked = () => readFileSync(path.join(folder, 'asked'), 'utf8').trim().split('\n');
  const release = (image = IMAGE) => {
    writeFileSync(path.join(folder, 'asked'), '');
    const { status, stderr } = spawnSync('docker/release.sh', [image], {
      cwd: tree,
      encoding: 'utf8',
      env: {
        ...process.env,
        PATH: `${path.join(folder, 'bin')}:${process.env['PATH']}`,
        ASKED: path.join(folder, 'asked'),
      },
    });
    return { status, said: stderr.trim().split('\n') };
  };
  const versionEverywhere = (from: string, to: string) => {
    for (const file of PARTS.slice(1)) write(file, (text) => text.replaceAll(from, to));
  };

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'release-'));
    tree = path.join(folder, 'tree');
    mkdirSync(path.join(folder, 'bin'));
    writeFileSync(path.join(folder, 'bin', 'docker'), DOCKER, { mode: 0o755 });
    for (const part of PARTS) cpSync(part, path.join(tree, part), { recursive: true });
    git('init', '--quiet');
    write('CHANGELOG.md', () => `# Changelog\n\n## ${version}\n\nThe first.\n`);
    commit(`v${version}`);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('builds and pushes the version of the tag', () => {
    assert.deepEqual(release(), { status: 0, said: [''] });
    const [inspect, build, push] = asked();
    assert.strictEqual(inspect, `manifest inspect ${IMAGE}:${version}`);
    assert.match(
      build ?? '',
      new RegExp(`^build .*--tag ${IMAGE}:${version} .*image.revision=[0-9a-f]{40} \\.$`),
    );
    assert.strictEqual(push, `push ${IMAGE}:${version}`);
  });

  it('refuses a commit without a tag, and one that was changed', () => {
    write('README.md', () => 'changed');
    assert.deepEqual(release().said, ['release: the checkout is not as it was committed']);
    commit();
    assert.deepEqual(release(), { status: 1, said: ['release: this commit has no tag vX.Y.Z'] });
  });

  it('refuses what says another version, and names every place', () => {
    commit('v9.9.9');
    git('tag', '--delete', `v${version}`);
    const { status, said } = release();
    assert.strictEqual(status, 1);
    assert.sameMembers(said, [
      ...[
        'package.json',
        'package-lock.json',
        'docker-compose.yml',
        'charts/product-catalogue/Chart.yaml',
      ].map((file) => `release: ${file} says ${version}, not 9.9.9`),
      'release: CHANGELOG.md has nothing under "## 9.9.9"',
    ]);
    assert.deepEqual(
      asked().filter((line) => !line.startsWith('manifest')),
      [],
      'nothing is built',
    );
  });

  it('wants the changelog to say of a new schema that it needs a reindex, and where one can go back to', () => {
    versionEverywhere(version, '9.9.9');
    write('mappings/products.json', (text) => text.replace(/"schema_version": \d+/, '"schema_version": 99'));
    write(
      'CHANGELOG.md',
      () => `## 9.9.9\n\nMore.\n\n## ${version}\n\nNeeds a reindex. Can go back to 0.9.\n`,
    );
    commit('v9.9.9');
    const { said } = release();
    assert.lengthOf(said, 2);
    assert.match(said[0] ?? '', /"Needs a reindex", and v[\d.]+ has schema \d+, this has 99$/);
    assert.match(said[1] ?? '', /"Can go back to"/);
    git('tag', '--delete', 'v9.9.9');
    write('CHANGELOG.md', () => '## 9.9.9, 2026-12-01\n\nNeeds a reindex. Can go back to 1.0.\n');
    commit('v9.9.9');
    assert.strictEqual(release().status, 0);
  });

  it('moves no tag that the registry has', () => {
    versionEverywhere(version, '0.9.0');
    write('CHANGELOG.md', () => '## 0.9.0\n\nCan go back to 1.0.\n');
    commit('v0.9.0');
    assert.deepEqual(release(), {
      status: 1,
      said: [`release: ${IMAGE}:0.9.0 is there already: tags are never moved`],
    });
  });
});
