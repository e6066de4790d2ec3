import type { estypes } from '@elastic/elasticsearch';

/** A document of which only the id is known yet. */
export interface StandsAt {
  index: string;
  id: number;
}

/** What has in a field the value that a document, which the engine reads itself, has in another; nothing where it is not there. */
export const sameAs = (
  field: string,
  { index, id }: StandsAt,
  path: string,
): estypes.QueryDslQueryContainer => ({ terms: { [field]: { index, id: String(id), path } } });
