import { DISCOUNT_SCALE } from '../../../src/listing/deals.js';
import { count, filters, intervals, max, median, metric, overTime, ratio, terms } from '../columns.js';
import type { Dashboard } from '../dashboard.js';
import { chart, number, table } from '../panels.js';

const listings = { dataView: 'products' } as const;

/** Percent as listings keep them. */
const percent = (value: number): number => value * DISCOUNT_SCALE;
/** What makes 1 of 100 % as listings keep them. */
const WHOLE = percent(100);

const OBSERVED = 'internal.observed_discount';
const DECLARED = 'internal.declared_discount';
const isDeal = `${OBSERVED} >= ${percent(10)}`;
const WITH_LIST_PRICE = 'internal.list_price_observed: *';
const NEVER_ASKED = 'internal.list_price_observed: false';

const STEPS = [0, 5, 10, 15, 20, 30, 40, 50, 60];
const discounts = (label: string, field: string) =>
  intervals(
    label,
    field,
    STEPS.map((from, i) => {
      const to = STEPS[i + 1];
      return to === undefined
        ? { from: percent(from), to: null, label: `${from} % and more` }
        : { from: percent(from), to: percent(to), label: `${from}–${to} %` };
    }),
  );

export const pricesAndDeals: Dashboard = {
  name: 'prices-and-deals',
  title: 'Prices and deals',
  description:
    'Discounts against what was really asked before, where prices move, and declared "was" prices that nobody ever ' +
    'saw. Discounts are as of now; the chosen time applies to price moves.',
  from: 'now-90d',
  rows: [
    {
      height: 6,
      panels: [
        number('Deals of 10 % or more', listings, (label) => metric(label, count(isDeal), 'whole')),
        number('Median discount of deals', { ...listings, where: isDeal }, (label) =>
          ratio(label, median(OBSERVED), WHOLE, 'percent'),
        ),
        number('Declared "was" prices', { ...listings, where: WITH_LIST_PRICE }, (label) =>
          metric(label, count(), 'whole'),
        ),
        number('Of them never observed', { ...listings, where: WITH_LIST_PRICE }, (label) =>
          ratio(label, count(NEVER_ASKED), count(), 'percent'),
        ),
      ],
    },
    {
      height: 13,
      panels: [
        chart(
          'Discounts against observed prices',
          'bar_stacked',
          {
            ...listings,
            description: 'Below the usual price of the 90 days before the current one came into force.',
          },
          { x: discounts('Discount', OBSERVED), listings: metric('Listings', count(), 'whole') },
        ),
        chart(
          'Discounts against declared list prices',
          'bar_stacked',
          {
            ...listings,
            description: 'What the feeds claim; see how many of these prices were ever observed.',
          },
          {
            x: discounts('Discount', DECLARED),
            split: filters('List price', {
              'Observed once': 'internal.list_price_observed: true',
              'Never observed': NEVER_ASKED,
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
          'Deals by platform',
          'bar_horizontal',
          { ...listings, where: isDeal },
          {
            x: terms('Platform', 'source', { size: 30, by: 'listings' }),
            listings: metric('Deals of 10 % or more', count(), 'whole'),
          },
        ),
        table(
          'Deals by category',
          { ...listings, where: isDeal },
          {
            category: terms('Category', 'category', { size: 30, by: 'listings' }),
            listings: metric('Deals', count(), 'whole'),
            usual: ratio('Median discount', median(OBSERVED), WHOLE, 'percent'),
            deepest: ratio('Deepest', max(OBSERVED), WHOLE, 'percent'),
          },
        ),
      ],
    },
    {
      height: 13,
      panels: [
        chart(
          'Price moves a day',
          'bar_stacked',
          {
            ...listings,
            description: 'Listings whose price moved on that day, by the times that the feeds state.',
          },
          {
            x: overTime('Day', 'internal.price_moved_at', '1d'),
            split: terms('Platform', 'source', { size: 10, by: 'listings' }),
            listings: metric('Listings', count(), 'whole'),
          },
        ),
      ],
    },
    {
      height: 13,
      panels: [
        table(
          'Declared "was" prices never observed, by platform',
          {
            ...listings,
            where: WITH_LIST_PRICE,
            description:
              'A list price counts as observed when it, or more, was ever asked. What has been watched for less than ' +
              '30 days may have been dearer before; the last two columns leave it out.',
          },
          {
            platform: terms('Platform', 'source', { size: 30, by: 'declared' }),
            declared: metric('With a list price', count(), 'whole'),
            never: metric('Never observed', count(NEVER_ASKED), 'whole'),
            share: ratio('Share', count(NEVER_ASKED), count(), 'percent'),
            watched: metric('Watched for 30 days', count('internal.first_observed_at < now-30d'), 'whole'),
            unseen: metric(
              'Of them never observed',
              count(`internal.first_observed_at < now-30d and ${NEVER_ASKED}`),
              'whole',
            ),
          },
        ),
        chart(
          'Declared "was" prices by platform',
          'bar_percentage_stacked',
          { ...listings, where: WITH_LIST_PRICE },
          {
            x: terms('Platform', 'source', { size: 30, by: 'listings' }),
            split: filters('List price', {
              'Observed once': 'internal.list_price_observed: true',
              'Never observed': NEVER_ASKED,
            }),
            listings: metric('Listings', count(), 'whole'),
          },
        ),
      ],
    },
  ],
};
