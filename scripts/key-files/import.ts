import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Audit, StoredKey } from '../../src/platform/access/key.js';
import type { KeyStore } from '../../src/platform/access/key-store.js';
import type { ImportResult } from '../../src/platform/access/key-import.js';
import { CommandError } from '../shared/exit.js';
import { formatCount } from '../../src/text/quantities.js';
import { fromCaller, linesOf } from '../shared/terminal.js';
import { fromLine } from './lines.js';

export interface TakenOver {
  added: number;
  /** The number of existing keys that were revoked, or got an earlier expiry, because the file says so. */
  ended: number;
  unchanged: number;
  /** Lines of the key file that were refused or only partly applied, with the reasons. */
  notes: { line: number; said: string; refused: boolean }[];
}

interface Numbered {
  line: number;
  key: StoredKey;
}

/**
 * Imports the keys of a file that `keys export` wrote (`-` for standard input). Invalid lines are reported.
 */
export async function takeOver(
  keys: KeyStore,
  { file, stdin, write }: { file: string; stdin: Readable; write: boolean },
  audit: Audit,
): Promise<TakenOver> {
  const result: TakenOver = { added: 0, ended: 0, unchanged: 0, notes: [] };
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

function count(restored: ImportResult, { line }: Numbered, result: TakenOver): void {
  const { outcome } = restored;
  if (outcome === 'taken') {
    const said = `another key (${restored.by}) already has its id or its hash`;
    result.notes.push({ line, said, refused: true });
  } else if (outcome === 'differs') {
    result.unchanged += 1;
    const said = `already exists with another ${restored.fields.join(', ')}, which is kept`;
    result.notes.push({ line, said, refused: false });
  } else result[outcome] += 1;
}

async function readKeys(
  file: string,
  stdin: Readable,
): Promise<{ good: Numbered[]; notes: TakenOver['notes'] }> {
  const good: Numbered[] = [];
  const notes: TakenOver['notes'] = [];
  const lineOf = new Map<string, number>();
  let line = 0;
  const input = file === '-' ? stdin : createReadStream(fromCaller(file));
  for await (const text of linesOf(file, input)) {
    line += 1;
    if (text.trim() === '') continue;
    const read = fromLine(text);
    const wrong = 'wrong' in read ? read.wrong : repeated(read.key, lineOf);
    if ('key' in read && wrong.length === 0) {
      for (const name of [read.key.id, read.key.hash]) lineOf.set(name, line);
      good.push({ line, key: read.key });
    } else notes.push({ line, said: wrong.join('; '), refused: true });
  }
  if (good.length === 0 && notes.length === 0) throw new CommandError(`${file} contains no key.`);
  return { good, notes };
}

function repeated({ id, hash }: StoredKey, lineOf: ReadonlyMap<string, number>): string[] {
  const line = lineOf.get(id) ?? lineOf.get(hash);
  return line === undefined ? [] : [`line ${line} already has its id or its hash`];
}

export function summary({ added, ended, unchanged, notes }: TakenOver, write: boolean): string {
  const refused = notes.filter((note) => note.refused).length;
  return [
    `${write ? '' : 'Would be '}${formatCount(added)} added, ${formatCount(ended)} ended as in the file`,
    `${formatCount(unchanged)} unchanged, ${formatCount(refused)} lines refused.`,
  ].join(', ');
}
