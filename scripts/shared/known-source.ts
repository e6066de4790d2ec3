import { sourcesInsteadOf } from '../../src/usecases/ingest/withdraw.js';
import type { CommandEngine } from './engine.js';

const MAX_NAMED_SOURCES = 20;

/** Describes an unknown source; null if the catalogue has or had it. @param consequence such as `nothing was withdrawn`. */
export async function describeUnknownSource(
  source: string,
  consequence: string,
  engine: Pick<CommandEngine, 'es' | 'indexPrefix'>,
): Promise<string | null> {
  const sources = await sourcesInsteadOf(source, engine);
  if (sources === null) return null;
  const named = sources.slice(0, MAX_NAMED_SOURCES).join(', ');
  const more = sources.length > MAX_NAMED_SOURCES ? ' and others' : '';
  const known = sources.length === 0 ? 'The catalogue is empty.' : `The sources are ${named}${more}.`;
  return `No listing has ever had the source ${JSON.stringify(source)}; ${consequence}. ${known}`;
}
