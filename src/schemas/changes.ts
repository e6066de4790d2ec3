import { Type } from 'typebox';
import { ProductSchema } from './product.js';
import { component, Enum, flag, integer, listOf, optional, text, time } from './types.js';

/** The kinds of change that the change feed reports. */
export const CHANGE_KINDS = ['new', 'price', 'stock', 'content', 'group', 'withdrawn'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

export const changeKind = Enum(CHANGE_KINDS, {
  description:
    '`new`: the listing was created. `price`: its price, currency or list price changed, or an earlier price became known. ' +
    '`stock`: its availability changed. `content`: any other field changed. `group`: it belongs to another product. `withdrawn`: it ' +
    'was deleted',
});

const ChangeSchema = component('Change', 'One listing that has changed', {
  id: integer('Product id of the listing'),
  kinds: listOf(
    changeKind,
    'Every kind of change of the listing since the cursor; with `resync`, earlier ones may be included',
  ),
  at: time('When the listing last changed, by the clock of the writer, ISO 8601 in UTC'),
  product: optional.orNull(
    ProductSchema,
    'The listing as of the change or later; null if it was withdrawn or no longer passes the filter. Absent with `view=ids`, unless it is null',
  ),
});

export const ChangePageSchema = component('ChangePage', 'Changes after a cursor', {
  items: Type.Array(ChangeSchema),
  cursor: text(
    'The cursor for the next request. It expires 30 days after this response by default (`CHANGES_RETENTION`)',
  ),
  has_more: flag('Whether there are more changes already, so that the next request need not wait'),
  resync: flag(
    'Whether the catalogue was reindexed or rolled back, so that changes of the last minutes before the cursor may be repeated',
  ),
});
