import { foldValue } from '../../text/fold.js';
import { foldedText } from '../../text/folding.js';
import { kindsOf } from '../../text/head.js';
import { visibleText } from '../../text/clean.js';
import { modelsOf } from '../../listing/identify.js';
import type { Product } from '../../schemas/product.js';
import { MAX_TYPED, type StoredSuggestion, type SuggestionType } from '../../schemas/suggestion.js';
import { eachEnding, phrasesOf } from './phrases.js';
import { Tally } from './tally.js';

/** What is read of each listing. */
export const READ_FIELDS = ['name', 'brand', 'category', 'metadata'] as const;
export type ReadListing = Pick<Product, (typeof READ_FIELDS)[number]>;

/** Words that fewer listings share are a name, and no way to find others. */
const FEWEST_LISTINGS = 3;
/**
 * A word can end a phrase if it ends the name of a thing in this share of the places where no size follows it: "toilet",
 * which "paper" follows, cannot.
 */
const ENDS = 0.3;
/** The same share of the places where a size follows it. */
const SIZED = 0.1;
/** A phrase is clipped if it stands behind the same word in this share of its listings, as "Heads for" behind "Brush". */
const CLIPPED = 0.7;
const MOST_WORDS = 200_000;
const MOST_PHRASES = 600_000;
const MOST_EACH = 200_000;

type Counted = Pick<StoredSuggestion, 'type' | 'text' | 'count'>;

const isSuggested = (text: string): boolean => text.length <= MAX_TYPED && foldedText(text) !== '';

/** Counts what listings have: brands, categories, models, and the phrases of their names. */
export class Collected {
  readonly #stated: Record<'brand' | 'category' | 'model', Tally> = {
    brand: new Tally(MOST_EACH),
    category: new Tally(MOST_EACH),
    model: new Tally(MOST_EACH),
  };
  readonly #phrases = new Tally(MOST_PHRASES);
  /** For each phrase, the phrases that it contains. */
  readonly #within = new Map<string, readonly string[]>();
  /** For each phrase, the word that most often precedes it, and its last word. */
  readonly #befores = new Tally(MOST_PHRASES);
  readonly #endings = new Map<string, string>();
  /** For each word, in how many places it stands, and in how many of them it ends the name of a thing. */
  readonly #words = new Map<string, { places: number; ends: number; sized: number }>();

  add({ name, brand, category, metadata }: ReadListing): void {
    // Keyed by what the brand filter compares, so that the count is what the filter finds.
    if (brand !== null && isSuggested(brand)) this.#stated.brand.add(foldValue(brand), visibleText(brand));
    if (category !== null) this.#state('category', [category]);
    this.#state('model', modelsOf(metadata));
    const shown = visibleText(name);
    eachEnding(shown, (word, isEnd) => {
      const known = this.#words.get(word) ?? { places: 0, ends: 0, sized: 0 };
      if (isEnd === null) known.sized += 1;
      else known.places += 1;
      if (isEnd === true) known.ends += 1;
      if (this.#words.size < MOST_WORDS) this.#words.set(word, known);
    });
    for (const { key, text, within, before, ending } of phrasesOf({
      name: shown,
      brand,
      kinds: kindsOf(name, category),
      things: kindsOf('', category),
    })) {
      this.#phrases.add(key, text);
      this.#befores.add(key, before ?? '');
      if (this.#phrases.countOf(key) !== FEWEST_LISTINGS) continue;
      if (within.length > 0) this.#within.set(key, within);
      if (ending !== null) this.#endings.set(key, ending);
    }
  }

  /** Whether shops use the phrase only within a longer one: its last word hardly ends one, or one word mostly precedes it. */
  #isClipped(key: string, count: number): boolean {
    const ending = this.#endings.get(key);
    const known = ending === undefined ? undefined : this.#words.get(ending);
    if (known !== undefined && known.ends < Math.max(ENDS * known.places, SIZED * known.sized)) return true;
    const { text = '', lead = 0 } = this.#befores.get(key) ?? {};
    return text !== '' && lead >= (2 * CLIPPED - 1) * count;
  }

  #state(type: 'brand' | 'category' | 'model', texts: readonly string[]): void {
    const byKey = new Map(texts.map((text) => [foldedText(text), visibleText(text).trim()]));
    for (const [key, text] of byKey) {
      if (isSuggested(text)) this.#stated[type].add(key, text);
    }
  }

  /** All of it. A phrase that a brand, category or model is, or that is only ever part of a longer one, is left out. */
  *suggestions(): Generator<Counted> {
    const keys = new Set<string>();
    for (const [type, tally] of Object.entries(this.#stated) as [SuggestionType, Tally][]) {
      for (const { text, count } of tally.entries()) {
        keys.add(foldedText(text));
        yield { type, text, count };
      }
    }
    const parts = new Set<string>();
    for (const [key, within] of this.#within) {
      const count = this.#phrases.countOf(key);
      for (const part of within) if (this.#phrases.countOf(part) === count) parts.add(part);
    }
    for (const { key, text, count } of this.#phrases.entries()) {
      if (count >= FEWEST_LISTINGS && !keys.has(key) && !parts.has(key) && !this.#isClipped(key, count))
        yield { type: 'product', text, count };
    }
  }
}
