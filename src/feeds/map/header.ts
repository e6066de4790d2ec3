import { columnsLike, deliveryColumns } from './delivery.js';
import { type FeedMap, type Rule, RECORD_FIELDS } from './feed-map.js';
import { checkPriceColumns, partialColumns } from './prices.js';
import { foldName, foldNames, templateColumns } from './row.js';
import { conditionColumns, ruleColumns } from './rule.js';

/** What a map file reads from the columns of a feed. */
export interface Header {
  folded: ReadonlyMap<string, string>;
  /** The columns of the feed that the map file does not use. */
  leftover: string[];
  /** The fields of a record that the map file can fill from the columns of this feed or with a constant. */
  states: string[];
  /** The metadata rules of the map file. A rule with `*` in its name is replaced by one for each number in the column names. */
  metadata: Record<string, Rule>;
  /** The columns whose blank cells are filled from the row of the product, with numbers in place of `*`. */
  inherited: string[] | undefined;
}

/** Finds out what a map file reads from a feed. @throws FeedError if it lacks the columns of the prices. */
export function headerOf(
  names: readonly string[],
  map: FeedMap,
  { patch }: { patch?: boolean | undefined },
): Header {
  const folded = foldNames(names);
  const { fields, metadata, details } = map;
  // A patch need not state prices.
  if (patch !== true) checkPriceColumns(fields.price, names);
  const isStated = (rule: Rule | undefined) =>
    rule !== undefined && ruleColumns(rule).some((column) => folded.has(foldName(column)));
  const isConst = (rule: Rule | undefined) =>
    typeof rule === 'object' && !Array.isArray(rule) && rule.const !== undefined;
  const states: string[] = RECORD_FIELDS.filter(
    (target) => isStated(fields[target]) || isConst(fields[target]),
  );
  const own = numbered(metadata ?? {}, folded);
  if (map.rest !== undefined || [...Object.values(own), ...detailColumns(details)].some(isStated))
    states.push('metadata');
  const delivery = deliveryColumns(map.delivery).flatMap((column) => columnsLike(column, names));
  if (delivery.some(isStated)) states.push('delivery');
  const inherited = map.inherit?.columns.flatMap((column) =>
    column.includes('*')
      ? numbersOf(column, folded).map((number) => column.replace('*', String(number)))
      : [column],
  );
  const known = new Set([...columnsOf({ ...map, metadata: own }), ...delivery].map(foldName));
  const leftover = leftoverOf(map)(names).filter((name) => !known.has(foldName(name)));
  return { folded, leftover, states, metadata: own, inherited };
}

/** Returns a function that finds the columns that a map file does not use. */
export function leftoverOf(map: FeedMap): (names: readonly string[]) => string[] {
  const known = new Set(columnsOf(map).map((name) => foldName(name.split('.')[0] ?? '')));
  return (names) => names.filter((name) => !/^(?:@|$)/.test(name) && !known.has(foldName(name)));
}

const detailColumns = (details: FeedMap['details']): string[] =>
  [details ?? []].flat().map((one) => (typeof one === 'string' ? one : one.from));

/** The maximum number of columns for which `*` in a name stands, as in `Attribute * name`. */
const MAX_NUMBERED = 200;

/** The numbers that `*` stands for in the columns of a feed that are named like `Attribute * name`. */
const numbersOf = (pattern: string, folded: ReadonlyMap<string, string>): number[] =>
  Array.from({ length: MAX_NUMBERED }, (_, index) => index + 1).filter((number) =>
    folded.has(foldName(pattern.replace('*', String(number)))),
  );

/** Replaces each metadata rule whose name has a `*` by one for each number. */
function numbered(metadata: Record<string, Rule>, folded: ReadonlyMap<string, string>): Record<string, Rule> {
  return Object.fromEntries(
    Object.entries(metadata).flatMap(([name, rule]) => {
      if (!name.includes('*') || typeof rule !== 'string') return [[name, rule] as const];
      return numbersOf(rule, folded).map(
        (number) => [name.replace('*', String(number)), rule.replace('*', String(number))] as const,
      );
    }),
  );
}

function columnsOf({ fields, metadata = {}, details, partial, delivery, ...map }: FeedMap): string[] {
  return [
    ...deliveryColumns(delivery),
    ...[...Object.values(fields), ...Object.values(metadata)].flatMap((rule) => ruleColumns(rule)),
    ...Object.keys(metadata).flatMap(templateColumns),
    ...detailColumns(details),
    ...partialColumns(partial),
    ...conditionColumns(map.skip),
    ...conditionColumns(map.only),
    ...(map.inherit === undefined
      ? []
      : [map.inherit.row, map.inherit.parent].flat().flatMap(templateColumns)),
  ];
}
