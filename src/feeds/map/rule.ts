import { textOfHtml } from '../read/html.js';
import { type Condition, type Rule, type Step } from './feed-map.js';
import { readMoney } from './money.js';
import { type Row, textOf } from './row.js';
import { fillTemplate, templateColumns } from './template.js';
import { canonicalTime, readTime } from './time.js';

/** What a rule may know besides the row. */
export interface RuleContext {
  /** A sale counts while it lasts. */
  now: Date;
  /** Of times that name no offset. */
  timezone: string;
  /** What parts the decimals of an amount. */
  decimal: '.' | ',';
}

/** A value that a rule cannot make sense of; the message goes behind the name of the field. */
class Unreadable extends Error {}

/**
 * What a rule makes of a row: of several steps the first that finds something counts.
 * @returns undefined for nothing; a reason where there is a value that it cannot make sense of.
 */
export function applyRule(
  rule: Rule,
  row: Row,
  context: RuleContext,
): { value: unknown } | { reason: string } {
  try {
    for (const step of Array.isArray(rule) ? rule : [rule]) {
      const value = typeof step === 'string' ? row.get(step) : applyStep(step, row, context);
      if (value !== undefined) return { value };
    }
    return { value: undefined };
  } catch (error) {
    if (error instanceof Unreadable) return { reason: error.message };
    throw error;
  }
}

/** Whether a row meets a condition: its column is not blank, or each has one of its words. */
export function holds(condition: Condition, row: Row): boolean {
  if (typeof condition === 'string') return row.get(condition) !== undefined;
  return Object.entries(condition).every(([column, words]) => {
    const text = foldWord(row.text(column) ?? '');
    return (Array.isArray(words) ? words : [words]).some((word) => foldWord(String(word ?? '')) === text);
  });
}

/** The columns that a rule reads. */
export function ruleColumns(rule: Rule): string[] {
  return (Array.isArray(rule) ? rule : [rule]).flatMap((step) => {
    if (typeof step === 'string') return [step];
    const { from = [], template = '', if: on, unless, when = [] } = step;
    const window =
      typeof when === 'object' && !Array.isArray(when) ? [when.start ?? [], when.end ?? []] : [when];
    return [from, templateColumns(template), conditionColumns(on), conditionColumns(unless), window].flat(3);
  });
}

export const conditionColumns = (condition: Condition | undefined): string[] =>
  typeof condition === 'string' ? [condition] : Object.keys(condition ?? {});

function applyStep(step: Step, row: Row, context: RuleContext): unknown {
  if (step.if !== undefined && !holds(step.if, row)) return undefined;
  if (step.unless !== undefined && holds(step.unless, row)) return undefined;
  const { column, value } = sourceOf(step, row);
  if (value === undefined || (step.when !== undefined && !lasts(step.when, row, context))) return undefined;
  return convert(step, value, column, context);
}

function sourceOf({ from, template, ...step }: Step, row: Row): { column: string; value: unknown } {
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
  let value = given;
  const text = () => textOf(value) ?? '';
  if (step.unescape === true) value = unescape(text());
  if (step.html === true) value = textOfHtml(text());
  if (step.match !== undefined) {
    const found = new RegExp(step.match, 'u').exec(text());
    if (found === null) return undefined;
    value = found[1] ?? found[0];
  }
  if (step.split !== undefined) {
    value = text()
      .split(step.split)
      .map((part) => part.trim())
      .filter((part) => part !== '');
  }
  if (step.at !== undefined) value = Array.isArray(value) ? (value as unknown[])[step.at] : value;
  // A JSON number has no mark, and whether it is exact validation knows.
  const isPlain = step.money === 'amount' && typeof value === 'number';
  if (step.money !== undefined && !isPlain) value = moneyOf(text(), step.money, column, context);
  if (step.stock === true) value = stockOf(text(), column);
  if (step.enum !== undefined) value = wordOf(text(), step, column);
  if (step.time === true) value = timeOf(text(), column, context);
  return value === null ? undefined : value;
}

function moneyOf(text: string, part: 'amount' | 'currency', column: string, { decimal }: RuleContext) {
  const money = readMoney(text, decimal);
  if (money !== null) return money[part] ?? undefined;
  if (part === 'currency') return undefined;
  throw new Unreadable(`${quote(text)} is no amount of money (column ${column})`);
}

function stockOf(text: string, column: string): boolean {
  if (!/^[+-]?\d+(?:\.\d+)?$/.test(text))
    throw new Unreadable(`${quote(text)} is no stock (column ${column})`);
  return Number(text) > 0;
}

/** `In Stock`, `in_stock` and `https://schema.org/InStock` are one word; `-1` and `1` are not. */
const foldWord = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\/schema\.org\//, '')
    .replace(/(?<=[\p{L}\d])[\s_-]+/gu, '');

function wordOf(text: string, { enum: words = {}, else: other }: Step, column: string): unknown {
  const word = foldWord(text);
  const known = Object.entries(words).find(([name]) => foldWord(name) === word);
  if (known !== undefined) return known[1];
  if (other !== undefined) return other;
  throw new Unreadable(`${quote(text)} is none of ${Object.keys(words).join(', ')} (column ${column})`);
}

function timeOf(text: string, column: string, { timezone }: RuleContext): string {
  const time = canonicalTime(text, timezone);
  if (time === null) throw new Unreadable(`${quote(text)} is no time (column ${column})`);
  return time;
}

/** Whether a sale is on: without an interval, or without an end of it, it is. */
function lasts(when: NonNullable<Step['when']>, row: Row, { now, timezone }: RuleContext): boolean {
  const [start, end] = windowOf(when, row);
  const at = (text: string | undefined, edge: 'start' | 'end'): number | null => {
    if (text === undefined || text === '') return null;
    const ms = readTime(text, timezone, edge);
    if (ms === null) throw new Unreadable(`${quote(text)} is no time, and the sale may be over`);
    return ms;
  };
  return (at(start, 'start') ?? -Infinity) <= now.getTime() && now.getTime() <= (at(end, 'end') ?? Infinity);
}

function windowOf(when: NonNullable<Step['when']>, row: Row): (string | undefined)[] {
  const first = (columns: string | string[] = []) =>
    [columns].flat().flatMap((column) => row.text(column) ?? [])[0];
  if (typeof when === 'object') return [first(when.start), first(when.end)];
  const [start, end, more] = row.text(when)?.split('/') ?? [];
  if (start !== undefined && (end === undefined || more !== undefined))
    throw new Unreadable(`${quote(row.text(when) ?? '')} is no interval START/END (column ${when})`);
  return [start?.trim(), end?.trim()];
}

const quote = (text: string): string => JSON.stringify(text.slice(0, 60).toWellFormed());

/** Text in which a line break is written as `\\n`, and such an `n` after a backslash as `\\\\n`. */
const unescape = (text: string): string =>
  text.replace(/\\(\\?)n/g, (_, escaped: string) => (escaped === '' ? '\n' : '\\n'));
