import type { estypes } from '@elastic/elasticsearch';
import { type Kql, type LensColumn, RECORDS } from '../../../scripts/dashboards/lens-columns.js';
import { parseKql, type Parsed } from './kql.js';

/** The layer of a Lens panel in a saved object of Kibana. */
export interface Layer {
  columns: Record<string, LensColumn>;
  columnOrder: string[];
}

/** The request that Kibana would send for a panel. */
export interface PanelSearch {
  search: { size: 0; query: estypes.QueryDslQueryContainer; aggs: Aggs };
  /** How the request uses each field. */
  uses: { field: string; as: LensColumn['operationType'] | Parsed['uses'][number]['as']; value?: string }[];
}

/** A row of the table in a panel: the keys, numbers and last values of a bucket, by column. */
export interface PanelRow {
  keys: Record<string, string>;
  values: Record<string, number | null>;
  last: Record<string, string | null>;
}

type Aggs = Record<string, estypes.AggregationsAggregationContainer>;
type Query = (kql: string) => estypes.QueryDslQueryContainer;

interface Column extends LensColumn {
  id: string;
}

/** The types of the columns that Kibana computes itself. */
const COMPUTED = ['math', 'formula'];
/** An interval that Kibana may choose for `auto`. */
const SOME_INTERVAL = '3h';

/**
 * Returns the request that Kibana would send for a panel. The time range applies to the fields of date
 * histograms, or else to the time field of the data view. @throws Error for unknown features.
 */
export function searchOf(
  layer: Layer,
  where: Kql,
  time: { field: string | null; from: string },
): PanelSearch {
  const { buckets, metrics } = columnsOf(layer);
  const uses: PanelSearch['uses'] = [...buckets, ...metrics].flatMap(({ sourceField, operationType }) =>
    sourceField === undefined || sourceField === RECORDS ? [] : [{ field: sourceField, as: operationType }],
  );
  const query: Query = (kql) => {
    const parsed = parseKql(kql);
    uses.push(...parsed.uses);
    return parsed.query;
  };
  const histograms = buckets.filter(({ operationType }) => operationType === 'date_histogram');
  const timeFields = histograms.length > 0 ? histograms.map(({ sourceField }) => sourceField) : [time.field];
  const ranges = timeFields.flatMap((field) =>
    typeof field === 'string' ? [{ range: { [field]: { gte: time.from, lte: 'now' } } }] : [],
  );
  return {
    search: {
      size: 0,
      query: { bool: { filter: [query(where.query), ...ranges] } },
      aggs: nested(buckets, metrics, query),
    },
    uses,
  };
}

function columnsOf({ columns, columnOrder }: Layer): Record<'buckets' | 'metrics', Column[]> {
  const asked = columnOrder.flatMap((id) => {
    const column = columns[id];
    if (column === undefined) throw new Error(`no column ${id}`);
    return COMPUTED.includes(column.operationType) ? [] : [{ id, ...column }];
  });
  return {
    buckets: asked.filter(({ isBucketed }) => isBucketed),
    metrics: asked.filter(({ isBucketed }) => !isBucketed),
  };
}

/**
 * Nests each bucket aggregation in the previous one. Each contains all metrics, because it may be sorted by
 * them.
 */
function nested([outer, ...inner]: Column[], metrics: Column[], query: Query): Aggs {
  const numbers = Object.fromEntries(metrics.flatMap((column) => metricAgg(column, query)));
  if (outer === undefined) return numbers;
  return {
    ...numbers,
    [outer.id]: { ...bucketAgg(outer, metrics, query), aggs: nested(inner, metrics, query) },
  };
}

function bucketAgg(
  { operationType, sourceField: field = '', params }: Column,
  metrics: Column[],
  query: Query,
): estypes.AggregationsAggregationContainer {
  switch (operationType) {
    case 'terms': {
      const { size, orderBy, orderDirection } = params as {
        size: number;
        orderBy: { type: 'column'; columnId: string };
        orderDirection: 'asc' | 'desc';
      };
      const by = metrics.find(({ id }) => id === orderBy.columnId);
      if (by === undefined)
        throw new Error(`ordered by ${orderBy.columnId}, which is no number of the panel`);
      return { terms: { field, size, order: { [orderPath(by)]: orderDirection } } };
    }
    case 'filters': {
      const { filters } = params as { filters: { label: string; input: Kql }[] };
      return {
        filters: { filters: Object.fromEntries(filters.map((f) => [f.label, query(f.input.query)])) },
      };
    }
    case 'range': {
      const { type, ranges } = params as {
        type: string;
        ranges: { from: number; to: number | null; label: string }[];
      };
      if (type !== 'range') throw new Error(`intervals of type ${type}`);
      return {
        range: {
          field,
          ranges: ranges.map(({ from, to, label }) => ({ key: label, from, ...(to === null ? {} : { to }) })),
        },
      };
    }
    case 'date_histogram': {
      const { interval } = params as { interval: string };
      const step = interval === 'auto' ? { fixed_interval: SOME_INTERVAL } : { calendar_interval: interval };
      const histogram = { field, min_doc_count: 1, ...step };
      return { date_histogram: histogram as estypes.AggregationsDateHistogramAggregation };
    }
    default:
      throw new Error(`${operationType} makes no buckets`);
  }
}

function orderPath({ id, operationType, filter, params }: Column): string {
  if (filter !== undefined) throw new Error(`ordered by ${id}, which has a filter`);
  if (operationType === 'count') return '_count';
  if (operationType === 'median') return `${id}.50`;
  return operationType === 'percentile' ? `${id}.${String(params.percentile)}` : id;
}

/** Returns nothing for a count, which every bucket contains. */
function metricAgg(column: Column, query: Query): [string, estypes.AggregationsAggregationContainer][] {
  const { id, filter } = column;
  const agg = plainMetricAgg(column);
  if (filter === undefined) return agg === null ? [] : [[id, agg]];
  return [[id, { filter: query(filter.query), ...(agg === null ? {} : { aggs: { value: agg } }) }]];
}

function plainMetricAgg({
  operationType,
  sourceField: field = '',
  params,
}: Column): estypes.AggregationsAggregationContainer | null {
  switch (operationType) {
    case 'count':
      return null;
    case 'unique_count':
      return { cardinality: { field } };
    case 'sum':
      return { sum: { field } };
    case 'min':
      return { min: { field } };
    case 'max':
      return { max: { field } };
    case 'median':
      return { percentiles: { field, percents: [50], keyed: false } };
    case 'percentile':
      return { percentiles: { field, percents: [params.percentile as number], keyed: false } };
    case 'last_value':
      if (params.showArrayValues !== true) throw new Error('last values by top_metrics');
      return {
        top_hits: { size: 1, sort: { [String(params.sortField)]: 'desc' }, fields: [field], _source: false },
      };
    default:
      throw new Error(`${operationType} is no number`);
  }
}

/** Returns a row for each innermost bucket that contains a document. */
export function rowsOf(
  layer: Layer,
  answer: { hits: { total: { value: number } }; aggregations?: any },
): PanelRow[] {
  const { buckets, metrics } = columnsOf(layer);
  const whole = { ...answer.aggregations, doc_count: answer.hits.total.value };
  return rowsIn(whole, buckets, {}).map(({ bucket, keys }) => {
    const isLast = ({ operationType }: Column) => operationType === 'last_value';
    const numbers = metrics.filter((column) => !isLast(column));
    const values = Object.fromEntries(numbers.map((column) => [column.id, numberIn(bucket, column)]));
    const last = Object.fromEntries(
      metrics.filter(isLast).map((column) => [column.id, lastIn(bucket, column)]),
    );
    for (const id of layer.columnOrder) {
      const column = layer.columns[id];
      if (column !== undefined && COMPUTED.includes(column.operationType))
        values[id] = compute(layer, id, values);
    }
    return { keys, values, last };
  });
}

function rowsIn(
  bucket: any,
  [outer, ...inner]: Column[],
  keys: Record<string, string>,
): { bucket: any; keys: Record<string, string> }[] {
  if (bucket.doc_count === 0) return [];
  if (outer === undefined) return [{ bucket, keys }];
  const { buckets } = bucket[outer.id];
  const entries: [string, any][] = Array.isArray(buckets)
    ? buckets.map((each: any) => [String(each.key), each])
    : Object.entries(buckets);
  return entries.flatMap(([key, each]) => rowsIn(each, inner, { ...keys, [outer.id]: key }));
}

function numberIn(bucket: any, { id, operationType, filter }: Column): number | null {
  const holder = filter === undefined ? bucket : bucket[id];
  if (operationType === 'count') return holder.doc_count;
  const agg = filter === undefined ? bucket[id] : bucket[id].value;
  return operationType === 'median' || operationType === 'percentile' ? agg.values[0].value : agg.value;
}

const lastIn = (bucket: any, { id, sourceField = '' }: Column): string | null =>
  bucket[id].hits.hits[0]?.fields?.[sourceField]?.[0] ?? null;

/** Computes the formula of a column from its `math` column. */
function compute({ columns }: Layer, id: string, values: Record<string, number | null>): number | null {
  const column = columns[id];
  const known = (reference: string): number | null => {
    const value = values[reference];
    if (value === undefined) throw new Error(`${id} refers to ${reference}, which is not computed before it`);
    return value;
  };
  if (column?.operationType === 'formula') return known(column.references?.[0] ?? '');
  const ast = column?.params.tinymathAst as { name: string; args: (string | number)[] };
  const operands = ast.args.map((arg) => {
    if (typeof arg === 'number') return arg;
    if (column?.references?.includes(arg) !== true) throw new Error(`${id} does not refer to ${arg}`);
    return known(arg);
  });
  const [a, b] = operands;
  if (ast.name !== 'divide' || operands.length !== 2) throw new Error(`math that is not known: ${ast.name}`);
  return a === null || b === null || a === undefined || b === undefined ? null : a / b;
}
