import { PREVIOUS, type ProductType } from './product-types.js';
import { at, hash32 } from './random.js';
import { brandName, brandsOf } from './tables.js';

export interface ModelName {
  brand: string;
  /** The name of the product line, such as `Tarn`, `AX` or `Thai Jasmine`. */
  line: string;
  /** The parts of the model's name that shops write together or apart, such as `['AX', '320', 'M5']`. */
  pieces: readonly string[];
  /** The suffix of the model's name, such as `Pro`; empty for the standard model. */
  suffix: string;
}

/** New models have odd generations. Last year's model has the even number below, so that names differ. */
const GENERATIONS = [5, 3, 7, 9];
const CODE_NUMBERS = 89;

/** The name of a model of the n-th family. All combinations of brand, line and generation come once, then new brands. */
export function modelName(seed: number, type: ProductType, n: number, tier: string): ModelName {
  const brands = brandsOf(type.brands).length;
  const lines = type.lines.length;
  const generations = type.naming === 'variety' ? 1 : GENERATIONS.length;
  const combinations = brands * lines * generations;
  const rest = (n + hash32(seed, type.id)) % combinations;
  const [b, q] = [rest % brands, Math.floor(rest / brands)];
  const l = (q + b) % lines;
  const brand = brandName(type.brands, Math.floor(n / combinations) * brands + b);
  const line = at(type.lines, l);
  const generation = at(GENERATIONS, Math.floor(q / lines) + b + l) - (tier === PREVIOUS ? 1 : 0);
  const number = (n * 37 + hash32(seed, type.id, 'number')) % CODE_NUMBERS;
  const suffix = tier === PREVIOUS ? '' : tier;
  switch (type.naming) {
    case 'series':
      return { brand, line, pieces: [line, String(generation)], suffix };
    case 'code':
      return {
        brand,
        line,
        pieces: [brand.charAt(0) + line, `${110 + 10 * number}`, `M${generation}`],
        suffix,
      };
    case 'article':
      return { brand, line, pieces: [brand.charAt(0) + line, `${11 + number}0${generation}`], suffix };
    case 'variety':
      return { brand, line, pieces: [line], suffix: '' };
  }
}

/** Formats a model name in the usual spelling, such as `Tarn 5 Pro`, `AX-320M5` or `Thai Jasmine`. */
export function writtenName({ pieces, suffix }: Pick<ModelName, 'pieces' | 'suffix'>): string {
  return [isCode(pieces) ? hyphenated(pieces) : pieces.join(' '), suffix].filter(Boolean).join(' ');
}

export const isCode = ([first = '', second = '']: readonly string[]): boolean =>
  /^[A-Z]+$/.test(first) && /^\d{3,}$/.test(second);

export const hyphenated = ([first, ...rest]: readonly string[]): string => `${first}-${rest.join('')}`;
