import { productsAlias } from '../../src/engine/indices.js';

export interface DataView {
  /** The id contains the index prefix, so that several catalogues can share one Kibana. */
  id: string;
  title: string;
  name: string;
  /** The field of the time range; null for the product index, which has only the present state. */
  timeField: string | null;
  /** The fields of a Kibana data view that contain durations in nanoseconds. */
  durations: string[];
}

export type DataViewName = 'products' | 'requests' | 'loads' | 'audit';

export function dataViews(indexPrefix: string): Record<DataViewName, DataView> {
  const events = (name: 'requests' | 'loads' | 'audit') => ({
    id: `${indexPrefix}-${name}`,
    // Matches a data stream and the dated indices that replace it without the privilege for data streams.
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
