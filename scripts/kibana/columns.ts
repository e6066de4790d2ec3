/** Columns of a Lens panel, in the form in which Kibana 9 saves them (`datasourceStates.formBased`). */

/** One saved column. `formula` and `math` are computed by Kibana from other columns; all else is asked of Elasticsearch. */
export interface LensColumn {
  operationType:
    | 'terms'
    | 'filters'
    | 'range'
    | 'date_histogram'
    | 'count'
    | 'unique_count'
    | 'sum'
    | 'min'
    | 'max'
    | 'median'
    | 'percentile'
    | 'math'
    | 'formula';
  label: string;
  customLabel: true;
  dataType: 'string' | 'number' | 'boolean' | 'date';
  isBucketed: boolean;
  scale: 'ordinal' | 'interval' | 'ratio';
  sourceField?: string;
  /** KQL: a metric of these documents alone. */
  filter?: Kql;
  references?: string[];
  params: Record<string, unknown>;
}

export interface Kql {
  query: string;
  language: 'kuery';
}

/** What a panel calls its columns, and how it makes them: a formula is several saved columns. */
export type ColumnMaker = (id: string) => Record<string, LensColumn>;

export const kql = (query: string): Kql => ({ query, language: 'kuery' });

const bucketed = (
  dataType: LensColumn['dataType'],
  scale: LensColumn['scale'],
  label: string,
): Pick<LensColumn, 'label' | 'customLabel' | 'dataType' | 'isBucketed' | 'scale'> => ({
  label,
  customLabel: true,
  dataType,
  isBucketed: true,
  scale,
});

/**
 * The most frequent values of a field, or those with the highest `by`.
 * @param by id of the metric column that orders them.
 */
export function terms(
  label: string,
  field: string,
  { size, by, order = 'desc' }: { size: number; by: string; order?: 'asc' | 'desc' },
): ColumnMaker {
  return (id) => ({
    [id]: {
      ...bucketed('string', 'ordinal', label),
      operationType: 'terms',
      sourceField: field,
      params: {
        size,
        orderBy: { type: 'column', columnId: by },
        orderDirection: order,
        otherBucket: false,
        missingBucket: false,
        parentFormat: { id: 'terms' },
        include: [],
        exclude: [],
        includeIsRegex: false,
        excludeIsRegex: false,
      },
    },
  });
}

/** A slice for each KQL query, by its label. */
export function filters(label: string, slices: Record<string, string>): ColumnMaker {
  return (id) => ({
    [id]: {
      ...bucketed('string', 'ordinal', label),
      operationType: 'filters',
      params: {
        filters: Object.entries(slices).map(([slice, query]) => ({ label: slice, input: kql(query) })),
      },
    },
  });
}

/** Intervals of a number, by their labels; `to` is outside, null is without end. */
export function intervals(
  label: string,
  field: string,
  ranges: { from: number; to: number | null; label: string }[],
): ColumnMaker {
  return (id) => ({
    [id]: {
      ...bucketed('string', 'ordinal', label),
      operationType: 'range',
      sourceField: field,
      params: {
        type: 'range',
        ranges,
        maxBars: 'auto',
        parentFormat: { id: 'range', params: { template: 'arrow_right', replaceInfinity: true } },
      },
    },
  });
}

/** Time, in steps that fit the dashboard's time range or as stated. The time range applies to `field`. */
export function overTime(label: string, field: string, interval: 'auto' | '1d' = 'auto'): ColumnMaker {
  return (id) => ({
    [id]: {
      ...bucketed('date', 'interval', label),
      operationType: 'date_histogram',
      sourceField: field,
      params: { interval, includeEmptyRows: true, dropPartials: false },
    },
  });
}

/** How a number is shown; durations take their format from the data view. */
export const FORMATS = {
  whole: { id: 'number', params: { decimals: 0 } },
  money: { id: 'number', params: { decimals: 2 } },
  percent: { id: 'percent', params: { decimals: 1 } },
} as const;
type Format = keyof typeof FORMATS;

/** A number that Elasticsearch computes. */
export interface Metric {
  operation: 'count' | 'unique_count' | 'sum' | 'min' | 'max' | 'median' | 'percentile';
  field: string;
  percentile?: number;
  where?: string;
}

/** Lens's name for the documents themselves. */
export const RECORDS = '___records___';

export const count = (where?: string): Metric => ({ operation: 'count', field: RECORDS, ...only(where) });
export const distinct = (field: string, where?: string): Metric => ({
  operation: 'unique_count',
  field,
  ...only(where),
});
export const sum = (field: string, where?: string): Metric => ({ operation: 'sum', field, ...only(where) });
export const min = (field: string): Metric => ({ operation: 'min', field });
export const max = (field: string): Metric => ({ operation: 'max', field });
export const median = (field: string): Metric => ({ operation: 'median', field });
/** @param rank 0 to 100. */
export const percentile = (field: string, rank: number): Metric => ({
  operation: 'percentile',
  field,
  percentile: rank,
});

const only = (where?: string) => (where === undefined ? {} : { where });

/** A column of one number; without a format, the data view's for that field. */
export function metric(label: string, of: Metric, format?: Format): ColumnMaker {
  return (id) => ({ [id]: metricColumn(label, of, format === undefined ? {} : { format: FORMATS[format] }) });
}

function metricColumn(
  label: string,
  { operation, field, percentile: rank, where }: Metric,
  params: Record<string, unknown> = {},
): LensColumn {
  return {
    label,
    customLabel: true,
    dataType: 'number',
    isBucketed: false,
    scale: 'ratio',
    operationType: operation,
    sourceField: field,
    ...(where === undefined ? {} : { filter: kql(where) }),
    params: {
      ...params,
      ...(rank === undefined ? {} : { percentile: rank }),
      ...(operation === 'sum' || operation === 'unique_count' ? { emptyAsNull: true } : {}),
    },
  };
}

/**
 * One number divided by another or by a constant, as a Lens formula. Kibana keeps with a formula the columns it was
 * parsed into, and computes from those.
 */
export function ratio(label: string, of: Metric, by: Metric | number, format: Format): ColumnMaker {
  const formula = `${formulaOf(of)} / ${typeof by === 'number' ? by : formulaOf(by)}`;
  return (id) => {
    const part = (n: number) => `${id}X${n}`;
    const parts = typeof by === 'number' ? [of] : [of, by];
    const ids = parts.map((_, n) => part(n));
    const quotient = part(parts.length);
    const computed = { customLabel: true, dataType: 'number', isBucketed: false, scale: 'ratio' } as const;
    return {
      ...Object.fromEntries(parts.map((of, n) => [part(n), metricColumn(`Part of ${label}`, of)])),
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
        params: { formula, isFormulaBroken: false, format: FORMATS[format] },
      },
    };
  };
}

function formulaOf({ operation, field, percentile: rank, where }: Metric): string {
  const named = [
    ...(rank === undefined ? [] : [`percentile=${rank}`]),
    ...(where === undefined ? [] : [`kql='${where.replaceAll("'", "\\'")}'`]),
  ];
  return `${operation}(${[...(field === RECORDS ? [] : [field]), ...named].join(', ')})`;
}
