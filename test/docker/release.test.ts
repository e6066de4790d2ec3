// Chaos only (builds, sampled): it packs releases of a repository of its own.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { assert } from 'chai';

const PARTS = [
  'docker/release.sh',
  'package.json',
  'package-lock.json',
  'docker-compose.yml',
  'mappings/products.json',
  'charts/product-catalogue/Chart.yaml',
];
const IMAGE = 'registry.example/product-catalogue';
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

/**
 * A script in place of the Docker client. It knows a registry with one tag, and records the commands that it
 * is called with.
 */
const DOCKER = `#!/bin/sh
echo "$*" >>"$ASKED"
[ "$1" != push ] || [ -z "$PUSH_FAILS" ] || exit 1
[ "$1" != manifest ] || [ "$3" = "${IMAGE}:0.9.0" ]
`;

describe('docker/release.sh', function () {
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
  const release = (args = [IMAGE], more: NodeJS.ProcessEnv = {}) => {
    writeFileSync(path.join(folder, 'asked'), '');
    const { status, stdout, stderr } = spawnSync('docker/release.sh', args, {
      cwd: tree,
      encoding: 'utf8',
      env: {
        ...process.env,
        GIT_AUTHOR_NAME: 'test',
        GIT_AUTHOR_EMAIL: 'test@example.org',
        GIT_COMMITTER_NAME: 'test',
        GIT_COMMITTER_EMAIL: 'test@example.org',
        PATH: `${path.join(folder, 'bin')}:${process.env['PATH']}`,
        ASKED: path.join(folder, 'asked'),
        ...more,
      },
    });
    return { status, said: stderr.trim().split('\n'), told: stdout.trim() };
  };
  const head = () => String(git('rev-parse', 'HEAD')).trim();
  const tags = () => String(git('tag', '--list')).trim();
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
    commit();
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('builds and pushes the version in package.json, and tags the commit that was built', () => {
    const { status, told } = release();
    assert.strictEqual(status, 0);
    const [inspect, build, push] = asked();
    assert.strictEqual(inspect, `manifest inspect ${IMAGE}:${version}`);
    assert.strictEqual(
      build,
      `build --pull --tag ${IMAGE}:${version} --build-arg REVISION=${head()} ` +
        `--label org.opencontainers.image.version=${version} .`,
    );
    assert.strictEqual(push, `push ${IMAGE}:${version}`);
    assert.strictEqual(String(git('cat-file', '-t', `v${version}`)).trim(), 'tag', 'it is annotated');
    assert.strictEqual(String(git('rev-parse', `v${version}^{commit}`)).trim(), head());
    assert.match(told, new RegExp(`git push origin v${version}$`));
    const dockerfile = readFileSync('Dockerfile', 'utf8');
    assert.match(dockerfile, /^ARG REVISION$[^]*^RUN npm run build/m, 'the build reads it');
    assert.match(dockerfile, /^LABEL org\.opencontainers\.image\.revision=\$\{REVISION\}$/m);
  });

  it('only checks and reports with --dry-run', () => {
    const { status, told } = release(['--dry-run', IMAGE]);
    assert.strictEqual(status, 0);
    assert.strictEqual(
      told,
      `release: ${head()} would be built and pushed as ${IMAGE}:${version}, and tagged v${version}`,
    );
    assert.deepEqual(asked(), [`manifest inspect ${IMAGE}:${version}`]);
    assert.strictEqual(tags(), '');
    write('README.md', () => 'changed');
    assert.strictEqual(release(['--dry-run', IMAGE]).status, 1);
    for (const wrong of [[], ['--dry-run'], ['--dryrun', IMAGE], [IMAGE, '--dry-run']]) {
      assert.strictEqual(release(wrong).status, 2, wrong.join(' '));
      assert.deepEqual(asked(), ['']);
    }
  });

  it('leaves no tag if the push fails, so that it can be repeated', () => {
    assert.strictEqual(release([IMAGE], { PUSH_FAILS: 'yes' }).status, 1);
    assert.strictEqual(tags(), '');
    assert.strictEqual(release().status, 0);
    assert.strictEqual(tags(), `v${version}`);
  });

  it('fails if the tree has changes or the version already has a tag', () => {
    write('README.md', () => 'changed');
    assert.deepEqual(release().said, ['release: the checkout is not as it was committed']);
    const released = head();
    commit(`v${version}`);
    git('tag', '--force', '--annotate', '--message', 'v', `v${version}`, released);
    const { status, said } = release();
    assert.strictEqual(status, 1);
    assert.include(
      said,
      `release: v${version} is there already, at ${released}: tags are never moved; release the next version`,
    );
    assert.notMatch(asked().join('\n'), /build|push/);
  });

  it('fails if a file states another version, and names every such place', () => {
    write('package.json', (text) => text.replace(`"version": "${version}"`, '"version": "9.9.9"'));
    commit();
    const { status, said } = release();
    assert.strictEqual(status, 1);
    assert.sameMembers(said, [
      ...['package-lock.json', 'docker-compose.yml', 'charts/product-catalogue/Chart.yaml'].map(
        (file) => `release: ${file} says ${version}, not 9.9.9`,
      ),
      'release: CHANGELOG.md has nothing under "## 9.9.9"',
    ]);
    const built = asked().filter((line) => !line.startsWith('manifest'));
    assert.deepEqual(built, [], 'nothing is built');
    assert.strictEqual(tags(), '');
  });

  it('requires the changelog to state that a new schema needs a reindex, and the versions to return to', () => {
    git('tag', '--annotate', '--message', 'v', `v${version}`);
    versionEverywhere(version, '9.9.9');
    write('mappings/products.json', (text) => text.replace(/"schema_version": \d+/, '"schema_version": 99'));
    write(
      'CHANGELOG.md',
      () => `## 9.9.9\n\nMore.\n\n## ${version}\n\nNeeds a reindex. Can go back to 0.9.\n`,
    );
    commit();
    const { said } = release();
    assert.lengthOf(said, 2);
    assert.match(said[0] ?? '', /"Needs a reindex", and v[\d.]+ has schema \d+, this has 99$/);
    assert.match(said[1] ?? '', /"Can go back to"/);
    write('CHANGELOG.md', () => '## 9.9.9, 2026-12-01\n\nNeeds a reindex. Can go back to 1.0.\n');
    commit();
    assert.strictEqual(release().status, 0);
  });

  it('moves no tag that exists in the registry', () => {
    versionEverywhere(version, '0.9.0');
    write('CHANGELOG.md', () => '## 0.9.0\n\nCan go back to 1.0.\n');
    commit();
    const { status, said } = release();
    assert.strictEqual(status, 1);
    assert.deepEqual(said, [`release: ${IMAGE}:0.9.0 is there already: tags are never moved`]);
    assert.strictEqual(tags(), '');
  });
});
