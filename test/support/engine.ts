import type { Client } from '@elastic/elasticsearch';
import { createElasticsearch } from '../../src/engine/client.js';
import { elasticsearchUrl } from './services.js';

/** Returns a client of the Elasticsearch of the tests, which has no authentication. */
export const connectEngine = (deadlines = { requestTimeout: 30_000, maxRetries: 2 }): Client =>
  createElasticsearch({ nodes: [elasticsearchUrl], auth: null, caFile: null }, deadlines);
