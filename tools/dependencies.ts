/** npm run dependencies: generates the list of releases in docs/dependencies.md; see --help. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { command } from '../scripts/shared/command.js';
import { flag } from '../scripts/shared/options.js';
import { start } from '../scripts/shared/start.js';

export const DEPENDENCIES_FILE = 'docs/dependencies.md';
const BEGIN = '<!-- npm run dependencies generates this list: the version in use, and the last release -->';
const END = '<!-- end of the generated list -->';

interface Lock {
  packages: Record<string, { version: string; dependencies?: Record<string, string> }>;
}

/** Returns the versions of the production dependencies by name, as `package-lock.json` has them. */
export function productionDependencies(): Map<string, string> {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;
  const names = Object.keys(packages['']?.dependencies ?? {}).sort();
  return new Map(names.map((name) => [name, packages[`node_modules/${name}`]?.version ?? '']));
}

/** Asks the registry for the last release of a package: its version and its day. */
function lastRelease(name: string): string {
  const answer = execFileSync('npm', ['view', name, 'version', 'time', '--json'], { encoding: 'utf8' });
  const { version, time } = JSON.parse(answer) as { version: string; time: Record<string, string> };
  return `${version}, ${(time[version] ?? '').slice(0, 10)}`;
}

/** Returns the document with a new list of the versions in use and the last releases. */
function withReleases(document: string, releaseOf: (name: string) => string | undefined): string {
  const list = [...productionDependencies()].map(
    ([name, version]) => `- \`${name}@${version}\`: ${releaseOf(name) ?? 'unknown'}`,
  );
  const [before = ''] = document.split(BEGIN);
  const [, after = ''] = document.split(END);
  return `${before}${BEGIN}\n\n${list.join('\n')}\n\n${END}${after}`;
}

/** Returns the document with the versions of `package-lock.json` and the last releases that it already states. */
export function withVersions(document: string): string {
  const stated = [...document.matchAll(/^- `(.+)@[^@`]+`: (.+)$/gm)];
  const known = new Map(stated.map(([, name = '', last = '']) => [name, last]));
  return withReleases(document, (name) => known.get(name));
}

export const main = command({
  name: 'dependencies',
  about: `Writes the versions of all production dependencies into ${DEPENDENCIES_FILE}. Their purposes there are written by hand.`,
  options: { releases: flag('ask the npm registry for the last release of each') },
  exits: { done: 'the file is written' },
  run({ options: { releases } }, _env, { err }) {
    const document = readFileSync(DEPENDENCIES_FILE, 'utf8');
    writeFileSync(DEPENDENCIES_FILE, releases ? withReleases(document, lastRelease) : withVersions(document));
    err.write(`Wrote ${DEPENDENCIES_FILE}\n`);
    return Promise.resolve();
  },
});

await start(import.meta.url, main);
