import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { bootstrapEstimate } from '../../src/text/statistics.js';
import { alternately } from '../benchmark/comparison.js';
import type { ExpensiveRequest } from './seeded-search.js';

const CONNECTIONS = 10;

/** The shortest time in ms from one search of the victim to the next, so that its key stays below its rate limit. */
const VICTIM_EVERY_MS = 100;

/** The pause in ms after an attack, in which the service completes its requests, before it is measured without an attack. */
const CALM_MS = 500;

/** Closes idle connections before the server does, so that no request is sent on a connection that is being closed. */
const IDLE = { keepAliveMaxTimeout: 2_000 };

interface Keys {
  /** The API key that sends simple searches. */
  victim: string;
  /** The API key that sends expensive requests; `none` for requests without a key. */
  attacker: string;
}

/** Measures the victim's searches for `words`, with and without ten connections that send the request, in alternation. */
export async function measureAttack(
  url: string,
  keys: Keys,
  { request, words }: { request: ExpensiveRequest; words: readonly string[] },
  { rounds, seconds }: { rounds: number; seconds: number },
) {
  const victim = new Pool(url, { connections: 1, ...IDLE });
  const program = fileURLToPath(new URL('attackers.mjs', import.meta.url));
  const attackers = fork(program, [url, keys.attacker, String(CONNECTIONS), JSON.stringify(request)], {
    execArgv: [],
  });
  const [ready] = (await Promise.race([once(attackers, 'message'), once(attackers, 'exit')])) as unknown[];
  if (ready !== 'ready') throw new Error('the process of the attacker has ended');
  let [sent, refused, answers] = [0, 0, 0];

  const searches = async (): Promise<number[]> => {
    const over = AbortSignal.timeout(seconds * 1_000);
    const times: number[] = [];
    while (!over.aborted) {
      const q = `${words[sent % words.length] ?? ''} ${words[(sent * 7 + 3) % words.length] ?? ''}`;
      sent += 1;
      const began = performance.now();
      const path = `/v1/search?limit=20&q=${encodeURIComponent(q)}`;
      const headers = { authorization: `Bearer ${keys.victim}` };
      const response = await victim.request({ method: 'GET', path, headers });
      await response.body.dump({ limit: Number.MAX_SAFE_INTEGER });
      times.push(performance.now() - began);
      if (response.statusCode !== 200) refused += 1;
      await sleep(Math.max(0, VICTIM_EVERY_MS - (performance.now() - began)));
    }
    return times;
  };
  const { alone, attacked } = await alternately(rounds, {
    alone: searches,
    attacked: async () => {
      const over = once(attackers, 'message');
      attackers.send(seconds * 1_000);
      const times = await searches();
      const [answered] = (await over) as [number];
      answers += answered;
      await sleep(CALM_MS);
      return times;
    },
  });
  attackers.disconnect();
  await victim.close();
  const rounded = alone.map((times, at) => ({ alone: times, attacked: attacked[at] ?? [] }));
  return {
    /** The 95th percentile of the victim's response times without and with the attack, in ms. */
    alone: p95(alone.flat()),
    attacked: p95(attacked.flat()),
    /** How many times as long they take with it, with an interval by resampling the rounds. */
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
