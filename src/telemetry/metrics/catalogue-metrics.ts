import type { Metric } from 'prom-client';
import type { CatalogueFigures } from '../../engine/catalogue-figures.js';
import { byLabel, counter, gauge, type Series } from './read-metrics.js';

export interface LoadFigures {
  source: string;
  failed?: boolean;
  /** The share of records that the last load rejected, from 0 to 1. */
  rejected?: number;
  /** The share of available listings that the last complete feed did not contain, from 0 to 1. */
  vanished?: number;
}

/** How far `npm run alerts` has got with checking alerts, and what it has done since its first run. */
export interface AlertFigures {
  active: number;
  /** All changes before this time are checked, in milliseconds since 1970; null: they never were. */
  checked_at: number | null;
  attempts: Record<string, number>;
}

/** Figures about a source that `npm run sync` loads. */
export interface SourceFigures {
  source: string;
  /** When the data of its last loaded feed was seen, in ms since 1970; 0 if no feed was loaded yet. */
  freshAt: number;
  /** The age from which its data is stale, in seconds; null if no age is expected. */
  expectedFreshnessS: number | null;
  /** The number of columns that the feed of its last run lacked or had in addition to those of the feed before. */
  columnsChanged: number;
  /** By how much the last run changed the median price, in percent, whether it rose or fell; null if it is unknown. */
  priceChange: number | null;
  /** The guard that stopped the last run; null if none did. */
  refusedBy: string | null;
}

/** How far the updates of what depends on loaded listings are. */
export interface FollowUpFigures {
  /** When the last full pass ended, in ms since 1970; 0: there was none. */
  fullPassAt: number;
  /** How long the oldest loaded listings have waited for their update, in ms; 0: none wait. */
  waitingMs: number;
}

export interface CatalogueReaders {
  figures(): Promise<CatalogueFigures>;
  loads(): Promise<readonly LoadFigures[]>;
  configuredSources(): Promise<readonly SourceFigures[]>;
  alerts(): Promise<AlertFigures>;
  followUp(): Promise<FollowUpFigures>;
  /** When the last complete backup began, in ms since 1970; 0: there was none. */
  backup(): Promise<number>;
  /** The indices that Elasticsearch has made read-only, because a disk is full. */
  readOnlyIndices(): Promise<readonly string[]>;
}

/** The metrics of the catalogue, its loads, sources and alerts. All processes read the same values. */
export const catalogueMetrics = (readers: CatalogueReaders): Metric[] => [
  gauge('catalog_last_load_timestamp_seconds', {
    help: 'Last successful load, for the 200 sources with the most listings',
    labelNames: ['source'],
    read: async () => [...(await readers.figures()).lastLoads].map(([source, at]) => [at / 1e3, { source }]),
  }),
  gauge('catalog_currencies', {
    help: 'Currencies of the listed prices',
    labelNames: ['of'],
    read: async () => byLabel('of', { prices: (await readers.figures()).currencies }),
  }),

  gaugeBySource(readers.loads, {
    name: 'catalog_load_failed',
    help: '1 if the last load was incomplete: it stopped before the end of its feed',
    value: ({ failed }) => (failed === undefined ? null : Number(failed)),
  }),
  gaugeBySource(readers.loads, {
    name: 'catalog_load_rejected_ratio',
    help: 'Share of records that the last load rejected',
    value: ({ rejected }) => rejected,
  }),
  gaugeBySource(readers.loads, {
    name: 'catalog_load_vanished_ratio',
    help: 'Share of available listings that the last complete feed lacked',
    value: ({ vanished }) => vanished,
  }),

  gaugeBySource(readers.configuredSources, {
    name: 'catalog_source_data_timestamp_seconds',
    help: 'Time of the data of the last loaded feed; 0 if none was loaded yet',
    value: ({ freshAt }) => freshAt / 1e3,
  }),
  gaugeBySource(readers.configuredSources, {
    name: 'catalog_source_expected_freshness_seconds',
    help: 'Age from which the data is stale, as the source file states',
    value: ({ expectedFreshnessS }) => expectedFreshnessS,
  }),
  gaugeBySource(readers.configuredSources, {
    name: 'catalog_source_columns_changed',
    help: 'Missing and new columns in the last feed',
    value: ({ columnsChanged }) => columnsChanged,
  }),
  gaugeBySource(readers.configuredSources, {
    name: 'catalog_source_price_change_ratio',
    help: 'Change of the median price in the last run',
    value: ({ priceChange }) => (priceChange === null ? null : priceChange / 100),
  }),
  gauge('catalog_source_refused', {
    help: '1 if a guard (rule) stopped the last run',
    labelNames: ['source', 'rule'],
    read: async () =>
      (await readers.configuredSources()).flatMap(({ source, refusedBy: rule }): Series =>
        rule === null ? [] : [[1, { source, rule }]],
      ),
  }),

  gauge('catalog_alerts_checked_timestamp_seconds', {
    help: 'Time up to which changes are checked for alerts',
    read: async () => {
      const { checked_at: at } = await readers.alerts();
      return at === null ? null : at / 1e3;
    },
  }),
  gauge('catalog_alerts_active', {
    help: 'Active alerts, which are neither paused nor deleted',
    read: async () => (await readers.alerts()).active,
  }),
  counter('catalog_webhook_attempts_total', {
    aggregator: 'max',
    help: 'Attempts to send events of alerts, by outcome: delivered, failed (sent again), given_up',
    labelNames: ['outcome'],
    read: async () => byLabel('outcome', (await readers.alerts()).attempts),
  }),

  gauge('catalog_follow_up_age_seconds', {
    help: 'Age of the oldest load without follow-up; 0 if there is none',
    read: async () => (await readers.followUp()).waitingMs / 1e3,
  }),
  gauge('catalog_full_pass_timestamp_seconds', {
    help: 'Last update of all flags and suggestions; 0 if never',
    read: async () => (await readers.followUp()).fullPassAt / 1e3,
  }),

  gauge('catalog_backup_timestamp_seconds', {
    help: 'Last complete backup; 0 if there is none',
    read: async () => (await readers.backup()) / 1e3,
  }),
  gauge('catalog_engine_read_only_indices', {
    help: 'Indices that are read-only because a disk is full',
    read: async () => (await readers.readOnlyIndices()).length,
  }),
];

/** A gauge of each source; it has no series for a source whose value is unknown. */
const gaugeBySource = <T extends { source: string }>(
  read: () => Promise<readonly T[]>,
  { name, help, value }: { name: string; help: string; value: (figures: T) => number | null | undefined },
): Metric =>
  gauge(name, {
    help,
    labelNames: ['source'],
    read: async () =>
      (await read()).flatMap((each): Series => {
        const figure = value(each) ?? null;
        return figure === null ? [] : [[figure, { source: each.source }]];
      }),
  });
