import { at, hash32 } from './random.js';

/** Within a trade, the first letters of the names are all different, because model codes start with them. */
export const BRANDS = {
  mobile: ['Kestrel', 'Orvano', 'Tessaro', 'Quillon', 'Mirevo', 'Halcyra'],
  audio: ['Auralis', 'Sonvara', 'Echolane', 'Brontide', 'Tonewick', 'Veliro'],
  vision: ['Vistaro', 'Lumenor', 'Glimmark', 'Kandelo', 'Optherra'],
  photo: ['Fotarra', 'Lenswick', 'Obscuro', 'Haldane', 'Prismelle'],
  computing: ['Corvanta', 'Stratiq', 'Heliodyne', 'Maplecore', 'Tarnix', 'Jotunar'],
  network: ['Routella', 'Netharbor', 'Wavemere', 'Linkaro', 'Packetine'],
  storage: ['Databarn', 'Memorix', 'Bytefold', 'Stowbit', 'Cellarion'],
  gear: ['Armadel', 'Gripwell', 'Voltaro', 'Plugsmith', 'Cabellon', 'Tindercase'],
  kitchen: ['Homarel', 'Delmora', 'Cendaro', 'Warmstead', 'Kuchenfee', 'Pantrix'],
  homecare: ['Brisako', 'Whirlow', 'Aeromere', 'Dustaway', 'Cleanova', 'Steamwright'],
  grooming: ['Silkwave', 'Gleamore', 'Barbaro', 'Freshmore', 'Trimaro'],
  living: ['Hollowoak', 'Linenfold', 'Casa Verano', 'Evenhall', 'Willowmere'],
  beauty: ['Solenne', 'Petalune', 'Dewmira', 'Naruvia', 'Ondeline', 'Hanabira Lab'],
  pantry: ['Tanjong Mill', 'Golden Prow', 'Green Jetty', 'Sunharbour', 'Old Quay', 'Kampung Ria'],
  household: ['Brightwash', 'Puffin Soft', 'Lemonleaf', 'Frostlea'],
  toys: ['Brickadoo', 'Toyvane', 'Tumblekin', 'Pipalo', 'Woodlark'],
  baby: ['Cuddlefern', 'Bubinest', 'Tinytide', 'Mamoro', 'Littlelark'],
  sports: ['Strivo', 'Fleetora', 'Terrado', 'Pacewell', 'Rondure', 'Velocet'],
  timepieces: ['Meridane', 'Chronwick', 'Norrvik', 'Halden & Frey', 'Tidewater'],
  luggage: ['Wayfold', 'Portmanto', 'Farrowby', 'Roamly'],
  stationery: ['Inkfell', 'Papyrine', 'Quillhaven', 'Graphomark', 'Deskwell'],
} as const satisfies Record<string, readonly string[]>;

export type BrandPool = keyof typeof BRANDS;

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
  const known: readonly string[] = BRANDS[pool];
  const name = known[n];
  if (name !== undefined) return name;
  // Each trade starts at another combination of syllables, so that hardly any name occurs in two trades.
  const m = (n - known.length + hash32(pool)) % (ONSETS.length * MIDDLES.length * ENDINGS.length);
  const turn = Math.floor(m / ONSETS.length);
  const middle = turn % MIDDLES.length;
  return at(ONSETS, m) + at(MIDDLES, middle) + at(ENDINGS, middle + Math.floor(turn / MIDDLES.length));
}
