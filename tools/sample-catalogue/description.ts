import { writtenName } from './family.js';
import { type SampleProduct, productName } from './product.js';
import type { Random } from './random.js';

/**
 * Generates two to four sentences: one that all shops share, one or two further ones, and one of the shop.
 */
export function descriptionOf(product: SampleProduct, random: Random): string {
  const [lead, ...more] = product.type.about;
  const chosen = random.shuffled(more).slice(0, random.chance(0.5) ? 1 : 2);
  const closing = random.chance(0.6) ? [random.pick(product.type.talk.closings)] : [];
  return [lead, ...more.filter((sentence) => chosen.includes(sentence)), ...closing]
    .map((sentence) => filled(sentence, product))
    .join(' ');
}

function filled(sentence: string, product: SampleProduct): string {
  return sentence.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = valueOf(product, name);
    if (value === undefined) throw new RangeError(`${product.type.id}: no {${name}} for "${sentence}"`);
    return value;
  });
}

function valueOf(product: SampleProduct, name: string): string | undefined {
  const { colour, device, option, specs } = product;
  if (name === 'product') return productName(product);
  if (name === 'colour') return colour?.en.toLowerCase();
  if (name === 'device') return device === null ? undefined : `${device.brand} ${writtenName(device)}`;
  return name === option?.name ? option.value : specs.find((spec) => spec.name === name)?.value;
}
