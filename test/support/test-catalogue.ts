import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Client } from '@elastic/elasticsearch';
import { createElasticsearch } from '../../src/engine/client.js';
import { productsAlias } from '../../src/engine/indices.js';
import type { StoredListing } from '../../src/listing/listing.js';
import { removeElasticsearchTraces } from '../../tools/local-services/traces.js';
import { elasticsearchUrl, indexPrefix } from './services.js';

/** A catalogue and a folder that only one test file uses. */
export interface TestCatalogue {
  prefix: string;
  alias: string;
  es: Client;
  folder: string;
  /** The environment variables with which commands use this catalogue. */
  env: { ELASTICSEARCH_URL: string; INDEX_PREFIX: string; EVENTS: string };
  /** Writes a file into the folder, and returns its path. */
  file(name: string, content: string | Uint8Array): string;
  /** Returns all listings by source and SKU, with their versions, which count the writes. */
  stored(): Promise<Map<string, { listing: StoredListing; version: number }>>;
  /** Deletes the indices of the catalogue. */
  empty(): Promise<void>;
  /** Deletes the indices and the folder, and closes the client. */
  remove(): Promise<void>;
}

export function testCatalogue(name: string): TestCatalogue {
  const prefix = `${indexPrefix}-${name}`;
  const alias = productsAlias(prefix);
  const es = createElasticsearch(
    { nodes: [elasticsearchUrl], auth: null, caFile: null },
    { requestTimeout: 60_000, maxRetries: 2 },
  );
  const folder = mkdtempSync(path.join(tmpdir(), `${name}-`));
  const empty = () => removeElasticsearchTraces(es, prefix);
  return {
    prefix,
    alias,
    es,
    folder,
    env: { ELASTICSEARCH_URL: elasticsearchUrl, INDEX_PREFIX: prefix, EVENTS: 'off' },
    file(file, content) {
      const target = path.join(folder, file);
      writeFileSync(target, content);
      return target;
    },
    async stored() {
      await es.indices.refresh({ index: alias });
      const { hits } = await es.search<StoredListing>({ index: alias, size: 10_000, version: true });
      return new Map(
        hits.hits.flatMap(({ _source: listing, _version: version = 0 }) =>
          listing === undefined ? [] : [[`${listing.source}/${listing.sku}`, { listing, version }]],
        ),
      );
    },
    empty,
    async remove() {
      await empty();
      await es.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Formats feed records as NDJSON. */
export const ndjson = (records: readonly unknown[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');
