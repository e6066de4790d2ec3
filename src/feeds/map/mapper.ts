import type { FeedItem } from '../read/item.js';
import { readDelivery } from './delivery.js';
import { readDetails } from './details.js';
import { type Header, headerOf, leftoverOf } from './header.js';
import { cleanMetadata, repairGtins } from './identifiers.js';
import { type FeedMap, RECORD_FIELDS, SECONDARY_FIELDS } from './feed-map.js';
import { codeOfMark, FromPrice, statesNoPrice } from './money.js';
import { checkPrices, partialReason } from './prices.js';
import { elementsOf, FeedRow, fillTemplate, textOf, UnreadableValue } from './row.js';
import { decoded, recordValue } from './record-values.js';
import { applyRule, isInForce, meets, type RuleContext, ruleColumns } from './rule.js';
import { unfoldSchemaOrg } from './schemaorg.js';

interface MapContext extends Omit<RuleContext, 'decimal'> {
  /** Values for the templates of a map file that do not come from columns, such as `shop_url`. */
  variables?: Readonly<Record<string, string>>;
  /** Whether the records state only the fields that change. */
  patch?: boolean | undefined;
}

/** The values of a row that cannot be used. */
interface MappingFindings {
  /** Why the record is rejected. */
  reasons: string[];
  dropped: string[];
}

/** The maximum number of parent rows that are held in memory for variants later in the feed. */
const MAX_PARENTS = 20_000;

/** Converts rows of a shop's own feed to records, in order, because a row may inherit from another. */
export class Mapper {
  readonly #context: RuleContext;
  /** Returns the columns with these names that the map file does not use. */
  readonly #leftover: (names: readonly string[]) => string[];
  readonly #parents = new Map<string, Record<string, unknown>>();
  #headers = new WeakMap<readonly string[], Header>();
  /** The number of rows of the feed that are not listings. */
  skipped = 0;

  constructor(
    private readonly map: FeedMap,
    private readonly context: MapContext,
  ) {
    const isDecimalAssumed = map.decimal === undefined;
    this.#context = { ...context, decimal: map.decimal ?? '.', isDecimalAssumed };
    this.#leftover = leftoverOf(map);
  }

  /** Converts a row of a feed to records; none if the row is not a listing. */
  *records(item: FeedItem): Generator<FeedItem> {
    const { value } = item;
    // A row that is already rejected is converted as well, because its source and SKU may be readable.
    const isList = Array.isArray(value) && this.map.unfold === undefined;
    if (typeof value !== 'object' || value === null || isList) {
      yield item;
      return;
    }
    const items = this.#itemsOf(item, value as Cells);
    if (items.length === 0) this.skipped += 1;
    for (const one of items) {
      const record = this.#record(one.value as Cells, one);
      if (record === null) this.skipped += 1;
      else yield record;
    }
  }

  /** Divides a record with several products into an item for each. The first item has the repairs of the record. */
  #itemsOf({ repairs, ...item }: FeedItem, value: Cells): FeedItem[] {
    const { unfold, each } = this.map;
    if (unfold === undefined && each === undefined) return [{ ...item, ...(repairs && { repairs }) }];
    const rows: Cells[] =
      unfold === undefined
        ? elementsOf(value, each ?? '')
        : unfoldSchemaOrg(value, (one) => isInForce(one, this.#context));
    const bytes = Math.ceil(item.bytes / Math.max(rows.length, 1));
    return rows.map((row, index) => ({
      ...item,
      bytes,
      raw: row,
      value: row,
      ...(index === 0 && repairs !== undefined && { repairs }),
    }));
  }

  #record(given: Cells, item: FeedItem): FeedItem | null {
    const header = item.header === undefined ? null : this.#headerOf(item.header);
    const rowOf = (cells: Cells) => new FeedRow(cells, header?.folded ?? null, this.context.variables);
    const cells = this.#inherited(given, rowOf(given), header);
    const row = rowOf(cells);
    const { skip, only, fields } = this.map;
    if ((skip !== undefined && meets(skip, row)) || (only !== undefined && !meets(only, row))) return null;
    const findings: MappingFindings = { reasons: [], dropped: [] };
    const value: Record<string, unknown> = {};
    // The currency is read first, because it decides how amounts in minor units are read.
    const currency = attempt(
      () => fields.currency && withCode(applyRule(fields.currency, row, this.#context), this.#context),
    );
    const context = { ...this.#context, currency: textOf(currency) ?? this.context.currency };
    for (const target of RECORD_FIELDS) {
      const rule = fields[target];
      if (rule === undefined) continue;
      const ruleContext = {
        ...context,
        isSameCurrency: target === 'list_price',
        mayBeFrom: target === 'price',
      };
      const found = this.#found(target, findings, () => {
        const given = target === 'currency' ? currency : applyRule(rule, row, ruleContext);
        if (given instanceof UnreadableValue) throw given;
        return recordValue(target, given, context);
      });
      if (found instanceof FromPrice) Object.assign(value, { [target]: found.amount, price_from: true });
      else if (found !== undefined) value[target] = found;
    }
    if (value['gtin'] !== undefined && this.#context.strict !== true) {
      const { gtin, isReduced } = repairGtins(value['gtin']);
      value['gtin'] = gtin;
      if (isReduced) findings.dropped.push('gtin');
    }
    this.#checkPrices(value, row, findings);
    this.#checkPartial(value, row, findings);
    this.#clearUnstated(value, header, findings);
    this.#readDelivery(value, row, findings);
    const leftover = header?.leftover ?? this.#leftover(Object.keys(cells));
    const metadata = this.#metadata(row, header, this.map.rest === undefined ? [] : leftover, findings);
    if (Object.keys(metadata).length > 0) value['metadata'] = metadata;
    const { reasons, dropped } = findings;
    return {
      ...item,
      value,
      ...(header === null ? {} : { header: header.states }),
      ...(reasons.length > 0 ? { reasons } : {}),
      ...(dropped.length > 0 ? { dropped } : {}),
      leftover: this.map.rest === undefined ? leftover.filter((name) => row.get(name) !== undefined) : [],
    };
  }

  /** The metadata of a record: its details, what the metadata rules of the map state, and the given further columns. */
  #metadata(row: FeedRow, header: Header | null, columns: readonly string[], findings: MappingFindings) {
    const { details, metadata } = this.map;
    const stated = Object.entries(header?.metadata ?? metadata ?? {}).flatMap(([template, rule]) => {
      const name = fillTemplate(template, row);
      if (name === undefined) return [];
      const value = this.#found(`metadata.${name}`, findings, () => applyRule(rule, row, this.#context));
      return [[name, cleanMetadata(name, value)] as const];
    });
    const others = columns.map((name) => [name, cleanMetadata(name, row.get(name))] as const);
    return Object.fromEntries(
      [...detailsOf(details, row), ...stated, ...others].flatMap(([name, one]) =>
        name === '' || one === undefined ? [] : [[name, decoded(one)]],
      ),
    );
  }

  /** Reads the value of a field. If it cannot be read, the field is refused, and the result is undefined. */
  #found(field: string, findings: MappingFindings, read: () => unknown): unknown {
    const value = attempt(read);
    if (!(value instanceof UnreadableValue)) return value;
    this.#refuse(field, value.message, findings);
    return undefined;
  }

  #refuse(field: string, reason: string, { reasons, dropped }: MappingFindings): void {
    const isSecondary = SECONDARY_FIELDS.includes(field.split('.')[0] ?? '');
    if (isSecondary && this.#context.strict !== true) dropped.push(field);
    // One cell may be the reason for several fields, such as a sale window for price and currency. It is reported once.
    else if (!reasons.some((one) => one.endsWith(`: ${reason}`))) reasons.push(`${field}: ${reason}`);
  }

  /** Clears a list price and a GTIN that the row lacks, although the feed states them: an absent field would keep the stored value. */
  #clearUnstated(value: Record<string, unknown>, header: Header | null, { dropped }: MappingFindings): void {
    for (const field of ['list_price', 'gtin'] as const) {
      const isMapped =
        this.map.fields[field] !== undefined && (header?.states.includes(field) ?? field === 'list_price');
      if (!isMapped || this.context.patch === true || dropped.includes(field)) continue;
      value[field] ??= null;
    }
  }

  #checkPrices(value: Record<string, unknown>, row: FeedRow, findings: MappingFindings): void {
    for (const [field, reason] of checkPrices(value, this.context)) this.#refuse(field, reason, findings);
    const { price: rule } = this.map.fields;
    if (value['price'] !== undefined || rule === undefined || this.#context.strict === true) return;
    const states = ruleColumns(rule).some((column) => statesNoPrice(row.text(column) ?? ''));
    if (!states || findings.reasons.some((reason) => reason.startsWith('price:'))) return;
    findings.dropped.push('price');
    // In a patch, null removes the stored price, which an absent price keeps.
    value['price'] = null;
  }

  /** Refuses a price that is only a part of what the product costs. */
  #checkPartial(value: Record<string, unknown>, row: FeedRow, findings: MappingFindings): void {
    if (this.map.partial === undefined) return;
    const reason = partialReason(this.map.partial, row, textOf(value['price']));
    if (reason !== undefined) this.#refuse('price', reason, findings);
  }

  #readDelivery(value: Record<string, unknown>, row: FeedRow, findings: MappingFindings): void {
    const { delivery } = this.map;
    if (delivery === undefined) return;
    const currency = textOf(value['currency']) ?? this.context.currency ?? null;
    const read = () => readDelivery(delivery, row, { ...this.#context, currency });
    const found = this.#found('delivery', findings, read);
    if (found !== undefined) value['delivery'] = found;
  }

  /** The cells of a row, in which the values of its parent row replace blank cells. */
  #inherited(cells: Cells, row: FeedRow, header: Header | null): Cells {
    const { inherit } = this.map;
    if (inherit === undefined) return cells;
    const parentKey = fillTemplate(inherit.parent, row);
    const parent = parentKey === undefined ? undefined : this.#parents.get(parentKey);
    if (parent !== undefined) {
      const { always = [] } = inherit;
      const missing = Object.entries(parent).filter(
        ([name]) => always.includes(name) || row.get(name) === undefined,
      );
      return missing.length === 0 ? cells : { ...cells, ...Object.fromEntries(missing) };
    }
    const names = [inherit.row].flat().flatMap((template) => fillTemplate(template, row) ?? []);
    const columns = [...(header?.inherited ?? inherit.columns), ...(inherit.always ?? [])];
    const kept = columns.flatMap((column) => {
      const value = row.get(column);
      return value === undefined ? [] : [[column, value] as const];
    });
    for (const name of names) this.#parents.set(name, Object.fromEntries(kept));
    for (const oldest of this.#parents.keys()) {
      if (this.#parents.size <= MAX_PARENTS) break;
      this.#parents.delete(oldest);
    }
    return cells;
  }

  #headerOf(names: readonly string[]): Header {
    const header = this.#headers.get(names) ?? headerOf(names, this.map, this.context);
    this.#headers.set(names, header);
    return header;
  }
}

type Cells = Record<string, unknown>;

/** Returns what a function reads, or the error if the value cannot be read. */
function attempt(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnreadableValue) return error;
    throw error;
  }
}

/** Converts a currency that is stated by its mark to its code, as in `priceCurrency: "€"`. */
const withCode = (value: unknown, { strict, currency }: RuleContext): unknown =>
  strict !== true && typeof value === 'string' ? codeOfMark(value, currency) : value;

const detailsOf = (details: FeedMap['details'], row: FeedRow): [string, string | string[]][] =>
  [details ?? []]
    .flat()
    .flatMap((one) =>
      Object.entries(
        typeof one === 'string' ? readDetails(row.get(one)) : readDetails(row.get(one.from), one),
      ),
    );
