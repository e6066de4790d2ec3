import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Client, estypes } from '@elastic/elasticsearch';
import { readFeed } from '../../src/feed/feed.js';
import { ensureCatalogue, productsAlias } from '../../src/catalogue/indices.js';
import type { StoredListing } from '../../src/listing/listing.js';
import { loadFeed } from '../../src/catalogue/load.js';
import { createElasticsearch } from '../../src/elasticsearch/client.js';
import { readConfig } from '../../src/config.js';
import { textSelections } from '../../src/queries/by-text.js';
import { correctedText } from '../../src/queries/spelling.js';
import { elasticsearchUrl, indexPrefix } from '../support/services.js';

/** Listings found, best first. */
export interface Ranking {
  total: number;
  skus: string[];
}

/** A catalogue of its own on the real engine, loaded as any other. */
export interface Catalogue {
  /** Searches as the service does: as typed, and once more where words are unknown. */
  search(q: string, limit?: number): Promise<Ranking>;
  remove(): Promise<void>;
}

/** @param feed NDJSON, plain or gzip, or records. */
export async function openCatalogue(
  feed: AsyncIterable<Buffer> | Record<string, unknown>[],
): Promise<Catalogue> {
  const { elasticsearch } = readConfig({ ...process.env, ELASTICSEARCH_URL: elasticsearchUrl });
  const es = createElasticsearch(elasticsearch, { requestTimeout: 60_000, maxRetries: 2 });
  const prefix = `${indexPrefix}-relevance-${randomBytes(3).toString('hex')}`;
  const index = productsAlias(prefix);
  await ensureCatalogue(es, prefix);
  const chunks = Array.isArray(feed)
    ? Readable.from(feed.map((record) => `${JSON.stringify(record)}\n`))
    : feed;
  const summary = await loadFeed({ es, indexPrefix: prefix, records: readFeed(chunks) });
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
  const page: estypes.SearchRequest = {
    index,
    size: limit,
    track_total_hits: true,
    _source: ['sku'],
    sort: [{ _score: { order: 'desc' } }, { id: 'asc' }],
  };
  const selections = textSelections(q, { filter: [] });
  const asTyped = await es.search<StoredListing>({ ...page, ...selections.withSuggestion() });
  const corrected = correctedText(selections.plain, asTyped.suggest);
  return ranking(
    corrected === null
      ? asTyped
      : await es.search<StoredListing>({ ...page, ...selections.corrected(corrected) }),
  );
}

function ranking({ hits }: estypes.SearchResponse<StoredListing>): Ranking {
  const total = typeof hits.total === 'number' ? hits.total : (hits.total?.value ?? 0);
  return { total, skus: hits.hits.map(({ _source }) => _source?.sku ?? '') };
}
