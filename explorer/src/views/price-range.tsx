import { useEffect, useState } from 'preact/hooks';
import { count, money } from '../format.js';

/** The numbers of listings in ranges of prices, in one currency. */
export interface PriceBuckets {
  currency: string;
  min: string;
  max: string;
  buckets: { from: string; to: string; count: number }[];
}

type Limits = [number | undefined, number | undefined];

/** The filter by price: two limits, and the distribution of the prices, whose bars set the limits. */
export function PriceRange({
  prices,
  limits: [min, max],
  refine,
}: {
  prices: readonly PriceBuckets[];
  limits: Limits;
  refine(limits: Limits): void;
}) {
  const [texts, setTexts] = useState(['', '']);
  const shown = [min, max].map((limit) => (limit === undefined ? '' : String(limit)));
  useEffect(() => setTexts(shown), shown);
  const [first] = prices;
  const highest = Math.max(1, ...(first?.buckets ?? []).map((bucket) => bucket.count));
  const limitOf = (text: string | undefined) =>
    text === undefined || text.trim() === '' || !Number.isFinite(Number(text)) ? undefined : Number(text);
  return (
    <form
      class="price-range"
      onSubmit={(event) => {
        event.preventDefault();
        const [low, high] = texts.map(limitOf);
        refine(low !== undefined && high !== undefined && low > high ? [high, low] : [low, high]);
      }}
    >
      {first !== undefined && first.buckets.length > 1 && (
        <div class="bars" role="group" aria-label={`Prices in ${first.currency}`}>
          {first.buckets.map(({ from, to, count: listings }) => (
            <button
              key={from}
              type="button"
              title={`${money(from, first.currency)} to ${money(to, null)}: ${count(listings)}`}
              aria-label={`${money(from, first.currency)} to ${money(to, null)}, ${count(listings)} listings`}
              onClick={() => refine([Number(from), Number(to)])}
            >
              <svg viewBox="0 0 10 40" preserveAspectRatio="none" aria-hidden="true">
                <rect x="0" width="10" y={40 - Math.max(1, (38 * listings) / highest)} height="40" />
              </svg>
            </button>
          ))}
        </div>
      )}
      <div class="limits">
        {['Lowest', 'Highest'].map((label, at) => (
          <label key={label}>
            <span class="hidden">{label} price</span>
            <input
              type="number"
              min="0"
              step="any"
              inputMode="decimal"
              placeholder={(at === 0 ? first?.min : first?.max)?.split('.')[0]}
              value={texts[at]}
              onInput={({ currentTarget }) =>
                setTexts(texts.map((text, i) => (i === at ? currentTarget.value : text)))
              }
            />
          </label>
        ))}
        <button type="submit" class="button">
          Apply
        </button>
      </div>
      {prices.length > 1 && (
        <p class="note">
          Limits apply to the price in the currency of each listing:{' '}
          {prices.map(({ currency }) => currency).join(', ')}.
        </p>
      )}
    </form>
  );
}
