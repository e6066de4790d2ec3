import { hash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { CommandError } from '../shared/exit.js';
import { fromCaller } from '../shared/terminal.js';
import type { FeedVersion } from './remote.js';

/** A file with the version of each remote feed that was loaded last. It has hashes of addresses, which may contain secrets. */
export class KnownVersions {
  readonly #versions: Map<string, FeedVersion>;
  readonly #loaded = new Map<string, FeedVersion>();

  /** @param file the path of the file, which need not exist; undefined: no version is known or stored. */
  constructor(private readonly file: string | undefined) {
    this.#versions = new Map(file === undefined ? [] : Object.entries(readVersions(file)));
  }

  of(address: string): FeedVersion | null {
    return this.#versions.get(keyOf(address)) ?? null;
  }

  loaded(address: string, version: FeedVersion): void {
    this.#loaded.set(keyOf(address), version);
  }

  /** Stores the versions of the loaded feeds. Call it only after a load that reached the end of its feeds. */
  save(): void {
    if (this.file === undefined || this.#loaded.size === 0) return;
    const all = Object.fromEntries([...this.#versions, ...this.#loaded]);
    const target = fromCaller(this.file);
    writeFileSync(`${target}.partial`, `${JSON.stringify(all, null, 2)}\n`);
    renameSync(`${target}.partial`, target);
  }
}

const keyOf = (address: string): string => hash('sha256', address, 'hex');

function readVersions(file: string): Record<string, FeedVersion> {
  try {
    return JSON.parse(readFileSync(fromCaller(file), 'utf8')) as Record<string, FeedVersion>;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return {};
    throw new CommandError(`${file} cannot be read as a file of --if-changed: ${message}`);
  }
}
