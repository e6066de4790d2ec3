import { setTimeout as sleep } from 'node:timers/promises';
import { readSecret } from '../../src/platform/config/secret-files.js';
import { readDemoState } from '../../scripts/shared/demo-state.js';
import { CommandError, UsageError } from '../../scripts/shared/exit.js';
import { text, type Values } from '../../scripts/shared/options.js';

export interface Listing {
  id: number;
  source: string;
  sku: string;
  name: string;
  price: string | null;
  currency: string | null;
  is_available: boolean | null;
  brand: string | null;
  metadata: unknown;
}

/** A client of the running API. Every call is repeated after a rate limit or a short outage. */
export interface EvaluationApi {
  /** Sends a GET request to the API. @returns the response body; null for status 404. */
  get<T>(path: string): Promise<T | null>;
  post<T>(path: string, body: unknown): Promise<T | null>;
  listings(source?: string): Promise<Listing[]>;
}

const MAX_ATTEMPTS = 8;
const EXPORT_PAGE = 10_000;

export const SERVICE = {
  url: text(
    'URL',
    'the URL of the service; by default that of a running demo, otherwise http://localhost:3000',
  ),
  key: text(
    'KEY',
    'an API key; by default API_KEY, or the content of the file API_KEY_FILE. A key of the premium tier has the highest rate limit',
  ),
};
/** Creates a client of the service that the options name. @throws UsageError without an API key. */
export function apiOf({ url, key }: Values<typeof SERVICE>, env: NodeJS.ProcessEnv): EvaluationApi {
  const usable = key ?? readSecret(env, 'API_KEY');
  if (!usable) throw new UsageError('an API key is needed: --key KEY, API_KEY, or API_KEY_FILE');
  const base = url ?? readDemoState()?.apiUrl ?? 'http://localhost:3000';
  return openApi(base.replace(/(?<!\/)\/+$/, ''), usable);
}

/** Creates a client of the API. A key of the premium tier has to wait least. */
export function openApi(url: string, key: string): EvaluationApi {
  const request = async (path: string, init: RequestInit = {}): Promise<Response | null> => {
    for (let attempt = 1; ; attempt += 1) {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const response = await fetch(`${url}${path}`, { ...init, headers }).catch((error: unknown) => {
        throw new CommandError(`no API at ${url}: ${String((error as Error).cause ?? error)}`);
      });
      if (response.ok) return response;
      const text = await response.text();
      if (response.status === 404) return null;
      const mayPass = response.status === 429 || response.status === 503;
      if (!mayPass || attempt === MAX_ATTEMPTS) {
        throw new CommandError(`${init.method ?? 'GET'} ${path} answered ${response.status}: ${text}`);
      }
      await sleep(secondsToWait(response) * 1000);
    }
  };
  const json = async <T>(path: string, init?: RequestInit): Promise<T | null> => {
    const response = await request(path, init);
    return response === null ? null : ((await response.json()) as T);
  };
  return {
    get: (path) => json(path),
    post: (path, body) => json(path, { method: 'POST', body: JSON.stringify(body) }),
    async listings(source) {
      const filter = source === undefined ? '' : `&source=${encodeURIComponent(source)}`;
      const all: Listing[] = [];
      for (;;) {
        const path = `/v1/products/export?format=ndjson&limit=${EXPORT_PAGE}&offset=${all.length}${filter}`;
        const text = (await (await request(path))?.text()) ?? '';
        const page = text
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as Listing);
        all.push(...page);
        if (page.length < EXPORT_PAGE) return all;
      }
    },
  };
}

/** The seconds until a request is repeated: after a rate limit the rest of its window, otherwise Retry-After, or 6. */
function secondsToWait({ headers, status }: Response): number {
  const reset = status === 429 ? /t=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1] : undefined;
  return Number(reset ?? headers.get('retry-after') ?? 5) + 1;
}
