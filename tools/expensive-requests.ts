/** npm run expensive-requests: searches for the most expensive requests of a running service; see --help. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { command } from '../scripts/shared/command.js';
import { needed, preset, text, webUrl, wholeNumber } from '../scripts/shared/options.js';
import { start } from '../scripts/shared/start.js';
import { measureAttack } from './expensive-requests/attack.js';
import { type ExpensiveRequest, findExpensive, type Timed } from './expensive-requests/seeded-search.js';

const REPORTED = 10;

export const main = command({
  name: 'expensive-requests',
  about: `Searches for the requests that a running service takes longest to answer, by a seeded search over all parameters of all
endpoints that only read: it changes the slowest requests of each endpoint further. With --attacker, it then measures how much
longer the simple searches of KEY take while ten connections of the other key send one of these requests. Run it on an
idle machine.`,
  options: {
    url: needed(webUrl('the address of the service')),
    key: needed(text('KEY', 'an API key of the tier premium')),
    attacker: text(
      'KEY',
      'an API key of another developer, which sends the expensive requests; none: without a key',
    ),
    requests: text(
      'FILE',
      'measure the requests of this file, in the form of the output, instead of searching',
    ),
    tries: preset(
      wholeNumber('the number of requests that are tried for each endpoint', { min: 1, max: 10_000 }),
      60,
    ),
    seed: preset(wholeNumber('the seed of the random numbers', { min: 0, max: 2 ** 32 - 1 }), 1),
    rounds: preset(wholeNumber('how often an attack is measured', { min: 1, max: 1_000 }), 3),
    seconds: preset(wholeNumber('the seconds with and without an attack in a round', { min: 1, max: 60 }), 5),
  },
  async run({ options: { url, key, attacker, requests: file, ...options } }, _env, { out }) {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const ask = async (path: string, init: RequestInit = {}) => {
      const began = performance.now();
      const response = await fetch(new URL(path, url), { headers, ...init });
      const bytes = await response.text();
      return { response, ms: performance.now() - began, text: bytes };
    };
    const timed: Timed = async ({ method, path, body }) => {
      const { response, ms } = await ask(path, {
        method,
        body: body === undefined ? null : JSON.stringify(body),
      });
      if (response.status !== 429) return response.status >= 300 ? null : ms;
      await sleep(1_000 * Number(response.headers.get('retry-after')));
      return timed({ method, path, body });
    };
    const { items } = JSON.parse((await ask('/v1/search?limit=100')).text) as {
      items: { id: number; name: string }[];
    };
    const catalogue = { words: items.flatMap(({ name }) => name.split(' ')), ids: items.map(({ id }) => id) };
    const requests =
      file === undefined
        ? (await findExpensive(timed, catalogue, options)).slice(0, REPORTED)
        : readRequests(file);
    for (const request of requests) {
      out.write(`${JSON.stringify(request)}\n`);
      if (attacker === undefined) continue;
      const keys = { victim: key, attacker };
      const result = await measureAttack(url, keys, { request, words: catalogue.words }, options);
      const { alone, attacked, ratio, refused, answers } = result;
      const [times, low, high] = [ratio.value, ratio.low, ratio.high].map((one) => one.toFixed(2));
      out.write(
        `  p95 ${alone.toFixed(0)} ms alone, ${attacked.toFixed(0)} ms attacked: ${times} times (${low} to ${high}); ` +
          `${refused} refused; ${answers} answers to the attacker\n`,
      );
    }
  },
});

/** Reads the requests of an earlier output, whose other lines begin with a blank. */
const readRequests = (file: string): ExpensiveRequest[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as ExpensiveRequest);

await start(import.meta.url, main);
