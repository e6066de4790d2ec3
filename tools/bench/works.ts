import { type Call, drive, medians, type Sample } from './drive.js';

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

/** Both sides of one work, medians of their turns. */
export interface Outcome {
  service: Sample;
  direct: Sample;
}

/** Drives the engine and the service in turns, so that whatever else happens on the machine strikes both. */
export async function compareInTurns(
  { concurrency, direct, service, prepare = () => Promise.resolve() }: Work,
  where: { engineUrl: string; serviceUrl: string },
  { rounds, seconds }: Turns,
): Promise<Outcome> {
  const sides = [
    { origin: where.engineUrl, next: inTurn(direct), samples: [] as Sample[] },
    { origin: where.serviceUrl, next: inTurn(service), samples: [] as Sample[] },
  ] as const;
  for (let round = 0; round <= rounds; round += 1) {
    for (const { origin, next, samples } of sides) {
      await prepare();
      const sample = await drive(origin, next, { concurrency, seconds });
      // The first one warms up.
      if (round > 0) samples.push(sample);
    }
  }
  return { direct: medians(sides[0].samples), service: medians(sides[1].samples) };
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
