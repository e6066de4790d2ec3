import type { StoredListing } from './listing.js';

/** Whether the group of a listing is that of what it says now. */
export const isLinked = ({ internal }: Pick<StoredListing, 'internal'>): boolean =>
  typeof internal.group_id === 'number' && typeof internal.linked_at === 'string';

/** The product that a listing is of: at first it alone. */
export const groupOf = ({ id, internal }: Pick<StoredListing, 'id' | 'internal'>): number =>
  internal.group_id ?? id;
