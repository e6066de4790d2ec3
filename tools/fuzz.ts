/** npm run test:fuzz: sends requests that are generated from the OpenAPI document; see --help. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startTarget, type Target } from './schemathesis/service.js';
import { FUZZING, providePython } from './schemathesis/virtual-environment.js';
import { startServices } from './local-services/index.js';
import { command, unlessInterrupted } from '../scripts/shared/command.js';
import { EXIT } from '../scripts/shared/exit.js';
import { start } from '../scripts/shared/start.js';

const folder = fileURLToPath(new URL('schemathesis', import.meta.url));

type Run = (program: string, args: string[], env?: NodeJS.ProcessEnv) => Promise<number>;

function runnerIn(cwd: string, programs: string, abort: AbortSignal): Run {
  return async (program, args, env = {}) => {
    const child = spawn(join(programs, program), args, {
      cwd,
      env: { ...process.env, ...env, PATH: `${programs}:${process.env['PATH'] ?? ''}` },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    abort.addEventListener('abort', () => child.kill('SIGTERM'));
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  };
}

async function driveClient(run: Run, cwd: string, { url, keys, listings }: Target): Promise<number> {
  const options = ['--url', `${url}/openapi.json`, '--meta', 'none', '--output-path', 'catalogue'];
  const generated = await run('openapi-python-client', ['generate', ...options]);
  if (generated !== 0) return generated;
  const ids = listings.slice(0, 2).map(String);
  return run('python', [join(folder, 'drive_client.py'), cwd, url, keys[0]?.raw ?? '', ...ids]);
}

/** Runs Schemathesis. The options of the user are last, so that they override the others. */
function attack(
  run: Run,
  { url, adminSecret, keys, listings }: Target,
  given: readonly string[],
): Promise<number> {
  const options = [
    ['--header', `Authorization: Bearer ${keys[0]?.raw ?? ''}`],
    ['--header', `X-Admin-Secret: ${adminSecret}`],
    ['--seed', '42'],
    ['--max-examples', '100'],
  ].flat();
  const config = ['--config-file', join(folder, 'schemathesis.toml')];
  const env = {
    PYTHONPATH: folder,
    PYTHONDONTWRITEBYTECODE: '1',
    SCHEMATHESIS_HOOKS: 'hooks',
    FUZZ_LISTINGS: listings.join(','),
    FUZZ_ADMIN_SECRET: adminSecret,
    FUZZ_KEYS: keys.map(({ raw }) => raw).join(','),
    FUZZ_KEY_IDS: keys.map(({ id }) => id).join(','),
  };
  return run('schemathesis', [...config, 'run', `${url}/openapi.json`, ...options, ...given], env);
}

export const main = command({
  name: 'test:fuzz',
  onInterrupt: { graceMs: 0 },
  about: `Starts the service with a part of the sample catalogue, and tests it with Schemathesis, which generates some thousand valid
and invalid requests from the OpenAPI document. It reports 5xx responses, undocumented statuses, responses that contradict
the document, invalid requests that are accepted, valid requests that are rejected, and missing checks of API keys. Before
that, it generates a Python client from the document and sends requests with it. It needs Python 3.11.`,
  operands: { show: 'SCHEMATHESIS OPTION...', verbatim: true },
  options: {},
  notes: `The same seed generates the same requests.

  npm run test:fuzz -- --seed 7 --max-examples 1000 --include-path /v1/search`,
  exits: { done: 'no problem was found' },
  async run({ operands }, _env, { err, signal }) {
    const log = (line: string) => void err.write(`${line}\n`);
    const programs = await unlessInterrupted(providePython(FUZZING, log), signal);
    const services = await unlessInterrupted(startServices({ purpose: 'test', log }), signal);
    try {
      const target = await startTarget(services);
      const cwd = mkdtempSync(join(tmpdir(), 'product-catalogue-fuzz-'));
      try {
        const run = runnerIn(cwd, programs, signal);
        const driven = signal.aborted ? EXIT.interrupted : await driveClient(run, cwd, target);
        const code = driven === 0 ? await attack(run, target, operands) : driven;
        return signal.aborted ? EXIT.interrupted : code;
      } finally {
        rmSync(cwd, { recursive: true, force: true });
        await target.stop();
      }
    } finally {
      await services.stop();
    }
  },
});

await start(import.meta.url, main);
