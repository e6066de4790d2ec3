import { foldProse } from '../text/fold.js';
import { FOR } from './profile.js';
import { ACCESSORIES, COLOURS, MARKETING_WORDS, NAME_STOP_WORDS, NOT_NOUNS } from '../text/vocabulary.js';

/** The parts of a listing from which makers are learned and inferred. */
export interface MakerListing {
  name: string;
  /** The brand that the feed states; null if it states none. */
  brand: string | null;
  source: string;
}

/** A maker that a catalogue's listings name, with the facts about the words that identify it in names. */
export interface Maker {
  /** The most frequent way in which the maker is written. */
  name: string;
  /**
   * How the maker became known. `stated`: from the brands that feeds state. `beginning`: from many names that
   * begin with it. `line`: from a product line, all stated brands of which are this maker. `added`: by an
   * operator.
   */
  origin: 'stated' | 'beginning' | 'line' | 'added';
  /**
   * The probability, from 0 to 1, that a product is of this maker if its name begins with the words that
   * identify the maker.
   */
  confidence: number;
  /**
   * Whether the words that identify the maker also do so where they do not stand at the beginning of a name.
   */
  isSureInside: boolean;
  /** The number of listings from which the maker was learned. */
  listings: number;
}

/**
 * The makers of a catalogue, by the folded words (in lower case, without accents) with which the names of
 * their products begin.
 */
export type MakerDictionary = ReadonlyMap<string, Maker>;

/** The maximum number of words of a maker's name. */
const MAX_WORDS = 4;
/** The number of words at the beginning of a name at each of which the name of the maker may begin. */
const MAX_POSITION = 4;
const MAX_BRAND = 40;
const MAX_NAME = 300;
/**
 * The maximum number of different beginnings of names in memory. When it is reached, the beginnings that only
 * one name has are discarded.
 */
const MAX_OPENINGS = 300_000;
/**
 * The maximum number of different following words that are counted for one beginning of names, and also of
 * sources and of brands. It bounds the memory.
 */
const MAX_COUNTED = 64;
/** The maximum number of listings of one source that count for a maker, so that no source outvotes the others. */
const MAX_OF_SOURCE = 50;
/**
 * The maximum number of brands in a dictionary, and of those that one source contributes because it alone
 * states them. The most frequent brands are kept.
 */
const MAX_BRANDS = 20_000;
const MAX_BRANDS_OF_SOURCE = 5_000;
/**
 * A brand that one source alone states is in the dictionary only if at least this number of its listings have
 * it.
 */
const MIN_OF_SOURCE = 2;
/**
 * The minimum confidence, from 0 to 1, with which words are learned as a maker, and as a product line of a
 * maker.
 */
const MIN_CONFIDENCE = 0.9;
const MIN_LINE_CONFIDENCE = 0.98;
/**
 * The minimum number of names that begin with a maker that no feed states, and of different words that follow
 * it there, if several sources or if only one source has these names.
 */
const MIN_NAMES = 5;
const MIN_FOLLOWERS = 4;
const MANY_FOLLOWERS = 5;
/**
 * A maker that no feed states is also recognized behind other words of a name if at least this number of
 * names begin with it, and at least this share of the names that contain it.
 */
const MANY_NAMES = 20;
const MIN_SHARE_INSIDE = 0.8;
/**
 * A word that no feed states as a brand is a maker only if at least this share, from 0 to 1, of the names
 * that contain it begin with it.
 */
const MIN_BEGINNING_SHARE = 0.7;
/**
 * A supposed maker that is known from one source alone is refused if, in the names of the other sources, less
 * than this share of the names that contain it begin with it.
 */
const MIN_SHARE_ELSEWHERE = 0.2;
/**
 * A stated brand is also recognized behind other words of a name if at least this share of the names that
 * have it near their beginning, and state a brand, state this one.
 */
const MIN_INSIDE_SHARE = 0.95;
/**
 * If at least this share of the names that begin with a word have the same second word, both words together
 * are the maker.
 */
const FIXED_PAIR_SHARE = 0.9;
/**
 * If a known maker follows certain words in more than this share of the names that begin with them, these
 * words name a shop, a carrier or a kind of product, and not a maker.
 */
const MAX_MAKER_FOLLOWS = 0.4;
/**
 * Matches short makers such as "HP" and "V7". More names must begin with them than with other makers, because
 * many codes are as short.
 */
const SHORT_MAKER = /^(?:\p{L}{2}|\p{L}\p{N}|\p{L}\p{N}\p{L}|\p{L}&\p{L})$/u;
const MIN_NAMES_OF_SHORT = 20;
/** Values of a brand field that state no brand. */
const NO_BRAND =
  /^(?:n a|none|no ?brand|no ?name|un ?branded|generic|unknown|other|others|various|oem|not applicable|null|misc|assorted)$/;
/**
 * Words such as "for" and "fits". Behind them, a name states what the product goes with, and not who made it.
 */
const COMPATIBLE = new Set([...FOR, 'fur', 'pour']);
const GENERIC = new Set([
  'new',
  'the',
  'a',
  'an',
  'set',
  'pack',
  'kit',
  'original',
  'genuine',
  'refurbished',
  'used',
]);

type Counts = Map<string, number>;

/** What was counted over the names that begin with certain words. */
interface Opening {
  names: number;
  /** The number of names with this beginning, by source. */
  sources: Counts;
  followers: Counts;
  /**
   * For each stated brand, without blanks, the number of listings with this beginning that state it, by
   * source.
   */
  brands: Map<string, Counts>;
  written: Counts;
  /** The number of names in which a dash between blanks follows this beginning, as in "Maker - Product". */
  dashed: number;
}

/** A brand that feeds state, with the sources that state it and the notations in which they do. */
interface StatedBrand {
  sources: Counts;
  written: Counts;
  /** The different folded notations of the brand, such as `tp link` and `tplink`. */
  keys: Set<string>;
}

/**
 * Matches badges in brackets at the beginning of a name, such as "[Official Store]", which mostly do not
 * contain the name of a maker.
 */
const BADGES = /^(?:\s*(?:\[[^\]]*\]|【[^】]*】|\([^)]*\)))+/u;

/**
 * Separates the badges in brackets at the beginning of a name, such as "[Official Store]", from the rest, and
 * replaces `&amp;` by `&`. The texts of the badges are returned too, because some shops write the maker in
 * brackets.
 */
function withoutBadges(name: string): { text: string; badges: string[] } {
  const text = name.slice(0, MAX_NAME).replaceAll(/&amp;/gi, '&');
  const rest = text.replace(BADGES, '');
  if (!/\p{L}/u.test(rest)) return { text, badges: [] };
  const badges = text.slice(0, text.length - rest.length).split(/[\]】)]/u);
  return { text: rest, badges: badges.map((badge) => badge.replace(/^\s*[[【(]/u, '')) };
}

/**
 * Matches the marks between the parts of a name. A part that is a maker alone belongs to a list of makers, as
 * in "bracket for APC, Dell/HP".
 */
const PARTS = /[,;/|]|\s[-–—]\s/u;
/** Words such as "and" and "with". A maker behind one of them is not taken for the maker of the product. */
const JOINING = new Set(['and', 'or', 'in', 'with', 'w', 'on', 'of', 'to']);

/**
 * Returns the runs of words at the end of a name that may be the maker of an accessory, the longest first:
 * "Vor-Tek" in "Brixalo R9 leather case Vor-Tek". Sales talk behind the maker is ignored. The result is empty
 * if no word for an accessory precedes.
 */
function endsOfAccessory(name: string, words: readonly string[]): string[] {
  const accessory = words.findIndex((word) => ACCESSORIES.has(word));
  if (accessory < 1) return [];
  const part = makerWords(name.split(PARTS).at(-1) ?? '');
  const end = part.findLastIndex((word) => !MARKETING_WORDS.has(word)) + 1;
  const isEnd = words.length > accessory + 1 && part.slice(0, end).every((word) => words.includes(word));
  if (!isEnd) return [];
  const runs: string[] = [];
  for (let start = Math.max(1, end - MAX_WORDS); start < end; start += 1) {
    const run = part.slice(start, end);
    const isAfter = words.lastIndexOf(run[0] ?? '') > accessory;
    if (isAfter && !JOINING.has(part[start - 1] ?? '') && run.every((word) => /^\p{L}+$/u.test(word)))
      runs.push(run.join(' '));
  }
  return runs;
}

/** Splits a name or brand into folded words (in lower case, without accents). */
export const makerWords = (text: string): string[] =>
  foldProse(text.slice(0, MAX_NAME))
    .split(/[^\p{L}\p{N}&]+/u)
    .filter((word) => word !== '' && word !== '&');

/**
 * Removes the blanks between the folded words of a maker, so that its notations become equal: `tplink` for
 * "TP-Link" and "TP LINK".
 */
const compact = (key: string): string => key.replaceAll(' ', '');

/** The initials of a maker whose name has several words; empty for a single word. */
const initialsOf = (key: string): string =>
  key.includes(' ')
    ? key
        .split(' ')
        .map((word) => word[0] ?? '')
        .join('')
    : '';

/**
 * Whether two makers, in folded words, are the same apart from blanks and hyphens, or one is a division of the other:
 * "Logitech G" of "Logitech", or its initials: "HP" of "Hewlett-Packard".
 */
export const isSameMaker = (a: string, b: string): boolean =>
  compact(a) === compact(b) ||
  `${a} `.startsWith(`${b} `) ||
  `${b} `.startsWith(`${a} `) ||
  (b !== '' && initialsOf(a) === b) ||
  (a !== '' && initialsOf(b) === a);

const increment = (counts: Counts, key: string): void => {
  const known = counts.get(key);
  if (known !== undefined) counts.set(key, known + 1);
  else if (counts.size < MAX_COUNTED) counts.set(key, 1);
};

const capped = (counts: Iterable<number>): number => {
  let sum = 0;
  for (const count of counts) sum += Math.min(count, MAX_OF_SOURCE);
  return sum;
};

const mostFrequent = (counts: Counts): string =>
  [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), ['', 0] as [string, number])[0];

/** Returns the words of a name up to the first word such as "for", behind which other makers are named. */
function ownWords(words: readonly string[]): readonly string[] {
  const end = words.findIndex((word) => COMPATIBLE.has(word));
  return end < 0 ? words : words.slice(0, end);
}

/**
 * Collects the evidence from which makers are learned, one listing of a catalogue after another, in bounded
 * memory.
 */
export class MakerEvidence {
  readonly #openings = new Map<string, Opening>();
  /** For each word, the number of names that contain it but do not begin with it, by source. */
  readonly #inside = new Map<string, Counts>();
  readonly #brands = new Map<string, StatedBrand>();
  /**
   * For each word near the beginning of names, but not at it, the number of these names that state a brand,
   * and the number of those whose stated brand begins with this word.
   */
  readonly #statedInside = new Map<string, { names: number; agreeing: number }>();

  add({ name: given, brand, source }: MakerListing): void {
    const { text: name, badges } = withoutBadges(given);
    const words = ownWords(makerWords(name));
    const dash = name.search(/\s[-–—]\s/u);
    const dashed = dash < 0 ? 0 : makerWords(name.slice(0, dash)).length;
    const stated = brand === null ? '' : this.#addBrand(brand, source);
    const brandWords = stated === '' ? [] : makerWords(brand ?? '');
    for (const badge of stated === '' ? [] : badges) {
      const key = makerWords(badge).join(' ');
      if (compact(key) === stated) this.#vote(this.#openingOf(key), stated, source);
    }
    if (stated !== '') this.#countInside(words, brandWords);
    // The name of an accessory may begin with the maker of the product that the accessory goes with, and end
    // with its own maker. Then the stated brand says nothing about the beginning of the name.
    const isVoting = stated !== '' && !endsOfAccessory(name, words).includes(brandWords.join(' '));
    for (let length = 1; length <= Math.min(MAX_WORDS, words.length); length += 1) {
      const opening = this.#openingOf(words.slice(0, length).join(' '));
      opening.names += 1;
      if (length === dashed) opening.dashed += 1;
      increment(opening.sources, source);
      increment(opening.followers, words[length] ?? '');
      increment(opening.written, writtenBeginning(name, length));
      if (isVoting) this.#vote(opening, stated, source);
    }
    for (const word of new Set(words.slice(1))) {
      if (word === words[0]) continue;
      const counts = this.#inside.get(word) ?? new Map<string, number>();
      if (this.#inside.size < MAX_OPENINGS || counts.size > 0) this.#inside.set(word, counts);
      increment(counts, source);
    }
  }

  #vote({ brands }: Opening, stated: string, source: string): void {
    const counts = brands.get(stated) ?? new Map<string, number>();
    if (brands.size < MAX_COUNTED || counts.size > 0) brands.set(stated, counts);
    increment(counts, source);
  }

  /**
   * Counts, for each word near the beginning of a name but not at it, whether the stated brand stands there.
   */
  #countInside(words: readonly string[], brand: readonly string[]): void {
    for (let at = 1; at < Math.min(MAX_POSITION, words.length); at += 1) {
      const word = words[at] ?? '';
      const known = this.#statedInside.get(word) ?? { names: 0, agreeing: 0 };
      if (this.#statedInside.size < MAX_OPENINGS || known.names > 0) this.#statedInside.set(word, known);
      known.names += 1;
      if (brand.every((one, nth) => words[at + nth] === one)) known.agreeing += 1;
    }
  }

  /**
   * Whether the stated brand stands at the first word of the given maker in nearly all names that have this
   * word near their beginning and state a brand.
   */
  #isBrandInside(key: string): boolean {
    const { names, agreeing } = this.#statedInside.get(key.split(' ')[0] ?? '') ?? { names: 0, agreeing: 0 };
    return agreeing >= MIN_NAMES && agreeing / names >= MIN_INSIDE_SHARE;
  }

  #addBrand(brand: string, source: string): string {
    const words = makerWords(brand);
    const key = words.join(' ');
    if (brand.length > MAX_BRAND || words.length > MAX_WORDS || !/\p{L}/u.test(key) || NO_BRAND.test(key))
      return '';
    const id = compact(key);
    const known = this.#brands.get(id) ?? { sources: new Map(), written: new Map(), keys: new Set() };
    if (this.#brands.size < MAX_OPENINGS) this.#brands.set(id, known);
    if (known.keys.size < MAX_COUNTED) known.keys.add(key);
    increment(known.sources, source);
    increment(known.written, brand.trim());
    return id;
  }

  #openingOf(key: string): Opening {
    const known = this.#openings.get(key);
    if (known !== undefined) return known;
    if (this.#openings.size >= MAX_OPENINGS)
      for (const [rare, { names }] of this.#openings) if (names < 2) this.#openings.delete(rare);
    const opening: Opening = {
      names: 0,
      sources: new Map(),
      followers: new Map(),
      brands: new Map(),
      written: new Map(),
      dashed: 0,
    };
    if (this.#openings.size < MAX_OPENINGS) this.#openings.set(key, opening);
    return opening;
  }

  /** Learns the dictionary of makers from all listings that were added. */
  learn(): MakerDictionary {
    const dictionary = this.#statedMakers();
    const stated = new Set(dictionary.keys());
    for (const [key, opening] of this.#openings) {
      if (dictionary.has(key) || GENERIC.has(key) || NO_BRAND.test(key)) continue;
      const dashed = dashedMaker(opening, stated);
      if (dashed !== null) dictionary.set(key, dashed);
      if (dashed !== null || key.includes(' ') || isPlain(key)) continue;
      const line = this.#lineOf(key, opening);
      if (line !== null) dictionary.set(key, line);
      else {
        const found = this.#beginningMaker(key, opening, stated);
        if (found !== null && !dictionary.has(found.key)) dictionary.set(found.key, found.maker);
      }
    }
    return dictionary;
  }

  /**
   * The brands that enough listings state. Of the brands that one source alone states, only a limited number
   * is included, so that no source can fill the dictionary.
   */
  #credibleBrands(): StatedBrand[] {
    const ofSource = new Map<string, number>();
    return [...this.#brands.values()]
      .map((brand) => ({ brand, listings: capped(brand.sources.values()) }))
      .sort((a, b) => b.listings - a.listings)
      .flatMap(({ brand, listings }) => {
        const [source = ''] = brand.sources.keys();
        if (brand.sources.size > 1) return [brand];
        const known = ofSource.get(source) ?? 0;
        ofSource.set(source, known + 1);
        return listings >= MIN_OF_SOURCE && known < MAX_BRANDS_OF_SOURCE ? [brand] : [];
      })
      .slice(0, MAX_BRANDS);
  }

  #statedMakers(): Map<string, Maker> {
    const dictionary = new Map<string, Maker>();
    for (const { sources, written, keys } of this.#credibleBrands()) {
      for (const key of keys) {
        const opening = this.#openings.get(key);
        if (opening === undefined || isPlain(key)) continue;
        const { agreeing, others } = this.#votes(opening, key);
        const confidence = (agreeing + 1) / (agreeing + others + 1);
        if (confidence < MIN_CONFIDENCE || agreeing === 0) continue;
        if (sources.size === 1 && this.#isContradicted(key, [...sources.keys()][0] ?? '')) continue;
        const listings = capped(sources.values());
        const isSureInside =
          this.#isBrandInside(key) ||
          (listings >= MIN_NAMES && this.#beginningShare(key) >= MIN_BEGINNING_SHARE);
        dictionary.set(key, {
          name: mostFrequent(written),
          origin: 'stated',
          confidence,
          isSureInside,
          listings,
        });
      }
    }
    return dictionary;
  }

  /**
   * Counts the listings whose names begin with certain words: those whose stated brand is the given maker,
   * and those that state another brand.
   */
  #votes(opening: Opening, key: string): { agreeing: number; others: number } {
    let [agreeing, others] = [0, 0];
    for (const [brand, sources] of opening.brands) {
      const keys = [...(this.#brands.get(brand)?.keys ?? [])];
      const isSame = keys.some((one) => isSameMaker(one, key));
      if (isSame) agreeing += capped(sources.values());
      else others += capped(sources.values());
    }
    return { agreeing, others };
  }

  /** Whether names of other sources than the given one mostly use a supposed maker as an ordinary word. */
  #isContradicted(key: string, source: string): boolean {
    const begins = this.#openings.get(key)?.sources ?? new Map<string, number>();
    const inside = this.#inside.get(key) ?? new Map<string, number>();
    const elsewhere = (counts: Counts) =>
      [...counts].reduce((sum, [one, n]) => sum + (one === source ? 0 : n), 0);
    const [starts, others] = [elsewhere(begins), elsewhere(inside)];
    return others >= MIN_NAMES && starts / (starts + others) < MIN_SHARE_ELSEWHERE;
  }

  #beginningShare(key: string): number {
    const begins = this.#openings.get(key)?.names ?? 0;
    const inside = [...(this.#inside.get(key)?.values() ?? [])].reduce((sum, count) => sum + count, 0);
    return begins / (begins + inside + 1);
  }

  /**
   * Returns the maker to which a product line belongs: the one that nearly all stated brands of names with
   * this beginning are. Null if the word is no product line.
   */
  #lineOf(key: string, opening: Opening): Maker | null {
    const [best] = [...opening.brands.keys()]
      .map((id) => ({ id, ...this.#votes(opening, [...(this.#brands.get(id)?.keys ?? [])][0] ?? id) }))
      .sort((a, b) => b.agreeing - a.agreeing);
    if (best === undefined || best.agreeing < MIN_NAMES) return null;
    const confidence = best.agreeing / (best.agreeing + best.others);
    // A word with which the brand itself begins is not one of its product lines: "case" of "Case Logic".
    if (confidence < MIN_LINE_CONFIDENCE || best.id.startsWith(key)) return null;
    // Several sources must agree, because one source alone could assign an ordinary word to a maker of its
    // choice.
    if ((opening.brands.get(best.id)?.size ?? 0) < 2) return null;
    const name = mostFrequent(this.#brands.get(best.id)?.written ?? new Map<string, number>());
    return { name, origin: 'line', confidence, isSureInside: false, listings: best.agreeing };
  }

  /**
   * Learns a maker from a word, or from two words, with which many names begin and which rarely occur
   * elsewhere in names. Null if the word is not a maker.
   */
  #beginningMaker(
    word: string,
    opening: Opening,
    stated: ReadonlySet<string>,
  ): { key: string; maker: Maker } | null {
    const isWord = /^\p{L}{3,}$/u.test(word);
    if (!isWord && !SHORT_MAKER.test(word)) return null;
    if (opening.names < (isWord ? MIN_NAMES : MIN_NAMES_OF_SHORT)) return null;
    // If most stated brands of names with this beginning are other brands, the word is not a maker: it is a
    // product line of several makers, or a kind of product.
    const { agreeing, others } = this.#votes(opening, word);
    if (others > agreeing) return null;
    const share = this.#beginningShare(word);
    if (share < MIN_BEGINNING_SHARE || this.#isContradicted(word, mostFrequent(opening.sources))) return null;
    const [follower, count] = [...opening.followers].reduce(
      (best, one) => (one[1] > best[1] ? one : best),
      ['', 0],
    );
    const isPair = count / opening.names >= FIXED_PAIR_SHARE && /^\p{L}{2,}$/u.test(follower);
    const key = isPair ? `${word} ${follower}` : word;
    const named = isPair ? this.#openings.get(key) : opening;
    if (named === undefined) return null;
    const needed = named.sources.size > 1 ? MIN_FOLLOWERS : MANY_FOLLOWERS;
    if ([...named.followers.keys()].filter((next) => /\p{L}/u.test(next)).length < needed) return null;
    if (isFollowedByMakers(named, stated)) return null;
    const maker: Maker = {
      name: mostFrequent(named.written),
      origin: 'beginning',
      confidence: share,
      isSureInside: !isPair && named.names >= MANY_NAMES && share >= MIN_SHARE_INSIDE,
      listings: named.names,
    };
    return { key, maker };
  }
}

/**
 * Returns the maker with which names begin if, in nearly all of these names, a dash separates it from the
 * product. Null if known makers often follow the dash, because then the beginning is a shop or a carrier.
 */
function dashedMaker(opening: Opening, stated: ReadonlySet<string>): Maker | null {
  const { names, dashed, followers, written } = opening;
  const share = dashed / names;
  if (dashed < MIN_NAMES || share < MIN_CONFIDENCE || followers.size < MIN_FOLLOWERS) return null;
  if (isFollowedByMakers(opening, stated)) return null;
  return {
    name: mostFrequent(written),
    origin: 'beginning',
    confidence: share,
    isSureInside: false,
    listings: names,
  };
}

const isFollowedByMakers = ({ followers, names }: Opening, stated: ReadonlySet<string>): boolean => {
  let makers = 0;
  for (const [next, count] of followers) if (stated.has(next)) makers += count;
  return makers / names > MAX_MAKER_FOLLOWS;
};

const isPlain = (key: string): boolean =>
  GENERIC.has(key) ||
  COLOURS.has(key) ||
  MARKETING_WORDS.has(key) ||
  NAME_STOP_WORDS.has(key) ||
  NOT_NOUNS.has(key) ||
  ACCESSORIES.has(key);

/** The first words of a name in their original notation, not folded. */
function writtenBeginning(name: string, length: number): string {
  const words = new RegExp(
    `^[^\\p{L}\\p{N}]*((?:(?:&(?![\\p{L}\\p{N}])\\s*)?[\\p{L}\\p{N}&\\p{M}]*[\\p{L}\\p{N}][\\p{L}\\p{N}&\\p{M}]*[^\\p{L}\\p{N}&]*?){${length}})(?![\\p{L}\\p{N}&])`,
    'u',
  );
  return words.exec(name)?.[1]?.trim() ?? '';
}

/** A maker that was inferred from a name, with the probability that it is right. */
export interface InferredMaker {
  name: string;
  /** The folded words of the name that identify the maker. */
  key: string;
  confidence: number;
}

/** Infers the maker of a listing from its name. @returns null if no maker is certain enough. */
export function inferMaker(name: string, dictionary: MakerDictionary): InferredMaker | null {
  const { text, badges } = withoutBadges(name);
  const words = ownWords(makerWords(text));
  const keys = [...badges.map((badge) => makerWords(badge).join(' ')), ...endsOfAccessory(text, words)];
  for (const key of keys) {
    const maker = dictionary.get(key);
    if (maker !== undefined && maker.origin !== 'line')
      return { name: maker.name, key, confidence: maker.confidence };
  }
  for (let start = 0; start < Math.min(MAX_POSITION, words.length); start += 1) {
    for (let length = MAX_WORDS; length > 0; length -= 1) {
      const key = words.slice(start, start + length).join(' ');
      const maker = dictionary.get(key);
      if (maker !== undefined && (start === 0 || maker.isSureInside))
        return { name: maker.name, key, confidence: maker.confidence };
    }
  }
  return null;
}
