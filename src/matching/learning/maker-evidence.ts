import { compact, isSameMaker, MAX_POSITION, MAX_WORDS, makerWords, readMakerName } from '../makers.js';

/** The parts of a listing from which makers are learned. */
export interface MakerListing {
  name: string;
  /** The brand that the feed states; null if it states none. */
  brand: string | null;
  source: string;
}

/** The maximum length, in characters, of a stated brand from which makers are learned. */
const MAX_BRAND = 40;
/** The maximum number of following words, brands and notations that are counted for one beginning of names. It bounds the memory. */
const MAX_COUNTED = 64;
/** The maximum number of listings of one source that count for a maker, so that no source outvotes the others. */
const MAX_OF_SOURCE = 50;
/** Words with which fewer names than this number begin are learned as a maker only if they are a stated brand. */
export const MIN_NAMES = 5;
/** Words before a dash, as in "Maker - Product", are a maker only if at least this number of names begin with them. */
export const MIN_DASHED_NAMES = 2;
/** The maximum number of brands from which makers are learned, the most frequent first, in all and from a single source. */
const MAX_BRANDS = 20_000;
const MAX_BRANDS_OF_SOURCE = 5_000;
/** A brand that one source alone states is learned only if at least this number of its listings have it. */
const MIN_OF_SOURCE = 2;
/** Values of a brand field that state no brand. */
export const NO_BRAND =
  /^(?:n a|none|no ?brand|no ?name|un ?branded|generic|unknown|other|others|various|oem|not applicable|null|misc|assorted)$/;

/** Numbers of listings, by source or by word. */
export type Counts = Map<string, number>;

/** What was counted over the names that begin with certain words. */
export type Opening = ReturnType<typeof emptyOpening>;

/** A brand that feeds state, with the sources that state it and the notations in which they do. */
type StatedBrand = ReturnType<typeof emptyBrand>;

/** What the names and brands of a catalogue's listings show about its makers. */
export type MakerEvidence = ReturnType<typeof collectEvidence>;

/** The sum of the numbers of sources, each of which counts with a limited number. */
export function capped(counts: Iterable<number>): number {
  let sum = 0;
  for (const count of counts) sum += Math.min(count, MAX_OF_SOURCE);
  return sum;
}

const increment = (counts: Counts, key: string): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1);
};

/** Returns the value of a key, which is created if the map has fewer than `maximum` entries. */
function entryOf<T>(map: Map<string, T>, key: string, create: () => T, maximum = Infinity): T {
  const known = map.get(key) ?? create();
  if (map.size < maximum) map.set(key, known);
  return known;
}

const noCounts = (): Counts => new Map();

const incrementFor = (counts: Map<string, Counts>, key: string, source: string): void =>
  increment(entryOf(counts, key, noCounts, MAX_COUNTED), source);

const emptyOpening = () => ({
  /** The number of names with this beginning, by source. */
  sources: noCounts(),
  /** For each word that follows this beginning, the number of names in which it does, by source. */
  followers: new Map<string, Counts>(),
  /** For each stated brand, without blanks, the number of listings with this beginning that state it, by source. */
  brands: new Map<string, Counts>(),
  /** For each notation of the beginning, the number of names that have it, by source. */
  written: new Map<string, Counts>(),
  /** The number of names in which a dash between blanks follows, as in "Maker - Product", by source. */
  dashed: noCounts(),
});

/** With `keys`, the different folded notations of the brand, such as `tp link` and `tplink`. */
const emptyBrand = () => ({
  sources: noCounts(),
  written: new Map<string, Counts>(),
  keys: new Set<string>(),
});

/** Counts, over all listings of a catalogue, the evidence from which its makers are learned. */
export function collectEvidence(listings: readonly MakerListing[]) {
  /** All stated brands, by their folded words without blanks. */
  const { brands, beginnings, dashed } = countBeginnings(listings);
  const credible = credibleBrands([...brands.values()]);
  const keys = new Set(credible.flatMap((brand) => [...brand.keys]));
  for (const [key, names] of beginnings) if (names >= MIN_NAMES) keys.add(key);
  for (const [key, names] of dashed) if (names >= MIN_DASHED_NAMES) keys.add(key);
  /** The number of names with a dash between blanks, by source. */
  const dashedNames = noCounts();
  /** What was counted over the names that begin with certain words, by these folded words. */
  const openings = new Map<string, Opening>();
  /** For words with which names begin, the number of names that contain them only elsewhere, by source. */
  const inside = new Map<string, Counts>();
  /**
   * For each brand, the number of names that contain it near, but not at the beginning, if the listing states any brand;
   * `agreeing`: the number of those that state this brand.
   */
  const statedInside = new Map<string, { names: number; agreeing: number }>();
  const openingOf = (key: string): Opening | null =>
    keys.has(key) ? entryOf(openings, key, emptyOpening) : null;
  for (const { name, brand, source } of listings) {
    const { text, words, badges, wordsBeforeDash, accessoryEnds } = readMakerName(name);
    if (wordsBeforeDash > 0) increment(dashedNames, source);
    const brandKey = brand === null ? '' : keyOfBrand(brand);
    const stated = compact(brandKey);
    const vote = (opening: Opening) => incrementFor(opening.brands, stated, source);
    for (const badge of stated === '' ? [] : badges) {
      const opening = openingOf(badge);
      if (opening !== null) vote(opening);
    }
    // The name of an accessory may begin with the maker of the product that the accessory goes with, and end
    // with its own maker. Then the stated brand says nothing about the beginning of the name.
    const isVoting = stated !== '' && !accessoryEnds.includes(brandKey);
    const notations = writtenBeginnings(text);
    const own = new Set<string>();
    for (let length = 1; length <= Math.min(MAX_WORDS, words.length); length += 1) {
      const key = words.slice(0, length).join(' ');
      own.add(key);
      const opening = openingOf(key);
      if (opening === null) continue;
      if (length === wordsBeforeDash) increment(opening.dashed, source);
      increment(opening.sources, source);
      incrementFor(opening.followers, words[length] ?? '', source);
      incrementFor(opening.written, notations[length - 1] ?? '', source);
      if (isVoting) vote(opening);
    }
    for (let at = 1; at < words.length; at += 1)
      for (let length = 1; length <= Math.min(MAX_WORDS, words.length - at); length += 1) {
        const key = words.slice(at, at + length).join(' ');
        if (!keys.has(key)) continue;
        if (at < MAX_POSITION && stated !== '' && brands.has(compact(key))) {
          const counts = entryOf(statedInside, key, () => ({ names: 0, agreeing: 0 }));
          counts.names += 1;
          if (isSameMaker(key, brandKey)) counts.agreeing += 1;
        }
        if (own.has(key)) continue;
        own.add(key);
        increment(entryOf(inside, key, noCounts), source);
      }
  }
  return { brands, credible, openings, inside, statedInside, dashedNames };
}

/** Counts the stated brands, the names with each beginning of up to `MAX_WORDS` words, and those of them before a dash. */
function countBeginnings(listings: readonly MakerListing[]) {
  const brands = new Map<string, StatedBrand>();
  const beginnings: Counts = new Map();
  const dashed: Counts = new Map();
  for (const { name, brand, source } of listings) {
    const { words, wordsBeforeDash } = readMakerName(name);
    for (let length = 1; length <= Math.min(MAX_WORDS, words.length); length += 1) {
      const key = words.slice(0, length).join(' ');
      increment(beginnings, key);
      if (length === wordsBeforeDash) increment(dashed, key);
    }
    const key = brand === null ? '' : keyOfBrand(brand);
    if (brand === null || key === '') continue;
    const known = entryOf(brands, compact(key), emptyBrand);
    if (known.keys.size < MAX_COUNTED) known.keys.add(key);
    increment(known.sources, source);
    incrementFor(known.written, brand.trim(), source);
  }
  return { brands, beginnings, dashed };
}

/** The folded words of a stated brand; empty if the value cannot be a brand. */
function keyOfBrand(brand: string): string {
  const words = makerWords(brand);
  const key = words.join(' ');
  const isBrand =
    brand.length <= MAX_BRAND && words.length <= MAX_WORDS && /\p{L}/u.test(key) && !NO_BRAND.test(key);
  return isBrand ? key : '';
}

/** Selects the brands that enough listings state, and a limited number of each source, so that none can fill the dictionary. */
function credibleBrands(stated: readonly StatedBrand[]): StatedBrand[] {
  const ofSource: Counts = new Map();
  return stated
    .map((brand) => ({ brand, listings: capped(brand.sources.values()) }))
    .sort((a, b) => b.listings - a.listings)
    .filter(({ brand: { sources }, listings }) => {
      const [source = ''] = sources.keys();
      if (sources.size > 1) return true;
      increment(ofSource, source);
      return listings >= MIN_OF_SOURCE && (ofSource.get(source) ?? 0) <= MAX_BRANDS_OF_SOURCE;
    })
    .slice(0, MAX_BRANDS)
    .map(({ brand }) => brand);
}

/** The first word of a name in its original notation, its first two words, and so on up to `MAX_WORDS`. */
function writtenBeginnings(name: string): string[] {
  const words = [...name.matchAll(/[\p{L}\p{N}\p{M}&]+/gu)].filter(([word]) => /[\p{L}\p{N}]/u.test(word));
  const start = words[0]?.index ?? 0;
  return words.slice(0, MAX_WORDS).map((word) => name.slice(start, word.index + word[0].length));
}
