import type { Flag } from '../schemas/quality.js';
import type { ListingInternals } from './listing.js';

/** The quality flags that mark a price as not trustworthy. */
export const MISTRUSTED: readonly Flag[] = ['price_placeholder', 'price_outlier'];

/** Whether a listing's price has a quality flag. An index with an earlier schema has no flags. */
export const hasMistrustedPrice = ({ flags = [] }: Pick<ListingInternals, 'flags'>): boolean =>
  flags.some((flag) => MISTRUSTED.includes(flag));
