import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { StoredKey } from '../../src/platform/access/key.js';
import type { Audit } from '../../src/telemetry/audit.js';
import type { KeyStore } from '../../src/platform/access/key-store.js';
import { formatCount } from '../../src/text/quantities.js';
import { fromLine } from '../../src/usecases/backups/key-lines.js';
import { CommandError } from './exit.js';
import { fromCaller, linesOf } from './terminal.js';

export interface KeyImport {
  added: number;
  /** The number of existing keys that were revoked, or got an earlier expiry, because the file says so. */
  ended: number;
  unchanged: number;
  /** Lines of the key file that were refused or only partly applied, with the reasons. */
  notes: { line: number; text: string; refused: boolean }[];
}

/** Imports the keys of a file that `keys export` wrote. Invalid lines are reported and skipped. */
export async function importKeys(
  keys: KeyStore,
  { file, stdin, now, write }: { file: string; stdin: Readable; now: Date; write: boolean },
  audit: Audit,
): Promise<KeyImport> {
  const { good, notes } = await readKeys(file, stdin);
  const result: KeyImport = { added: 0, ended: 0, unchanged: 0, notes };
  const lines = good.map(({ line }) => line).values();
  const found = good.map(({ key }) => key);
  for await (const restored of keys.import(found, now, write)) {
    const line = lines.next().value ?? 0;
    if (restored.outcome === 'taken') {
      const text = `another key (${restored.by}) already has its id or its hash`;
      notes.push({ line, text, refused: true });
    } else if (restored.outcome === 'differs') {
      result.unchanged += 1;
      const text = `already exists with another ${restored.fields.join(', ')}, which is kept`;
      notes.push({ line, text, refused: false });
    } else result[restored.outcome] += 1;
    if (write && restored.outcome === 'added')
      audit({ action: 'key-imported', key: restored.key }, 'command');
    if (write && restored.outcome === 'ended') audit({ action: 'key-revoked', key: restored.key }, 'command');
  }
  notes.sort((a, b) => a.line - b.line);
  return result;
}

async function readKeys(
  file: string,
  stdin: Readable,
): Promise<{ good: { line: number; key: StoredKey }[]; notes: KeyImport['notes'] }> {
  const good: { line: number; key: StoredKey }[] = [];
  const notes: KeyImport['notes'] = [];
  const lineOf = new Map<string, number>();
  let line = 0;
  const input = file === '-' ? stdin : createReadStream(fromCaller(file));
  for await (const content of linesOf(file, input)) {
    line += 1;
    if (content.trim() === '') continue;
    const read = fromLine(content);
    const earlier = 'key' in read ? (lineOf.get(read.key.id) ?? lineOf.get(read.key.hash)) : undefined;
    if ('wrong' in read) notes.push({ line, text: read.wrong.join('; '), refused: true });
    else if (earlier !== undefined)
      notes.push({ line, text: `line ${earlier} already has its id or its hash`, refused: true });
    else {
      for (const name of [read.key.id, read.key.hash]) lineOf.set(name, line);
      good.push({ line, key: read.key });
    }
  }
  if (good.length === 0 && notes.length === 0) throw new CommandError(`${file} contains no key.`);
  return { good, notes };
}

export function describeImport({ added, ended, unchanged, notes }: KeyImport, write: boolean): string {
  const refused = notes.filter((note) => note.refused).length;
  return [
    `${write ? '' : 'Would be '}${formatCount(added)} added, ${formatCount(ended)} ended as in the file`,
    `${formatCount(unchanged)} unchanged, ${formatCount(refused)} lines refused.`,
  ].join(', ');
}
