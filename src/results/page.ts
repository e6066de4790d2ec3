/** The frame of a page: everything but its items. */
export interface PageFrame {
  /** Exact number of all listings that match. */
  total: number;
  limit: number;
  offset: number;
  has_more: boolean;
}

/** @param found the exact total, and how many items the page has. */
export function pageFrame(
  { total, items }: { total: number; items: number },
  { limit, offset }: { limit: number; offset: number },
): PageFrame {
  return { total, limit, offset, has_more: items > 0 && offset + items < total };
}
