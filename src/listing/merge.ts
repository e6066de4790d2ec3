import type { AffiliateTemplates } from './affiliate.js';
import { completeFor, TODAYS_SCHEMA } from './derived.js';
import { factsOf, firstObserved, internalsOf, observationsOf, type Told } from './facts.js';
import { mergeHistory, restateCurrency } from './history.js';
import { compareInstants, formatInstant } from './instant.js';
import type { StoredListing } from './listing.js';
import { type Outcome, outcomeOf } from './outcome.js';
import { restated } from './patch.js';
import { productOf } from './product.js';
import type { FeedRecord } from './record.js';

export interface MergeContext {
  id: number;
  now: Date;
  affiliateTemplates?: AffiliateTemplates | undefined;
  /** Of the index that the listing is for: an earlier one takes no later fields. Absent: today's. */
  schema?: number | undefined;
  /** Whether prices of the past are stored as declared, which no statistic uses. False unless given. */
  declaredHistory?: boolean | undefined;
}

/**
 * Brings a record into its listing. The record states the whole listing: what it leaves out becomes unknown. But
 * `last_checked` only moves on, and `list_price` and `gtin`, which no export shows, stay unless they are null. A record
 * that was observed before what the listing shows enters the price history and changes nothing else, so records may
 * arrive in any order. A patch states some fields alone.
 * @param existing the listing as it is stored; null: there is none.
 * @param context.id the listing's id; `context.now`: the time of an observation that names none, and of the change;
 * `context.affiliateTemplates`: the operator's, to know the links that an export has of the service itself.
 */
export function applyRecord(
  existing: StoredListing | null,
  record: FeedRecord,
  { id, now, affiliateTemplates = {}, schema = TODAYS_SCHEMA, declaredHistory = false }: MergeContext,
): { listing: StoredListing; outcome: Outcome } {
  const time = formatInstant(now.getTime());
  const at = record.last_checked ?? time;
  const told = { at, time, declaredHistory };
  if (existing !== null && compareInstants(at, existing.internal.observed_at) < 0) {
    return applyOlder(existing, record, told);
  }
  const isPatch = existing !== null && record.stated !== undefined;
  const whole = isPatch ? restated(existing, record) : record;
  const product = productOf(existing, whole, { id, updated_at: time, affiliateTemplates });
  // A patch that states no price has not seen one.
  const observed = isPatch ? { ...whole, price: record.price ?? null } : record;
  const internal = completeFor(schema, product, internalsOf(existing, product, observed, told));
  const outcome = existing === null ? 'created' : outcomeOf(existing, product, internal);
  if (existing === null || outcome === 'created') return { listing: { ...product, internal }, outcome };
  if (outcome === 'unchanged') return { listing: existing, outcome };
  const updated_at = outcome === 'checked' || outcome === 'history' ? existing.updated_at : time;
  return { listing: { ...product, updated_at, internal }, outcome };
}

function applyOlder(
  existing: StoredListing,
  record: FeedRecord,
  told: Told,
): { listing: StoredListing; outcome: Outcome } {
  const { internal } = existing;
  const stated = record.currency ?? null;
  const observations = restateCurrency(observationsOf(existing, record, told), stated, existing.currency);
  const history = mergeHistory(internal.price_history, observations);
  const first = firstObserved(internal.first_observed_at, observations, told);
  if (history === internal.price_history && first === internal.first_observed_at) {
    return { listing: existing, outcome: 'unchanged' };
  }
  const facts = factsOf(history, internal.price_units, internal.list_price, internal.observed_at, existing);
  return {
    listing: {
      ...existing,
      internal: { ...internal, ...facts, first_observed_at: first, price_history: history },
    },
    outcome: 'history',
  };
}
