import { type FoundCandidates, outrankedBy, type PriceJudging, toCandidate } from './comparison.js';
import type { StoredListing } from '../listing/listing.js';
import { refusalsOf } from './asked/refusals.js';
import type { ProfileReader } from './evidence.js';
import { MATCH_THRESHOLD, matchCandidates } from './match.js';
import type { ProductQuery } from './query.js';
import type { ExchangeRates } from '../listing/rates/convert.js';
import type { ConsideredMatch, ConsideredOffer } from '../schemas/explain.js';

/** So many are told of. */
export const CONSIDERED = 20;

interface Chosen {
  /** With prices, the best first. */
  offers: readonly StoredListing[];
  left: readonly StoredListing[];
  query: ProductQuery;
}

/** What the best offer was chosen from: of other offers and of other things half each, and more of one where the other has fewer. */
export function consideredOffers(
  { offers, left, query }: Chosen,
  { rates, ...judging }: PriceJudging & { rates: ExchangeRates },
): ConsideredOffer[] {
  const [best, ...others] = offers;
  if (best === undefined) return [];
  const priced = left.filter(({ price }) => price !== null);
  const room = Math.max(CONSIDERED / 2, CONSIDERED - priced.length);
  const shown = others.slice(0, room - 1);
  const refused = priced.slice(0, CONSIDERED - 1 - shown.length);
  const candidates = (some: readonly StoredListing[]) =>
    some.map((one) => toCandidate(one, best.currency, rates));
  const refusals = refusalsOf(query, candidates([best, ...shown]), candidates(refused));
  const toConsidered = (
    { id, name, price, currency }: StoredListing,
    rejected: ConsideredOffer['rejected'] | undefined,
  ): ConsideredOffer => ({ id, name, price: price ?? '', currency, rejected: rejected ?? null });
  return [
    toConsidered(best, null),
    ...shown.map((one) => toConsidered(one, outrankedBy(best, one, judging))),
    ...refused.map((one, at) => toConsidered(one, refusals[at])),
  ];
}

/**
 * Candidates for the product of a listing that are no match of it, the likeliest first, then by id.
 * @param matches those that are.
 */
export function consideredMatches(
  listing: StoredListing,
  { candidates, siblings }: FoundCandidates,
  {
    matches,
    rates,
    read,
  }: { matches: readonly { id: number }[]; rates: ExchangeRates; read?: ProfileReader },
): ConsideredMatch[] {
  const comparable = (one: StoredListing) => toCandidate(one, listing.currency, rates);
  const decided = matchCandidates(
    comparable(listing),
    candidates.map(comparable),
    siblings.map(comparable),
    read,
  );
  const matched = new Set(matches.map(({ id }) => id));
  return candidates
    .flatMap(({ id }, at): ConsideredMatch[] => {
      const { score = 0, contradicted = false } = decided[at] ?? {};
      const unlikely = contradicted ? 'contradicted' : 'less_likely';
      return matched.has(id)
        ? []
        : [{ id, score, rejected: score < MATCH_THRESHOLD ? unlikely : 'not_linked' }];
    })
    .sort((a, b) => b.score - a.score || a.id - b.id)
    .slice(0, CONSIDERED);
}
