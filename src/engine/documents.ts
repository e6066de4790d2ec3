import type { Client, estypes, TransportRequestOptions } from '@elastic/elasticsearch';
import DataLoader from 'dataloader';
import type { StoredListing } from '../listing/listing.js';
import type { Product } from '../schemas/product.js';
import { EngineUnavailableError } from './errors.js';
import { type ListingBytes, readDocs } from './listing-bytes.js';
import { bytesOf } from './response-bytes.js';

/**
 * By these options the logs of Elasticsearch name the HTTP request that caused a request: `traceparent` identifies it.
 * `opaqueId` is its route alone, because Elasticsearch logs each deprecation once for every value of it.
 */
export type RequestOrigin = Required<Pick<TransportRequestOptions, 'opaqueId' | 'headers'>>;

/** Reads listings in their public shape, just written ones too, in the order of the ids; null where no listing has the id. */
export async function getListings(
  es: Client,
  index: string,
  ids: readonly number[],
  origin?: RequestOrigin,
): Promise<(ListingBytes | null)[]> {
  const request = {
    index,
    ids: ids.map(String),
    _source_excludes: ['internal'],
    filter_path: ['docs.found', 'docs._source', 'docs.error'],
  };
  const bytes = await bytesOf(es.mget(request, { asStream: true, meta: true, ...origin }));
  const listings = bytes === null ? null : readDocs(bytes, ids.length);
  if (listings !== null) return listings;
  if (bytes !== null) throwIfOverloaded(bytes);
  const { docs } = await es.mget<Product>(request, { ...origin });
  return docs
    .map(sourceOf)
    .map((listing) => (listing === null ? null : Buffer.from(JSON.stringify(listing))));
}

/** Reads one listing in its public shape, for an HTTP request; null if no listing has the id. */
export type ReadListing = (id: number, origin?: RequestOrigin) => Promise<ListingBytes | null>;

const MAX_BATCH_SIZE = 100;

/** Creates a reader whose reads of one turn of the event loop share a request, which names the HTTP request of the first. */
export function listingReader(es: Client, index: string): ReadListing {
  const loader = new DataLoader<{ id: number; origin: RequestOrigin | undefined }, ListingBytes | null>(
    (reads) =>
      getListings(
        es,
        index,
        reads.map(({ id }) => id),
        reads[0]?.origin,
      ),
    {
      // Results are not cached, because each read has to return the current state of a listing.
      cache: false,
      maxBatchSize: MAX_BATCH_SIZE,
      batchScheduleFn: setImmediate,
    },
  );
  return (id, origin) => loader.load({ id, origin });
}

/** The errors with which an overloaded Elasticsearch rejects single documents. The status of the answer is 200 nevertheless. */
const OVERLOADED = new Set(['es_rejected_execution_exception', 'circuit_breaking_exception']);

/** @throws EngineUnavailableError if documents were rejected because of overload, which a second request would add to. */
function throwIfOverloaded(answer: Buffer): void {
  const { docs = [] } = JSON.parse(answer.toString()) as Partial<estypes.MgetResponse>;
  for (const doc of docs) if ('error' in doc && OVERLOADED.has(doc.error.type)) throw unavailable(doc.error);
}

/** The content of a document; null if it does not exist. @throws EngineUnavailableError if the alias is missing or a shard failed. */
function sourceOf<T>(doc: estypes.MgetResponseItem<T>): T | null {
  if ('error' in doc) throw unavailable(doc.error);
  return doc._source ?? null;
}

const unavailable = (error: estypes.ErrorCause) => new EngineUnavailableError(error.type, { cause: error });

/** Reads one listing with its internal fields, or only with `fields`; null if no listing has the id. */
export async function getStoredListing(
  es: Client,
  index: string,
  id: number,
  fields?: readonly string[],
): Promise<StoredListing | null> {
  const request = { index, id: String(id), ...only(fields) };
  const answer = await es.get<StoredListing>(request, { ignore: [404] });
  // Elasticsearch also answers 404 for a missing index, without the member `found`.
  if (!('found' in answer)) throw new EngineUnavailableError(`index ${index} is missing`);
  return answer._source ?? null;
}

/**
 * Reads listings with their internal fields, in one request. @param fields the fields to read; all fields by default.
 * @returns the listings in the order of the ids; null where no listing has the id, or where it cannot be an id.
 */
export async function getStoredListings(
  es: Client,
  index: string,
  ids: readonly number[],
  fields?: readonly string[],
): Promise<(StoredListing | null)[]> {
  // Elasticsearch refuses a request without ids.
  if (ids.length === 0) return [];
  const { docs } = await es.mget<StoredListing>({ index, ids: ids.map(String), ...only(fields) });
  return docs.map(sourceOf);
}

/** Reads listings like `getStoredListings`, but returns only the existing ones, by id. The fields must include `id`. */
export async function getListingsById(
  es: Client,
  index: string,
  ids: Iterable<number>,
  fields?: readonly string[],
): Promise<Map<number, StoredListing>> {
  const listings = await getStoredListings(es, index, [...new Set(ids)], fields);
  return new Map(listings.flatMap((one) => (one === null ? [] : [[one.id, one]])));
}

const only = (fields?: readonly string[]) => (fields === undefined ? {} : { _source_includes: [...fields] });
