import { isCurrency } from '../../listing/currency.js';
import { floorUnits, fromMinorUnits } from '../../listing/price.js';
import { readShownPrice } from '../../listing/shown-price.js';
import { decodeEntities, textOfHtml } from '../read/html.js';
import { renamedEntries } from './history.js';
import type { Condition, Rule, Step } from './feed-map.js';
import {
  type AmountContext,
  contradicts,
  FromPrice,
  quoteAmount as quote,
  statesNoPrice,
  unreadReason,
} from './money.js';
import { type FeedRow, fillTemplate, templateColumns, textOf, UnreadableValue } from './row.js';
import { foldWord, readStockWord } from './stock-words.js';
import { canonicalTime, type Interval, readInterval, readLimit, readTime } from './time.js';

/** The settings with which a rule of a map file is applied to a row. */
export interface RuleContext extends AmountContext {
  /** The current time, to decide whether a sale is active. */
  now: Date;
  /** The time zone of times without an offset. */
  timezone: string;
  /** Whether an amount in another currency than that of the record is left out, as for the list price. */
  isSameCurrency?: boolean | undefined;
  /** Whether the amount may be a "from" price, as which `FromPrice` marks it. */
  mayBeFrom?: boolean | undefined;
}

/** The value of the first step of a rule that yields one; undefined if none does. @throws UnreadableValue */
export function applyRule(rule: Rule, row: FeedRow, context: RuleContext): unknown {
  let from: FromPrice | undefined;
  for (const step of Array.isArray(rule) ? rule : [rule]) {
    const value = typeof step === 'string' ? row.get(step) : applyStep(step, row, context);
    // A plain price takes precedence over a "from" price that an earlier step has found.
    if (value instanceof FromPrice) from ??= value;
    else if (value !== undefined) return value;
  }
  return from;
}

/** Whether a row meets a condition: the column is not blank, or each column has one of the given words. */
export function meets(condition: Condition, row: FeedRow): boolean {
  if (typeof condition === 'string') return row.get(condition) !== undefined;
  return Object.entries(condition).every(([column, words]) => {
    const text = foldWord(row.text(column) ?? '');
    return (Array.isArray(words) ? words : [words]).some((word) => foldWord(String(word ?? '')) === text);
  });
}

export function ruleColumns(rule: Rule): string[] {
  return [rule].flat().flatMap((step) => {
    if (typeof step === 'string') return [step];
    const { from = [], all = [], template = '', if: on, unless, when = [], below = [] } = step;
    const window =
      typeof when === 'object' && !Array.isArray(when) ? [when.start ?? [], when.end ?? []] : [when];
    return [
      from,
      all,
      templateColumns(template),
      conditionColumns(on),
      conditionColumns(unless),
      window,
      below,
    ].flat(3);
  });
}

export const conditionColumns = (condition: Condition | undefined): string[] =>
  typeof condition === 'string' ? [condition] : Object.keys(condition ?? {});

function applyStep(step: Step, row: FeedRow, context: RuleContext): unknown {
  if (step.if !== undefined && !meets(step.if, row)) return undefined;
  if (step.unless !== undefined && meets(step.unless, row)) return undefined;
  const { column, value } = sourceOf(step, row);
  if (value === undefined || (step.when !== undefined && !isActive(step.when, row, context)))
    return undefined;
  const amount = { column, value };
  if (step.below !== undefined && !isBelow(amount, sourceOf({ from: step.below }, row), row, context))
    return undefined;
  const isAmount = step.money === 'amount' || step.money === 'minor';
  if (isAmount && context.isSameCurrency === true && isForeign(amount, row, context)) return undefined;
  return convert(step, value, column, context);
}

/** The context for JSON numbers. They have a decimal point, whatever decimal separator the texts of the feed have. */
const forNumbers = (context: RuleContext): RuleContext => ({
  ...context,
  decimal: '.',
  isDecimalCertain: true,
});

interface Cell {
  column: string;
  value: unknown;
}

/** Whether an amount is lower than another one of the same currency. True if one of them is no amount: it excludes nothing. */
function isBelow(cell: Cell, limit: Cell, row: FeedRow, context: RuleContext): boolean {
  const [amount, bound] = [cell, limit].map(({ value }) => amountIn(value, context)?.amount);
  if (amount === undefined || bound === undefined) return true;
  const [own, other] = [cell, limit].map((one) => currencyIn(one, row, context) ?? usual(context));
  const isComparable = own === undefined || other === undefined || own === other;
  return isComparable && floorUnits(amount) < floorUnits(bound);
}

function amountIn(value: unknown, context: RuleContext) {
  const text = textOf(value) ?? '';
  const { decimal } = typeof value === 'number' ? forNumbers(context) : context;
  const money = readShownPrice(text, { decimal, isCertain: true });
  return 'reason' in money ? undefined : money;
}

const usual = ({ currency }: RuleContext): string | undefined => currency?.toUpperCase();

/** The currency of an amount: the one in its text, otherwise the one beside it in the same object. */
const currencyIn = (cell: Cell, row: FeedRow, context: RuleContext): string | undefined =>
  amountIn(cell.value, context)?.currency?.toUpperCase() ?? currencyBeside(cell, row);

/** A member `currency` or `priceCurrency` of the object that holds an amount. */
function currencyBeside({ column }: Cell, row: FeedRow): string | undefined {
  const around = column.slice(0, column.lastIndexOf('.') + 1);
  if (around === '') return undefined;
  return ['currency', 'priceCurrency'].flatMap((name) => row.text(around + name) ?? [])[0]?.toUpperCase();
}

function isForeign(cell: Cell, row: FeedRow, context: RuleContext): boolean {
  const expected = usual(context);
  if (expected === undefined) return false;
  const money = amountIn(cell.value, context);
  if (money !== undefined && contradicts(money, expected)) return true;
  return (currencyBeside(cell, row) ?? expected) !== expected;
}

function sourceOf({ from, all, template, ...step }: Step, row: FeedRow): Cell {
  const values = (all ?? []).flatMap((column) => row.get(column) ?? []);
  if (values.length > 0) return { column: (all ?? []).join(' or '), value: values };
  for (const column of [from ?? []].flat()) {
    const value = row.get(column);
    if (value !== undefined) return { column, value };
  }
  if (template !== undefined) {
    const value = fillTemplate(template, row);
    if (value !== undefined) return { column: template, value };
  }
  return { column: '', value: step.const };
}

function convert(step: Step, given: unknown, column: string, context: RuleContext): unknown {
  if (step.money !== undefined && step.split === undefined && Array.isArray(given))
    checkOneAmount(given, column);
  let value = given;
  const text = () => textOf(value) ?? '';
  if (step.unescape === true) value = unescape(text());
  if (step.html === true) value = textOfHtml(text());
  if (step.match !== undefined) {
    const found = new RegExp(step.match, 'u').exec(text());
    if (found === null) return undefined;
    value = found[1] ?? found[0];
  }
  if (step.deepest !== undefined) value = deepestOf(text(), step.deepest);
  if (step.split !== undefined) {
    // Entities are decoded before, because `&gt;` may stand for the separator, and `&amp;` contains a semicolon.
    const several = step.all !== undefined && Array.isArray(value) && value.length > 1 ? value : null;
    value = (several?.map((one) => textOf(one) ?? '') ?? separated(decodeEntities(text()), step.split))
      .map((part) => part.trim())
      .filter((part) => part !== '');
  }
  if (step.at !== undefined) value = Array.isArray(value) ? (value as unknown[])[step.at] : value;
  if (step.drop !== undefined) {
    const rest = [value].flat().slice(step.drop);
    value = rest.length === 0 ? undefined : rest;
  }
  // A JSON number has no currency symbol, so it is not parsed as money. Validation checks whether it is exact.
  const isPlain = step.money === 'amount' && typeof value === 'number' && (value !== 0 || context.strict);
  if (step.money === 'minor') value = minorAmountOf(text(), column, context);
  else if (step.money !== undefined && !isPlain)
    value = moneyOf(text(), step.money, column, typeof given === 'number' ? forNumbers(context) : context);
  if (step.stock === true) value = stockOf(text(), column);
  if (step.enum !== undefined) value = wordOf(text(), step, column);
  if (step.entries !== undefined) value = renamedEntries(value, step.entries);
  if (step.time === true) value = timeOf(text(), column, context);
  return value === null ? undefined : value;
}

/** Rejects several different amounts, such as those of an XML element that occurs twice, because any of them may be meant. */
function checkOneAmount(given: readonly unknown[], column: string): void {
  const amounts = [...new Set(given.flatMap((one) => textOf(one) ?? []))];
  if (amounts.length > 1)
    throw new UnreadableValue(
      `there are several amounts, ${amounts.slice(0, 3).map(quote).join(', ')} (column ${column})`,
    );
}

function moneyOf(given: string, part: 'amount' | 'currency', column: string, context: RuleContext) {
  const text = decodeEntities(given);
  const { decimal, isDecimalCertain: isCertain = false, isDecimalAssumed: isAssumed, currency } = context;
  if (part === 'amount' && context.strict !== true && statesNoPrice(text)) return undefined;
  const money = readShownPrice(text, { decimal, isCertain, isAssumed, usual: currency });
  if (part === 'currency') return 'reason' in money ? undefined : (money.currency ?? undefined);
  if ('reason' in money) throw new UnreadableValue(unreadReason(text, money, column));
  if (currency !== undefined && contradicts(money, currency))
    throw new UnreadableValue(
      `${quote(text)} states ${money.mark}, but the currency is ${currency.toUpperCase()} (column ${column})`,
    );
  if (!money.isFrom) return money.amount;
  if (context.mayBeFrom === true) return new FromPrice(money.amount);
  throw new UnreadableValue(`${quote(text)} is a "from" price (column ${column})`);
}

/** Converts an amount in minor units to a decimal string: `1999` of USD is `19.99`, `1980` of JPY is `1980`. */
function minorAmountOf(text: string, column: string, { currency = '', strict = false }: RuleContext) {
  if (!strict && statesNoPrice(text)) return undefined;
  if (!/^\d{1,15}$/.test(text))
    throw new UnreadableValue(`${quote(text)} is not a whole number of minor units (column ${column})`);
  const code = currency.toUpperCase();
  if (isCurrency(code)) return fromMinorUnits(Number(text), code);
  throw new UnreadableValue(
    `${quote(text)} is in minor units of an unknown currency; specify --currency CODE (column ${column})`,
  );
}

function stockOf(text: string, column: string): boolean {
  if (!/^[+-]?\d+(?:\.\d+)?$/.test(text))
    throw new UnreadableValue(`${quote(text)} is not a number in stock (column ${column})`);
  return Number(text) > 0;
}

function wordOf(text: string, { enum: words = {}, else: other }: Step, column: string): unknown {
  const word = foldWord(text);
  const known = Object.entries(words).find(([name]) => foldWord(name) === word);
  if (known !== undefined) return known[1];
  if (other !== undefined) return other;
  const isOfStock = Object.values(words).every((value) => typeof value === 'boolean' || value === null);
  const stated = isOfStock ? readStockWord(text) : undefined;
  if (stated !== undefined) return stated;
  throw new UnreadableValue(
    `${quote(text)} is not one of ${Object.keys(words).join(', ')} (column ${column})`,
  );
}

function timeOf(text: string, column: string, { timezone }: RuleContext): string {
  const time = canonicalTime(text, timezone);
  if (time === null) throw new UnreadableValue(`${quote(text)} is not a time (column ${column})`);
  return time;
}

/** Whether a sale price is valid now; a start or end that is not stated is no limit. */
function isActive(when: NonNullable<Step['when']>, row: FeedRow, { now, timezone }: RuleContext): boolean {
  const { start, end } = intervalOf(when, row, timezone);
  return start <= now.getTime() && now.getTime() <= end;
}

/** Whether an offer or price of schema.org is in force now. A time that cannot be read is no limit, as one that is not stated. */
export function isInForce(one: Readonly<Record<string, unknown>>, { now, timezone }: RuleContext): boolean {
  const at = (name: string, edge: 'start' | 'end') => readTime(textOf(one[name]) ?? '', timezone, edge);
  const start = at('validFrom', 'start') ?? -Infinity;
  const end = at('validThrough', 'end') ?? at('priceValidUntil', 'end') ?? Infinity;
  return start <= now.getTime() && now.getTime() <= end;
}

function intervalOf(when: NonNullable<Step['when']>, row: FeedRow, timezone: string): Interval {
  if (typeof when === 'string') {
    const text = row.text(when);
    if (text === undefined) return { start: -Infinity, end: Infinity };
    const interval = readInterval(text, timezone);
    if (interval !== null) return interval;
    throw new UnreadableValue(
      `${quote(text)} is not an interval START/END, and the sale may be over (column ${when})`,
    );
  }
  const at = (columns: string | string[] = [], edge: 'start' | 'end'): number => {
    const text = [columns].flat().flatMap((column) => row.text(column) ?? [])[0] ?? '';
    const ms = readLimit(text, timezone, edge);
    if (ms === null) throw new UnreadableValue(`${quote(text)} is not a time, and the sale may be over`);
    return ms;
  };
  return { start: at(when.start, 'start'), end: at(when.end, 'end') };
}

/** The parts of a text. Shops also separate the levels of categories by `->` or, without `>`, by ` » `, ` › ` and ` → `. */
function separated(text: string, separator: string): string[] {
  if (separator.trim() !== '>') return text.split(separator);
  return text.split(text.includes('>') ? /[-=]?>/ : / [»›→] /);
}

/** The first path with the most levels in a list that is separated by commas; a comma in a name is escaped by a backslash. */
function deepestOf(paths: string, separator: string): string {
  const levels = (path: string) => path.split(separator).length;
  const all = paths.split(/(?<!\\),/).map((path) => path.replaceAll('\\,', ',').trim());
  return all.reduce((best, path) => (levels(path) > levels(best) ? path : best));
}

/** Replaces each `\n` by a line break, and each `\\n` by a backslash and an `n`. */
const unescape = (text: string): string =>
  text.replace(/\\(\\?)n/g, (_, escaped: string) => (escaped === '' ? '\n' : '\\n'));
