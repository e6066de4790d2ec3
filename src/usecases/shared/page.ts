/**
 * The frame of a page: everything but its items.
 * @param found the exact total, and how many items the page has.
 */
export function pageFrame(
  { total, items }: { total: number; items: number },
  { limit, offset }: { limit: number; offset: number },
) {
  return { total, limit, offset, has_more: items > 0 && offset + items < total };
}
