import { estimate, FEWEST_ROUNDS } from '../estimate.js';
import type { Measure } from '../context.js';
import { startBuiltService } from '../environment.js';

/** Measures the time from the start of the process to the first search results. */
export const startUp: Measure = async (context) => {
  const times: number[] = [];
  for (let start = 0; start < FEWEST_ROUNDS; start += 1) {
    const service = await startBuiltService(context.environment, context.authorization());
    times.push(service.startedInMs);
    await service.stop();
  }
  return [
    {
      work: 'start to first answer',
      figure: 'median',
      ...estimate(times),
      target: { most: 350 },
      digits: 0,
      unit: ' ms',
      details: times.map((time) => time.toFixed(0)).join(', '),
    },
  ];
};
