import { request } from 'undici';
import type { Call } from './drive.js';
import type { Aim, Estimate } from './estimate.js';
import type { Queries } from './queries.js';
import type { Recorder } from './recorder.js';
import type { Turns } from './works.js';

/** The service as production runs it: a process of its own, from the build. */
export interface RunningService {
  url: string;
  pid: number;
  /** From the start of the process to the first page of a search, in milliseconds. */
  startedInMs: number;
  stop(): Promise<void>;
}

/** What every measure works on: an engine with a catalogue, and the service over it. */
export interface Scene {
  engineUrl: string;
  /** Processes of the engine and of Redis. */
  pids: { elasticsearch: number; redis: number };
  prefix: string;
  listings: number;
  service: RunningService;
  /** The same service over the recorder, for what it sends to the engine. */
  recorded: RunningService;
  recorder: Recorder;
  /** What that one sent for what it was asked. */
  sent: Map<string, Call[]>;
  /** The service's environment, to start another one. */
  environment: Record<string, string>;
  queries: Queries;
  /** Ids of some listings. */
  ids: number[];
  /** The header of a key, another one with each call. */
  authorization: () => string;
  turns: Turns;
  stop(): Promise<void>;
}

/** One figure with its interval, against its aim. */
export interface BenchFinding extends Estimate {
  work: string;
  /** What the figure is, such as `share of direct throughput`. */
  figure: string;
  /** Null: it is a figure to reckon with. */
  aim: Aim | null;
  /** What a change to the better or the worse is called; faster and slower by default. */
  better?: string;
  worse?: string;
  /** Decimals to show. */
  digits: number;
  unit: string;
  /** The figures behind it, in words. */
  behind: string;
}

/** Measures one kind of work. */
export type Measure = (scene: Scene) => Promise<BenchFinding[]>;

/** What is asked of the service. */
export interface Ask {
  method?: 'GET' | 'POST';
  path: string;
  body?: unknown;
}

/** The service's call for what is asked. */
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
 * Asks each once of the service over the recorder, and once only: what it is asked again it may remember.
 * @returns what the service sent to the engine for it, and the calls to ask the same with, enough of them that each
 *   key has its share.
 * @throws Error when an answer is no 2xx.
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
 * So that a turn, in which no query comes twice, is the whole work and not what is remembered of the last: the engine
 * clears its cache, and after a refresh the service takes none of its answers for fresh.
 */
export async function forgetAnswers({ engineUrl, prefix }: Scene): Promise<void> {
  for (const path of ['_cache/clear?request=true', '_refresh']) {
    const answer = await request(`${engineUrl}/${prefix}-products/${path}`, { method: 'POST' });
    await answer.body.dump();
  }
}
