import type { Client, estypes } from '@elastic/elasticsearch';
import { Backoff, type BackoffOptions } from '../../engine/backoff.js';
import { CONNECTION_FIELDS } from '../../listing/connections.js';
import { formatInstant } from '../../listing/instant.js';
import type { StoredListing } from '../../listing/listing.js';
import { ensureIndex, KEYWORD, productsAlias } from '../../engine/indices.js';
import { sendOperations } from '../../engine/listing-store.js';
import { readSourceCodes } from '../../engine/source-codes.js';
import { versionedPages } from '../../engine/search-pages.js';
import { type Tombstone } from '../../products/withdrawn.js';
import { chunksOf } from '../../platform/chunks.js';
import { storedIndex, storedIndices } from '../../platform/stored.js';

/** The members of a look-up of tombstones. Without this filter, a missing index would repeat a long error for each id. */
const TOMBSTONE_PATHS = ['docs._id', 'docs.found', 'docs._source', 'docs.error.type', 'docs.error.reason'];

const FIELDS: Record<string, estypes.MappingProperty> = {
  source: KEYWORD,
  sku: KEYWORD,
  withdrawn_at: { type: 'date' },
  index: { type: 'keyword', index: false, doc_values: false },
  seq_no: { type: 'long', index: false, doc_values: false },
  categories: { type: 'object', enabled: false },
};

/** Reads the tombstones with the given ids; their index does not exist before the first withdrawal. */
export async function readTombstones(es: Client, index: string, ids: readonly number[], backoff: Backoff) {
  if (ids.length === 0) return new Map<number, Tombstone>();
  const { docs } = await backoff.retry(() =>
    es.mget<Tombstone>({ index, ids: ids.map(String), filter_path: TOMBSTONE_PATHS }),
  );
  const failure = docs.find((doc) => 'error' in doc && doc.error.type !== 'index_not_found_exception');
  if (failure !== undefined)
    throw new Error(`The withdrawn listings cannot be read: ${JSON.stringify(failure)}`);
  return new Map(
    docs.flatMap((doc) =>
      'found' in doc && doc.found && doc._source !== undefined ? [[Number(doc._id), doc._source]] : [],
    ),
  );
}

interface WithdrawOptions extends BackoffOptions {
  es: Client;
  indexPrefix: string;
  source: string;
  skus?: readonly string[] | undefined;
  now: Date;
  dryRun?: boolean;
  onProgress?: (withdrawn: number) => void;
  /** Called for each listing before it is deleted, with its picture and the fields that `connectionsOf` reads. */
  onWithdrawn?: (listing: StoredListing) => void;
}

const INTERNALS_OF_WITHDRAWN = ['internal.changes.moved', 'internal.picture'];
const FIELDS_OF_WITHDRAWN = ['sku', 'category_path', ...INTERNALS_OF_WITHDRAWN, ...CONNECTION_FIELDS];

const SKUS_PER_QUERY = 1_000;
const MAX_ATTEMPTS = 20;

/** Replaces listings by tombstones, also those that are loaded meanwhile. Safe to repeat. @returns their number, even if aborted. */
export async function withdrawListings(options: WithdrawOptions): Promise<number> {
  const { es, indexPrefix, source, skus, dryRun = false } = options;
  const index = productsAlias(indexPrefix);
  const backoff = new Backoff(options);
  if (!dryRun) await ensureTombstones(es, indexPrefix);
  const done = { withdrawn: 0 };
  for (const some of skus === undefined ? [undefined] : chunksOf(skus, SKUS_PER_QUERY)) {
    const filter = [{ term: { source } }, ...(some === undefined ? [] : [{ terms: { sku: some } }])];
    for (let attempt = 0; ; attempt += 1) {
      await backoff.retry(() => es.indices.refresh({ index }));
      if (dryRun) {
        done.withdrawn += (await es.count({ index, query: { bool: { filter } } })).count;
        break;
      }
      if ((await withdrawFound(options, { bool: { filter } }, backoff, done)) === 0) break;
      if (attempt === MAX_ATTEMPTS) throw new Error('Other loads keep changing these listings.');
      if (options.signal?.aborted === true) return done.withdrawn;
    }
  }
  if (!dryRun) await backoff.retry(() => es.indices.refresh({ index }));
  return done.withdrawn;
}

/** All sources of the catalogue if the given one never had a listing, so that its name is probably wrong; otherwise null. */
export async function sourcesInsteadOf(
  source: string,
  { es, indexPrefix }: Pick<WithdrawOptions, 'es' | 'indexPrefix'>,
): Promise<string[] | null> {
  const [products, withdrawn] = [productsAlias(indexPrefix), storedIndex(indexPrefix, 'withdrawn')];
  await es.indices.refresh({ index: withdrawn, ignore_unavailable: true });
  const known = { index: [products, withdrawn], ignore_unavailable: true, query: { term: { source } } };
  if ((await es.count({ ...known, terminate_after: 1 })).count > 0) return null;
  return readSourceCodes(es, products);
}

/** Withdraws found listings. @returns the number of listings that were not withdrawn, because others changed them. */
async function withdrawFound(
  { es, indexPrefix, now, signal, onProgress, onWithdrawn }: WithdrawOptions,
  query: estypes.QueryDslQueryContainer,
  backoff: Backoff,
  done: { withdrawn: number },
): Promise<number> {
  const index = productsAlias(indexPrefix);
  let conflicts = 0;
  const pages = versionedPages(es, index, { query, fields: FIELDS_OF_WITHDRAWN, backoff });
  for await (const page of pages) {
    // Tombstones are written first, because a load that finds neither the listing nor its tombstone would create it again.
    const withdrawn_at = formatInstant(now.getTime());
    const tombstones = page.map(({ listing, index: _index, seqNo: seq_no }) => {
      const { id, source, sku, category = null, category_path = [], internal } = listing;
      const action = {
        index: { _index: storedIndex(indexPrefix, 'withdrawn'), require_alias: false, _id: String(id) },
      };
      const categories = { category, category_path, moved: internal?.changes?.moved === true };
      const tombstone: Tombstone = { source, sku, withdrawn_at, index: _index, seq_no, categories };
      return `${JSON.stringify(action)}\n${JSON.stringify(tombstone)}`;
    });
    await send(es, index, tombstones, backoff);
    for (const { listing } of page) onWithdrawn?.(listing);
    const deletions = page.map(({ index: _index, listing, seqNo, primaryTerm }) => {
      const version = { if_seq_no: seqNo, if_primary_term: primaryTerm };
      return JSON.stringify({
        delete: { _index, require_alias: false, _id: String(listing.id), ...version },
      });
    });
    const answers = await send(es, index, deletions, backoff);
    const ids = page.map(({ listing }) => listing.id);
    await deleteAbout(es, indexPrefix, ids, backoff);
    const failed = answers.filter(({ status }) => status === 409).length;
    conflicts += failed;
    done.withdrawn += page.length - failed;
    onProgress?.(done.withdrawn);
    if (signal?.aborted === true) break;
  }
  return conflicts;
}

/** Deletes what other parts of the service have computed about listings, such as stored comparisons. */
async function deleteAbout(es: Client, indexPrefix: string, ids: number[], backoff: Backoff): Promise<void> {
  for (const [kind, { listingIds = [] }] of storedIndices) {
    if (listingIds.length === 0) continue;
    const query = { bool: { should: listingIds.map((field) => ({ terms: { [field]: ids } })) } };
    const index = storedIndex(indexPrefix, kind);
    await backoff.retry(() =>
      es.deleteByQuery({ index, query, ignore_unavailable: true, conflicts: 'proceed' }),
    );
  }
}

async function send(es: Client, alias: string, operations: string[], backoff: Backoff) {
  const answers = await sendOperations(es, alias, operations, backoff);
  const failure = answers.find(
    ({ status, error }) => error !== undefined && status !== 409 && status !== 404,
  );
  if (failure !== undefined)
    throw new Error(`A listing could not be withdrawn: ${failure.error?.reason ?? failure.status}`);
  return answers;
}

async function ensureTombstones(es: Client, indexPrefix: string): Promise<void> {
  const index = storedIndex(indexPrefix, 'withdrawn');
  // The index may have been created by an earlier version, so the fields that this version added are added to its mapping.
  if (await es.indices.exists({ index })) await es.indices.putMapping({ index, properties: FIELDS });
  else await ensureIndex(es, indexPrefix, 'withdrawn', FIELDS, { dynamic: 'strict' });
}
