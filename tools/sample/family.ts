import { brandName, BRANDS } from './brands.js';
import { PREVIOUS, type ProductType } from './product-type.js';
import { at, hash32 } from './random.js';

/** How one model of a family is called. */
export interface ModelName {
  brand: string;
  /** `Tarn`, `AX`, `Thai Jasmine`. */
  line: string;
  /** `['Tarn', '5']`, `['AX', '320', 'M5']`: what shops write apart, together or with hyphens. */
  pieces: readonly string[];
  /** `Pro`; empty for the plain model. */
  suffix: string;
}

/** Generations of plain models are odd, so that the one of the year before is nobody else's. */
const GENERATIONS = [5, 3, 7, 9];
const CODE_NUMBERS = 89;

/**
 * The name of a model in the n-th family of a type. Families come in all combinations of brand, line and generation,
 * each once, the brands taking turns; then again with new brands, so that names never repeat.
 * @param tier as in `ProductType.tiers`.
 */
export function modelName(seed: number, type: ProductType, n: number, tier: string): ModelName {
  const brands = BRANDS[type.brands].length;
  const lines = type.lines.length;
  const generations = type.naming === 'variety' ? 1 : GENERATIONS.length;
  const turn = brands * lines * generations;
  const rest = (n + hash32(seed, type.id)) % turn;
  const [b, q] = [rest % brands, Math.floor(rest / brands)];
  const l = (q + b) % lines;
  const brand = brandName(type.brands, Math.floor(n / turn) * brands + b);
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

/** The usual spelling: `Tarn 5 Pro`, `AX-320M5`, `Thai Jasmine`. */
export function writtenName({ pieces, suffix }: Pick<ModelName, 'pieces' | 'suffix'>): string {
  return [isCode(pieces) ? hyphenated(pieces) : pieces.join(' '), suffix].filter(Boolean).join(' ');
}

/** Whether the pieces make a model number. */
export const isCode = ([first = '', second = '']: readonly string[]): boolean =>
  /^[A-Z]+$/.test(first) && /^\d{3,}$/.test(second);

export const hyphenated = ([first, ...rest]: readonly string[]): string => `${first}-${rest.join('')}`;
