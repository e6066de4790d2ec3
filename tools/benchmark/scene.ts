import { request } from 'undici';
import type { Call } from './drive.js';
import type { Aim, Estimate } from './estimate.js';
import type { Queries } from './queries.js';
import type { Recorder } from './recorder.js';
import type { Turns } from './works.js';

/** An instance of the compiled service, in a process of its own. */
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
  pids: { elasticsearch: number; redis: number };
  prefix: string;
  listings: number;
  service: RunningService;
  /** An instance that connects to Elasticsearch through the recorder. */
  recorded: RunningService;
  recorder: Recorder;
  sent: Map<string, Call[]>;
  environment: Record<string, string>;
  queries: Queries;
  ids: number[];
  /** Returns the value of an `Authorization` header. Each call returns the next API key. */
  authorization: () => string;
  turns: Turns;
  stop(): Promise<void>;
}

/** A measured figure with its confidence interval and its target. */
export interface BenchFinding extends Estimate {
  work: string;
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

export type Measure = (scene: Scene) => Promise<BenchFinding[]>;

export interface Ask {
  method?: 'GET' | 'POST';
  path: string;
  body?: unknown;
}

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
 * Sends each API request once through the recorder; a repeated one could be answered from the cache. Returns
 * the recorded Elasticsearch requests, and the API requests, enough to use each API key equally often.
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

/** Clears the caches of Elasticsearch and (by a refresh) of the service, to measure the full work. */
export async function forgetAnswers({ engineUrl, prefix }: Scene): Promise<void> {
  for (const path of ['_cache/clear?request=true', '_refresh']) {
    const answer = await request(`${engineUrl}/${prefix}-products/${path}`, { method: 'POST' });
    await answer.body.dump();
  }
}
