import { join } from 'node:path';

/** The folder into which `npm test` compiled the tests and programs; undefined for tests that tsx runs. */
const compiled = process.env['TEST_BUILD'];

/** Arguments of Node that run a program of this project, such as `src/main.ts`, as a process of its own. */
export function program(file: string): string[] {
  return compiled === undefined
    ? ['--import', 'tsx', file]
    : ['--enable-source-maps', join(compiled, 'run.mjs'), file];
}
