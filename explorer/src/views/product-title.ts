import type { Product, Reading } from '../types.js';

/** A letter that is not of the script in which the page is written. Greek ones are signs of units in names. */
const FOREIGN = /(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Common}])\p{L}/u;

/** Whether the name of a listing has words in another script than that of the page. */
export const isForeign = ({ name }: { name: string }): boolean => FOREIGN.test(name);

/** The listing whose name is shown: the one that was asked for, or another one of its product if only that is in the script of the page. */
export const named = <L extends { name: string }>(listing: L, others: readonly L[]): L =>
  isForeign(listing) ? (others.find((other) => !isForeign(other)) ?? listing) : listing;

/** A name without what shops put in brackets in front of it. */
export const plainName = (name: string): string =>
  name.replace(/^(\s*(\[[^\]]*\]|【[^】]*】|\*[^*]*\*))+\s*/, '') || name;

/** The part of a listing's name from its maker to its model and kind, in whatever order; the whole name without a model. */
export function productTitle(
  { name, brand }: Pick<Product, 'name' | 'brand'>,
  reading: Reading | null,
): string {
  const plain = plainName(name);
  const maker = placeOf(plain, brand ?? reading?.maker ?? null);
  const identity = [reading?.line, reading?.model, reading?.variant].flatMap(
    (part) => placeOf(plain, part ?? null) ?? [],
  );
  if (identity.length === 0) return plain;
  const places = [maker, ...identity, placeOf(plain, reading?.kind ?? null)].filter((one) => one !== null);
  const from = Math.min(...places.map((one) => one.from));
  const to = Math.max(...places.map((one) => one.to));
  const title = plain.slice(from, to);
  if (brand === null) return title;
  return maker === null
    ? `${brand} ${title}`
    : `${title.slice(0, maker.from - from)}${brand}${title.slice(maker.to - from)}`;
}

/** Where a name has words that were read from it, in which case, blanks, hyphens and the plural may differ. */
function placeOf(name: string, text: string | null): { from: number; to: number } | null {
  const letters = [...(text ?? '').toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')];
  if (letters.length === 0) return null;
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${letters.join('[\\s./-]*')}s?(?![\\p{L}\\p{N}])`, 'iu');
  const match = pattern.exec(name);
  return match === null ? null : { from: match.index, to: match.index + match[0].length };
}
