import { hash } from 'node:crypto';
import type { Product } from '../schemas/product.js';
import { foldWords } from '../text/fold.js';
import { splitWords } from '../text/tokenize.js';
import type { ListingInternals, StoredListing } from './listing.js';

/** The owner of a source that belongs to nobody else. The prefix keeps owners of different kinds apart. */
export const ownerOfSource = (source: string): string => `source:${source}`;

/** Which sources belong to one shop or to one API key. */
interface Ownership {
  /** The shop that the configuration of a source names, by source. */
  shops: ReadonlyMap<string, string>;
  /** The sources that one API key writes. They count as one owner. */
  together?: readonly string[] | undefined;
}

/** Creates a function for the owner of a source: its shop, else the first of the sources that belong with it, else itself. */
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

const isNumber = (word: string): boolean => /^\p{N}+$/u.test(word);

const distinctWords = (name: string): string[] => [...new Set(splitWords(foldWords(name)))].sort();

/** A key of listings of one owner whose names differ only in numbers. It serves to count them: they may be different products. */
export const namedAlikeKey = (listing: Pick<StoredListing, 'source' | 'name' | 'internal'>): string =>
  [ownerOf(listing), ...distinctWords(listing.name).filter((word) => !isNumber(word))].join(' ');

/** Matches a number that a shop appends to equal names to distinguish its listings, such as "(17)" or "#17". */
const COUNTER = /(?:[([]#?\d{1,3}[)\]]|#\d{1,6})$/u;

/**
 * Keys that listings of one owner share. `alike`: near-identical ones, with the same words in any order, GTINs, attributes, stated
 * condition and merchant of a marketplace. `series`: also those that differ in attributes, merchants, and numbers in their names,
 * all of which an owner can vary at will. A few of them may be other products, so only long series count.
 */
export function alikeKeysOf(
  { source, merchant_id, name, metadata }: Product,
  { owner, gtins, condition }: Pick<ListingInternals, 'owner' | 'gtins' | 'condition'>,
): { alike: string; series: string } {
  const words = distinctWords(name.trimEnd().replace(COUNTER, ''));
  const shared = [
    owner ?? ownerOfSource(source),
    words.filter((word) => !isNumber(word)),
    gtins,
    condition?.stated ?? null,
  ];
  return { alike: keyOf([...shared, merchant_id, metadata, words.filter(isNumber)]), series: keyOf(shared) };
}

const keyOf = (content: readonly unknown[]): string => hash('sha1', JSON.stringify(content), 'base64url');
