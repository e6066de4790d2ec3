/** The source and SKU of a listing, which identify it in feeds. */
export interface ListingKey {
  source: string;
  sku: string;
}

/** A person's decision on whether two listings are the same product. */
export interface StoredDecision {
  a_source: string;
  a_sku: string;
  b_source: string;
  b_sku: string;
  decision: 'same' | 'different';
}

/** Who decided, and when. All members are null for a decision from a file, except the time. */
export interface DecisionAuthor {
  reviewer: string | null;
  key_id: string | null;
  note: string | null;
  /** The time of the decision, ISO 8601 in UTC. The latest decision about a pair takes effect. */
  decided_at: string;
}

/** A stored decision, one for each pair and reviewer. `skip` has no effect; the next linking run deletes an `undone` one. */
export interface DecisionDocument extends Omit<StoredDecision, 'decision'>, DecisionAuthor {
  decision: StoredDecision['decision'] | 'skip' | 'undone';
  pair_id: string;
  /** Whether no linking run has taken the decision into account yet. */
  pending: boolean;
}
