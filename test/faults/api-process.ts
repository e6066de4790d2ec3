import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { until } from '../support/until.js';
import { program } from '../support/program.js';

/** The service, running in a process of its own. */
export interface ApiProcess {
  url: string;
  pid: number;
  /**
   * The logged lines of levels above `info`, and the lines that report that Elasticsearch or Redis accepts
   * writes again.
   */
  readonly warnings: string;
  /** Stops the process with SIGTERM, and returns its exit code. */
  stop(): Promise<number | null>;
}

/**
 * Starts `src/main.ts` on a free port, and waits until it is ready to serve requests.
 * @param untilReady if false, waits only until the service listens.
 * @param onOutput receives what the service prints.
 */
export async function startApiProcess(
  env: NodeJS.ProcessEnv,
  {
    untilReady = true,
    onOutput = () => undefined,
  }: { untilReady?: boolean; onOutput?: (text: string) => void } = {},
): Promise<ApiProcess> {
  const child = spawn(process.execPath, program('src/main.ts'), {
    // The time limit of Redis is long, because Redis responds late on a busy machine.
    env: { ...process.env, PORT: '0', LOG_LEVEL: 'info', REDIS_DEADLINE_MS: '3000', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  let output = '';
  let warnings = '';
  for (const stream of [child.stdout, child.stderr]) {
    // The log of later requests is not kept. The address is in the first line.
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      onOutput(chunk);
      output = (output + String(chunk)).slice(0, 10_000);
      const told = String(chunk)
        .split('\n')
        .filter((line) => /^\S+ (?:warn|error) |"log\.level":"(?:warn|error)"|takes writes again/.test(line));
      if (told.length > 0) warnings = `${warnings}${told.join('\n')}\n`.slice(0, 10_000);
    });
  }
  const url = await until(() => {
    if (child.exitCode !== null) throw new Error(`the API ended: ${output}`);
    return /listening on (http:\/\/[^\s",]+)/.exec(output)?.[1] ?? '';
  });
  if (untilReady) await until(async () => (await fetch(`${url}/readyz`)).ok);
  return {
    url,
    pid: child.pid ?? 0,
    get warnings() {
      return warnings;
    },
    async stop() {
      process.off('exit', kill);
      const exited = once(child, 'exit') as Promise<[number | null]>;
      child.kill('SIGTERM');
      const [code] = await exited;
      return code;
    },
  };
}
