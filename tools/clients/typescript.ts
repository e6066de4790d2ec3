import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { projectRoot } from '../../scripts/shared/places.js';
import { document } from './document.js';

/** The TypeScript client: handwritten files, the generated types, and the compiled `dist`. */
export const CLIENT_FOLDER = join(projectRoot, 'clients/typescript');

export async function buildTypescriptClient(): Promise<void> {
  const types = await openapiTypescript(JSON.stringify(document));
  writeFileSync(join(CLIENT_FOLDER, 'src/schema.ts'), astToString(types));
  rmSync(join(CLIENT_FOLDER, 'dist'), { recursive: true, force: true });
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [compiler, '-p', CLIENT_FOLDER]);
}
