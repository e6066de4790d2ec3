import { fileURLToPath } from 'node:url';
import { startProgram } from '../local-services/index.js';
import { type Call, drive, medians, type Sample } from './drive.js';
import { type Estimate, estimate } from './estimate.js';

/** Requests to the service, and the requests that the service sends to Elasticsearch for them. */
export interface Work {
  concurrency: number;
  service: Call[];
  direct: Call[];
  /** A function that runs before each measurement of the service or of Elasticsearch. */
  prepare?: () => Promise<void>;
}

/** The number of rounds, and the seconds for which each server receives requests in each round. */
export interface Turns {
  rounds: number;
  seconds: number;
}

export interface JobOutcome {
  /** The measurements of the service. Each field is the median over all rounds. */
  service: Sample;
  direct: Sample;
  /** For each round, the measurements of the service and of Elasticsearch, which followed each other. */
  pairs: { service: Sample; direct: Sample }[];
}

/** Estimates a figure from one value per round: a slowdown of the machine affects both sides of a round. */
export const ofPairs = (
  { pairs }: JobOutcome,
  figure: (service: Sample, direct: Sample) => number,
): Estimate => estimate(pairs.map(({ service, direct }) => figure(service, direct)));

/** Estimates the throughput of the service as a share of the throughput of Elasticsearch alone. */
export const shareOfDirect = (outcome: JobOutcome): Estimate =>
  ofPairs(outcome, (service, direct) => service.throughput / direct.throughput);

/** Measures Elasticsearch and the service alternately, so that other load on the machine affects both. */
export async function compareInTurns(
  { concurrency, direct: directly, service: served, prepare = () => Promise.resolve() }: Work,
  where: { engineUrl: string; serviceUrl: string },
  { rounds, seconds }: Turns,
): Promise<JobOutcome> {
  const sides = [
    { origin: where.engineUrl, next: inTurn(directly), samples: [] as Sample[] },
    { origin: where.serviceUrl, next: inTurn(served), samples: [] as Sample[] },
  ] as const;
  for (let round = 0; round <= rounds; round += 1) {
    for (const { origin, next, samples } of sides) {
      await prepare();
      const sample = await drive(origin, next, { concurrency, seconds });
      if (round > 0) samples.push(sample);
    }
  }
  const [direct, service] = [sides[0].samples, sides[1].samples];
  return {
    direct: medians(direct),
    service: medians(service),
    pairs: service.map((sample, round) => ({ service: sample, direct: direct[round] as Sample })),
  };
}

/**
 * Compares Elasticsearch with a server that only forwards requests: the overhead of any service in Node.js.
 */
export async function compareBareInTurns(
  work: Omit<Work, 'service'>,
  engineUrl: string,
  turns: Turns,
): Promise<JobOutcome> {
  const passOn = fileURLToPath(new URL('pass-on.mjs', import.meta.url));
  const bare = await startProgram(process.execPath, (port) => [passOn, engineUrl, String(port)], {
    ready: '/',
  });
  try {
    const serviceUrl = bare.url;
    const outcome = await compareInTurns({ ...work, service: work.direct }, { engineUrl, serviceUrl }, turns);
    if (outcome.service.failed > 0) throw new Error('what bare Node passed on was refused');
    return outcome;
  } finally {
    await bare.stop();
  }
}

/** Returns a function that returns the requests one after the other, and starts over after the last one. */
export function inTurn(calls: readonly Call[]): () => Call {
  let at = 0;
  return () => {
    const call = calls[at % calls.length];
    at += 1;
    if (call === undefined) throw new Error('there is nothing to send');
    return call;
  };
}
