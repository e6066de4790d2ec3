import { parseAmount, toUnits } from '../../listing/price.js';
import { readShownPrice } from '../../listing/shown-price.js';
import { isMarketWord } from '../../naming/markets.js';
import type { FeedMap, Rule } from './feed-map.js';
import { quoteAmount, unreadReason } from './money.js';
import { FeedRow, foldName, textOf, UnreadableValue } from './row.js';
import { applyRule, type RuleContext, ruleColumns } from './rule.js';

type DeliveryRules = NonNullable<FeedMap['delivery']>;

/** A rule context with the currency of the listing's price. */
type DeliveryContext = Omit<RuleContext, 'currency'> & { currency: string | null };

/** The maximum number of delivery options of a listing, which suffices for two services in each country of the world. */
const MAX_OPTIONS = 500;

/** An amount of an option, or of a threshold from which delivery is free. */
interface DeliveryAmount {
  /** The country code as the feed writes it, in capital letters; empty if the option states none. */
  country: string;
  amount: string;
  /** The currency in the text of the amount; null if it states none. */
  currency: string | null;
}

export const deliveryColumns = ({
  options = [],
  thresholds = [],
  ...rules
}: DeliveryRules = {}): string[] => [
  ...[options, thresholds].flat(),
  ...Object.values(rules).flatMap((rule: Rule) => ruleColumns(rule)),
];

/**
 * Reads what a row states about delivery. If there are several options, only those for a whole country are
 * considered. Those in the currency of the listing take precedence, then the country that is stated first, then
 * the lowest price. If the map has a rule for the country, those for other countries are left out. An option to
 * collect the product does not count as delivery. Options that cannot be read are ignored if there are others.
 * @returns the member `delivery` of a record; undefined if the row states none.
 * @throws UnreadableValue
 */
export function readDelivery(
  rules: DeliveryRules,
  row: FeedRow,
  context: DeliveryContext,
): Record<string, string> | undefined {
  // A delivery price of 0 is valid, so rules are applied without treating 0 as a missing price.
  const strictly = { ...context, currency: context.currency ?? undefined, strict: true };
  const textBy = (rule: Rule | undefined) => textOf(rule && applyRule(rule, row, strictly));
  const country = textBy(rules.to)?.toUpperCase();
  const amountsOf = (columns: string | string[] = [], name: 'price' | 'price_threshold') =>
    amountsIn([columns].flat(), name, row, context).filter(
      (one) => country === undefined || [country, ''].includes(one.country),
    );
  const statedBy = (rule: Rule | undefined): DeliveryAmount | undefined => {
    const text = textBy(rule);
    if (text === undefined) return undefined;
    const stated = textBy(rules.currency)?.toUpperCase() ?? null;
    const { amount, currency } = readAmount(text, { ...context, currency: stated ?? context.currency });
    return { country: country ?? '', amount, currency: currency ?? stated };
  };
  const option = chosenOption(amountsOf(rules.options, 'price'), context) ?? statedBy(rules.price);
  const thresholds = amountsOf(rules.thresholds, 'price_threshold');
  const threshold = thresholdFor(option, thresholds, context) ?? statedBy(rules.free_from);
  const first = option ?? threshold;
  if (first === undefined) return undefined;
  const isSame = threshold !== undefined && currencyOf(threshold, context) === currencyOf(first, context);
  return {
    ...(option !== undefined && { price: option.amount }),
    ...(first.currency !== null && { currency: first.currency }),
    ...(/^[A-Z]{2}$/.test(first.country) && { to: first.country }),
    ...(isSame && { free_from: threshold.amount }),
  };
}

const currencyOf = ({ currency }: DeliveryAmount, context: DeliveryContext): string | null =>
  currency ?? context.currency?.toUpperCase() ?? null;

const inOwnCurrency = (amounts: readonly DeliveryAmount[], context: DeliveryContext): DeliveryAmount[] => {
  const own = context.currency?.toUpperCase() ?? null;
  return amounts.filter((one) => currencyOf(one, context) === own);
};

function chosenOption(options: readonly DeliveryAmount[], context: DeliveryContext) {
  const own = inOwnCurrency(options, context);
  const preferred = own.length > 0 ? own : options;
  const [first] = preferred;
  // Amounts in different currencies are not compared.
  const comparable = preferred.filter(
    ({ country, currency }) => country === first?.country && currency === first.currency,
  );
  return comparable.toSorted((a, b) => toUnits(a.amount) - toUnits(b.amount))[0];
}

const thresholdFor = (
  option: DeliveryAmount | undefined,
  thresholds: readonly DeliveryAmount[],
  context: DeliveryContext,
): DeliveryAmount | undefined => {
  if (option === undefined) return [...inOwnCurrency(thresholds, context), ...thresholds][0];
  return thresholds.find(({ country }) => [option.country, ''].includes(country) || option.country === '');
};

/** Parts of a row that restrict an option to a part of a country. */
const AREAS = ['region', 'postal_code', 'location_id', 'location_group_name'] as const;

/** Matches services for collecting the product, but not parcel shops such as `DPD_PICKUP` (Heureka, Zboží.cz), which deliver. */
const COLLECTED = /(?<!_)pick[\s-]?up|collect|abhol|osobn|vlastni_vydejni/i;

/** The names of the parts of a text option by position, if the column does not name them: `country:region:service:price`. */
const USUAL_PARTS = ['country', 'region', 'service'];

/** The amounts in columns that may state several options. @param name the part of an option that is the amount. */
function amountsIn(
  columns: readonly string[],
  name: 'price' | 'price_threshold',
  row: FeedRow,
  context: DeliveryContext,
): DeliveryAmount[] {
  const options = columns.flatMap((pattern) =>
    columnsLike(pattern, Object.keys(row.cells)).flatMap((column) => {
      const parts = row.partNames(column) ?? null;
      return [row.get(column)].flat().flatMap((one) => optionsOf(one, name, parts));
    }),
  );
  if (options.length > MAX_OPTIONS)
    throw new UnreadableValue(`column ${columns.join(', ')} has more than ${MAX_OPTIONS} options`);
  const usable = options.filter(
    (option) =>
      AREAS.every((area) => option.text(area) === undefined) &&
      !COLLECTED.test(option.text('service') ?? option.text('delivery_id') ?? ''),
  );
  const unreadable: UnreadableValue[] = [];
  const amounts = usable.flatMap((option) => {
    try {
      const money = readAmount(option.text(name) ?? option.text(`delivery_${name}`) ?? '', context);
      return [{ country: option.text('country')?.toUpperCase() ?? '', ...money }];
    } catch (error) {
      if (!(error instanceof UnreadableValue)) throw error;
      unreadable.push(error);
      return [];
    }
  });
  if (amounts.length === 0 && unreadable[0] !== undefined) throw unreadable[0];
  return amounts;
}

/** The columns whose names begin as a pattern that ends with `*`; for another pattern, the pattern itself. */
export function columnsLike(pattern: string, names: readonly string[]): string[] {
  if (!pattern.endsWith('*')) return [pattern];
  const start = foldName(pattern);
  return names.filter((name) => foldName(name).startsWith(start));
}

/** The options in a cell as rows with their parts. Options in a text are separated by commas or semicolons. */
function optionsOf(value: unknown, name: string, names: readonly string[] | null): FeedRow[] {
  if (typeof value === 'object' && value !== null) return [new FeedRow(value as Record<string, unknown>)];
  const text = textOf(value);
  if (text === undefined) return [];
  // A comma in an amount or a service name is not followed by a country and a colon.
  return text.split(/[,;]\s*(?=[A-Za-z]{0,2}:)/).map((option) => {
    const parts = option.split(':').map((part) => part.trim());
    const byName = names ?? (parts.length > USUAL_PARTS.length ? [...USUAL_PARTS, name] : undefined);
    const cells =
      byName === undefined
        ? { ...(parts.length > 1 && { country: parts[0] }), [name]: parts.at(-1) }
        : Object.fromEntries(byName.map((one, at) => [one, parts[at]]));
    return new FeedRow(cells);
  });
}

const isFree = (text: string): boolean => isMarketWord('free', text);

/** Whether a text can be a delivery price: an amount, 0, or a word for free delivery. */
export const isDeliveryPrice = (text: string): boolean =>
  isFree(text) || 'amount' in readShownPrice(text, { decimal: 'either' });

function readAmount(text: string, { decimal, isDecimalCertain = false, currency: own }: DeliveryContext) {
  if (isFree(text)) return { amount: '0.00', currency: null };
  const money = readShownPrice(text, { decimal, isCertain: isDecimalCertain, usual: own });
  if ('reason' in money) throw new UnreadableValue(unreadReason(text, money));
  const parsed = parseAmount(money.amount);
  if ('reason' in parsed || money.isFrom)
    throw new UnreadableValue(`${quoteAmount(text)} is not a delivery price`);
  return { amount: parsed.price, currency: money.currency };
}
