import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { stringify } from 'yaml';
import { withEngine } from '../../scripts/shared/engine.js';
import { runSources, type RunSourcesOptions } from '../../scripts/syncing/run-sources.js';
import type { SourceFile } from '../../src/usecases/sync/source-file.js';
import { Runs } from '../../src/sources/runs.js';
import type { TestCatalogue } from './test-catalogue.js';

/** Source files in the folder of a test catalogue, and runs of them at times that the test states. */
export interface Syncing {
  /** The folder with the source files. */
  folder: string;
  source(name: string, file: SourceFile): void;
  /** Deletes all source files. */
  clear(): void;
  /** Runs the sources that are due at a time, or the named ones. `said` is all that was written. */
  sync(
    at: string | Date,
    names?: readonly string[],
    options?: Partial<RunSourcesOptions>,
    env?: NodeJS.ProcessEnv,
    given?: { now?: () => Date; signal?: AbortSignal },
  ): Promise<Awaited<ReturnType<typeof runSources>> & { said: string }>;
}

export function syncing({ folder: parent, env: catalogueEnv }: TestCatalogue): Syncing {
  const folder = path.join(parent, 'sources');
  const clear = () => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(path.join(folder, 'maps'), { recursive: true });
  };
  clear();
  return {
    folder,
    clear,
    source: (name, file) => writeFileSync(path.join(folder, `${name}.yaml`), stringify(file)),
    async sync(at, names = [], options = {}, env = {}, { now = () => new Date(at), signal } = {}) {
      const written: string[] = [];
      const stream = () =>
        new Writable({
          write(chunk: Buffer, _encoding, done) {
            written.push(chunk.toString());
            done();
          },
        });
      const io = {
        stdin: Readable.from([]),
        out: stream(),
        err: stream(),
        signal: signal ?? new AbortController().signal,
      };
      const all = { ...process.env, ...catalogueEnv, ...env };
      const given = { folder, names, parallel: 4, watch: false, onIdle: () => Promise.resolve(), ...options };
      const result = await withEngine(all, (engine) =>
        runSources(given, { engine, runs: new Runs(engine.es, engine.indexPrefix), env: all, io, now }),
      );
      return { ...result, said: written.join('') };
    },
  };
}
