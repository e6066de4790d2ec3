import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { assert } from 'chai';
import { revision } from '../../tools/revision.mjs';

describe('the revision of a build', function () {
  let tree: string;
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.org', ...args], {
      cwd: tree,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();

  before(() => {
    tree = mkdtempSync(path.join(tmpdir(), 'revision-'));
    git('init', '--quiet');
    writeFileSync(path.join(tree, 'file'), 'first');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'A state');
    git('tag', '--annotate', '--message', 'v1.0.0', 'v1.0.0');
  });
  after(() => rmSync(tree, { recursive: true }));

  it('is the commit even if it has a tag, and states uncommitted changes', () => {
    const commit = git('rev-parse', 'HEAD');
    assert.match(commit, /^[0-9a-f]{40}$/);
    assert.equal(revision(tree, undefined), commit);
    writeFileSync(path.join(tree, 'file'), 'second');
    assert.equal(revision(tree, ''), `${commit}-dirty`);
  });

  it('is that of REVISION, and never that of a repository around the tree', () => {
    const inner = path.join(tree, 'unpacked');
    mkdirSync(inner);
    assert.equal(revision(inner, 'fe'.repeat(20)), 'fe'.repeat(20));
    assert.equal(revision(inner, undefined), 'unknown');
  });
});
