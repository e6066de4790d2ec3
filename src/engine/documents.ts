import type { Client, estypes } from '@elastic/elasticsearch';
import type { StoredListing } from '../listing/listing.js';
import { type ListingBytes, readDocs } from './passthrough.js';
import type { Product } from '../schemas/product.js';
import { bytesOf } from './bytes.js';
import { EngineUnavailableError } from './unavailable.js';

/**
 * A read by id is answered by the node that is asked, where that has a copy: a node that hangs can then only delay the
 * requests that are sent to it, which are sent to another node after the deadline.
 */
const NEAREST = { preference: '_local' };

/**
 * Listings in their public shape, in the order of the ids; null: nobody has that one. Reads live documents: a listing
 * just written is there.
 */
export async function getListings(
  es: Client,
  index: string,
  ids: readonly number[],
): Promise<(ListingBytes | null)[]> {
  const request = {
    index,
    ids: ids.map(String),
    _source_excludes: ['internal'],
    ...NEAREST,
    filter_path: ['docs.found', 'docs._source', 'docs.error'],
  };
  const bytes = await bytesOf(es.mget(request, { asStream: true, meta: true }));
  const listings = bytes === null ? null : readDocs(bytes, ids.length);
  if (listings !== null) return listings;
  if (bytes !== null) refuseOverload(bytes);
  const { docs } = await es.mget<Product>(request);
  return docs
    .map(sourceOf)
    .map((listing) => (listing === null ? null : Buffer.from(JSON.stringify(listing))));
}

/** What an engine that has too much to do says of a document, inside of a 200. */
const OVERLOADED = new Set(['es_rejected_execution_exception', 'circuit_breaking_exception']);

/** @throws EngineUnavailableError where asking again would only be more of what was too much. */
function refuseOverload(answer: Buffer): void {
  const { docs = [] } = JSON.parse(answer.toString()) as Partial<estypes.MgetResponse>;
  for (const doc of docs) if ('error' in doc && OVERLOADED.has(doc.error.type)) throw refusal(doc.error);
}

/** null: nobody has that id. A missing alias or a failed shard is told per document, inside of a 200. */
function sourceOf<T>(doc: estypes.MgetResponseItem<T>): T | null {
  if ('error' in doc) throw refusal(doc.error);
  return doc._source ?? null;
}

const refusal = (error: estypes.ErrorCause) => new EngineUnavailableError(error.type, { cause: error });

/**
 * One listing with what the service keeps beside it, or null. Reads the live document.
 * @param fields only these, where not all of it is wanted.
 */
export async function getStoredListing(
  es: Client,
  index: string,
  id: number,
  fields?: readonly string[],
): Promise<StoredListing | null> {
  const request = { index, id: String(id), ...NEAREST, ...only(fields) };
  const answer = await es.get<StoredListing>(request, { ignore: [404] });
  if (!('found' in answer)) throw missing(index);
  return answer._source ?? null;
}

/** A missing index is a 404 as a missing document is, but then the engine says nothing of the document. */
const missing = (index: string) => new EngineUnavailableError(`index ${index} is missing`);

/**
 * Listings with what the service keeps beside them, in one request that reads live documents.
 * @param fields only these, where not all of it is wanted.
 * @returns in the order of the ids; null: nobody has that one, or it cannot be an id.
 */
export async function getStoredListings(
  es: Client,
  index: string,
  ids: readonly number[],
  fields?: readonly string[],
): Promise<(StoredListing | null)[]> {
  const { docs } = await es.mget<StoredListing>({ index, ids: ids.map(String), ...NEAREST, ...only(fields) });
  return docs.map(sourceOf);
}

const only = (fields?: readonly string[]) => (fields === undefined ? {} : { _source_includes: [...fields] });
