import { type GraphNode, type IsInForce, nodesIn, offersWithPrices } from './schemaorg-prices.js';
import { textOf } from './row.js';

/** The types of products, in lower case, because pages do not always use the spelling of schema.org. */
const PRODUCTS = new Set(['product', 'productmodel', 'individualproduct', 'someproducts', 'vehicle', 'book']);
/** The members whose nodes may be products or contain products. */
const NESTED = [
  '@graph',
  'itemListElement',
  'item',
  'mainEntity',
  'itemOffered',
  'makesOffer',
  'hasOfferCatalog',
];
const MAX_DEPTH = 12;

/**
 * Extracts the offers of all products from a schema.org document. Each row is a product with one of its offers in `offer` and,
 * for a variant, its group in `group`. Lists, graphs and references by `@id` within the document are followed.
 */
export function unfoldSchemaOrg(stated: unknown, isInForce: IsInForce = () => true): GraphNode[] {
  const document = compacted(stated, 0);
  const byId = new Map<string, GraphNode>();
  const offers: GraphNode[] = [];
  collect(document, byId, offers, 0);
  addOffersToProducts(offers, byId);
  const rows: GraphNode[] = [];
  const seen = new Set<GraphNode>();
  const visit = (value: unknown, group: GraphNode | null, depth: number): void => {
    if (depth > MAX_DEPTH) return;
    if (Array.isArray(value)) {
      for (const item of value) visit(item, group, depth + 1);
      return;
    }
    const node = resolve(value, byId);
    if (node === null || seen.has(node)) return;
    seen.add(node);
    const types = typesOf(node);
    if (types.includes('productgroup')) visit(node['hasVariant'], node, depth + 1);
    else if (types.some((type) => PRODUCTS.has(type)))
      rows.push(...productRows(node, group ?? groupOf(node, byId), { byId, isInForce }));
    for (const key of NESTED) visit(node[key], group, depth + 1);
  };
  visit(document, null, 0);
  return rows;
}

/** Matches the forms of the prefix of names and types in documents that state the vocabulary: `schema:Product`. */
const VOCABULARY = /^(?:(?:(?:https?:)?\/\/)?(?:www\.)?schema\.org[/#]|schema:)/i;

/** A term of schema.org in lower case, without the prefix and the slash of its address: `instock` for `https://schema.org/InStock`. */
export const bareTerm = (text: string): string =>
  text.trim().replace(VOCABULARY, '').replace(/\/$/, '').toLowerCase();

/** The types of a node, as bare terms. */
const typesOf = (node: GraphNode): string[] =>
  [node['@type'] ?? []].flat().map((type) => bareTerm(String(type)));

const MAX_COMPACTED = 40;

/** A document whose names have no prefixes, and whose values stand without `@value`, or `@id` for one of the vocabulary. */
function compacted(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_COMPACTED) return value;
  if (Array.isArray(value)) return value.map((one) => compacted(one, depth + 1));
  const node = value as GraphNode;
  if (Object.hasOwn(node, '@value')) return node['@value'];
  const { '@id': id } = node;
  if (typeof id === 'string' && VOCABULARY.test(id) && Object.keys(node).length === 1) return id;
  return Object.fromEntries(
    Object.entries(node).map(([name, one]) => {
      const short = name.replace(VOCABULARY, '');
      return [Object.hasOwn(node, short) ? name : short, compacted(one, depth + 1)];
    }),
  );
}

function productRows(
  product: GraphNode,
  group: GraphNode | null,
  { byId, isInForce }: { byId: ReadonlyMap<string, GraphNode>; isInForce: IsInForce },
): GraphNode[] {
  const { offers, ...stated } = product;
  const rest = {
    ...stated,
    ...imagesOf(product, group),
    ...ratingOf(product),
    ...propertiesOf(product, group),
  };
  const nodesOf = (value: unknown): GraphNode[] =>
    [value]
      .flat()
      .map((one) => resolve(one, byId))
      .filter((node) => node !== null);
  const all = nodesOf(offers).flatMap((offer) => {
    const within = nodesOf(offer['offers']);
    return within.length > 0 ? within : [offer];
  });
  const found = offersWithPrices(
    all.map((offer) => ({
      ...offer,
      seller: resolve(offer['seller'], byId) ?? offer['seller'],
      ...(offer['priceSpecification'] !== undefined && {
        priceSpecification: nodesOf(offer['priceSpecification']).map((price) => ({
          ...price,
          ...(price['priceComponent'] !== undefined && { priceComponent: nodesOf(price['priceComponent']) }),
        })),
      }),
    })),
    isInForce,
  );
  const base = { ...(group === null ? {} : { group: withoutVariants(group) }), ...rest };
  if (found.length === 0) return [base];
  // Each offer becomes a listing of its own, because several sellers may offer a product.
  return found.map((offer, index) => ({
    ...base,
    offer: { ...offer, ...deliveryOf(offer, byId) },
    ...(found.length > 1 ? { several: index + 1 } : {}),
  }));
}

/** The URLs of the pictures of a product, or else those of its group. */
function imagesOf(product: GraphNode, group: GraphNode | null): GraphNode {
  const urlsOf = (value: unknown): string[] =>
    [value].flat().flatMap((one: unknown) => {
      if (typeof one !== 'object' || one === null) return textOf(one) ?? [];
      const { contentUrl, url } = one as GraphNode;
      return textOf(contentUrl) ?? textOf(url) ?? [];
    });
  const own = urlsOf(product['image']);
  const urls = own.length > 0 ? own : urlsOf(group?.['image']);
  return urls.length === 0 ? {} : { image: urls };
}

/** The best rating of a scale if the document does not state it. */
const USUAL_BEST = 5;

/** Adds the value on a scale to 5 to the rating of a product. */
function ratingOf({ aggregateRating: given }: GraphNode): GraphNode {
  const [rating] = nodesIn(given);
  const value = numberOf(rating?.['ratingValue']);
  const best = numberOf(rating?.['bestRating']) ?? USUAL_BEST;
  if (rating === undefined) return {};
  const isOnScale = value !== null && best > 0 && value >= 0 && value <= best;
  // A value that is not on its scale stays unchanged, so that it is counted as an invalid rating.
  const text =
    isOnScale && best !== USUAL_BEST
      ? ((value * USUAL_BEST) / best).toFixed(2)
      : textOf(rating['ratingValue'])?.replace(',', '.');
  return { aggregateRating: { ...rating, ratingOf5: text } };
}

/** The additional properties of a product and its group in the form of details, with their units. */
function propertiesOf(product: GraphNode, group: GraphNode | null): GraphNode {
  const properties = [group?.['additionalProperty'], product['additionalProperty']].flatMap(nodesIn);
  if (properties.length === 0) return {};
  return {
    additionalProperty: properties.map(({ name, propertyID, value, unitText }) => {
      const text = [value]
        .flat()
        .flatMap((one) => textOf(one) ?? [])
        .join(', ');
      const unit = textOf(unitText);
      return {
        attribute_name: textOf(name) ?? textOf(propertyID),
        attribute_value: unit === undefined || text === '' ? text : `${text} ${unit}`,
      };
    }),
  };
}

/** The shipping details of an offer as options and thresholds, one for each country. Those for a part of a country state it. */
function deliveryOf({ shippingDetails }: GraphNode, byId: ReadonlyMap<string, GraphNode>): GraphNode {
  const details = nodesIn(shippingDetails)
    .slice(0, MAX_SHIPPING_DETAILS)
    .map((one) => resolve(one, byId) ?? one)
    .filter(({ doesNotShip }) => !/true$/i.test(textOf(doesNotShip) ?? ''));
  const found = details.flatMap(({ shippingRate, shippingDestination, freeShippingThreshold }) => {
    const [rate] = nodesIn(shippingRate);
    const [inner] = nodesIn(rate?.['shippingRate']);
    const price = moneyIn(inner ?? rate);
    const price_threshold = moneyIn(nodesIn(freeShippingThreshold ?? rate?.['freeShippingThreshold'])[0]);
    return regionsIn(shippingDestination, byId).map((region) => ({ ...region, price, price_threshold }));
  });
  return {
    deliveryOptions: found.filter(({ price }) => price !== undefined),
    deliveryThresholds: found.filter(({ price_threshold }) => price_threshold !== undefined),
  };
}

const MAX_SHIPPING_DETAILS = 1_000;

/** An amount with its currency, such as `4.90 EUR`; for a range, the highest amount. */
function moneyIn({ value, maxValue, price, currency, priceCurrency }: GraphNode = {}): string | undefined {
  const amount = textOf(maxValue) ?? textOf(value) ?? textOf(price);
  return amount && `${amount} ${textOf(currency) ?? textOf(priceCurrency) ?? ''}`.trim();
}

function regionsIn(destination: unknown, byId: ReadonlyMap<string, GraphNode>): GraphNode[] {
  const regions = nodesIn(destination).map((one) => resolve(one, byId) ?? one);
  if (regions.length === 0) return [{}];
  return regions.flatMap(
    ({ addressCountry, addressRegion, postalCode, postalCodePrefix, postalCodeRange }) => {
      const isPart = [addressRegion, postalCode, postalCodePrefix, postalCodeRange].some(
        (part) => part !== undefined && part !== null,
      );
      const countries = [addressCountry].flat();
      return countries.map((country) => ({
        country: textOf(country) ?? textOf(nodesIn(country)[0]?.['name']),
        ...(isPart && { region: 'a part of the country' }),
      }));
    },
  );
}

function numberOf(value: unknown): number | null {
  const text = textOf(value)?.replace(',', '.');
  return text === undefined || !/^\d+(?:\.\d+)?$/.test(text) ? null : Number(text);
}

const withoutVariants = ({ hasVariant: _, ...group }: GraphNode): GraphNode => group;

/** An object of a schema.org document, or the object that a reference by `@id` refers to. */
function resolve(value: unknown, byId: ReadonlyMap<string, GraphNode>): GraphNode | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const node = value as GraphNode;
  const { '@id': id } = node;
  return Object.keys(node).length === 1 && typeof id === 'string' ? (byId.get(id) ?? null) : node;
}

/** Collects the nodes of a document that have an `@id`, by it, and the offers with `itemOffered`. */
function collect(value: unknown, byId: Map<string, GraphNode>, offers: GraphNode[], depth: number): void {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
  const node = value as GraphNode;
  const { '@id': id } = node;
  if (typeof id === 'string' && Object.keys(value).length > 1) byId.set(id, node);
  if (!Array.isArray(value) && node['itemOffered'] !== undefined) offers.push(node);
  for (const item of Object.values(value)) collect(item, byId, offers, depth + 1);
}

/** Attaches each offer to the product that its `itemOffered` names. A product that states offers of its own keeps only those. */
function addOffersToProducts(offers: readonly GraphNode[], byId: ReadonlyMap<string, GraphNode>): void {
  const ofProducts = new Map<GraphNode, GraphNode[]>();
  for (const { itemOffered, ...offer } of offers) {
    const product = resolve(itemOffered, byId);
    if (product === null || product['offers'] !== undefined) continue;
    const found = ofProducts.get(product);
    if (found === undefined) ofProducts.set(product, [offer]);
    else found.push(offer);
  }
  for (const [product, found] of ofProducts) product['offers'] = found;
}

/** Returns the group that the `isVariantOf` of a product names; null if the document does not describe it. */
function groupOf({ isVariantOf }: GraphNode, byId: ReadonlyMap<string, GraphNode>): GraphNode | null {
  const group = resolve([isVariantOf].flat()[0], byId);
  return group !== null && typesOf(group).includes('productgroup') ? group : null;
}
