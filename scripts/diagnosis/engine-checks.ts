import { readOnlyIndices } from '../../src/engine/disk-full.js';
import { findGenerations } from '../../src/engine/generations.js';
import { productsAlias } from '../../src/engine/indices.js';
import { marketsOfIndex, schemaVersionOf } from '../../src/engine/index-versions.js';
import { readLease } from '../../src/engine/lease.js';
import { READ_MARKETS } from '../../src/platform/config/markets.js';
import { CURRENT_SCHEMA } from '../../src/listing/schema-versions.js';
import { INDICES, kindOfIndex, schemaOf, type StoredIndex } from '../../src/platform/stored.js';
import { formatCount } from '../../src/text/quantities.js';
import { describeStatus } from '../../src/usecases/reindex/status.js';
import { REINDEX } from '../../src/engine/alias-move.js';
import type { CommandEngine } from '../shared/engine.js';
import { type Check, fail, type Finding, ok, warn } from './finding.js';

/** The shares of a disk from which Elasticsearch restricts what it does; the first one is that of the alert CatalogueDisk. */
const DISK = { warn: 0.8, fail: 0.95 };

export const checkCluster: Check = async ({ engine: { es, url } }) => {
  const [{ version }, health] = await Promise.all([es.info(), es.cluster.health()]);
  const { status, number_of_nodes: nodes, unassigned_shards: missing } = health;
  const expected = es.connectionPool.size;
  const counted = nodes < expected ? `${nodes} of ${expected}` : String(nodes);
  const text = `${status}, ${counted} ${nodes === 1 ? 'node' : 'nodes'}, Elasticsearch ${version.number}, ${url}`;
  const why = "es '/_cluster/allocation/explain?pretty'";
  if (status === 'red') return [fail(`${text}: ${missing} shards are missing`, why)];
  if (status === 'yellow') return [warn(`${text}: ${missing} copies of shards are missing`, why)];
  return nodes < expected ? [warn(text, "es '/_cat/nodes?v'")] : [ok(text)];
};

export const checkDisk: Check = async ({ engine: { es, indexPrefix } }) => {
  const [{ nodes }, blocked] = await Promise.all([
    es.nodes.stats({ metric: 'fs' }),
    readOnlyIndices(es, indexPrefix),
  ]);
  const next = 'npm run reindex -- --clean, or see docs/operations.md#disk';
  const findings = Object.values(nodes).map(({ name, host, fs }): Finding => {
    const { total_in_bytes: total = 0, available_in_bytes: available = 0 } = fs?.total ?? {};
    const used = total === 0 ? 0 : 1 - available / total;
    const text = `node ${name || host}: ${Math.round(100 * used)} % used, ${formatCount(Math.round(available / 1e9))} GB free`;
    if (used >= DISK.fail) return fail(text, next);
    return used >= DISK.warn ? warn(text, next) : ok(text);
  });
  if (blocked.length === 0) return findings;
  const names = `${blocked.slice(0, 3).join(', ')}${blocked.length > 3 ? ' …' : ''}`;
  return [fail(`the disk is full: ${blocked.length} indices take no writes (${names})`, next), ...findings];
};

/** Checks the schema versions of all indices, and whether a reindex, rollback or restore has not ended. */
export const checkIndices: Check = async ({ engine }) => {
  const { es, indexPrefix } = engine;
  const alias = productsAlias(indexPrefix);
  const [{ live }, { move, owner }] = await Promise.all([
    findGenerations(es, alias),
    readLease(es, indexPrefix, REINDEX),
  ]);
  if (live === null) return [fail(`there is no catalogue ${alias}`, 'npm run ingest')];
  const text = await describeStatus(es, indexPrefix, alias);
  const others = await checkOtherIndices(engine, owner !== null);
  if (move !== null)
    return [warn(text, `npm run reindex${move.kind === 'rollback' ? ' -- --rollback' : ''}`), ...others];
  const schema = await schemaVersionOf(es, alias);
  if (schema < CURRENT_SCHEMA)
    return [warn(`${text}\nschema ${schema} of ${CURRENT_SCHEMA}`, 'npm run reindex'), ...others];
  const made = await marketsOfIndex(es, alias);
  if (made !== READ_MARKETS.join())
    return [
      warn(`${text}\nmade with MARKETS=${made}, not ${READ_MARKETS.join()}`, 'npm run reindex'),
      ...others,
    ];
  return [ok(`${text}\nschema ${schema}`), ...others];
};

/** Finds indices that are unavailable, that a killed restore has left, and that a newer version of the service has created. */
async function checkOtherIndices(
  { es, indexPrefix }: CommandEngine,
  isRestoring: boolean,
): Promise<Finding[]> {
  const names = { index: `${indexPrefix}-*`, expand_wildcards: 'all' as const };
  const [states, { indices: health = {} }] = await Promise.all([
    es.indices.get({ ...names, filter_path: ['*.mappings._meta.schema_version', '*.settings.index.uuid'] }),
    es.cluster.health({ ...names, level: 'indices' }),
  ]);
  return Object.entries(states).flatMap(([index, { mappings }]): Finding[] => {
    if (index.startsWith(`${indexPrefix}-restoring-`) && !isRestoring)
      return [warn(`${index} is left of a restore that was killed`, `es /${index} --request DELETE`)];
    const kind = kindOfIndex(indexPrefix, index);
    if (kind !== null && health[index]?.status === 'red') {
      const { fate, holds, loss }: StoredIndex = INDICES[kind];
      const next = fate === 'backed up' ? 'if its node does not come back, npm run restore' : loss;
      return [fail(`${index} is unavailable: ${holds}`, next)];
    }
    const schema = mappings?._meta?.['schema_version'] as number | undefined;
    if (kind === null || schema === undefined || schema <= schemaOf(kind)) return [];
    const text = `${index} has schema ${schema}, and this version knows ${schemaOf(kind)}`;
    return [fail(text, 'update the service, or npm run reindex -- --rollback')];
  });
}
