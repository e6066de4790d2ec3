import { SERVICE } from '../../engine/indices.js';
import { schemaVersionOf } from '../../engine/index-versions.js';
import { CURRENT_SCHEMA } from '../../listing/schema-versions.js';
import type { StoredListing } from '../../listing/listing.js';
import { StoppedError } from '../../platform/operation-errors.js';
import { formatCount } from '../../text/quantities.js';
import { readVersions, sampleIds } from '../../engine/index-samples.js';
import type { AliasMoveRun } from '../../engine/alias-move.js';

const SAMPLE = 500;
const SEARCHES = 5;
const MAX_REPORTED_FINDINGS = 10;

/**
 * Verifies a restored index of listings: it belongs to the service, has a supported schema, and searches count all of its
 * listings. Each listing of a sample is complete, equals that of the serving index if the versions are the same, and is found by
 * its name.
 * @param serving the index to compare with; null if there is none. @returns a line for the operator.
 * @throws StoppedError that lists what is wrong.
 */
export async function verifyRestored(
  { es, firstPage }: Pick<AliasMoveRun, 'es' | 'firstPage'>,
  index: string,
  serving: string | null,
): Promise<string> {
  await es.indices.refresh({ index });
  const { [index]: state } = await es.indices.getMapping({ index });
  const { service, schema_version: schema } = (state?.mappings._meta ?? {}) as Record<string, unknown>;
  if (service !== SERVICE) throw wrong(index, [`it is not an index of this service`]);
  if (typeof schema !== 'number' || schema > CURRENT_SCHEMA)
    throw wrong(index, [
      `it has schema ${String(schema)}, and this version supports at most ${CURRENT_SCHEMA}`,
    ]);
  const [{ count }, stats] = await Promise.all([
    es.count({ index }),
    es.indices.stats({ index, metric: ['docs'] }),
  ]);
  const stored = stats._all.primaries?.docs?.count ?? 0;
  if (count === 0) throw wrong(index, ['it has no listings']);
  if (count !== stored) throw wrong(index, [`it has ${stored} listings, and searches see ${count}`]);
  const ids = await sampleIds(es, index, { size: SAMPLE, seed: 1, upTo: Number.MAX_SAFE_INTEGER });
  const sample = await readVersions(es, index, ids);
  const others = serving === null ? [] : await readVersions(es, serving, ids);
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
    const hits = await firstPage(index, name);
    // Several listings may share a name, so it suffices that the search finds any of them.
    if (!hits.some((hit) => hit.id === id || hit.name === name))
      findings.push(`listing ${id}: a search for its name "${name}" does not find it`);
  }
  if (findings.length > 0) throw wrong(index, findings);
  const compared = others.filter((other, at) => other?.version === sample[at]?.version).length;
  return `verified: ${formatCount(count)} listings, schema ${await schemaVersionOf(es, index)} of ${CURRENT_SCHEMA}, ${formatCount(ids.length)} listings read back, ${formatCount(compared)} of them compared with the serving index, ${searched.length} searches`;
}

function incomplete(id: string, listing: StoredListing | undefined): string | null {
  if (listing === undefined) return 'cannot be read back';
  const missing: string[] = (['source', 'sku', 'name'] as const).filter((field) => !listing[field]);
  if (String(listing.id) !== id) missing.push('id');
  if (!Array.isArray(listing.internal?.price_history)) missing.push('internal.price_history');
  return missing.length === 0 ? null : `lacks ${missing.join(', ')}`;
}

function wrong(index: string, findings: string[]): StoppedError {
  const more =
    findings.length > MAX_REPORTED_FINDINGS ? [`and ${findings.length - MAX_REPORTED_FINDINGS} more`] : [];
  const shown = [...findings.slice(0, MAX_REPORTED_FINDINGS), ...more].map((finding) => `  ${finding}`);
  return new StoppedError(
    `${index} failed the verification:\n${shown.join('\n')}\nThe alias is where it was. Choose another snapshot; npm run reindex -- --clean deletes ${index}.`,
  );
}
