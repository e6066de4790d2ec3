import type { TransportRequestOptions } from '@elastic/elasticsearch';

/**
 * The options of a request to Elasticsearch by which the logs of Elasticsearch name the HTTP request that caused it. The header
 * `traceparent` identifies that request. `opaqueId` is only its route, because Elasticsearch logs a deprecation once for each
 * value.
 */
export type RequestOrigin = Required<Pick<TransportRequestOptions, 'opaqueId' | 'headers'>>;
