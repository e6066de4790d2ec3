import { utimesSync, writeFileSync } from 'node:fs';

/** Updates the modification time of a file by which a health check sees that a command works, if one was given. */
export function touch(file: string | undefined): void {
  if (file === undefined) return;
  writeFileSync(file, '', { flag: 'a' });
  utimesSync(file, new Date(), new Date());
}
