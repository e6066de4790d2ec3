import { estimate, FEWEST_ROUNDS } from '../estimate.js';
import type { Measure } from '../scene.js';
import { startBuiltService } from '../stage.js';

const STARTS = FEWEST_ROUNDS;

/**
 * Measures the time from the start of the process to the first search results, with Elasticsearch running.
 */
export const startUp: Measure = async (scene) => {
  const times: number[] = [];
  for (let start = 0; start < STARTS; start += 1) {
    const service = await startBuiltService(scene.environment, scene.authorization());
    times.push(service.startedInMs);
    await service.stop();
  }
  return [
    {
      work: 'start to first answer',
      figure: 'median',
      ...estimate(times),
      aim: { most: 350 },
      digits: 0,
      unit: ' ms',
      behind: times.map((time) => time.toFixed(0)).join(', '),
    },
  ];
};
