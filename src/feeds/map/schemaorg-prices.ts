import { isSameAmount } from './money.js';
import { textOf } from './row.js';

/** An object of a schema.org document. */
export type GraphNode = Record<string, unknown>;

/** Whether an offer or a price is in force now by the times that it states. */
export type IsInForce = (one: GraphNode) => boolean;

/**
 * The offers of a product with their prices sorted out: `price` is what the product costs, `listPrice` a former or
 * recommended price with its currency, and `partialPrice` an installment, the price of a period or unit, a charge or a range, if
 * the offer has no other one. An offer with only a partial price is left out if its seller has a complete one, and an offer or
 * price that is not in force yet, or no longer, if there is one that is.
 */
export function offersWithPrices(stated: readonly GraphNode[], isInForce: IsInForce): GraphNode[] {
  // An offer that is not in force is replaced only by one that is equal except for prices and times: others may be variants.
  const ofOne = (offer: GraphNode) =>
    JSON.stringify(Object.entries(offer).filter(([name]) => !/price|valid|availability/i.test(name)));
  const current = new Set(stated.filter(isInForce).map(ofOne));
  const offers = stated.filter((offer) => isInForce(offer) || !current.has(ofOne(offer)));
  const priced = offers.map((offer): GraphNode => ({ ...offer, ...pricesOf(offer, isInForce) }));
  const complete = new Set(priced.filter(isComplete).map(sellerOf));
  return priced.filter((offer) => isComplete(offer) || !complete.has(sellerOf(offer)));
}

const isComplete = (offer: GraphNode): boolean => offer['partialPrice'] === undefined && !isFromPrice(offer);

const isFromPrice = ({ lowPrice }: GraphNode): boolean => textOf(lowPrice)?.startsWith(FROM) === true;

/** The words by which `lowPrice` is read as a "from" price. */
const FROM = 'from ';

/** The lowest price. It is a "from" price if there is a higher price or several offers, otherwise a plain price. */
function fromPriceOf(offer: GraphNode): GraphNode {
  const { price, lowPrice, minPrice, highPrice, maxPrice, offerCount, priceCurrency } = offer;
  const low = textOf(lowPrice) ?? textOf(minPrice);
  if (low === undefined || textOf(price) !== undefined) return {};
  const high = textOf(highPrice) ?? textOf(maxPrice);
  const isRanged =
    high === undefined ? minPrice !== undefined || Number(textOf(offerCount) ?? 1) > 1 : !isSame(low, high);
  return {
    lowPrice: isRanged ? `${FROM}${low}` : low,
    ...(priceCurrency !== undefined && { priceCurrency }),
  };
}

const sellerOf = ({ seller }: GraphNode): string =>
  textOf(nodesIn(seller)[0]?.['name']) ?? textOf(seller) ?? '';

const IS_FORMER_PRICE = /(?:Strikethrough|List|Regular|MSRP|SRP)(?:Price)?$/i;

function pricesOf(offer: GraphNode, isInForce: IsInForce): GraphNode {
  const all = nodesIn(offer['priceSpecification']);
  const inForce = all.filter(isInForce);
  const stated = inForce.some((one) => !isFormer(one) && hasAmount(one)) ? inForce : all;
  if (stated.length === 0) return isPartial(offer) ? { partialPrice: offer['price'] } : fromPriceOf(offer);
  const [former] = stated.filter(isFormer);
  const current = stated.filter((one) => !isFormer(one)).flatMap(partsOf);
  const whole = current.filter((one) => !isPartial(one) && !isCharge(one) && hasAmount(one));
  const complete = whole.find((one) => !isNet(one)) ?? whole[0];
  const partial = current.filter(
    (one) => isPartial(one) || (isNet(one) && complete !== undefined && !isNet(complete)),
  );
  const [from] = current.filter(isRange).map(fromPriceOf).filter(isFromPrice);
  if (
    complete === undefined &&
    partial.length === 0 &&
    from !== undefined &&
    textOf(offer['price']) === undefined
  )
    return { ...from, priceSpecification: { priceCurrency: from['priceCurrency'] } };
  const [substitute] = [...partial, ...current.filter((one) => isCharge(one) || isRange(one))];
  const own = textOf(offer['price']);
  const isOwn = ({ price }: GraphNode) => own !== undefined && isSame(own, textOf(price) ?? '');
  const isOwnPartial = isPartial(offer) || partial.some((one) => isOwn(one) || isCompound(one));
  const hasPrice = own === undefined ? textOf(offer['lowPrice']) !== undefined : !isOwnPartial;
  const currency = current.find((one) => !isCharge(one))?.['priceCurrency'];
  return {
    priceSpecification: complete ?? { priceCurrency: currency },
    ...(former !== undefined && { listPrice: former }),
    ...(isOwnPartial && complete !== undefined && { price: complete['price'] }),
    ...(!hasPrice &&
      complete === undefined &&
      (isOwnPartial || substitute !== undefined) && {
        partialPrice: own ?? substitute?.['price'] ?? 'no single amount',
      }),
  };
}

const isFormer = ({ priceType }: GraphNode): boolean => IS_FORMER_PRICE.test(textOf(priceType) ?? '');

/** Whether a price says that it is without tax. It counts only without another one, because shops also say so where no tax is due. */
const isNet = ({ valueAddedTaxIncluded: isGross }: GraphNode): boolean =>
  textOf(isGross)?.toLowerCase() === 'false';

const hasAmount = ({ price }: GraphNode): boolean => textOf(price) !== undefined;

/** Whether a price is only a range, such as a "from" price. */
const isRange = (one: GraphNode): boolean =>
  !hasAmount(one) && [one['minPrice'], one['maxPrice']].some((bound) => textOf(bound) !== undefined);

/** Whether a price is that of delivery or of a way of payment, which is paid in addition to the product. */
const isCharge = ({ '@type': type }: GraphNode): boolean =>
  [type].flat().some((one) => /(?:Delivery|Payment)ChargeSpecification\/?$/i.test(textOf(one) ?? ''));

const componentsOf = ({ priceComponent }: GraphNode): GraphNode[] =>
  nodesIn(priceComponent).filter((one) => !isFormer(one));

const isCompound = (price: GraphNode): boolean => componentsOf(price).length > 0;

/**
 * The prices in a specification. The components of a compound price are paid together, so the compound is a single price. If it
 * includes charges or has no total, its only component without a charge counts; with several, the price is only a range.
 */
function partsOf(price: GraphNode): GraphNode[] {
  const components = componentsOf(price);
  const goods = components.filter((one) => !isCharge(one));
  const isTotal = hasAmount(price) && goods.length === components.length;
  if (components.length === 0 || isTotal || isPartial(price)) return [price];
  const { price: _, ...rest } = price;
  return goods.length === 1 ? goods : [{ ...rest, maxPrice: goods[0]?.['price'] ?? 0 }];
}

const isSame = (a: string, b: string): boolean => isSameAmount(a.replace(',', '.'), b.replace(',', '.'));

/** Units of time as UN/CEFACT codes and as words, in which the price of a period is stated. */
const IS_PERIOD =
  /^(?:SEC|MIN|HUR|DAY|WEE|MON|QAN|ANN|.*\b(?:hour|day|week|month|quarter|year|monat|jahr|woche|mois|mes|mese|maand|kk|mjesec)(?:e|en|s|ly|lich)?\b.*|annual|p\.?m\.?)$/i;

/** Members of a price that is only a part of what the product costs, or that only some customers pay. */
const PARTIAL_MEMBERS = [
  'billingDuration',
  'billingIncrement',
  'billingStart',
  'priceComponentType',
  'validForMemberTier',
] as const;

/**
 * Whether a price is not what one piece of the product costs: an installment, the price of a period, of a unit such as a
 * kilogram, of a larger number of pieces or for members of a loyalty programme, a rent, or a compound with such a component.
 */
function isPartial(price: GraphNode): boolean {
  const { unitCode, unitText, referenceQuantity, eligibleQuantity, businessFunction } = price;
  return (
    componentsOf(price).some(isPartial) ||
    PARTIAL_MEMBERS.some((name) => price[name] !== undefined && price[name] !== null) ||
    [unitCode, unitText].some((unit) => IS_PERIOD.test(textOf(unit) ?? '')) ||
    IS_MEASURE.test(textOf(unitCode) ?? '') ||
    nodesIn(referenceQuantity).some(isOtherQuantity) ||
    nodesIn(eligibleQuantity).some(({ minValue, value }) => Number(textOf(minValue ?? value) ?? 1) > 1) ||
    /LeaseOut$/i.test(textOf(businessFunction) ?? '')
  );
}

/** Units of measure as UN/CEFACT codes: a price per kilogram is not that of a piece. */
const IS_MEASURE = /^(?:MGM|GRM|KGM|TNE|LBR|ONZ|MLT|CLT|DLT|LTR|MTQ|MMT|CMT|MTR|MTK|KWH)$/i;

/** Whether a price is for another quantity than one piece (C62, H87). With `valueReference`, it only explains a unit price. */
const isOtherQuantity = ({ unitCode, unitText, valueReference, value }: GraphNode): boolean =>
  valueReference === undefined &&
  !(/^(?:C62|H87|)$/i.test(textOf(unitCode) ?? textOf(unitText) ?? '') && Number(textOf(value) ?? 1) === 1);

export const nodesIn = (value: unknown): GraphNode[] =>
  [value].flat().filter((one): one is GraphNode => typeof one === 'object' && one !== null);
