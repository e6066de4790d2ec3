import type { BenchFinding } from '../context.js';
import { type EnvironmentOptions, type Engines, prepareContext } from '../environment.js';
import { measureEndpoint } from './endpoints.js';

/** The endpoints whose cost depends most, and least, on the size of the catalogue. */
const SCALED = ['search', 'id'];

/** Measures searches and look-ups of catalogues of these sizes or numbers of shards against the plain service. */
export async function scaling(
  engines: Engines,
  catalogues: readonly EnvironmentOptions[],
): Promise<BenchFinding[]> {
  const found: BenchFinding[] = [];
  for (const options of catalogues) {
    const { listings, shards = 1 } = options;
    process.stderr.write(`Measuring ${listings} listings in ${shards} shards\n`);
    const context = await prepareContext(engines, options);
    try {
      for (const name of SCALED)
        found.push(
          ...(await measureEndpoint(context, name, {
            label: `${name} of ${listings} listings${shards === 1 ? '' : ` in ${shards} shards`}`,
          })),
        );
    } finally {
      await context.stop();
    }
  }
  return found;
}
