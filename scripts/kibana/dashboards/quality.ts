import { count, filters, metric, ratio, terms } from '../columns.js';
import type { Dashboard } from '../dashboard.js';
import { chart, number, table } from '../panels.js';

const listings = { dataView: 'products' } as const;

const MISTRUSTED = 'internal.flags: price_placeholder or internal.flags: price_outlier';
const COMPLETE =
  'internal.brand: * and category: * and internal.price_units: * and currency: * and internal.has_image: true';

export const quality: Dashboard = {
  name: 'quality',
  title: 'Quality',
  description:
    'How far listings can be trusted, as of now: flags, as GET /v1/quality explains them, and what feeds leave out. What rests ' +
    'on other listings is as npm run quality left it.',
  from: 'now-30d',
  rows: [
    {
      height: 6,
      panels: [
        number('With a flag', listings, (label) =>
          ratio(label, count('internal.flags: *'), count(), 'percent'),
        ),
        number('With a price that is none', listings, (label) =>
          ratio(label, count(MISTRUSTED), count(), 'percent'),
        ),
        number('Checked in the last 7 days', listings, (label) =>
          ratio(label, count('last_checked >= now-7d'), count(), 'percent'),
        ),
        number('With brand, category, price and image', listings, (label) =>
          ratio(label, count(COMPLETE), count(), 'percent'),
        ),
      ],
    },
    {
      height: 14,
      panels: [
        chart(
          'Flags by platform',
          'bar_stacked',
          {
            ...listings,
            where: 'internal.flags: *',
            description: 'A listing with two flags counts under both.',
          },
          {
            x: terms('Platform', 'source', { size: 30, by: 'listings' }),
            split: terms('Flag', 'internal.flags', { size: 12, by: 'listings' }),
            listings: metric('Listings', count(), 'whole'),
          },
        ),
        chart('Last check by platform', 'bar_percentage_stacked', listings, {
          x: terms('Platform', 'source', { size: 30, by: 'listings' }),
          split: filters('Last checked', {
            'Within 7 days': 'last_checked >= now-7d',
            'Longer ago': 'last_checked < now-7d',
            'Not stated': 'not last_checked: *',
          }),
          listings: metric('Listings', count(), 'whole'),
        }),
      ],
    },
    {
      height: 13,
      panels: [
        table('What feeds state', listings, {
          platform: terms('Platform', 'source', { size: 30, by: 'listings' }),
          listings: metric('Listings', count(), 'whole'),
          brand: ratio('Brand', count('internal.brand: *'), count(), 'percent'),
          category: ratio('Category', count('category: *'), count(), 'percent'),
          price: ratio('Price', count('internal.price_units: *'), count(), 'percent'),
          image: ratio('Image', count('internal.has_image: true'), count(), 'percent'),
          gtin: ratio('GTIN', count('internal.gtins: *'), count(), 'percent'),
          rating: ratio('Rating', count('internal.rating: *'), count(), 'percent'),
        }),
        table(
          'Flags by category',
          { ...listings, where: 'internal.flags: *' },
          {
            category: terms('Category', 'category', { size: 30, by: 'listings' }),
            flag: terms('Flag', 'internal.flags', { size: 5, by: 'listings' }),
            listings: metric('Listings', count(), 'whole'),
          },
        ),
      ],
    },
  ],
};
