import type { Client } from '@elastic/elasticsearch';
import { SERVICE } from '../../src/engine/indices.js';
import { TODAYS_SCHEMA } from '../../src/listing/derived.js';
import type { StoredListing } from '../../src/listing/listing.js';
import { topTen } from '../reindex/searches.js';
import { sampleIds } from '../reindex/verify.js';
import { StoppedError } from '../shared/exit.js';
import { formatCount } from '../shared/terminal.js';

const SAMPLE = 500;
const SEARCHES = 5;
const SHOWN = 10;

/**
 * Verifies a restored index of listings. The index must belong to the service and have a schema that this version supports.
 * A search must count as many listings as the index stores. Each listing of a sample must be complete, and must equal the
 * listing of the serving index if that has the same version. Searches for names of the sample must find their listings.
 * @param serving null: there is none to compare with.
 * @returns what was verified, for people. @throws StoppedError with what is wrong.
 */
export async function verifyRestored(es: Client, index: string, serving: string | null): Promise<string> {
  await es.indices.refresh({ index });
  const { [index]: state } = await es.indices.getMapping({ index });
  const { service, schema_version: schema } = (state?.mappings._meta ?? {}) as Record<string, unknown>;
  if (service !== SERVICE) throw wrong(index, [`it is not an index of this service`]);
  if (typeof schema !== 'number' || schema > TODAYS_SCHEMA)
    throw wrong(index, [`it has schema ${String(schema)}, and this version knows ${TODAYS_SCHEMA} at most`]);
  const [{ count }, stats] = await Promise.all([
    es.count({ index }),
    es.indices.stats({ index, metric: ['docs'] }),
  ]);
  const stored = stats._all.primaries?.docs?.count ?? 0;
  if (count === 0) throw wrong(index, ['it has no listings']);
  if (count !== stored) throw wrong(index, [`it has ${stored} listings, and searches see ${count}`]);
  const ids = await sampleIds(es, index, { size: SAMPLE, seed: 1, upTo: Number.MAX_SAFE_INTEGER });
  const sample = await read(es, index, ids);
  const others = serving === null ? [] : await read(es, serving, ids);
  const findings = ids.flatMap((id, at) => {
    const found = sample[at];
    const reason = incomplete(id, found?.listing);
    if (reason !== null) return [`listing ${id}: ${reason}`];
    const other = others[at];
    const differs =
      other?.version === found?.version && JSON.stringify(other?.listing) !== JSON.stringify(found?.listing);
    return differs ? [`listing ${id}: differs from the one in ${serving}, which has the same version`] : [];
  });
  const searched = sample.slice(0, SEARCHES).flatMap((found) => found?.listing ?? []);
  for (const { id, name } of searched) {
    const hits = await topTen(es, index, name);
    // Several listings may share a name: any of them will do.
    if (!hits.some((hit) => hit.id === id || hit.name === name))
      findings.push(`listing ${id}: a search for its name "${name}" does not find it`);
  }
  if (findings.length > 0) throw wrong(index, findings);
  const compared = others.filter((other, at) => other?.version === sample[at]?.version).length;
  return `verified: ${formatCount(count)} listings, schema ${schema} of ${TODAYS_SCHEMA}, ${formatCount(ids.length)} listings read back, ${formatCount(compared)} of them compared with the serving index, ${searched.length} searches`;
}

function incomplete(id: string, listing: StoredListing | undefined): string | null {
  if (listing === undefined) return 'cannot be read back';
  const missing: string[] = (['source', 'sku', 'name'] as const).filter((field) => !listing[field]);
  if (String(listing.id) !== id) missing.push('id');
  if (!Array.isArray(listing.internal?.price_history)) missing.push('internal.price_history');
  return missing.length === 0 ? null : `lacks ${missing.join(', ')}`;
}

async function read(
  es: Client,
  index: string,
  ids: string[],
): Promise<({ version: number; listing: StoredListing } | null)[]> {
  const { docs } = await es.mget<StoredListing>({ index, ids });
  return docs.map((doc) =>
    'error' in doc || !doc.found || doc._source === undefined
      ? null
      : { version: doc._version ?? 0, listing: doc._source },
  );
}

function wrong(index: string, findings: string[]): StoppedError {
  const more = findings.length > SHOWN ? [`and ${findings.length - SHOWN} more`] : [];
  const shown = [...findings.slice(0, SHOWN), ...more].map((finding) => `  ${finding}`);
  return new StoppedError(
    `${index} failed the verification:\n${shown.join('\n')}\nThe alias is where it was. Choose another snapshot; npm run reindex -- --clean deletes ${index}.`,
  );
}
