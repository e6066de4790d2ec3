import { productsAlias } from '../../src/engine/indices.js';

/** A Kibana data view of the catalogue: a named index pattern that dashboards use. */
export interface DataView {
  /**
   * The id of the data view. It contains the index prefix, so that several catalogues can share one Kibana.
   */
  id: string;
  /** The index pattern of the data view. */
  title: string;
  /** The name of the data view that Kibana displays. */
  name: string;
  /**
   * The field to which the time range of a dashboard applies; null for the product index, which contains
   * only the present state.
   */
  timeField: string | null;
  /** The fields of a Kibana data view that contain durations in nanoseconds. */
  durations: string[];
}

export type DataViewName = 'products' | 'requests' | 'loads' | 'audit';

/** Returns the data views of a catalogue with this index prefix. */
export function dataViews(indexPrefix: string): Record<DataViewName, DataView> {
  const events = (name: 'requests' | 'loads' | 'audit') => ({
    id: `${indexPrefix}-${name}`,
    // The pattern matches a data stream, and the dated indices that are used instead without the privilege
    // for data streams.
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
