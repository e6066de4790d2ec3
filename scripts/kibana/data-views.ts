import { productsAlias } from '../../src/engine/indices.js';

/** What the dashboards look at. */
export interface DataView {
  /** Also its id, so that two prefixes do not meet in one Kibana. */
  id: string;
  /** Index pattern. */
  title: string;
  /** What people see. */
  name: string;
  /** null: the dashboard's time range does not apply, as the catalogue is what it is now. */
  timeField: string | null;
  /** Fields whose values are durations in nanoseconds. */
  durations: string[];
}

export type DataViewName = 'products' | 'requests' | 'loads' | 'audit';

/** The data views of a catalogue with this index prefix. */
export function dataViews(indexPrefix: string): Record<DataViewName, DataView> {
  const events = (name: 'requests' | 'loads' | 'audit') => ({
    id: `${indexPrefix}-${name}`,
    // A data stream or the dated indices that stand in for it.
    title: `${indexPrefix}-${name}*`,
    timeField: '@timestamp',
  });
  return {
    products: {
      id: productsAlias(indexPrefix),
      title: productsAlias(indexPrefix),
      name: `Listings (${indexPrefix})`,
      timeField: null,
      durations: [],
    },
    requests: {
      ...events('requests'),
      name: `Requests (${indexPrefix})`,
      durations: ['event.duration', 'catalog.engine.duration', 'catalog.redis.duration'],
    },
    loads: { ...events('loads'), name: `Loads (${indexPrefix})`, durations: ['event.duration'] },
    audit: { ...events('audit'), name: `Keys (${indexPrefix})`, durations: [] },
  };
}

const DURATION_FORMAT = {
  id: 'duration',
  params: {
    inputFormat: 'nanoseconds',
    outputFormat: 'asMilliseconds',
    outputPrecision: 1,
    showSuffix: true,
    useShortSuffix: true,
  },
};

export function dataViewAttributes({ title, name, timeField, durations }: DataView) {
  return {
    title,
    name,
    ...(timeField === null ? {} : { timeFieldName: timeField }),
    fields: '[]',
    fieldAttrs: '{}',
    fieldFormatMap: JSON.stringify(Object.fromEntries(durations.map((field) => [field, DURATION_FORMAT]))),
    runtimeFieldMap: '{}',
    sourceFilters: '[]',
    typeMeta: '{}',
  };
}
