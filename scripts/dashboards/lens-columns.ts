/** Converts the columns of dashboard files to the form in which Kibana 9 saves the columns of Lens panels. */

export interface MetricSpec {
  metric: 'count' | 'unique_count' | 'sum' | 'min' | 'max' | 'median' | 'percentile';
  /** The field from which the metric is computed. Every metric except `count` needs one. */
  field?: string;
  percentile?: number;
  /** A KQL query that limits the metric of a panel to the matching documents. */
  where?: string;
}

/** A column with a number. Without a format, the data view determines how the number is displayed. */
export interface NumberSpec extends MetricSpec {
  label: string;
  /** Another metric, or a constant, by which the metric of a dashboard column is divided. */
  divided_by?: MetricSpec | number;
  /** Whether the number is a time, as the latest value of a date field is. */
  type?: 'date';
  /** The format of the number; by default that of the data view, or `whole` for counts and sums. */
  format?: keyof typeof FORMATS;
}

/** The share of a panel's documents, in percent, that match a KQL query. */
export type ShareSpec = { label: string; share: string };
/** The text that a keyword field has in the latest document by `@timestamp`. */
type LastSpec = { label: string; last: string };
/** The values of a field for which a metric is highest. `by` is the id of the column with the metric. */
type TermsSpec = { label: string; terms: string; size: number; by: string };
/** One bucket for each KQL query, by its label. */
type FiltersSpec = { label: string; filters: Record<string, string> };
/** Numeric ranges by their labels. Upper bounds are exclusive; null means unbounded. */
type RangesSpec = { label: string; ranges: string; steps: Record<string, [from: number, to: number | null]> };
/** Time intervals. Their length depends on the dashboard's time range unless `interval` is given. */
type TimeSpec = { label: string; time: string; interval?: '1d' };
type BucketSpec = TermsSpec | FiltersSpec | RangesSpec | TimeSpec;

export type ColumnSpec = NumberSpec | ShareSpec | LastSpec | BucketSpec;

export interface Kql {
  query: string;
  language: 'kuery';
}

type Computed = 'last_value' | 'terms' | 'filters' | 'range' | 'date_histogram' | 'math' | 'formula';

/** A column as Kibana saves it. Kibana computes `formula` and `math`; Elasticsearch computes the others. */
export interface LensColumn {
  operationType: MetricSpec['metric'] | Computed;
  label: string;
  customLabel: true;
  dataType: 'string' | 'number' | 'boolean' | 'date';
  isBucketed: boolean;
  scale: 'ordinal' | 'interval' | 'ratio';
  sourceField?: string;
  filter?: Kql;
  references?: string[];
  params: Record<string, unknown>;
}

const FORMATS = {
  whole: { id: 'number', params: { decimals: 0 } },
  money: { id: 'number', params: { decimals: 2 } },
  percent: { id: 'percent', params: { decimals: 1 } },
} as const;

const WHOLE: readonly MetricSpec['metric'][] = ['count', 'unique_count', 'sum'];

/** The field name that Kibana Lens uses to count documents. */
export const RECORDS = '___records___';

export const kql = (query: string): Kql => ({ query, language: 'kuery' });

/** Converts a column to the form of Kibana, which saves the parts of a division as columns as well. */
export function lensColumns(id: string, spec: ColumnSpec): Record<string, LensColumn> {
  if ('share' in spec) {
    const { label, share: where } = spec;
    return division(id, {
      label,
      metric: 'count',
      where,
      divided_by: { metric: 'count' },
      format: 'percent',
    });
  }
  if ('last' in spec) return { [id]: lastValue(spec) };
  if (!('metric' in spec)) return { [id]: bucket(spec) };
  if (spec.divided_by !== undefined) return division(id, spec);
  return { [id]: metric(WHOLE.includes(spec.metric) ? { format: 'whole', ...spec } : spec) };
}

const lastValue = ({ label, last }: LastSpec): LensColumn => ({
  label,
  customLabel: true,
  dataType: 'string',
  isBucketed: false,
  scale: 'ordinal',
  operationType: 'last_value',
  sourceField: last,
  // With `showArrayValues`, Kibana uses an aggregation that every distribution of Elasticsearch has.
  params: { sortField: '@timestamp', showArrayValues: true },
});

function bucket(spec: BucketSpec): LensColumn {
  const labelled = { label: spec.label, customLabel: true } as const;
  const ordinal = { ...labelled, dataType: 'string', isBucketed: true, scale: 'ordinal' } as const;
  if ('terms' in spec)
    return {
      ...ordinal,
      operationType: 'terms',
      sourceField: spec.terms,
      params: {
        size: spec.size,
        orderBy: { type: 'column', columnId: spec.by },
        orderDirection: 'desc',
        otherBucket: false,
        missingBucket: false,
        parentFormat: { id: 'terms' },
        include: [],
        exclude: [],
        includeIsRegex: false,
        excludeIsRegex: false,
      },
    };
  if ('filters' in spec) {
    const filters = Object.entries(spec.filters).map(([name, query]) => ({ label: name, input: kql(query) }));
    return { ...ordinal, operationType: 'filters', params: { filters } };
  }
  if ('ranges' in spec)
    return {
      ...ordinal,
      operationType: 'range',
      sourceField: spec.ranges,
      params: {
        type: 'range',
        ranges: Object.entries(spec.steps).map(([name, [from, to]]) => ({ from, to, label: name })),
        maxBars: 'auto',
        parentFormat: { id: 'range', params: { template: 'arrow_right', replaceInfinity: true } },
      },
    };
  return {
    ...labelled,
    dataType: 'date',
    isBucketed: true,
    scale: 'interval',
    operationType: 'date_histogram',
    sourceField: spec.time,
    params: { interval: spec.interval ?? 'auto', includeEmptyRows: true, dropPartials: false },
  };
}

function metric({ label, metric: operation, field, percentile, ...spec }: NumberSpec): LensColumn {
  const { where, type, format } = spec;
  return {
    label,
    customLabel: true,
    dataType: type ?? 'number',
    isBucketed: false,
    scale: 'ratio',
    operationType: operation,
    sourceField: field ?? RECORDS,
    ...(where === undefined ? {} : { filter: kql(where) }),
    params: {
      ...(format === undefined ? {} : { format: FORMATS[format] }),
      ...(percentile === undefined ? {} : { percentile }),
      ...(operation === 'sum' || operation === 'unique_count' ? { emptyAsNull: true } : {}),
    },
  };
}

function division(id: string, { label, divided_by: by = 1, format, ...dividend }: NumberSpec) {
  const formula = `${formulaOf(dividend)} / ${typeof by === 'number' ? by : formulaOf(by)}`;
  const part = (n: number) => `${id}X${n}`;
  const parts = typeof by === 'number' ? [dividend] : [dividend, by];
  const ids = parts.map((_, n) => part(n));
  const quotient = part(parts.length);
  const computed = { customLabel: true, dataType: 'number', isBucketed: false, scale: 'ratio' } as const;
  const columns: Record<string, LensColumn> = {
    ...Object.fromEntries(parts.map((of, n) => [part(n), metric({ ...of, label: `Part of ${label}` })])),
    [quotient]: {
      ...computed,
      label: `Part of ${label}`,
      operationType: 'math',
      references: ids,
      params: {
        tinymathAst: {
          type: 'function',
          name: 'divide',
          args: typeof by === 'number' ? [part(0), by] : ids,
          location: { min: 0, max: formula.length },
          text: formula,
        },
      },
    },
    [id]: {
      ...computed,
      label,
      operationType: 'formula',
      references: [quotient],
      params: {
        formula,
        isFormulaBroken: false,
        ...(format === undefined ? {} : { format: FORMATS[format] }),
      },
    },
  };
  return columns;
}

function formulaOf({ metric: operation, field, percentile, where }: MetricSpec): string {
  const args = [
    ...(field === undefined ? [] : [field]),
    ...(percentile === undefined ? [] : [`percentile=${percentile}`]),
    ...(where === undefined ? [] : [`kql='${where.replaceAll("'", "\\'")}'`]),
  ];
  return `${operation}(${args.join(', ')})`;
}
