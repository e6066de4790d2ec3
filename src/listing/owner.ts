import type { StoredListing } from './listing.js';

/**
 * The owner of the listings of a source that belongs to nobody else: the source itself. The prefix keeps owners of
 * different kinds apart, whatever their names are.
 */
export const ownerOfSource = (source: string): string => `source:${source}`;

/** What is known about which sources belong together. */
interface Ownership {
  /** The shop that the configuration of a source names, by source. */
  shops: ReadonlyMap<string, string>;
  /** Sources that one API key writes, and that are therefore one owner. */
  together?: readonly string[] | undefined;
}

/**
 * Returns a function that determines the owner of a source: its shop; else that of the sources with which it belongs
 * together, which the first of them in alphabetical order stands for; else the source itself.
 */
export function ownerReader({ shops, together = [] }: Ownership): (source: string) => string {
  const shopOwner = (source: string): string[] => {
    const shop = shops.get(source);
    return shop === undefined ? [] : [`shop:${shop}`];
  };
  const shared = together.toSorted();
  const [common] = [...shared.flatMap(shopOwner), ...shared.map(ownerOfSource)];
  return (source) => {
    const [own = ownerOfSource(source)] = shopOwner(source);
    return shared.includes(source) && !shops.has(source) ? (common ?? own) : own;
  };
}

/** The owner of a stored listing, which is the source in an index of an earlier schema. */
export const ownerOf = ({
  source,
  internal,
}: Pick<StoredListing, 'source'> & { internal: Pick<StoredListing['internal'], 'owner'> }): string =>
  internal.owner ?? ownerOfSource(source);
