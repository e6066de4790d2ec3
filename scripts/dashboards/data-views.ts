import { productsAlias } from '../../src/engine/indices.js';

/** A Kibana data view. */
export interface DataView {
  /** It contains the index prefix, so that several catalogues can share one Kibana. */
  id: string;
  /** The index pattern. */
  title: string;
  /** The name that Kibana displays. */
  name: string;
  /** The field to which the dashboard's time range applies; null for the catalogue, which has only its present state. */
  timeField: string | null;
  /** Fields that contain durations in nanoseconds. */
  durations: string[];
}

export type DataViewName = 'products' | 'requests' | 'loads' | 'audit';

/** The data views of a catalogue with this index prefix. */
export function dataViews(indexPrefix: string): Record<DataViewName, DataView> {
  const events = (name: 'requests' | 'loads' | 'audit') => ({
    id: `${indexPrefix}-${name}`,
    // Matches a data stream, and the dated indices that replace it without the data stream privilege.
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
