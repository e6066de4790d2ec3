import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { basicAuth, type Credentials } from './file-realm.js';

const POLL_MS = 100;
const ANSWER_WITHIN_MS = 10_000;

/** A port that is free on 127.0.0.1 just now. */
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

/** Asks an Elasticsearch that was started here. Its certificate, where it has one, is not verified. */
export const askEngine = (url: string, user?: Credentials, withinMs = ANSWER_WITHIN_MS) =>
  fetch(url, {
    headers: user ? basicAuth(user) : {},
    dispatcher: anyCertificate,
    signal: AbortSignal.timeout(withinMs),
  });

/** Whether the Elasticsearch at `url` has a cluster that is yellow at least. */
export async function elasticsearchIsReady(url: string, user?: Credentials): Promise<boolean> {
  try {
    return (await askEngine(`${url}/_cluster/health?wait_for_status=yellow&timeout=5s`, user)).ok;
  } catch {
    return false;
  }
}

/** What the Redis on that port of 127.0.0.1 says to INFO once it has its data in memory; undefined until then. */
export async function redisInfo(port: number): Promise<string | undefined> {
  const said = await new Promise<string>((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.end('INFO\r\nQUIT\r\n'));
    socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy());
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(text));
  });
  return said.includes('loading:0\r') ? said : undefined;
}

/** The process to be ready: how it ended, if it did. */
interface Started {
  exit(): { code: number | null; signal: string | null } | undefined;
}

/** Waits until `check` gives a value; throws when the process ends before, or after `withinMs`. */
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
