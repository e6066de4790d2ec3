/** node attackers.mjs URL KEY CONNECTIONS REQUEST: attacks for the ms that the parent sends, and sends it the number of answers. */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

const IDLE = { keepAliveMaxTimeout: 2_000 };

const WINDOW_MS = 60_000;

const [url, key, connections, request] = process.argv.slice(2);
const { method, path, body } = JSON.parse(request);
const pool = new Pool(url, { connections: Number(connections), ...IDLE });

/** Without a key, each request has an address of its own, if the service trusts this machine as a proxy. */
const randomAddress = () => `198.18.${randomInt(256)}.${randomInt(256)}`;

const send = async (signal) => {
  const {
    statusCode,
    headers,
    body: answer,
  } = await pool.request({
    method,
    path,
    signal,
    headers: {
      ...(key === 'none' ? { 'x-forwarded-for': randomAddress() } : { authorization: `Bearer ${key}` }),
      accept: 'application/json, text/event-stream',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  // Without a finite limit, undici closes the connection after 128 kB.
  await answer.dump({ limit: Number.MAX_SAFE_INTEGER });
  const count = (name) => Number(headers[`x-ratelimit-${name}`]);
  return { isOk: statusCode < 300, limit: count('limit'), remaining: count('remaining') };
};

const first = await send();
const second = await send();
/** How many requests of the rate limit one request counts for, such as a batch. */
const counted = Math.max(1, first.remaining - second.remaining);
/** The pause in ms from one request to the next, so that the rate limit is used evenly; without a key, that of ten addresses. */
const every = (counted * WINDOW_MS) / first.limit / (key === 'none' ? Number(connections) : 1);
let next = 0;

/** Sends requests until the attack is over, and counts the answers. Requests that are not answered by then are cancelled. */
async function attack(over) {
  let answers = 0;
  try {
    for (;;) {
      next = Math.max(next, performance.now()) + every;
      await sleep(next - performance.now(), undefined, { signal: over });
      if ((await send(over)).isOk) answers += 1;
    }
  } catch (error) {
    if (!over.aborted) throw error;
  }
  return answers;
}

process.on('message', async (ms) => {
  const over = AbortSignal.timeout(ms);
  const answers = await Promise.all(Array.from({ length: Number(connections) }, () => attack(over)));
  process.send(answers.reduce((sum, one) => sum + one, 0));
});
process.on('disconnect', () => process.exit());
process.send('ready');
