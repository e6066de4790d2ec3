import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Client } from '@elastic/elasticsearch';
import { readFeed } from '../../src/feeds/read/feed.js';
import { ensureCatalogue, productsAlias } from '../../src/engine/indices.js';
import { CURRENT_SCHEMA } from '../../src/listing/schema-versions.js';
import { loadRecords } from '../../src/usecases/ingest/load-records.js';
import { findByText, TEXT_ALONE } from '../../src/usecases/search/text-match.js';
import { indexPrefix } from '../support/services.js';
import { connectEngine } from '../support/engine.js';

/** The listings that were found, the best match first. */
export interface Ranking {
  total: number;
  skus: string[];
}

/** A catalogue in an index of its own in a real Elasticsearch, loaded as a feed. */
export interface Catalogue {
  /** Searches with the default parameters of the service. */
  search(q: string, limit?: number): Promise<Ranking>;
  remove(): Promise<void>;
}

/**
 * Loads a catalogue.
 * @param feed NDJSON, optionally compressed with gzip, or records.
 */
export async function openCatalogue(
  feed: AsyncIterable<Buffer> | Record<string, unknown>[],
): Promise<Catalogue> {
  const es = connectEngine({ requestTimeout: 60_000, maxRetries: 2 });
  const prefix = `${indexPrefix}-relevance-${randomBytes(3).toString('hex')}`;
  const index = productsAlias(prefix);
  await ensureCatalogue(es, prefix);
  const chunks = Array.isArray(feed)
    ? Readable.from(feed.map((record) => `${JSON.stringify(record)}\n`))
    : feed;
  const summary = await loadRecords({ es, indexPrefix: prefix, records: readFeed(chunks) });
  if (summary.rejected > 0) throw new Error(`records were rejected: ${JSON.stringify(summary)}`);
  await es.indices.refresh({ index });
  return {
    search: (q, limit = 10) => search(es, index, q, limit),
    async remove() {
      await es.indices.delete({ index: Object.keys(await es.indices.get({ index })) });
      await es.close();
    },
  };
}

async function search(es: Client, index: string, q: string, limit: number): Promise<Ranking> {
  const { total, hits } = await findByText(es, {
    ...TEXT_ALONE,
    text: q,
    target: { index },
    schema: CURRENT_SCHEMA,
    page: { slice: { limit, offset: 0 }, request: { _source: ['sku'] } },
  });
  return { total, skus: hits.map(({ _source }) => _source?.sku ?? '') };
}
