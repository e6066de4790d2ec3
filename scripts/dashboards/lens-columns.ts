import { parse } from 'yaml';
import { shippedText } from '../../src/platform/shipped-files.js';

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
  format?: 'whole' | 'money' | 'percent';
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
  dataType: 'string' | 'number' | 'boolean' | 'date';
  isBucketed: boolean;
  sourceField?: string;
  filter?: Kql;
  references?: string[];
  params: Record<string, unknown>;
}

type Part = Record<string, unknown>;

/** The parts of saved objects that do not depend on a panel. */
export const LENS = parse(shippedText('scripts/dashboards/lens.yaml')) as {
  columns: Record<'last' | 'terms' | 'filters' | 'ranges' | 'time' | 'metric' | 'computed', Part>;
  formats: Record<'whole' | 'money' | 'percent', Part>;
  visualizations: Record<'number' | 'table' | 'chart', Part>;
  data_view: Part;
  duration: Part;
  dashboard_options: Part;
};

const WHOLE: readonly MetricSpec['metric'][] = ['count', 'unique_count', 'sum'];

/** The field name that Kibana Lens uses to count documents. */
export const RECORDS = '___records___';

export const kql = (query: string): Kql => ({ query, language: 'kuery' });

/** A column of a kind of lens.yaml. Parameters that are undefined are left out. */
function columnOf(kind: keyof typeof LENS.columns, { params, ...column }: Partial<LensColumn>): LensColumn {
  const { params: fixed, ...saved } = LENS.columns[kind];
  return { ...saved, ...column, params: { ...(fixed as Part), ...params } } as LensColumn;
}

/** Converts a column to the form of Kibana, which saves the parts of a division as columns as well. */
export function lensColumns(id: string, spec: ColumnSpec): Record<string, LensColumn> {
  if ('share' in spec) {
    const { label, share: where } = spec;
    const whole = { metric: 'count' } as const;
    return division(id, { ...whole, label, where, divided_by: whole, format: 'percent' });
  }
  if ('metric' in spec) {
    if (spec.divided_by !== undefined) return division(id, spec);
    return { [id]: metric(WHOLE.includes(spec.metric) ? { format: 'whole', ...spec } : spec) };
  }
  return {
    [id]: 'last' in spec ? columnOf('last', { label: spec.label, sourceField: spec.last }) : bucket(spec),
  };
}

function bucket(spec: BucketSpec): LensColumn {
  const { label } = spec;
  if ('terms' in spec) {
    const params = { size: spec.size, orderBy: { type: 'column', columnId: spec.by } };
    return columnOf('terms', { label, sourceField: spec.terms, params });
  }
  if ('filters' in spec) {
    const filters = Object.entries(spec.filters).map(([name, query]) => ({ label: name, input: kql(query) }));
    return columnOf('filters', { label, params: { filters } });
  }
  if ('ranges' in spec) {
    const ranges = Object.entries(spec.steps).map(([name, [from, to]]) => ({ from, to, label: name }));
    return columnOf('ranges', { label, sourceField: spec.ranges, params: { ranges } });
  }
  return columnOf('time', { label, sourceField: spec.time, params: { interval: spec.interval ?? 'auto' } });
}

const metric = ({ label, metric, field, percentile, where, type, format }: NumberSpec): LensColumn =>
  columnOf('metric', {
    label,
    dataType: type ?? 'number',
    operationType: metric,
    sourceField: field ?? RECORDS,
    ...(where === undefined ? {} : { filter: kql(where) }),
    params: {
      format: format && LENS.formats[format],
      percentile,
      emptyAsNull: metric === 'sum' || metric === 'unique_count' || undefined,
    },
  });

function division(id: string, { label, divided_by: by = 1, format, ...dividend }: NumberSpec) {
  const formula = `${formulaOf(dividend)} / ${typeof by === 'number' ? by : formulaOf(by)}`;
  const parts = typeof by === 'number' ? [dividend] : [dividend, by];
  const ids = parts.map((_, n) => `${id}X${n}`);
  const quotient = `${id}X${parts.length}`;
  const partLabel = `Part of ${label}`;
  const tinymathAst = {
    type: 'function',
    name: 'divide',
    args: typeof by === 'number' ? [ids[0], by] : ids,
    location: { min: 0, max: formula.length },
    text: formula,
  };
  const computed = (operationType: 'math' | 'formula', column: Partial<LensColumn>): LensColumn =>
    columnOf('computed', { operationType, ...column });
  const columns: Record<string, LensColumn> = {
    ...Object.fromEntries(parts.map((of, n) => [ids[n], metric({ ...of, label: partLabel })])),
    [quotient]: computed('math', { label: partLabel, references: ids, params: { tinymathAst } }),
    [id]: computed('formula', {
      label,
      references: [quotient],
      params: { formula, isFormulaBroken: false, format: format && LENS.formats[format] },
    }),
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
