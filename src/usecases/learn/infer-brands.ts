import type { Client } from '@elastic/elasticsearch';
import type { Backoff } from '../../engine/backoff.js';
import { sendUpdates } from '../../engine/listing-store.js';
import { scanListings } from '../../engine/search-pages.js';
import type { StoredListing } from '../../listing/listing.js';
import { foldBrand } from '../../text/brand.js';
import { addedBrands, type BrandDictionary, makerReader } from '../../published/brand-dictionary.js';

interface InferenceContext {
  es: Client;
  alias: string;
  backoff: Backoff;
  signal: AbortSignal;
  onProgress: (listings: number) => void;
}

type BrandedListing = Pick<StoredListing, 'id' | 'name'> & {
  brand?: string | null;
  internal?: Pick<StoredListing['internal'], 'maker' | 'brand'>;
};

const FIELDS = ['id', 'name', 'brand', 'internal.maker', 'internal.brand'];

const SET_MAKER = `if (ctx._source.brand != params.stated || ctx._source.name != params.name) { ctx.op = 'none' }
else { ctx._source.internal.maker = params.maker; ctx._source.internal.brand = params.brand }`;

/** Writes inferred makers, and those that the operator added for stated brands, into listings. `updated_at` stays as it is. */
export async function inferBrands(
  { es, alias, backoff, signal, onProgress }: InferenceContext,
  dictionary: BrandDictionary,
) {
  const makerOf = makerReader(dictionary);
  // `listings`: those without a stated brand; `inferred`: those of them that have a maker now; `left`: those for the next run.
  const counts = { listings: 0, inferred: 0, changed: 0, left: 0 };
  const isStated = { exists: { field: 'brand.exact' } };
  const should = [
    { bool: { must_not: isStated } },
    { terms: { 'internal.brand': [...addedBrands(dictionary.settings).keys()] } },
    { bool: { filter: [isStated, { exists: { field: 'internal.maker' } }] } },
  ];
  const query = { bool: { should } };
  for await (const page of scanListings<BrandedListing>(es, alias, { query, fields: FIELDS, backoff })) {
    signal.throwIfAborted();
    const operations = page.flatMap(({ id, name, brand: stated = null, internal }) => {
      const { maker, brand: named } = makerOf(name, stated);
      const brand = maker === null && stated !== null ? foldBrand(stated) : named;
      if (stated === null) counts.listings += 1;
      if (stated === null && maker !== null) counts.inferred += 1;
      if (maker === (internal?.maker ?? null) && brand === (internal?.brand ?? null)) return [];
      const update = { _id: String(id), retry_on_conflict: 5 };
      const script = { source: SET_MAKER, params: { name, stated, maker, brand } };
      return [`${JSON.stringify({ update })}\n${JSON.stringify({ script })}`];
    });
    onProgress(counts.listings);
    const { changed, left } = await sendUpdates(es, alias, operations, backoff);
    counts.changed += changed;
    counts.left += left;
  }
  return counts;
}

/** How many listings a run of `inferBrands` read and changed. */
export type InferredCounts = Awaited<ReturnType<typeof inferBrands>>;
