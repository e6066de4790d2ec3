import { formatInstant } from '../../src/listing/instant.js';
import type { FeedRecord } from '../../src/listing/listing.js';
import { writtenName } from './family.js';
import { imageName } from './image.js';
import { categoryPathIn, type Market } from './market.js';
import { identifiersOf, listingNumber, type Offer, slugOf } from './offers.js';
import { decimal, priceStory } from './price-story.js';
import { productName, type SampleProduct } from './product.js';
import { Random } from './random.js';
import { titleOf } from './title.js';

const DAY_SECONDS = 86_400;
const AVAILABLE_SHARE = 0.88;
const WITHOUT_METADATA = 0.04;
const GTIN_STATED = 0.85;
const MODEL_STATED = 0.65;

export interface Surroundings {
  seed: number;
  now: Date;
  imageBaseUrl: string;
  /** The market whose shops list the products; Singapore if it is null or absent. */
  market?: Market | null;
}

export function listingOf(
  product: SampleProduct,
  offer: Offer,
  { seed, now, imageBaseUrl, market = null }: Surroundings,
): FeedRecord {
  const { type, model, index } = product;
  const { platform, shop } = offer;
  const random = new Random(seed, 'listing', index, offer.place);
  const name = titleOf(product, platform, random, market);
  const slug = slugOf(name) || type.id;
  const { merchantId, sku, url } = identifiersOf(
    platform,
    shop,
    listingNumber(seed, index, offer.place),
    slug,
  );
  const source = market?.sources[platform.source] ?? platform.source;
  const lastChecked = Math.floor(now.getTime() / 1000) - 1 - random.below(DAY_SECONDS - 1);
  const { points, listCents } = priceStory(
    product.cents * (market?.rate ?? 1) * platform.level * random.between(0.97, 1.03),
    market?.ending ?? platform.ending,
    random,
  );
  const history = points.map(({ cents, daysAgo }) => ({
    price: decimal(cents),
    at: formatInstant((lastChecked - Math.round(daysAgo * DAY_SECONDS)) * 1000),
  }));
  const { delivery: usual } = platform;
  const delivery = usual && market && usual.price !== '0.00' ? market.delivery : usual;
  const currency = market?.currency ?? 'SGD';
  const path = market === null ? [...type.path] : categoryPathIn(market, product);
  const available = random.chance(AVAILABLE_SHARE);
  return {
    sku,
    source,
    merchant_id: merchantId,
    name,
    description: descriptionOf(product, random, market),
    price: history.at(-1)?.price ?? null,
    currency,
    buy_url: url.replace(hostOf(platform.source), hostOf(source)),
    image_url: `${imageBaseUrl}/${imageName(product, random.chance(0.6) ? platform.source : null)}.svg`,
    brand: model.brand,
    category: path.at(-1) ?? null,
    category_path: path,
    rating: ratingOf(seed, index, random),
    is_available: available,
    last_checked: formatInstant(lastChecked * 1000),
    ...identified(product, { ...offer, shop: inMarket(shop, market) }, available, random, market),
    ...(listCents === null ? {} : { list_price: decimal(listCents) }),
    price_history: history,
    delivery: delivery ? { ...delivery, currency, to: market?.country ?? 'SG' } : null,
  };
}

const hostOf = (source: string): string => `${source.replace('_', '-')}.example`;

/** Names of shops end with their country: "Kitchen Corner SG". */
const inMarket = (shop: string, market: Market | null): string =>
  shop.replace(/\bSG$/, market?.country ?? 'SG');

function identified(
  product: SampleProduct,
  { shop }: Offer,
  available: boolean,
  random: Random,
  market: Market | null,
): Pick<FeedRecord, 'metadata' | 'gtin'> {
  const gtin = random.chance(GTIN_STATED) ? product.gtin : null;
  const [stockRank, soldRank, reviewRank] = [random.unit(), random.unit(), random.unit()];
  const model = product.type.naming !== 'variety' && random.chance(MODEL_STATED);
  const key = random.pick(['model', 'model', 'mpn']);
  if (random.chance(WITHOUT_METADATA)) return { metadata: null, ...(gtin === null ? {} : { gtin: [gtin] }) };
  const inMetadata = random.chance(0.4);
  const sold = Math.floor(2 * 4000 ** soldRank);
  const metadata = {
    ...(model ? { [key]: writtenName(product.model) } : {}),
    ...statedAttributes(product, market),
    ...(gtin !== null && inMetadata ? { ean: gtin } : {}),
    shop,
    stock: available ? 1 + Math.floor(300 * stockRank ** 2) : 0,
    sold,
    reviews: Math.floor(sold * (0.05 + 0.3 * reviewRank)),
  };
  return { metadata, ...(gtin === null || inMetadata ? {} : { gtin: [gtin] }) };
}

function statedAttributes(
  { specs, option, colour, device }: SampleProduct,
  market: Market | null,
): Record<string, string> {
  return {
    ...Object.fromEntries(specs.map(({ name, value }) => [name, value])),
    ...(option === null ? {} : { [option.name]: option.value }),
    ...(colour === null ? {} : { colour: market?.language.colour(colour) ?? colour.en }),
    ...(device === null ? {} : { compatible_with: `${device.brand} ${writtenName(device)}` }),
  };
}

function ratingOf(seed: number, index: number, random: Random): string {
  const product = new Random(seed, 'rating', index);
  const tenths = Math.round(49 - 13 * product.unit() ** 1.7 + random.between(-1.4, 1.4));
  const clamped = Math.min(50, Math.max(30, tenths));
  return `${Math.floor(clamped / 10)}.${clamped % 10}`;
}

/** Two to four sentences: one that all shops share, one or two further ones, and one of the shop. */
function descriptionOf(product: SampleProduct, random: Random, market: Market | null): string {
  const [lead = '', ...more] = market?.about ?? product.type.about;
  const chosen = random.shuffled(more).slice(0, random.chance(0.5) ? 1 : 2);
  const closing = market === null && random.chance(0.6) ? [random.pick(product.type.talk.closings)] : [];
  return [lead, ...more.filter((sentence) => chosen.includes(sentence)), ...closing]
    .map((sentence) => filled(sentence, product, market))
    .join(' ');
}

function filled(sentence: string, product: SampleProduct, market: Market | null): string {
  return sentence.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = valueOf(product, name, market);
    if (value === undefined) throw new RangeError(`${product.type.id}: no {${name}} for "${sentence}"`);
    return value;
  });
}

function valueOf(product: SampleProduct, name: string, market: Market | null): string | undefined {
  const { colour, device, option, specs, model, type } = product;
  if (name === 'product') return market ? `${model.brand} ${writtenName(model)}` : productName(product);
  if (name === 'noun') return market?.language.nouns(type.id)[0];
  if (name === 'colour') return colour?.en.toLowerCase();
  if (name === 'device') return device === null ? undefined : `${device.brand} ${writtenName(device)}`;
  return name === option?.name ? option.value : specs.find((spec) => spec.name === name)?.value;
}
