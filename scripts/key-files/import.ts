import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Audit, StoredKey } from '../../src/platform/access/key.js';
import type { KeyStore } from '../../src/platform/access/key-store.js';
import type { ImportResult } from '../../src/platform/access/key-import.js';
import { CommandError } from '../shared/exit.js';
import { formatCount } from '../../src/text/quantities.js';
import { fromCaller, linesOf } from '../shared/terminal.js';
import { fromLine } from './lines.js';

export interface KeyImport {
  added: number;
  /** The number of existing keys that were revoked, or got an earlier expiry, because the file says so. */
  ended: number;
  unchanged: number;
  /** Lines of the key file that were refused or only partly applied, with the reasons. */
  notes: { line: number; text: string; refused: boolean }[];
}

interface Numbered {
  line: number;
  key: StoredKey;
}

/** Imports the keys of a file that `keys export` wrote. Invalid lines are reported and skipped. */
export async function importKeys(
  keys: KeyStore,
  { file, stdin, write }: { file: string; stdin: Readable; write: boolean },
  audit: Audit,
): Promise<KeyImport> {
  const result: KeyImport = { added: 0, ended: 0, unchanged: 0, notes: [] };
  const { good, notes } = await readKeys(file, stdin);
  result.notes.push(...notes);
  let at = 0;
  const found = good.map(({ key }) => key);
  for await (const restored of keys.import(found, write)) {
    count(restored, good[at] as Numbered, result);
    at += 1;
    if (write && restored.outcome === 'added')
      audit({ action: 'key-imported', key: restored.key }, 'command');
    if (write && restored.outcome === 'ended') audit({ action: 'key-revoked', key: restored.key }, 'command');
  }
  result.notes.sort((a, b) => a.line - b.line);
  return result;
}

function count(restored: ImportResult, { line }: Numbered, result: KeyImport): void {
  const { outcome } = restored;
  if (outcome === 'taken') {
    const text = `another key (${restored.by}) already has its id or its hash`;
    result.notes.push({ line, text, refused: true });
  } else if (outcome === 'differs') {
    result.unchanged += 1;
    const text = `already exists with another ${restored.fields.join(', ')}, which is kept`;
    result.notes.push({ line, text, refused: false });
  } else result[outcome] += 1;
}

async function readKeys(
  file: string,
  stdin: Readable,
): Promise<{ good: Numbered[]; notes: KeyImport['notes'] }> {
  const good: Numbered[] = [];
  const notes: KeyImport['notes'] = [];
  const lineOf = new Map<string, number>();
  let line = 0;
  const input = file === '-' ? stdin : createReadStream(fromCaller(file));
  for await (const content of linesOf(file, input)) {
    line += 1;
    if (content.trim() === '') continue;
    const read = fromLine(content);
    const wrong = 'wrong' in read ? read.wrong : repeated(read.key, lineOf);
    if ('key' in read && wrong.length === 0) {
      for (const name of [read.key.id, read.key.hash]) lineOf.set(name, line);
      good.push({ line, key: read.key });
    } else notes.push({ line, text: wrong.join('; '), refused: true });
  }
  if (good.length === 0 && notes.length === 0) throw new CommandError(`${file} contains no key.`);
  return { good, notes };
}

function repeated({ id, hash }: StoredKey, lineOf: ReadonlyMap<string, number>): string[] {
  const line = lineOf.get(id) ?? lineOf.get(hash);
  return line === undefined ? [] : [`line ${line} already has its id or its hash`];
}

export function summary({ added, ended, unchanged, notes }: KeyImport, write: boolean): string {
  const refused = notes.filter((note) => note.refused).length;
  return [
    `${write ? '' : 'Would be '}${formatCount(added)} added, ${formatCount(ended)} ended as in the file`,
    `${formatCount(unchanged)} unchanged, ${formatCount(refused)} lines refused.`,
  ].join(', ');
}
