import { request } from 'undici';
import type { Call } from './drive.js';
import type { Aim, Estimate } from './estimate.js';
import type { Queries } from './queries.js';
import type { Recorder } from './recorder.js';
import type { Turns } from './works.js';

/**
 * A running instance of the service. It is a process of its own that runs the compiled build, as in
 * production.
 */
export interface RunningService {
  url: string;
  pid: number;
  /** The time in milliseconds from the start of the process to the first page of a search. */
  startedInMs: number;
  stop(): Promise<void>;
}

/** The environment in which all measures run: Elasticsearch with a loaded catalogue, and the service. */
export interface Scene {
  engineUrl: string;
  /** The process ids of Elasticsearch and Redis. */
  pids: { elasticsearch: number; redis: number };
  prefix: string;
  listings: number;
  service: RunningService;
  /**
   * A second instance of the service that connects to Elasticsearch through the recorder, which records
   * what it sends.
   */
  recorded: RunningService;
  recorder: Recorder;
  /** The recorded Elasticsearch requests, by the API request that caused them. */
  sent: Map<string, Call[]>;
  /** The environment variables of the service, with which further instances can be started. */
  environment: Record<string, string>;
  queries: Queries;
  /** The ids of some listings of the catalogue. */
  ids: number[];
  /** Returns the value of an `Authorization` header. Each call returns the next API key. */
  authorization: () => string;
  turns: Turns;
  stop(): Promise<void>;
}

/** A measured figure with its confidence interval and its target. */
export interface BenchFinding extends Estimate {
  work: string;
  /** The name of the figure, such as `share of direct throughput`. */
  figure: string;
  /** The target of the figure; null if it is for information only. */
  aim: Aim | null;
  /** The word with which the report describes an improvement of the figure; `faster` by default. */
  better?: string;
  worse?: string;
  /** The number of decimals with which the figure is displayed. */
  digits: number;
  unit: string;
  /** The measured values from which the figure was computed, as text for the report. */
  behind: string;
}

/** A function that measures one kind of request and returns its figures. */
export type Measure = (scene: Scene) => Promise<BenchFinding[]>;

/** A request of the benchmark to the API of the service. */
export interface Ask {
  method?: 'GET' | 'POST';
  path: string;
  body?: unknown;
}

/** Converts an API request to an HTTP request with an `Authorization` header. */
export function callOf(scene: Scene, { method = 'GET', path, body }: Ask): Call {
  const headers = { authorization: scene.authorization() };
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
 * Sends each API request once through the recorder, and only once, because the service could answer a
 * repeated request from its cache.
 * @returns the requests that the service sent to Elasticsearch for them, and the HTTP requests that repeat
 *   the API requests; they are enough to use each API key equally often.
 * @throws Error if a response has a status other than 2xx.
 */
export async function record(
  scene: Scene,
  asks: readonly Ask[],
): Promise<{ service: Call[]; direct: Call[][] }> {
  const direct: Call[][] = [];
  for (const ask of asks) {
    const name = JSON.stringify(ask);
    const calls = scene.sent.get(name) ?? (await recordOne(scene, ask));
    scene.sent.set(name, calls);
    direct.push(calls);
  }
  const times = Math.ceil(1_000 / asks.length);
  const service = Array.from({ length: times }, () => asks.map((ask) => callOf(scene, ask))).flat();
  return { service, direct };
}

async function recordOne(scene: Scene, ask: Ask): Promise<Call[]> {
  const { method, path, headers, body } = callOf(scene, ask);
  scene.recorder.take();
  const answer = await fetch(`${scene.recorded.url}${path}`, { method, headers, body: body ?? null });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 200)}`);
  return scene.recorder.take();
}

/**
 * Clears Elasticsearch's cache and refreshes the index, after which the service no longer uses its cached
 * responses. A round that sends each query once then measures the full work.
 */
export async function forgetAnswers({ engineUrl, prefix }: Scene): Promise<void> {
  for (const path of ['_cache/clear?request=true', '_refresh']) {
    const answer = await request(`${engineUrl}/${prefix}-products/${path}`, { method: 'POST' });
    await answer.body.dump();
  }
}
