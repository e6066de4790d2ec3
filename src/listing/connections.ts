import { peerFlagsBasis } from './flags.js';
import { modelsOf } from './identify.js';
import type { StoredListing } from './listing.js';
import { ownerOf } from './owner.js';

/** The values of a listing on which the quality flags of other listings and the suggestions depend. */
export interface Connections {
  id: number;
  source: string;
  gtins: readonly string[];
  /** The key that duplicate listings share; null if there is no price. */
  duplicateKey: string | null;
  /** The key of near-identical listings; undefined in an index of an earlier schema. */
  alike: string | undefined;
  /** The key of listings whose names differ only in numbers; undefined in an index of an earlier schema. */
  series: string | undefined;
  group: number;
  /** The price in ten-thousandths of the unit of its currency; null if there is no price. */
  units: number | null;
  brand: string | null;
  category: string | null;
  /** The model numbers as the feed writes them. */
  models: readonly string[];
}

/** The fields of a stored listing that `connectionsOf` reads. */
export const CONNECTION_FIELDS: readonly string[] = [
  'id',
  'source',
  'brand',
  'category',
  'metadata',
  ...['gtins', 'twin', 'alike', 'series', 'group_id', 'price_units'].map((name) => `internal.${name}`),
];

export const connectionsOf = ({ internal, ...listing }: StoredListing): Connections => ({
  id: listing.id,
  source: listing.source,
  gtins: internal.gtins,
  duplicateKey: internal.twin ?? null,
  alike: internal.alike,
  series: internal.series,
  group: internal.group_id ?? listing.id,
  units: internal.price_units,
  brand: listing.brand,
  category: listing.category,
  models: modelsOf(listing.metadata),
});

/** The connections of a written listing after and before the write; none if they are the same. @param before null: it is new. */
export function changedConnections(before: StoredListing | null, after: StoredListing): Connections[] {
  if (before === null) return [connectionsOf(after)];
  return isSame(before, after) ? [] : [connectionsOf(after), connectionsOf(before)];
}

const isSame = (before: StoredListing, after: StoredListing): boolean =>
  before.category === after.category &&
  ownerOf(before) === ownerOf(after) &&
  before.internal.alike === after.internal.alike &&
  before.internal.models.join() === after.internal.models.join() &&
  peerFlagsBasis(before, before.internal) === peerFlagsBasis(after, after.internal);
