/** The document that is stored under the id of a withdrawn listing. Only a later observation restores the listing. */
export interface Tombstone {
  source: string;
  sku: string;
  withdrawn_at: string;
  /**
   * The index and sequence number of the listing that is deleted after the tombstone was written. While it exists in this
   * version, its withdrawal is under way. Tombstones of earlier versions of the service lack both.
   */
  index?: string;
  seq_no?: number;
  /** The categories of the listing, and whether it had others before. Tombstones of earlier versions lack them. */
  categories?: { category: string | null; category_path: readonly string[]; moved: boolean };
}
