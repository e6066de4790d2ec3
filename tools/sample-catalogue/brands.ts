import { at, hash32 } from './random.js';
import { readTable } from './tables.js';

/** The names of the trades in brands.yaml. */
export type BrandPool = string;

const BRANDS = readTable<Record<BrandPool, readonly string[]>>('brands');

const ONSETS =
  'Al Bel Cor Dar El Fen Gar Hol Il Jor Kal Lor Mar Nor Ol Per Quen Ros Sal Tor Ul Ver Wil Yor Zan'.split(
    ' ',
  );
const MIDDLES = 'a an ar ava e en era i in ida o on ora u un ura avi eno oli uma'.split(' ');
const ENDINGS = 'bex dane dex fell gard lin mar mere mont nix quist ra ric sa ta tis ven via wick zo'.split(
  ' ',
);

/**
 * Returns the n-th brand name of a trade: first those of the table, then names of random syllables, about
 * ten thousand different ones.
 */
export function brandName(pool: BrandPool, n: number): string {
  const known = brandsOf(pool);
  const name = known[n];
  if (name !== undefined) return name;
  // Each trade starts at another combination of syllables, so that hardly any name occurs in two trades.
  const m = (n - known.length + hash32(pool)) % (ONSETS.length * MIDDLES.length * ENDINGS.length);
  const round = Math.floor(m / ONSETS.length);
  const middle = round % MIDDLES.length;
  return at(ONSETS, m) + at(MIDDLES, middle) + at(ENDINGS, middle + Math.floor(round / MIDDLES.length));
}

/** Returns the brand names of a trade in the table. @throws RangeError if there is no such trade. */
export function brandsOf(pool: BrandPool): readonly string[] {
  const brands = BRANDS[pool];
  if (brands === undefined) throw new RangeError(`no trade ${pool}`);
  return brands;
}
