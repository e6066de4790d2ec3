import { COLOURS } from '../../naming/lexicon.js';
import { ACCESSORIES, MARKETING_WORDS, NAME_STOP_WORDS, NOT_NOUNS } from '../../text/vocabulary.js';
import { compact, type Maker, type MakerDictionary } from '../makers.js';
import {
  capped,
  collectEvidence,
  type Counts,
  type MakerEvidence,
  type MakerListing,
  MIN_DASHED_NAMES,
  MIN_NAMES,
  NO_BRAND,
  type Opening,
} from './maker-evidence.js';
import { followersOf, MIN_BEGINNING_SHARE, mostFrequent, mostOf, total, WordUses } from './word-uses.js';

/** The minimum confidence, 0 to 1, with which words are learned as a maker, and as a product line of a maker. */
const MIN_CONFIDENCE = 0.9;
const MIN_LINE_CONFIDENCE = 0.98;
/** The minimum number of different words after a maker that no feed states, if one, two or more sources have such names. */
const MIN_FOLLOWERS = [5, 4, 2];
/** The minimum number of different words that follow a maker, if a dash separates the maker from the product. */
const MIN_DASHED_FOLLOWERS = 4;
/** A maker that no feed states is recognized inside names if this many, and this share of those that contain it, begin with it. */
const MANY_NAMES = 20;
const MIN_SHARE_INSIDE = 0.8;
/** If at least this share of the names that begin with a word have the same second word, both together are the maker. */
const FIXED_PAIR_SHARE = 0.9;
/** Words that a maker follows in more than this share of names are a shop, a carrier or a kind of product, and no maker. */
const MAX_MAKER_FOLLOWS = 0.4;
/** Matches short makers such as "HP" and "V7". More names must begin with them, because many codes are as short. */
const SHORT_MAKER = /^(?:\p{L}{2}|\p{L}\p{N}|\p{L}\p{N}\p{L}|\p{L}&\p{L})$/u;
const MIN_NAMES_OF_SHORT = 20;
/** A source writes "Maker - Product" if a stated maker precedes the dash in this many, and this share, of its names with a dash. */
const MIN_DASHING = 20;
const MIN_DASHING_SHARE = 0.2;
const GENERIC = new Set('new the a an set pack kit original genuine refurbished used openbox'.split(' '));

/** Learns the dictionary of makers from the names and brands of all listings of a catalogue. */
export const learnMakers = (listings: readonly MakerListing[]): MakerDictionary =>
  new MakerLearner(collectEvidence(listings)).learn();

class MakerLearner {
  constructor(
    private readonly evidence: MakerEvidence,
    private readonly uses = new WordUses(evidence),
  ) {}

  learn(): MakerDictionary {
    const dictionary = this.#statedMakers();
    const stated = new Set(dictionary.keys());
    const dashing = this.#dashingSources(stated);
    for (const [key, opening] of this.evidence.openings) {
      if (dictionary.has(key) || GENERIC.has(key) || NO_BRAND.test(key)) continue;
      const maker =
        this.#lineOf(key, opening) ??
        (isFollowedBy(stated, opening)
          ? null
          : (this.#dashedMaker(key, opening) ??
            this.#beginningMaker(key, opening) ??
            this.#conventionalMaker(opening, dashing)));
      if (maker !== null) dictionary.set(key, maker);
    }
    this.#removeKinds(dictionary);
    this.#removeDivisions(dictionary);
    return dictionary;
  }

  /** Removes supposed makers that real makers often follow in names, such as the word for "watch" in another language. */
  #removeKinds(dictionary: Map<string, Maker>): void {
    const makers = new Set<string>();
    for (const [key, { origin, needsDash }] of dictionary)
      if (origin !== 'line' && needsDash !== true)
        makers.add(origin === 'beginning' ? (key.split(' ')[0] ?? '') : key);
    for (const [key, { origin }] of dictionary) {
      const opening = this.evidence.openings.get(key);
      const isUnsure = origin === 'beginning' && opening !== undefined && opening.dashed.size === 0;
      if (isUnsure && isFollowedBy(makers, opening)) dictionary.delete(key);
    }
  }

  /**
   * Removes brands that one source alone states and that begin with the maker of other sources, such as "Vor-Tek Nimbus",
   * because it could change the brand of the others' listings. A maker is that of others if two of them have further names that
   * begin with it, or one states it for names that begin with the longer brand.
   */
  #removeDivisions(dictionary: Map<string, Maker>): void {
    for (const [key, { origin }] of dictionary) {
      const words = key.split(' ');
      const brand = origin === 'stated' ? this.evidence.brands.get(compact(key)) : undefined;
      const longer = this.evidence.openings.get(key);
      if (words.length === 1 || brand === undefined || brand.sources.size > 1 || longer === undefined)
        continue;
      const isMakerOfOthers = (_: string, at: number): boolean => {
        const maker = words.slice(0, at).join(' ');
        if (!dictionary.has(maker)) return false;
        const isOther = (source: string) => !brand.sources.has(source);
        const further = [...(this.evidence.openings.get(maker)?.sources ?? [])].filter(
          ([source, names]) => isOther(source) && names > (longer.sources.get(source) ?? 0),
        );
        const stating = [...(longer.brands.get(compact(maker))?.keys() ?? [])];
        return further.length >= 2 || stating.some(isOther);
      };
      if (words.some(isMakerOfOthers)) dictionary.delete(key);
    }
  }

  #statedMakers(): Map<string, Maker> {
    const dictionary = new Map<string, Maker>();
    for (const { sources, written, keys } of this.evidence.credible) {
      for (const key of keys) {
        const opening = this.evidence.openings.get(key);
        if (opening === undefined || isPlain(key)) continue;
        const { agreeing, others } = this.uses.votes(opening, key);
        const confidence = (agreeing + 1) / (agreeing + others + 1);
        if (confidence < MIN_CONFIDENCE || agreeing === 0) continue;
        const [source = ''] = sources.keys();
        const only = sources.size === 1 ? source : null;
        if (only !== null && this.uses.isContradicted(key, only)) continue;
        const listings = capped(sources.values());
        const isSureInside =
          (only === null || !this.uses.isUsedInside(key, only)) &&
          (this.uses.isBrandInside(key) ||
            (listings >= MIN_NAMES && this.uses.beginningShare(key) >= MIN_BEGINNING_SHARE));
        const name = mostFrequent(written);
        dictionary.set(key, { name, origin: 'stated', confidence, isSureInside, listings });
      }
    }
    return dictionary;
  }

  /** The brand that nearly all listings state whose names begin with a product line. Null if the word is not one. */
  #lineOf(key: string, opening: Opening): Maker | null {
    if (key.includes(' ') || isPlain(key)) return null;
    const [best] = [...opening.brands.keys()]
      .map((id) => ({
        id,
        ...this.uses.votes(opening, [...(this.evidence.brands.get(id)?.keys ?? [])][0] ?? id),
      }))
      .sort((a, b) => b.agreeing - a.agreeing);
    if (best === undefined || best.agreeing < MIN_NAMES) return null;
    const confidence = best.agreeing / (best.agreeing + best.others);
    // A word with which the brand itself begins is not one of its product lines: "case" of "Case Logic".
    if (confidence < MIN_LINE_CONFIDENCE || best.id.startsWith(key)) return null;
    // Several sources must agree, because one source alone could assign an ordinary word to a maker of its
    // choice.
    if ((opening.brands.get(best.id)?.size ?? 0) < 2) return null;
    const name = mostFrequent(this.evidence.brands.get(best.id)?.written ?? new Map());
    return { name, origin: 'line', confidence, isSureInside: false, listings: best.agreeing };
  }

  /** Returns a maker of one or two words if many names begin with them, and they rarely occur inside names; otherwise null. */
  #beginningMaker(key: string, opening: Opening): Maker | null {
    const [word = '', ...others] = key.split(' ');
    const first = this.evidence.openings.get(word);
    if (first === undefined || isPlain(word)) return null;
    const isWord = /^\p{L}{3,}$/u.test(word);
    const names = total(first.sources);
    if ((!isWord && !SHORT_MAKER.test(word)) || names < (isWord ? MIN_NAMES : MIN_NAMES_OF_SHORT))
      return null;
    const [follower, count] = mostOf(followersOf(first));
    const isPair =
      count / capped(first.sources.values()) >= FIXED_PAIR_SHARE && /^\p{L}{2,}$/u.test(follower);
    if (others.join(' ') !== (isPair ? follower : '')) return null;
    // If most stated brands of names with this beginning are other brands, the word is not a maker: it is a
    // product line of several makers, or a kind of product.
    const votes = this.uses.votes(first, word);
    if (votes.others > votes.agreeing) return null;
    const share = this.uses.beginningShare(word);
    if (share < MIN_BEGINNING_SHARE || this.uses.isContradicted(word, mostOf(first.sources)[0])) return null;
    const { followers, sources, written } = opening;
    const wordsBehind = [...followers.keys()].filter((next) => /\p{L}/u.test(next)).length;
    if (wordsBehind < (MIN_FOLLOWERS.slice(0, sources.size).at(-1) ?? 0)) return null;
    const listings = total(sources);
    const isSureInside = !isPair && listings >= MANY_NAMES && share >= MIN_SHARE_INSIDE;
    return beginning(written, share, listings, { isSureInside });
  }

  /** The sources that write names as "Maker - Product". */
  #dashingSources(stated: ReadonlySet<string>): Set<string> {
    const makers: Counts = new Map();
    for (const key of stated)
      for (const [source, count] of this.evidence.openings.get(key)?.dashed ?? [])
        makers.set(source, (makers.get(source) ?? 0) + count);
    const isDashing = ([source, count]: [string, number]) =>
      count >= MIN_DASHING && count / (this.evidence.dashedNames.get(source) ?? 0) >= MIN_DASHING_SHARE;
    return new Set([...makers].filter(isDashing).map(([source]) => source));
  }

  /** A maker that a dash follows in nearly all names. If other sources use its words otherwise, it is one only before a dash. */
  #dashedMaker(key: string, { sources, dashed, followers, written }: Opening): Maker | null {
    const [names, listings] = [total(dashed), total(sources)];
    if (names < MIN_NAMES || names / listings < MIN_CONFIDENCE || followers.size < MIN_DASHED_FOLLOWERS)
      return null;
    const isOtherwiseUsed = this.uses.isContradicted(key, mostOf(sources)[0]);
    return beginning(written, names / listings, listings, isOtherwiseUsed ? { needsDash: true } : {});
  }

  /** The words before the dash in names of sources that write "Maker - Product". */
  #conventionalMaker({ dashed, written }: Opening, dashing: ReadonlySet<string>): Maker | null {
    const listings = total(dashed);
    if (listings < MIN_DASHED_NAMES || ![...dashed.keys()].some((source) => dashing.has(source))) return null;
    return beginning(written, MIN_CONFIDENCE, listings, { needsDash: true });
  }
}

const beginning = (
  written: Opening['written'],
  confidence: number,
  listings: number,
  marks: Partial<Maker>,
): Maker => ({
  name: mostFrequent(written),
  origin: 'beginning',
  confidence,
  isSureInside: false,
  ...marks,
  listings,
});

/** Whether makers often follow certain words, which then name a shop, a carrier or a kind of product. */
function isFollowedBy(makers: ReadonlySet<string>, opening: Opening): boolean {
  let names = 0;
  for (const [next, count] of followersOf(opening)) if (makers.has(next)) names += count;
  return names / capped(opening.sources.values()) > MAX_MAKER_FOLLOWS;
}

/** Ordinary words, which name no maker even if a feed states them as a brand. */
const ORDINARY = [GENERIC, COLOURS, MARKETING_WORDS, NAME_STOP_WORDS, NOT_NOUNS, ACCESSORIES];

const isPlain = (key: string): boolean => isOrdinary(key) || key.split(' ').every(isOrdinary);

const isOrdinary = (key: string): boolean => ORDINARY.some((words) => words.has(key));
