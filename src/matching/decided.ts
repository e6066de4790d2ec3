import type { ListingKey, StoredDecision } from '../schemas/decisions.js';

/** What people decided of one listing and others, which `told` names. */
export interface Decided {
  same: ListingKey[];
  /** By `told`. */
  different: ReadonlySet<string>;
}

/** One text for each source and SKU. */
export const told = ({ source, sku }: ListingKey): string => `${source}\0${sku}`;

/** Of all these decisions those that are about a listing. */
export function decidedOf(listing: ListingKey, decisions: readonly StoredDecision[]): Decided {
  const same: ListingKey[] = [];
  const different = new Set<string>();
  for (const { a_source, a_sku, b_source, b_sku, decision } of decisions) {
    const [a, b] = [
      { source: a_source, sku: a_sku },
      { source: b_source, sku: b_sku },
    ];
    const other = told(a) === told(listing) ? b : told(b) === told(listing) ? a : null;
    if (other === null) continue;
    if (decision === 'same') same.push(other);
    else different.add(told(other));
  }
  return { same, different };
}
