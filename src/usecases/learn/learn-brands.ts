import type { Client } from '@elastic/elasticsearch';
import { Backoff } from '../../engine/backoff.js';
import { schemaVersionOf } from '../../engine/index-versions.js';
import { productsAlias } from '../../engine/indices.js';
import { sendUpdates } from '../../engine/listing-store.js';
import { scanListings } from '../../engine/search-pages.js';
import { MAKERS_SCHEMA } from '../../listing/schema-versions.js';
import type { StoredListing } from '../../listing/listing.js';
import { ownerOf } from '../../listing/owner.js';
import { learnMakers } from '../../matching/learning/learn-makers.js';
import { inferMaker, isSameMaker, type MakerDictionary } from '../../matching/makers.js';
import { OperationError } from '../../platform/operation-errors.js';
import type { Product } from '../../schemas/product.js';
import { foldBrand } from '../../text/brand.js';
import { type Estimate, hashShare, shareEstimate } from '../../text/statistics.js';
import {
  addedBrands,
  brandVersions,
  changeSettings,
  keyOfMaker,
  makerReader,
  readBrands,
  withEdits,
} from '../../published/brand-dictionary.js';
import type { Progress } from '../../platform/progress.js';

export interface BrandsContext {
  es: Client;
  indexPrefix: string;
  signal: AbortSignal;
  /** The share of the time, 0 to 1, in which the work runs. It pauses for the rest, to leave capacity for requests. */
  share?: number | undefined;
  now: () => Date;
  onProgress: (progress: Progress) => void;
  report: (line: string) => void;
}

/** Measures how well a dictionary infers the hidden brands of listings. */
export interface BrandFigures extends Record<string, Estimate> {
  precision: Estimate;
  recall: Estimate;
}

export interface BrandsReport {
  /** The numbers of listings read, of those with a stated brand, of those with a hidden brand, and of learned entries. */
  counts: Record<'listings' | 'stated' | 'hidden' | 'makers', number>;
  /** The figures of both dictionaries on hidden brands; null if too few listings state a brand. */
  figures: { before: BrandFigures; after: BrandFigures } | null;
  outcome: 'activated' | 'would be activated' | 'not better' | 'nothing learned';
  version: number | null;
  inferred: InferredCounts | null;
}

/** A dictionary is learned from the listings with the lowest ids, which are random. */
const MAX_LISTINGS = 200_000;
/** The share of the names whose brands are hidden, to compare versions on them. */
const HIDDEN_SHARE = 0.2;
const MIN_HIDDEN = 30;
/** The number of right makers that one wrong maker outweighs in the comparison of two dictionaries. */
const WRONG_WEIGHT = 10;
/** After a load, a dictionary is learned only if the catalogue has grown by this factor since the last time. */
const GROWTH = 1.25;

/** A listing from which brands are learned. Its owner stands for its source, so that the sources of one key count once. */
type BrandListing = Pick<Product, 'name' | 'brand' | 'source'>;

/** A listing as it is read. In an index of an earlier schema it has no owner. */
type OwnedListing = BrandListing & { internal?: Pick<StoredListing['internal'], 'owner'> };

/** Whether the brands of all listings with this name are hidden, so that none gives the brand of another away. */
const isHidden = (name: string): boolean => hashShare(keyOfMaker(name)) < HIDDEN_SHARE;

/**
 * Learns the brand dictionary, compares it with the active one on listings whose brands neither has seen, and activates it unless
 * it is worse. Then all makers are inferred again, also after a reindex that left them empty.
 * @throws OperationError if the index has an earlier schema, or Elasticsearch does not answer for ten minutes.
 */
export async function learnBrands(
  context: BrandsContext,
  { dryRun }: { dryRun: boolean },
): Promise<BrandsReport> {
  const { es, indexPrefix, now } = context;
  const catalogue = await openCatalogue(context);
  const { alias, backoff } = catalogue;
  const listings = await readListings(context, catalogue);
  const hidden = listings.filter(({ name, brand }) => brand !== null && isHidden(name));
  const learned = learnMakers(
    listings.map((listing) => (isHidden(listing.name) ? { ...listing, brand: null } : listing)),
  );
  const active = await readBrands(es, indexPrefix);
  const edited = withEdits(learned, active.settings);
  const [before, after] = [outcomesOf(hidden, active.makers), outcomesOf(hidden, edited)];
  const counts = {
    listings: listings.length,
    stated: listings.filter(({ brand }) => brand !== null).length,
    hidden: hidden.length,
    makers: learned.size,
  };
  const figures = hidden.length < MIN_HIDDEN ? null : { before: figuresOf(before), after: figuresOf(after) };
  // How names begin is not compared, so a different dictionary that is as good replaces the active one.
  const differs = JSON.stringify([...edited]) !== JSON.stringify([...active.makers]);
  const isBetter = differs && gainOf(hidden, before, after) >= 0;
  const report = { counts, figures, version: null, inferred: null };
  const isNothing = learned.size === 0 && active.version === null;
  if (dryRun && !isNothing) return { ...report, outcome: isBetter ? 'would be activated' : 'not better' };
  if (!dryRun) {
    const { count } = await backoff.retry(() => es.count({ index: alias }));
    await changeSettings(es, indexPrefix, () => ({ learned_from: count }));
  }
  if (isNothing) return { ...report, outcome: 'nothing learned' };
  const infer = () => inferInCatalogue(context, catalogue);
  if (!isBetter) return { ...report, outcome: 'not better', inferred: await infer() };
  const record = { counts, figures: figures?.after ?? {}, now: now() };
  const { version } = await brandVersions(es, indexPrefix).store([...learned], record);
  return { ...report, outcome: 'activated', version, inferred: await infer() };
}

/** Whether the catalogue has grown by a quarter since the brand dictionary was last learned. */
export async function hasOutgrownBrands(where: BrandsCatalogue): Promise<boolean> {
  const from = await learnedFrom(where);
  if (from === null) return false;
  const { count } = await where.es.count({ index: productsAlias(where.indexPrefix) });
  return count >= GROWTH * from;
}

/** Whether the brand dictionary was never learned from this catalogue. */
export const isBrandsNeverLearned = async (where: BrandsCatalogue): Promise<boolean> =>
  (await learnedFrom(where)) === 0;

type BrandsCatalogue = Pick<BrandsContext, 'es' | 'indexPrefix'>;

/** The number of listings when the dictionary was last learned; null if the index has an earlier schema. */
async function learnedFrom({ es, indexPrefix }: BrandsCatalogue): Promise<number | null> {
  if ((await schemaVersionOf(es, productsAlias(indexPrefix))) < MAKERS_SCHEMA) return null;
  return (await readBrands(es, indexPrefix)).settings.learned_from;
}

/** Infers the makers of all listings without a brand again, with the dictionary that is in use. */
export const updateInferredBrands = async (context: BrandsContext): Promise<InferredCounts> =>
  inferInCatalogue(context, await openCatalogue(context));

type BrandedListing = Pick<StoredListing, 'id' | 'name'> & {
  brand?: string | null;
  internal?: Pick<StoredListing['internal'], 'maker' | 'brand'>;
};

const FIELDS = ['id', 'name', 'brand', 'internal.maker', 'internal.brand'];

const SET_MAKER = `if (ctx._source.brand != params.stated || ctx._source.name != params.name) { ctx.op = 'none' }
else { ctx._source.internal.maker = params.maker; ctx._source.internal.brand = params.brand }`;

/** Writes inferred makers, and those that the operator added for stated brands, into listings. `updated_at` stays as it is. */
async function inferInCatalogue(
  { es, indexPrefix, signal, onProgress }: BrandsContext,
  { alias, backoff }: OpenCatalogue,
) {
  const dictionary = await readBrands(es, indexPrefix);
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
    onProgress({ share: null, note: `${counts.listings} listings without a brand` });
    const { changed, left } = await sendUpdates(es, alias, operations, backoff);
    counts.changed += changed;
    counts.left += left;
  }
  await backoff.retry(() => es.indices.refresh({ index: alias }));
  return counts;
}

/** How many listings were read and changed when makers were inferred. */
export type InferredCounts = Awaited<ReturnType<typeof inferInCatalogue>>;

type OpenCatalogue = Awaited<ReturnType<typeof openCatalogue>>;

async function openCatalogue(context: BrandsContext) {
  const { es, indexPrefix, report, signal, share } = context;
  const alias = productsAlias(indexPrefix);
  const backoff = new Backoff({ onWait: report, signal, share });
  if ((await backoff.retry(() => schemaVersionOf(es, alias))) < MAKERS_SCHEMA)
    throw new OperationError(`${alias} has an earlier schema; npm run reindex brings it up to date.`);
  await backoff.retry(() => es.indices.refresh({ index: alias }));
  return { alias, backoff };
}

async function readListings({ es, signal, onProgress }: BrandsContext, { alias, backoff }: OpenCatalogue) {
  const listings: BrandListing[] = [];
  const fields = ['name', 'brand', 'source', 'internal.owner'];
  for await (const page of scanListings<OwnedListing>(es, alias, { fields, backoff })) {
    signal.throwIfAborted();
    for (const { name, brand, source, internal = {} } of page)
      listings.push({ name, brand, source: ownerOf({ source, internal }) });
    onProgress({ share: null, note: `${listings.length} listings read` });
    if (listings.length >= MAX_LISTINGS) break;
  }
  return listings;
}

type BrandOutcome = 'right' | 'wrong' | 'none';

const outcomesOf = (hidden: readonly BrandListing[], makers: MakerDictionary): BrandOutcome[] =>
  hidden.map(({ name, brand }) => {
    const inferred = inferMaker(name, makers);
    if (inferred === null) return 'none';
    return isSameMaker(keyOfMaker(inferred.name), keyOfMaker(brand ?? '')) ? 'right' : 'wrong';
  });

const countOf = (outcomes: readonly BrandOutcome[], outcome: BrandOutcome): number =>
  outcomes.filter((one) => one === outcome).length;

const figuresOf = (outcomes: readonly BrandOutcome[]): BrandFigures => {
  const right = countOf(outcomes, 'right');
  return {
    precision: shareEstimate(right, outcomes.length - countOf(outcomes, 'none')),
    recall: shareEstimate(right, outcomes.length),
  };
};

const WORTH: Record<BrandOutcome, number> = { right: 1, none: 0, wrong: -WRONG_WEIGHT };

/** The gain in right brands, without the best and the worst of three or more sources, so that no single feed decides. */
function gainOf(
  hidden: readonly BrandListing[],
  before: readonly BrandOutcome[],
  after: readonly BrandOutcome[],
): number {
  const gains = new Map<string, number>();
  for (const [at, { source }] of hidden.entries())
    gains.set(source, (gains.get(source) ?? 0) + WORTH[after[at] ?? 'none'] - WORTH[before[at] ?? 'none']);
  const sorted = [...gains.values()].sort((a, b) => a - b);
  return (sorted.length < 3 ? sorted : sorted.slice(1, -1)).reduce((sum, gain) => sum + gain, 0);
}
