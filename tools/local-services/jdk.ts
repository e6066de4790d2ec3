import { existsSync, readFileSync, readdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { isOpenToAll, isRoot } from '../../scripts/shared/places.js';

/** The oldest Java version that Elasticsearch 9 supports, and the newest tested one. */
const OLDEST = 21;
const NEWEST_TRIED = 25;

export interface Jdk {
  home: string;
  major: number;
}

/** Returns the major version from a JDK's `release` file: 25 for `JAVA_VERSION="25.0.3"`. */
export function majorVersion(release: string): number | undefined {
  const version = /^JAVA_VERSION="?(?:1\.)?(\d+)/m.exec(release)?.[1];
  return version === undefined ? undefined : Number(version);
}

/** Chooses a JDK: the user's own choice, or the newest tested version, or an older one, or a newer one. */
export function chooseJdk(jdks: Jdk[], preferred?: string): Jdk | undefined {
  const usable = jdks.filter((jdk) => jdk.major >= OLDEST);
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

export function findJdk(): Jdk {
  const found = homesOnThisMachine()
    .filter((home) => existsSync(join(home, 'release')) && existsSync(join(home, 'bin', 'java')))
    // For root, Elasticsearch runs as another user, who cannot read a JDK in root's own folder.
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
