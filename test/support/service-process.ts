import { type ChildProcess, spawn } from 'node:child_process';
import { program } from './program.js';
import { elasticsearchUrl, redisUrl } from './services.js';
import { until } from './until.js';

/** The service, running in a process of its own. */
export interface ServiceProcess {
  child: ChildProcess;
  /**
   * Waits until the service listens, and returns its URL. @throws Error with its output if it ends before.
   */
  url(): Promise<string>;
  /** Returns what the service has printed up to now, to both standard output and standard error. */
  output(): string;
}

/**
 * Starts the service on a free port, with the Elasticsearch and Redis of the tests.
 * @param args the arguments of the command; by default, Node.js runs `src/main.ts`.
 * @param command the program to run; by default, it is Node.js.
 */
export function spawnService(
  env: NodeJS.ProcessEnv,
  args = program('src/main.ts'),
  command = process.execPath,
): ServiceProcess {
  const engines = { ELASTICSEARCH_URL: elasticsearchUrl, REDIS_URL: redisUrl };
  const child = spawn(command, args, {
    // The time limit of Redis is long, because Redis responds late on a busy machine.
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
