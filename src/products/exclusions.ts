import {
  type Exclusion,
  excludedClause,
  MAX_EXCLUSIONS,
  readExclusions,
  readNegations,
  wholeTextQuery,
  withoutExclusions,
} from '../engine/queries/exclusions.js';
import type { Refinement } from '../engine/queries/refinements.js';
import type { StoredListing } from '../listing/listing.js';
import { invalidValue } from '../platform/errors.js';
import type { Excluded } from '../schemas/excluded.js';
import { foldValue } from '../text/fold.js';
import type { Catalogue } from './product-ids.js';

/** A query text without the words that it excludes. */
export interface ExcludingText {
  /** The text to search for, with blanks in the place of what is excluded. */
  q: string;
  /** The filters of what is excluded. */
  refinements: Refinement[];
  /** The exclusions as the page lists them; undefined if the text has none. */
  excluded: Excluded[] | undefined;
}

/** The number of listings among which one with the exact name is looked for. */
const NAMED = 10;

/**
 * Reads the exclusions of a query text (`-word`, `-"two words"`), unless it is an identifier or the exact name of a listing.
 * @param readsWords whether words exclude others, too: "laptop not hp", "headset without a mic".
 * @throws ApiError 422 if there are too many, or nothing else to search for.
 */
export async function readExcludingText(
  context: Catalogue,
  q: string,
  readsWords = false,
): Promise<ExcludingText> {
  const read = [...readExclusions(q), ...(readsWords ? readNegations(q) : [])];
  read.sort((a, b) => a.from - b.from);
  if (read.length === 0) return { q, refinements: [], excluded: undefined };
  if (read.length > MAX_EXCLUSIONS)
    throw refused(`q excludes at most ${MAX_EXCLUSIONS} words or phrases, not ${read.length}`);
  const exclusions = read.filter(({ isUnclear }) => isUnclear !== true);
  if (exclusions.length > 0 && (await isOneText(context, q.trim())))
    return { q, refinements: [], excluded: read.map((one) => listed(one, 'name')) };
  const text = withoutExclusions(q, exclusions);
  if (!/[\p{L}\p{N}]/u.test(text))
    throw refused('q needs words to search for besides those that it excludes');
  const clauses = exclusions.map((one) => ({ bool: { must_not: [excludedClause(one)] } }));
  const refinements = clauses.map((clause) => ({ name: 'excluded', facet: null, clause }));
  const excluded = read.map((one) => listed(one, one.isUnclear === true ? 'unclear' : null));
  return { q: text, refinements, excluded };
}

function listed({ text, from, to }: Exclusion, reason: Excluded['reason']): Excluded {
  return { text, from, to, applied: reason === null, reason };
}

/** Whether a text is, with its hyphens, an identifier or the exact name of a listing. */
async function isOneText({ es, products }: Catalogue, q: string): Promise<boolean> {
  const { hits } = await es.search<Pick<StoredListing, 'name' | 'sku' | 'metadata'>>({
    index: products,
    query: wholeTextQuery(q),
    _source: ['name', 'sku', 'metadata'],
    size: NAMED,
    track_total_hits: false,
  });
  // The hyphens count: "kettle -red" is not the name of a red kettle.
  return hits.hits.some(({ _source: listing }) =>
    [listing?.name, listing?.sku, ...Object.values(listing?.metadata ?? {})].some(
      (text) => typeof text === 'string' && foldValue(text) === foldValue(q),
    ),
  );
}

const refused = (wrong: string) => invalidValue(['query', 'q'], wrong);
