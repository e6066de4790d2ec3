import { fileURLToPath } from 'node:url';
import { startProgram } from '../local-services/index.js';
import { type HttpRequest, drive, medians, type Sample } from './drive.js';
import type { Estimate } from '../../src/text/statistics.js';
import { estimate } from './estimate.js';

/**
 * What a benchmark compares: requests to the service, and the requests that the service sends to
 * Elasticsearch for them.
 */
export interface Work {
  concurrency: number;
  service: HttpRequest[];
  direct: HttpRequest[];
  prepare?: () => Promise<void>;
}

/** The number of rounds, and the seconds for which each server receives requests in each round. */
export interface Rounds {
  count: number;
  seconds: number;
}

export interface Comparison {
  /** The measurements of the service. Each field is the median over all rounds. */
  service: Sample;
  direct: Sample;
  /** The measurements of the service and of Elasticsearch in each round, in which one followed the other. */
  pairs: { service: Sample; direct: Sample }[];
}

/**
 * Estimates a benchmark figure from one value per round. Each value compares the service with Elasticsearch
 * within a round, because a slowdown of the machine during a round affects both alike.
 */
export const ofPairs = (
  { pairs }: Comparison,
  figure: (service: Sample, direct: Sample) => number,
): Estimate => estimate(pairs.map(({ service, direct }) => figure(service, direct)));

export const shareOfDirect = (outcome: Comparison): Estimate =>
  ofPairs(outcome, (service, direct) => service.throughput / direct.throughput);

/**
 * Repeats several measurements in turn: first once to warm up the caches, which does not count, and then
 * `count` times.
 */
export async function alternately<Name extends string, Value>(
  count: number,
  measurements: Record<Name, () => Promise<Value>>,
): Promise<Record<Name, Value[]>> {
  const names = Object.keys(measurements) as Name[];
  const values = Object.fromEntries(names.map((name) => [name, [] as Value[]])) as Record<Name, Value[]>;
  for (let round = 0; round <= count; round += 1)
    for (const name of names) {
      const value = await measurements[name]();
      if (round > 0) values[name].push(value);
    }
  return values;
}

/** Measures Elasticsearch and the service alternately, so that other load on the machine affects both. */
export async function compareAlternately(
  { concurrency, prepare = () => Promise.resolve(), ...work }: Work,
  where: { engineUrl: string; serviceUrl: string },
  { count, seconds }: Rounds,
): Promise<Comparison> {
  const side = (origin: string, requests: readonly HttpRequest[]) => {
    const next = cycle(requests);
    return async () => {
      await prepare();
      return drive(origin, next, { concurrency, seconds });
    };
  };
  const { direct, service } = await alternately(count, {
    direct: side(where.engineUrl, work.direct),
    service: side(where.serviceUrl, work.service),
  });
  return {
    direct: medians(direct),
    service: medians(service),
    pairs: service.map((sample, round) => ({ service: sample, direct: direct[round] as Sample })),
  };
}

/**
 * Measures the overhead that any service in Node.js would have: compares requests that go directly to
 * Elasticsearch with the same requests through a server that only forwards them.
 */
export async function compareForwarding(
  work: Omit<Work, 'service'>,
  engineUrl: string,
  rounds: Rounds,
): Promise<Comparison> {
  const passOn = fileURLToPath(new URL('pass-on.mjs', import.meta.url));
  const bare = await startProgram(process.execPath, (port) => [passOn, engineUrl, String(port)], {
    ready: '/',
  });
  try {
    const serviceUrl = bare.url;
    const outcome = await compareAlternately(
      { ...work, service: work.direct },
      { engineUrl, serviceUrl },
      rounds,
    );
    if (outcome.service.failed > 0) throw new Error('Elasticsearch rejected a forwarded request');
    return outcome;
  } finally {
    await bare.stop();
  }
}

export function cycle(calls: readonly HttpRequest[]): () => HttpRequest {
  let at = 0;
  return () => {
    const call = calls[at % calls.length];
    at += 1;
    if (call === undefined) throw new Error('there is no request to send');
    return call;
  };
}
