import { existsSync, readFileSync, readdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { isOpenToAll, isRoot } from '../../scripts/shared/places.js';

/** What Elasticsearch 9 needs at least, and the newest that this project is tried with. */
const OLDEST = 21;
const NEWEST_TRIED = 25;

export interface Jdk {
  home: string;
  major: number;
}

/** The version in a JDK's `release` file: 25 for `JAVA_VERSION="25.0.3"`, undefined where there is none. */
export function majorVersion(release: string): number | undefined {
  const version = /^JAVA_VERSION="?(?:1\.)?(\d+)/m.exec(release)?.[1];
  return version === undefined ? undefined : Number(version);
}

/** The best of several JDKs, the user's own choice (`preferred`) first; undefined where none is new enough. */
export function chooseJdk(jdks: Jdk[], preferred?: string): Jdk | undefined {
  const usable = jdks.filter((jdk) => jdk.major >= OLDEST);
  // The newest tried one, then older ones, and only then those that nobody has tried.
  const distance = ({ major }: Jdk) => (major > NEWEST_TRIED ? 1000 + major : NEWEST_TRIED - major);
  return (
    usable.find((jdk) => jdk.home === preferred) ?? usable.sort((a, b) => distance(a) - distance(b)).at(0)
  );
}

function foldersIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

function homesOnThisMachine(): string[] {
  const { JAVA_HOME, PATH = '' } = process.env;
  const onPath = PATH.split(delimiter)
    .map((folder) => join(folder, 'java'))
    .filter(existsSync)
    .map((java) => dirname(dirname(realpathSync(java))));
  return [
    ...(JAVA_HOME ? [JAVA_HOME] : []),
    ...foldersIn('/usr/lib/jvm'),
    ...foldersIn('/Library/Java/JavaVirtualMachines').map((folder) => join(folder, 'Contents', 'Home')),
    ...foldersIn('/opt/homebrew/opt').map((folder) => join(folder, 'libexec/openjdk.jdk/Contents/Home')),
    ...foldersIn(join(homedir(), '.sdkman', 'candidates', 'java')),
    ...onPath,
  ];
}

/** Looks through the JDKs of this machine; throws an error that says what to install. */
export function findJdk(): Jdk {
  const found = homesOnThisMachine()
    .filter((home) => existsSync(join(home, 'release')) && existsSync(join(home, 'bin', 'java')))
    // Root starts Elasticsearch as a user who may not enter root's own folder.
    .filter((home) => !isRoot || isOpenToAll(realpathSync(home)))
    .map((home) => ({ home, major: majorVersion(readFileSync(join(home, 'release'), 'utf8')) ?? 0 }));
  const chosen = chooseJdk(found, process.env['JAVA_HOME']);
  if (chosen) return chosen;
  const seen = found.map(({ home, major }) => `${home} (${major})`).join(', ') || 'none';
  throw new Error(
    `Elasticsearch needs a JDK ${OLDEST} or newer (found: ${seen}). Install one and point JAVA_HOME at it, ` +
      'or start Docker, or set ELASTICSEARCH_URL.',
  );
}
