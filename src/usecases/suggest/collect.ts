import { modelsOf } from '../../listing/identify.js';
import type { StoredListing } from '../../listing/listing.js';
import { ownerOf } from '../../listing/owner.js';
import type { Product } from '../../schemas/product.js';
import { MAX_TYPED, type StoredSuggestion, type SuggestionType } from '../../schemas/suggestion.js';
import { visibleText } from '../../text/clean.js';
import { foldBrand } from '../../text/brand.js';
import { foldWords } from '../../text/fold.js';
import { kindsOf } from '../../naming/kinds.js';
import { statesContact } from './contacts.js';
import { eachWord, phrasesOf } from './phrases.js';

const PRODUCT_FIELDS = ['name', 'brand', 'category', 'metadata'] as const;
export const SOURCE_FIELDS = [...PRODUCT_FIELDS, 'source', 'internal.owner'] as const;
export type SuggestionSource = Pick<Product, (typeof PRODUCT_FIELDS)[number]> &
  Partial<Pick<StoredListing, 'source'> & { internal: Pick<StoredListing['internal'], 'owner'> }>;

/** The minimum number of listings with a phrase. A rarer phrase names a single product, not what shoppers look for. */
const MIN_LISTINGS = 3;
/** A phrase may end with a word if it ends this share of its product terms; not with "toilet", which "paper" usually follows. */
const MIN_END_SHARE = 0.3;
/** The word must also end a product term at least this many times as often as it precedes a size or number. */
const MIN_END_SHARE_BEFORE_SIZE = 0.1;
/** A phrase is cut off if the same word precedes it in this share of its listings, as "Brush" precedes "Heads for". */
const CUT_OFF_SHARE = 0.7;
const MAX_WORDS = 200_000;
const MAX_PHRASES = 600_000;
const MAX_VALUES = 200_000;

export const VALUE_TYPES = ['brand', 'category', 'model'] as const;
export type ValueType = (typeof VALUE_TYPES)[number];

/** The key by which spellings of a value are counted: for brands, that of the brand filter, so that both counts are equal. */
export const valueKey = (type: ValueType, text: string): string =>
  type === 'brand' ? foldBrand(text) : foldWords(text);

/** Returns the texts of a listing that may be suggested as values of a type, by their keys. */
export const suggestibleValues = (type: ValueType, texts: readonly string[]): Map<string, string> =>
  new Map(
    texts
      .map((text) => [valueKey(type, text), visibleText(text).trim()] as const)
      .filter(([, text]) => text.length <= MAX_TYPED && foldWords(text) !== '' && !statesContact(text)),
  );

/** Counts the brands, categories and models of listings and the phrases of their names, in bounded memory. */
export class SuggestionCollector {
  readonly #values: Record<ValueType, Tally> = {
    brand: new Tally(MAX_VALUES),
    category: new Tally(MAX_VALUES),
    model: new Tally(MAX_VALUES),
  };
  readonly #phrases = new Tally(MAX_PHRASES);
  readonly #owners = new Map<string, number>();
  readonly #within = new Map<string, readonly string[]>();
  readonly #wordsBefore = new Tally(MAX_PHRASES);
  readonly #lastWords = new Map<string, string>();
  /** How often each word stands before a size and elsewhere (`plain`), and how often it ends a product term there. */
  readonly #words = new Map<string, { plain: number; ends: number; beforeSize: number }>();

  add({ name, brand, category, metadata, source = '', internal = {} }: SuggestionSource): void {
    const ownerName = ownerOf({ source, internal });
    const owner = this.#owners.get(ownerName) ?? this.#owners.size;
    this.#owners.set(ownerName, owner);
    const values = { brand: brand ?? [], category: category ?? [], model: modelsOf(metadata) };
    for (const type of VALUE_TYPES)
      for (const [key, text] of suggestibleValues(type, [values[type]].flat()))
        this.#values[type].add(key, text, owner);
    const visibleName = visibleText(name);
    eachWord(visibleName, (word, position) => {
      const counts = this.#words.get(word) ?? { plain: 0, ends: 0, beforeSize: 0 };
      if (position === 'before size') counts.beforeSize += 1;
      else counts.plain += 1;
      if (position === 'end') counts.ends += 1;
      if (this.#words.size < MAX_WORDS) this.#words.set(word, counts);
    });
    for (const { key, text, within, before, lastNoun } of phrasesOf({
      name: visibleName,
      brand,
      kinds: kindsOf(name, category),
      categoryKinds: kindsOf('', category),
    })) {
      this.#phrases.add(key, text, owner);
      this.#wordsBefore.add(key, before ?? '');
      if (this.#phrases.countOf(key) !== MIN_LISTINGS) continue;
      if (within.length > 0) this.#within.set(key, within);
      if (lastNoun !== null) this.#lastWords.set(key, lastNoun);
    }
  }

  /** Yields suggestions. Left out are phrases that equal a value, are cut off, or are part of a longer phrase in all listings. */
  *suggestions(): Generator<Pick<StoredSuggestion, 'type' | 'text' | 'count' | 'alone'>> {
    const alone = (tally: Tally, key: string) => this.#owners.size > 1 && tally.isOfOneOwner(key);
    const valueKeys = new Set<string>();
    for (const [type, tally] of Object.entries(this.#values) as [SuggestionType, Tally][]) {
      for (const { key, text, count } of tally.entries()) {
        valueKeys.add(foldWords(text));
        yield { type, text, count, alone: alone(tally, key) };
      }
    }
    const parts = new Set<string>();
    for (const [key, within] of this.#within) {
      const count = this.#phrases.countOf(key);
      for (const part of within) if (this.#phrases.countOf(part) === count) parts.add(part);
    }
    for (const { key, text, count } of this.#phrases.entries()) {
      if (statesContact(text)) continue;
      if (count >= MIN_LISTINGS && !valueKeys.has(key) && !parts.has(key) && !this.#isCutOff(key, count))
        yield { type: 'product', text, count, alone: alone(this.#phrases, key) };
    }
  }

  /** Whether a phrase is cut off: its last word rarely ends a product term, or one word usually precedes the phrase. */
  #isCutOff(key: string, count: number): boolean {
    const lastWord = this.#lastWords.get(key);
    const word = lastWord === undefined ? undefined : this.#words.get(lastWord);
    if (word !== undefined) {
      const minEnds = Math.max(MIN_END_SHARE * word.plain, MIN_END_SHARE_BEFORE_SIZE * word.beforeSize);
      if (word.ends < minEnds) return true;
    }
    const { text = '', lead = 0 } = this.#wordsBefore.get(key) ?? {};
    return text !== '' && lead >= (2 * CUT_OFF_SHARE - 1) * count;
  }
}

interface TallyEntry {
  text: string;
  count: number;
  /** The number of occurrences by which the most frequent written form leads over the others (Boyer–Moore majority vote). */
  lead: number;
  owner: number;
  isOfOneOwner: boolean;
  voters: number;
  voted: string;
  votedLead: number;
}

const VOTERS = 31;

/** Counts texts by key in bounded memory (lossy counting): the rarest keys are dropped, and no count is too high. */
export class Tally {
  readonly #entries = new Map<string, TallyEntry>();
  #dropUpTo = 1;

  constructor(private readonly maxKeys: number) {}

  /** Counts a `text` as a listing of the owner writes it. The first form of an owner is its vote. */
  add(key: string, text: string, owner = 0): void {
    const entry = this.#entries.get(key);
    const bit = 1 << (owner % VOTERS);
    if (entry === undefined) {
      const votes = { owner, isOfOneOwner: true, voters: bit, voted: text, votedLead: 1 };
      this.#entries.set(key, { text, count: 1, lead: 1, ...votes });
      if (this.#entries.size > this.maxKeys) this.#drop();
      return;
    }
    entry.count += 1;
    if (entry.text === text) entry.lead += 1;
    else if (entry.lead === 1) entry.text = text;
    else entry.lead -= 1;
    if (entry.owner !== owner) entry.isOfOneOwner = false;
    if ((entry.voters & bit) !== 0) return;
    entry.voters |= bit;
    if (entry.voted === text) entry.votedLead += 1;
    else if (entry.votedLead > 0) entry.votedLead -= 1;
    else Object.assign(entry, { voted: text, votedLead: 1 });
  }

  isOfOneOwner(key: string): boolean {
    return this.#entries.get(key)?.isOfOneOwner ?? false;
  }

  get(key: string): Readonly<TallyEntry> | undefined {
    return this.#entries.get(key);
  }

  countOf(key: string): number {
    return this.#entries.get(key)?.count ?? 0;
  }

  *entries(): Generator<{ key: string; text: string; count: number }> {
    for (const [key, { text, count, isOfOneOwner, voted }] of this.#entries)
      yield { key, text: isOfOneOwner ? text : voted, count };
  }

  #drop(): void {
    for (const [key, { count }] of this.#entries) if (count <= this.#dropUpTo) this.#entries.delete(key);
    this.#dropUpTo += 1;
  }
}
