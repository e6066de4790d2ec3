import type { Product, Reading } from '../types.js';

/** The part of a listing's name from its maker to its model and kind, in whatever order; the whole name without a model. */
export function productTitle(
  { name, brand }: Pick<Product, 'name' | 'brand'>,
  reading: Reading | null,
): string {
  const plain = name.replace(/^(\s*(\[[^\]]*\]|【[^】]*】|\*[^*]*\*))+\s*/, '') || name;
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
