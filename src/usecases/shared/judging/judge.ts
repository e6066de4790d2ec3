import type { estypes } from '@elastic/elasticsearch';
import { type FoundCandidates, linkedWith, type Matched, sameProduct } from '../../../matching/comparison.js';
import { consideredMatches } from '../../../matching/considered.js';
import { type Decided, decidedOf, told } from '../../../matching/decided.js';
import { groupOf, isLinked } from '../../../listing/group.js';
import type { StoredListing } from '../../../listing/listing.js';
import type { ProfileReader } from '../../../matching/evidence.js';
import { profileReader } from '../../../matching/reader.js';
import { comparisonSearches, furtherSearch, type MatchFilters } from '../../../engine/queries/candidates.js';
import { decisionsSearch, partnersSearch } from '../../../engine/queries/decisions.js';
import { groupFilter, groupSearch } from '../../../engine/queries/groups.js';
import type { StandsAt } from '../../../engine/queries/lookup-of.js';
import type { ExchangeRates } from '../../../listing/rates/convert.js';
import type { StoredDecision } from '../../../schemas/decisions.js';
import type { ConsideredMatch } from '../../../schemas/explain.js';

type Search = estypes.SearchSearchRequestBody;

/** Which listings are compared with the others of their products. */
export interface Comparison {
  /** Those, or where one stands that is linked. */
  of: readonly StoredListing[] | StandsAt;
  /** Which matches are wanted. */
  filters: MatchFilters;
  /** Also what was compared and is no match. */
  explain?: boolean;
}

/** What the judge is asked: nothing but values, so that it may be asked in another thread. */
export interface Question extends Comparison {
  rates: ExchangeRates;
  /** Bodies of the engine's `_msearch` answers: to `firstSearches`, then to what a verdict wanted. */
  answers: readonly Uint8Array[];
}

/** What came of a question. */
export type Verdict =
  | {
      /** The one that was found by where it stands, if it is linked; else none. */
      listings: readonly StoredListing[];
      /** The others of each one's product, in the same order. */
      matched: Matched[][];
      /** By `explain`: up to `CONSIDERED` of each, in the same order. */
      considered: ConsideredMatch[][];
    }
  /** More searches of the catalogue, to be asked for before the same question is put again. */
  | { wanted: Search[] }
  /** A search that failed inside of an answer. */
  | { failed: estypes.ErrorCause };

/**
 * What the engine is asked first: groups of listings that are linked, candidates and siblings of the others, and last
 * what people decided, which another index holds.
 * @throws QueryError when the price limits cross.
 */
export function firstSearches(comparison: Comparison): { catalogue: Search[]; decisions: Search } {
  const { of, filters } = comparison;
  if ('id' in of) return { catalogue: [groupSearch(of)], decisions: decisionsSearch([of]) };
  const { groups, open } = parted(comparison);
  const limits = groupFilter(filters);
  return {
    catalogue: [...groups.map((group) => groupSearch(group, limits)), ...comparisonSearches(open, filters)],
    decisions: decisionsSearch(of),
  };
}

/** Groups to be shown, and listings whose candidates are looked for. */
function parted({ of, explain = false }: Comparison): { groups: number[]; open: readonly StoredListing[] } {
  if ('id' in of) return { groups: [], open: [] };
  const groups = [...new Set(of.filter(isLinked).map(groupOf))];
  return { groups, open: explain ? of : of.filter((listing) => !isLinked(listing)) };
}

/**
 * The others of each listing's product: those of its group where that is fresh, else what is the same among what the
 * engine found for it; and what people decided since.
 */
export function judge(question: Question): Verdict {
  const { of, filters, rates, answers, explain = false } = question;
  const responses = answers.map(responsesOf);
  const failed = responses.flat().find(({ error }) => error !== undefined)?.error;
  if (failed !== undefined) return { failed };
  const [first = [], more] = responses.map((each) => each.map(sourcesOf));
  const decisions = (first.pop() ?? []) as unknown as StoredDecision[];
  const listings = 'id' in of ? (first[0] ?? []).filter(({ id }) => id === of.id) : of;
  const { groups, open } = 'id' in of ? { groups: listings.map(groupOf), open: [] } : parted(question);
  const members = new Map(groups.map((group, at) => [group, first[at] ?? []]));
  const found = new Map(
    open.map(({ id }, at): [number, FoundCandidates] => [
      id,
      { candidates: first[groups.length + 2 * at] ?? [], siblings: first[groups.length + 2 * at + 1] ?? [] },
    ]),
  );
  const decided = listings.map((listing) => decidedOf(listing, decisions));
  const further = open.flatMap((listing) => {
    const search = furtherSearch(listing, found.get(listing.id)?.candidates ?? [], filters);
    return search === null ? [] : [{ id: listing.id, search }];
  });
  const wantedPartners = decided.flatMap(({ same }) => same);
  const wanted = [
    ...further.map(({ search }) => search),
    ...(wantedPartners.length === 0 ? [] : [partnersSearch(wantedPartners, filters)]),
  ];
  if (wanted.length > 0 && more === undefined) return { wanted };
  further.forEach(({ id }, at) => found.get(id)?.candidates.push(...(more?.[at] ?? [])));
  const partners = new Map((more?.[further.length] ?? []).map((listing) => [told(listing), listing]));
  const read = profileReader();
  const matched = listings.map((listing, at) => {
    const likely = isLinked(listing)
      ? { linked: members.get(groupOf(listing)) ?? [] }
      : (found.get(listing.id) ?? NOTHING);
    return matchesOf(listing, { likely, decided: decided[at] ?? NONE, partners }, { rates, filters, read });
  });
  const considered = !explain
    ? []
    : listings.map((listing, at) =>
        consideredMatches(listing, found.get(listing.id) ?? NOTHING, {
          matches: (matched[at] ?? []).map(({ listing: { id } }) => ({ id })),
          rates,
          read,
        }),
      );
  return { listings: 'id' in of ? listings : [], matched, considered };
}

interface Response {
  error?: estypes.ErrorCause;
  hits?: { hits?: { _source?: StoredListing }[] };
}

const responsesOf = (body: Uint8Array): Response[] =>
  (
    JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()) as {
      responses: Response[];
    }
  ).responses;

/** Whatever is empty is left out of an answer. */
const sourcesOf = ({ hits }: Response): StoredListing[] =>
  (hits?.hits ?? []).flatMap(({ _source }) => _source ?? []);

/** What was found for one listing. */
interface Known {
  /** The listings of its group, or what may be the same. */
  likely: { linked: readonly StoredListing[] } | FoundCandidates;
  decided: Decided;
  /** By `told`. */
  partners: ReadonlyMap<string, StoredListing>;
}

/** The others of a listing's product among what was found for it, and what people decided of it. */
function matchesOf(
  listing: StoredListing,
  { likely, decided: { same, different }, partners }: Known,
  { rates, filters, read }: { rates: ExchangeRates; filters: MatchFilters; read: ProfileReader },
): Matched[] {
  const isWanted = (other: StoredListing): boolean =>
    other.id !== listing.id && (filters.includeSameSource || other.source !== listing.source);
  const others =
    'linked' in likely
      ? linkedWith(listing, likely.linked.filter(isWanted), rates, read)
      : sameProduct(listing, likely, rates, read);
  const known = new Set(others.map(({ listing: other }) => other.id));
  // Where both are linked, their groups obey this decision, or others that weigh more.
  const added = same
    .flatMap((key) => partners.get(told(key)) ?? [])
    .filter((other) => !known.has(other.id) && isWanted(other))
    .filter((other) => !isLinked(listing) || !isLinked(other));
  const kept = others.filter(({ listing: other }) => !different.has(told(other)));
  return added.length === 0 ? kept : [...kept, ...linkedWith(listing, added, rates, read)];
}

const NONE: Decided = { same: [], different: new Set() };

const NOTHING: FoundCandidates = { candidates: [], siblings: [] };
