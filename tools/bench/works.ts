import { fileURLToPath } from 'node:url';
import { startProgram } from '../services/index.js';
import { type Call, drive, medians, type Sample } from './drive.js';
import { type Estimate, estimate } from './estimate.js';

/** One kind of work: the service's calls, and the very requests that it sends to the engine for them. */
export interface Work {
  concurrency: number;
  service: Call[];
  direct: Call[];
  /** Before every turn of either side. */
  prepare?: () => Promise<void>;
}

/** How long each side is driven, and how often in turn. */
export interface Turns {
  rounds: number;
  seconds: number;
}

/** Both sides of one work. */
export interface JobOutcome {
  /** Medians of all turns. */
  service: Sample;
  direct: Sample;
  /** The turns that followed each other. */
  pairs: { service: Sample; direct: Sample }[];
}

/** Of each pair by itself: what strikes the machine for a while strikes both of its sides. */
export const ofPairs = (
  { pairs }: JobOutcome,
  figure: (service: Sample, direct: Sample) => number,
): Estimate => estimate(pairs.map(({ service, direct }) => figure(service, direct)));

/** The service's share of what the engine alone does in the same time. */
export const shareOfDirect = (outcome: JobOutcome): Estimate =>
  ofPairs(outcome, (service, direct) => service.throughput / direct.throughput);

/** Drives the engine and the service in turns, so that whatever else happens on the machine strikes both. */
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
      // The first one warms up.
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
 * The same work, with a bare Node server that passes the direct calls on in place of the service: the floor of whatever
 * answers in Node.
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

/** Gives the calls one after the other, and begins again. */
export function inTurn(calls: readonly Call[]): () => Call {
  let at = 0;
  return () => {
    const call = calls[at % calls.length];
    at += 1;
    if (call === undefined) throw new Error('there is nothing to send');
    return call;
  };
}
