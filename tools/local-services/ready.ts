import { mkdtemp } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, fetch } from 'undici';
import { startReady } from './kept.js';

const ANSWER_WITHIN_MS = 10_000;
const PROGRAM_READY_WITHIN_MS = 120_000;

export type Engine = 'elasticsearch' | 'redis';

export interface RunningEngine {
  url: string;
  /** How the engine was provided, for the user, such as `redis-server of this machine`. */
  way: string;
  stop(): Promise<void>;
}

export interface Credentials {
  username: string;
  password: string;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

const anyCertificate = new Agent({ connect: { rejectUnauthorized: false } });

const basicAuth = ({ username, password }: Credentials): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** Sends a request to a local Elasticsearch, without verifying its TLS certificate. */
export const askEngine = (url: string, user?: Credentials, withinMs = ANSWER_WITHIN_MS) =>
  fetch(url, {
    headers: user ? { authorization: basicAuth(user) } : {},
    dispatcher: anyCertificate,
    signal: AbortSignal.timeout(withinMs),
  });

export async function elasticsearchIsReady(url: string, user?: Credentials): Promise<boolean> {
  try {
    return (await askEngine(`${url}/_cluster/health?wait_for_status=yellow&timeout=5s`, user)).ok;
  } catch {
    return false;
  }
}

/** Returns the INFO of the Redis on this port; undefined until it has loaded its data into memory. */
export async function redisInfo(port: number): Promise<string | undefined> {
  const info = await new Promise<string>((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.end('INFO\r\nQUIT\r\n'));
    socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy());
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(text));
  });
  return info.includes('loading:0\r') ? info : undefined;
}

export interface Program {
  url: string;
  output: string;
  stop(): Promise<void>;
}

export interface ProgramOptions {
  /** The HTTP path that responds with a 2xx status as soon as the program is ready. */
  ready: string;
  asking?: RequestInit;
  env?: (port: number) => Record<string, string>;
  removeAfter?: string[];
}

/** Starts a program, and waits until it responds over HTTP. `args` returns its arguments for a port. */
export async function startProgram(
  command: string,
  args: (port: number) => string[],
  { ready, asking = {}, env = () => ({}), removeAfter = [] }: ProgramOptions,
): Promise<Program> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const folder = await mkdtemp(join(tmpdir(), 'program-'));
  const log = join(folder, 'log');
  const { stop } = await startReady(
    {
      command,
      args: args(port),
      cwd: process.cwd(),
      env: env(port),
      log,
      removeAfter: [folder, ...removeAfter],
    },
    {
      failure: command,
      withinMs: PROGRAM_READY_WITHIN_MS,
      check: async () =>
        (await globalThis.fetch(`${url}${ready}`, asking).catch(() => null))?.ok || undefined,
    },
  );
  return { url, output: log, stop };
}
