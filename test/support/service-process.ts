import { type ChildProcess, spawn } from 'node:child_process';
import { program } from './program.js';
import { elasticsearchUrl, redisUrl } from './services.js';
import { until } from './until.js';

/** The service as a process of its own. */
export interface ServiceProcess {
  child: ChildProcess;
  /** Waits until it listens. @throws Error with its output if it ends before. */
  url(): Promise<string>;
  /** What it has printed so far, on both streams. */
  output(): string;
}

/**
 * Starts the service on a free port, with the engines of the tests.
 * @param args arguments of the command; by default Node runs `src/main.ts`.
 * @param command the file that is run, by default Node.
 */
export function spawnService(
  env: NodeJS.ProcessEnv,
  args = program('src/main.ts'),
  command = process.execPath,
): ServiceProcess {
  const engines = { ELASTICSEARCH_URL: elasticsearchUrl, REDIS_URL: redisUrl };
  const child = spawn(command, args, {
    // A loaded machine answers late.
    env: { ...process.env, ...engines, PORT: '0', REDIS_DEADLINE_MS: '5000', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  return {
    child,
    url: () =>
      until(() => {
        const found = /listening on (http:\/\/[^\s",]+)/.exec(output)?.[1];
        if (found === undefined && child.exitCode !== null) throw new Error(output);
        return found ?? '';
      }),
    output: () => output,
  };
}
