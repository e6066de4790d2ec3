import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { basicAuth, type Credentials } from './file-realm.js';

const POLL_MS = 100;
const ANSWER_WITHIN_MS = 10_000;

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

/** Sends a request to a local Elasticsearch, without verifying its TLS certificate. */
export const askEngine = (url: string, user?: Credentials, withinMs = ANSWER_WITHIN_MS) =>
  fetch(url, {
    headers: user ? basicAuth(user) : {},
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

/** The process for which `untilReady` waits. `exit` returns undefined while it runs. */
interface Started {
  exit(): { code: number | null; signal: string | null } | undefined;
}

/** Repeats `check` until it returns a value. Throws an Error if the process ends, or after `withinMs`. */
export async function untilReady<T>(
  started: Started,
  withinMs: number,
  check: () => Promise<T | undefined>,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  while (Date.now() < deadline) {
    const value = await check();
    const exit = started.exit();
    if (exit) throw new Error(`it ended with ${exit.signal ?? `code ${exit.code}`}`);
    if (value !== undefined) return value;
    await sleep(POLL_MS);
  }
  throw new Error(`it was not ready after ${withinMs / 1000} s`);
}
