import { chmodSync, copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Keeps a copy of a file. @returns a function that writes it back. */
export function keepFile(file: string): () => void {
  const kept = path.join(tmpdir(), `kept-${process.pid}`);
  const { mode } = statSync(file);
  copyFileSync(file, kept);
  return () => {
    copyFileSync(kept, file);
    chmodSync(file, mode);
    rmSync(kept);
  };
}

export function removeFile(file: string): void {
  rmSync(file);
}

/** Changes one byte in the middle of a file. */
export function flipByte(file: string): void {
  const content = readFileSync(file);
  const middle = Math.floor(content.length / 2);
  content[middle] = (content[middle] ?? 0) ^ 0xff;
  writeFileSync(file, content);
}
