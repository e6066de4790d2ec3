import { foldValue } from '../listing/fold.js';
import { foldedText } from '../listing/folding.js';
import { kindsOf } from '../listing/head.js';
import { visibleText } from '../listing/text.js';
import { modelsOf } from '../listing/identify.js';
import type { Product } from '../schemas/product.js';
import { MAX_TYPED, type StoredSuggestion, type SuggestionType } from '../schemas/suggestion.js';
import { phrasesOf } from './phrases.js';
import { Tally } from './tally.js';

/** What is read of each listing. */
export const READ_FIELDS = ['name', 'brand', 'category', 'metadata'] as const;
export type ReadListing = Pick<Product, (typeof READ_FIELDS)[number]>;

/** Words that fewer listings share are a name, and no way to find others. */
const FEWEST_LISTINGS = 3;
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
  /** Of each phrase those that it holds. */
  readonly #within = new Map<string, readonly string[]>();

  add({ name, brand, category, metadata }: ReadListing): void {
    // Keyed by what the brand filter compares, so that the count is what the filter finds.
    if (brand !== null && isSuggested(brand)) this.#stated.brand.add(foldValue(brand), visibleText(brand));
    if (category !== null) this.#state('category', [category]);
    this.#state('model', modelsOf(metadata));
    for (const { key, text, within } of phrasesOf(visibleText(name), kindsOf(name, category))) {
      this.#phrases.add(key, text);
      if (within.length > 0 && this.#phrases.countOf(key) === FEWEST_LISTINGS) this.#within.set(key, within);
    }
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
      if (count >= FEWEST_LISTINGS && !keys.has(key) && !parts.has(key))
        yield { type: 'product', text, count };
    }
  }
}
