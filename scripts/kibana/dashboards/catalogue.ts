import { toUnits } from '../../../src/listing/price.js';
import { count, filters, max, median, metric, min, overTime, ratio, sum, terms } from '../columns.js';
import type { Dashboard } from '../dashboard.js';
import { chart, number, table } from '../panels.js';

/** `internal.price_units` to one unit of the currency. */
export const UNITS = toUnits('1.00');

const listings = { dataView: 'products' } as const;
const loads = { dataView: 'loads' } as const;

export const catalogue: Dashboard = {
  name: 'catalogue',
  title: 'Catalogue',
  description:
    'What there is: listings by platform and category, their prices, stock, freshness and images, as of now; ' +
    'and what loads did with the feeds in the chosen time.',
  from: 'now-30d',
  rows: [
    {
      height: 6,
      panels: [
        number('Listings', listings, (label) => metric(label, count(), 'whole')),
        number('In stock', listings, (label) =>
          ratio(label, count('is_available: true'), count(), 'percent'),
        ),
        number('Checked in the last 24 hours', listings, (label) =>
          ratio(label, count('last_checked >= now-24h'), count(), 'percent'),
        ),
        number('With an image', listings, (label) =>
          ratio(label, count('internal.has_image: true'), count(), 'percent'),
        ),
      ],
    },
    {
      height: 14,
      panels: [
        chart('Listings by platform', 'bar_horizontal', listings, {
          x: terms('Platform', 'source', { size: 30, by: 'listings' }),
          listings: metric('Listings', count(), 'whole'),
        }),
        chart('Listings by category', 'bar_horizontal', listings, {
          x: terms('Category', 'category', { size: 30, by: 'listings' }),
          listings: metric('Listings', count(), 'whole'),
        }),
      ],
    },
    {
      height: 15,
      widths: [28, 20],
      panels: [
        table(
          'Price spread by category',
          {
            ...listings,
            where: 'internal.price_units: *',
            description:
              'The largest categories; each currency for itself, as prices in different ones do not compare.',
          },
          {
            category: terms('Category', 'category', { size: 50, by: 'listings' }),
            currency: terms('Currency', 'currency', { size: 5, by: 'listings' }),
            listings: metric('Priced listings', count(), 'whole'),
            lowest: ratio('Lowest', min('internal.price_units'), UNITS, 'money'),
            median: ratio('Median', median('internal.price_units'), UNITS, 'money'),
            highest: ratio('Highest', max('internal.price_units'), UNITS, 'money'),
          },
        ),
        chart('Stock by platform', 'bar_percentage_stacked', listings, {
          x: terms('Platform', 'source', { size: 30, by: 'listings' }),
          split: filters('Stock', {
            'In stock': 'is_available: true',
            'Out of stock': 'is_available: false',
            'Not stated': 'not is_available: *',
          }),
          listings: metric('Listings', count(), 'whole'),
        }),
      ],
    },
    {
      height: 13,
      panels: [
        chart('Freshness of the last check by platform', 'bar_percentage_stacked', listings, {
          x: terms('Platform', 'source', { size: 30, by: 'listings' }),
          split: filters('Last checked', {
            'Within a day': 'last_checked >= now-1d',
            '1 to 7 days ago': 'last_checked >= now-7d and last_checked < now-1d',
            '7 to 30 days ago': 'last_checked >= now-30d and last_checked < now-7d',
            'Longer ago': 'last_checked < now-30d',
            'Not stated': 'not last_checked: *',
          }),
          listings: metric('Listings', count(), 'whole'),
        }),
        chart(
          'Image coverage by platform',
          'bar_percentage_stacked',
          {
            ...listings,
            description:
              'Hashed: npm run images has seen the picture, so that comparisons can use it. A picture whose address ' +
              'changed counts as before until the next run.',
          },
          {
            x: terms('Platform', 'source', { size: 30, by: 'listings' }),
            split: filters('Image', {
              Hashed: 'internal.has_image: true and internal.image.hash: *',
              Failed: 'internal.has_image: true and internal.image.failure: *',
              'Not looked at yet':
                'internal.has_image: true and not (internal.image.hash: * or internal.image.failure: *)',
              'No image': 'internal.has_image: false',
            }),
            listings: metric('Listings', count(), 'whole'),
          },
        ),
      ],
    },
    {
      height: 13,
      panels: [
        chart(
          'Records loaded over time',
          'bar_stacked',
          { ...loads, where: 'event.action: load' },
          {
            x: overTime('Time of the load', '@timestamp'),
            created: metric('New', sum('catalog.load.new'), 'whole'),
            moved: metric('Price moved', sum('catalog.load.price_moved'), 'whole'),
            changed: metric('Changed', sum('catalog.load.changed'), 'whole'),
            unchanged: metric('Unchanged', sum('catalog.load.unchanged'), 'whole'),
            rejected: metric('Rejected', sum('catalog.load.rejected'), 'whole'),
          },
        ),
        table(
          'Why images failed',
          { ...listings, where: 'internal.image.failure: *' },
          {
            failure: terms('Reason', 'internal.image.failure', { size: 20, by: 'listings' }),
            platform: terms('Platform', 'source', { size: 5, by: 'listings' }),
            listings: metric('Listings', count(), 'whole'),
          },
        ),
      ],
    },
    {
      height: 13,
      panels: [
        chart(
          'Rejected records over time',
          'bar_stacked',
          { ...loads, where: 'event.action: rejection' },
          {
            x: overTime('Time of the load', '@timestamp'),
            split: terms('Reason', 'catalog.load.reason', { size: 8, by: 'records' }),
            records: metric('Records', sum('catalog.load.count'), 'whole'),
          },
        ),
        table(
          'Rejected records by reason',
          {
            ...loads,
            where: 'event.action: rejection',
            description: 'A record with two reasons counts under both. FILE.rejected.ndjson has the records.',
          },
          {
            reason: terms('Reason', 'catalog.load.reason', { size: 30, by: 'records' }),
            file: terms('File', 'catalog.load.file', { size: 3, by: 'records' }),
            records: metric('Records', sum('catalog.load.count'), 'whole'),
          },
        ),
      ],
    },
  ],
};
