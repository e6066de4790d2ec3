import { type ApiCall, useApi } from '../api.js';
import { Failure, Loading, Select, Text, useTitle } from '../components.js';
import { count, money, plural } from '../format.js';
import { SpreadPlot } from '../plots/spread.js';
import { navigate, viewUrl } from '../router.js';
import type { Categories } from '../types.js';

const SHOWN = 40;

/** Cuts a median off after two decimals: one between two prices may have three. */
const inCents = (price: string): string => price.replace(/(\.\d\d)\d+$/, '$1');

/** What things of each category cost: the lowest, the median and the highest price, in one currency. */
export function CategoriesView({ query }: { query: URLSearchParams }) {
  const call: ApiCall = { path: '/v1/categories?include=prices' };
  const { data, failure } = useApi<Categories>(call);
  useTitle('Prices by category');
  const listings = new Map<string, number>();
  for (const category of data?.categories ?? []) {
    for (const { currency } of category.prices)
      listings.set(currency, (listings.get(currency) ?? 0) + category.count);
  }
  const currencies = [...listings].sort(([, a], [, b]) => b - a).map(([currency]) => currency);
  const currency = query.get('currency') ?? currencies[0] ?? '';
  const isAll = query.get('all') === 'true';
  const rows = (data?.categories ?? []).flatMap(({ name, count: size, prices }) => {
    const price = prices.find((one) => one.currency === currency);
    if (price === undefined) return [];
    const [min, median, max] = [price.min, price.median, price.max].map(Number) as [number, number, number];
    return [
      {
        key: name,
        label: (
          <a href={viewUrl('/explore', { category: name })}>
            <Text>{name}</Text>
          </a>
        ),
        text: `${name}: ${money(price.min, currency)} to ${money(price.max, null)}, median ${money(inCents(price.median), null)}, ${plural(size, 'listing')}`,
        value: `${money(inCents(price.median), null)} · ${count(size)}`,
        range: [min, max] as [number, number],
        marks: [{ at: median, kind: 'main' as const }],
      },
    ];
  });
  return (
    <>
      <h1>Prices by category</h1>
      <p class="note lede">
        Each bar runs from the lowest to the highest price of a category, and its dot is the median. The
        scale, in {currency}, is logarithmic. The figures beside it are the median and the number of listings.
      </p>
      {failure !== null && <Failure error={failure} />}
      {data === null && failure === null && <Loading what="the categories" lines={20} />}
      {data !== null && (
        <section class="panel" aria-label="Prices by category">
          {currencies.length > 1 && (
            <label class="controls">
              Currency
              <Select
                value={currency}
                options={currencies.map((code) => [code] as const)}
                set={(code) => navigate(viewUrl('/explore/categories', { currency: code }))}
              />
            </label>
          )}
          <SpreadPlot
            label={`Prices in ${currency}`}
            rows={isAll ? rows : rows.slice(0, SHOWN)}
            isLogarithmic
          />
          {rows.length > SHOWN && !isAll && (
            <p>
              <a
                class="button"
                href={viewUrl('/explore/categories', { currency: query.get('currency'), all: 'true' })}
              >
                Show all {rows.length}
              </a>
            </p>
          )}
        </section>
      )}
    </>
  );
}
