import { request } from 'undici';
import type { HttpRequest } from './drive.js';
import type { Estimate } from '../../src/text/statistics.js';
import type { Target } from './estimate.js';
import type { Queries } from './queries.js';
import type { Recorder } from './recorder.js';
import type { Rounds } from './comparison.js';

/** An instance of the compiled service, in a process of its own. */
export interface RunningService {
  url: string;
  pid: number;
  /** The time in milliseconds from the start of the process to the first page of a search. */
  startedInMs: number;
  stop(): Promise<void>;
}

export interface BenchContext {
  engineUrl: string;
  pids: { elasticsearch: number; redis: number };
  prefix: string;
  listings: number;
  service: RunningService;
  /**
   * An instance of the service that connects to Elasticsearch through the recorder, a proxy that records the
   * requests.
   */
  recorded: RunningService;
  recorder: Recorder;
  sent: Map<string, HttpRequest[]>;
  environment: Record<string, string>;
  queries: Queries;
  ids: number[];
  /**
   * Returns the value of the `Authorization` header of a request. Each call returns that of the next API key.
   */
  authorization: () => string;
  rounds: Rounds;
  stop(): Promise<void>;
}

export interface BenchFinding extends Estimate {
  work: string;
  figure: string;
  /** The target of the benchmark figure; null if the figure is for information only. */
  target: Target | null;
  /** The word with which the report describes an improvement of the benchmark figure; `faster` by default. */
  better?: string;
  worse?: string;
  /** The number of decimals with which the benchmark figure is displayed; 2 by default. */
  digits?: number;
  unit?: string;
  /** The measured values from which the benchmark figure was computed, as text for the report. */
  details: string;
}

export type Measure = (context: BenchContext) => Promise<BenchFinding[]>;

export interface ApiRequest {
  method?: 'GET' | 'POST';
  path: string;
  body?: unknown;
}

export function httpRequest(context: BenchContext, { method = 'GET', path, body }: ApiRequest): HttpRequest {
  const headers = { authorization: context.authorization() };
  return body === undefined
    ? { method, path, headers }
    : {
        method,
        path,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      };
}

/**
 * Records the Elasticsearch requests that the service sends for each API request. Returns them together with
 * the API requests, which are repeated so often that all API keys are used equally often.
 */
export async function record(
  context: BenchContext,
  requests: readonly ApiRequest[],
): Promise<{ service: HttpRequest[]; direct: HttpRequest[][] }> {
  const direct: HttpRequest[][] = [];
  for (const apiRequest of requests) {
    const name = JSON.stringify(apiRequest);
    const calls = context.sent.get(name) ?? (await recordOne(context, apiRequest));
    context.sent.set(name, calls);
    direct.push(calls);
  }
  const times = Math.ceil(1_000 / requests.length);
  const service = Array.from({ length: times }, () =>
    requests.map((apiRequest) => httpRequest(context, apiRequest)),
  ).flat();
  return { service, direct };
}

async function recordOne(context: BenchContext, apiRequest: ApiRequest): Promise<HttpRequest[]> {
  const { method, path, headers, body } = httpRequest(context, apiRequest);
  context.recorder.take();
  const answer = await fetch(`${context.recorded.url}${path}`, { method, headers, body: body ?? null });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 200)}`);
  return context.recorder.take();
}

/**
 * Clears the caches of Elasticsearch and (by a refresh of the index) of the service, so that a benchmark
 * measures the full work of a request.
 */
export async function clearCaches({ engineUrl, prefix }: BenchContext): Promise<void> {
  for (const path of ['_cache/clear?request=true', '_refresh']) {
    const answer = await request(`${engineUrl}/${prefix}-products/${path}`, { method: 'POST' });
    await answer.body.dump();
  }
}
