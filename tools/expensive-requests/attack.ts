import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { WINDOW_MS } from '../../src/platform/access/tiers.js';
import { bootstrapEstimate, type Estimate } from '../../src/text/statistics.js';
import { alternately } from '../benchmark/comparison.js';
import type { ExpensiveRequest } from './seeded-search.js';

/** The number of connections over which the attacker sends its requests. */
const CONNECTIONS = 10;

/** The shortest time in ms from one search of the victim to the next, so that its key stays below its rate limit. */
const VICTIM_EVERY_MS = 100;

/** Idle connections are closed before the server closes them. */
const IDLE = { keepAliveMaxTimeout: 2_000 };

interface Keys {
  /** The API key that sends simple searches. */
  victim: string;
  /** The API key that sends expensive requests; `none` for requests without a key. */
  attacker: string;
}

/** What the victim sees of an attack. */
export interface AttackResult {
  /** The 95th percentile of its response times without and with the attack, in ms. */
  alone: number;
  attacked: number;
  /** How many times as long they take with it, with an interval by resampling the rounds. */
  ratio: Estimate;
  /** Its searches that were refused. */
  refused: number;
  /** The number of answers to the attacker. */
  answers: number;
}

/**
 * Measures how long another key's simple searches take while ten connections of one key send an expensive request, as
 * often as its rate limit allows, and without it, in alternation.
 * @param words the words that the victim searches for.
 */
export async function measureAttack(
  url: string,
  keys: Keys,
  { request, words }: { request: ExpensiveRequest; words: readonly string[] },
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<AttackResult> {
  const victim = new Pool(url, { connections: 1, ...IDLE });
  const attacker = new Pool(url, { connections: CONNECTIONS, ...IDLE });
  let [sent, refused, answers] = [0, 0, 0];
  const period = () => AbortSignal.timeout(seconds * 1_000);

  const searches = async (over: AbortSignal): Promise<number[]> => {
    const times: number[] = [];
    while (!over.aborted) {
      const q = `${words[sent % words.length] ?? ''} ${words[(sent * 7 + 3) % words.length] ?? ''}`;
      sent += 1;
      const began = performance.now();
      const path = `/v1/search?limit=20&q=${encodeURIComponent(q)}`;
      const { statusCode } = await send(victim, keys.victim, { method: 'GET', path });
      times.push(performance.now() - began);
      if (statusCode !== 200) refused += 1;
      await sleep(Math.max(0, VICTIM_EVERY_MS - (performance.now() - began)));
    }
    return times;
  };
  /** Sends the request again and again. After a refusal by the rate limit, the key waits for as long as its rate requires. */
  const attack = async (over: AbortSignal, pace: () => Promise<number>) => {
    while (!over.aborted) {
      await sleep(await pace());
      if ((await send(attacker, keys.attacker, request)).statusCode < 300) answers += 1;
    }
  };
  const { limit } = await send(attacker, keys.attacker, { method: 'GET', path: '/v1' });
  /** The pause in ms until the next request of the attacker, so that it uses its rate limit evenly. */
  let next = 0;
  const pace = () => {
    next = Math.max(next, performance.now()) + WINDOW_MS / limit;
    return Promise.resolve(next - performance.now());
  };
  const { alone, attacked } = await alternately(rounds, {
    alone: () => searches(period()),
    attacked: async () => {
      const over = period();
      const attacks = Array.from({ length: CONNECTIONS }, () => attack(over, pace));
      const times = await searches(over);
      await Promise.all(attacks);
      return times;
    },
  });
  await Promise.all([victim.close(), attacker.close()]);
  const rounded = alone.map((times, at) => ({ alone: times, attacked: attacked[at] ?? [] }));
  return {
    alone: p95(alone.flat()),
    attacked: p95(attacked.flat()),
    ratio: bootstrapEstimate(
      rounded,
      (some) => p95(some.flatMap((one) => one.attacked)) / p95(some.flatMap((one) => one.alone)),
    ),
    refused,
    answers,
  };
}

const p95 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? NaN;

async function send(
  pool: Pool,
  key: string,
  { method, path, body }: Omit<ExpensiveRequest, 'ms'>,
): Promise<{ statusCode: number; limit: number }> {
  const response = await pool.request({
    method,
    path,
    headers: {
      ...(key === 'none' ? {} : { authorization: `Bearer ${key}` }),
      accept: 'application/json, text/event-stream',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  await response.body.dump({ limit: Infinity });
  return { statusCode: response.statusCode, limit: Number(response.headers['x-ratelimit-limit']) };
}
