import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/shared/places.js';

/** The pattern of files on which every chaos test may depend, although no import shows it. */
const EVERYWHERE =
  /^(?:package(?:-lock)?\.json|tsconfig.*\.json|mappings\/|\.ci\/|tools\/(?:test|services)\b)/;

/** Matches file paths in the text of a test, such as `scripts/ingest.ts`, which it starts or reads. */
const NAMED_PATH =
  /['"`/](?:\.\.\/)*((?:src|scripts|tools|lab|docker|charts|clients|docs|mappings)\/[\w./-]+)/g;

/** The commit with which the working tree is compared, and the reason why it was chosen. */
interface Base {
  commit: string;
  reason: string;
}

/** The first known of: CI_BASE, what `.ci/run` last accepted here, the fork point of the branch, the parent commit; or null. */
export function findBase(env: NodeJS.ProcessEnv): Base | null {
  const head = git('rev-parse', 'HEAD');
  const candidates: [string | undefined, string][] = [
    [env['CI_BASE'], 'CI_BASE'],
    [lastAccepted(), 'the last commit that .ci/run accepted'],
    [git('merge-base', 'HEAD', 'origin/HEAD'), 'where this branch left origin'],
    [git('merge-base', 'HEAD', 'origin/main'), 'where this branch left origin'],
    [git('rev-parse', 'HEAD~1'), 'the parent commit, because nothing else is known'],
  ];
  for (const [name, reason] of candidates) {
    const commit = name === undefined || name === '' ? '' : git('rev-parse', `${name}^{commit}`);
    const isClean = git('status', '--porcelain', '--untracked-files=no') === '';
    // In a clean tree, the checked-out commit cannot be the base, because no file differs from it.
    if (commit !== '' && (commit !== head || !isClean)) return { commit, reason };
  }
  return null;
}

function lastAccepted(): string | undefined {
  try {
    const commit = readFileSync(join(git('rev-parse', '--absolute-git-dir'), 'ci-accepted'), 'utf8').trim();
    return git('merge-base', commit, 'HEAD') === commit ? commit : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the files that differ from a commit, including untracked files. */
export function changedSince(commit: string): string[] {
  return [git('diff', '--name-only', commit), git('ls-files', '--others', '--exclude-standard')]
    .flatMap((lines) => lines.split('\n'))
    .filter((file) => file !== '');
}

/** The output of a Git command; '' if it fails, for example for a commit that a shallow clone lacks. */
function git(...args: string[]): string {
  try {
    return execFileSync('git', args, {
      cwd: projectRoot,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '';
  }
}

/** The tests that depend on a changed file, by imports or paths in their text, sorted by the length of the chain of imports. */
export function affectedTests(
  tests: readonly string[],
  changed: readonly string[],
  imports: ReadonlyMap<string, readonly string[]>,
  textOf: (file: string) => string,
): string[] {
  if (changed.some((file) => EVERYWHERE.test(file))) return [...tests];
  const isChanged = (file: string) => changed.some((path) => path === file || path.startsWith(`${file}/`));
  const distances = tests.map((test) => ({ test, distance: distanceTo(isChanged, test, imports, textOf) }));
  return distances
    .filter(({ distance }) => distance < Infinity)
    .sort((a, b) => a.distance - b.distance)
    .map(({ test }) => test);
}

function distanceTo(
  isWanted: (file: string) => boolean,
  start: string,
  imports: ReadonlyMap<string, readonly string[]>,
  textOf: (file: string) => string,
): number {
  const seen = new Set([start]);
  let edge = [start];
  for (let distance = 0; edge.length > 0; distance += 1) {
    if (edge.some(isWanted)) return distance;
    const next = edge.flatMap((file) => [
      ...(imports.get(file) ?? []),
      ...(file.startsWith('test/') ? namedPaths(textOf(file)) : []),
    ]);
    edge = [...new Set(next)].filter((file) => !seen.has(file));
    for (const file of edge) seen.add(file);
  }
  return Infinity;
}

const namedPaths = (text: string): string[] =>
  [...text.matchAll(NAMED_PATH)].map(([, path = '']) => path.replace(/[./]+$/, ''));
