import { useEffect, useId, useState } from 'preact/hooks';
import { readAmount } from '../amount.js';
import { count, money } from '../format.js';

/** The numbers of listings in ranges of prices, in one currency. */
export interface PriceBuckets {
  currency: string;
  min: string;
  max: string;
  buckets: { from: string; to: string; count: number }[];
}

/** The lowest and the highest price that are wanted. */
export type PriceLimits = [number | undefined, number | undefined];

/** The filter by price: two limits, and the distribution of the prices, whose bars set the limits. */
export function PriceRange({
  prices,
  limits: [min, max],
  refine,
}: {
  prices: readonly PriceBuckets[];
  limits: PriceLimits;
  refine(limits: PriceLimits): void;
}) {
  const [texts, setTexts] = useState(['', '']);
  const [problem, setProblem] = useState<string | null>(null);
  const problemId = useId();
  const [low, high] = [min, max].map((limit) => (limit === undefined ? '' : String(limit)));
  // The answer for one limit must not replace the other one, which may have been typed meanwhile.
  useEffect(() => setTexts(([, typed = '']) => [low ?? '', typed]), [low]);
  useEffect(() => setTexts(([typed = '']) => [typed, high ?? '']), [high]);
  const [first] = prices;
  const highest = Math.max(1, ...(first?.buckets ?? []).map((bucket) => bucket.count));
  const apply = () => {
    const read = texts.map((text) => (text.trim() === '' ? null : readAmount(text)));
    const wrong = read.find((one) => one !== null && one.problem !== null);
    setProblem(wrong?.problem ?? null);
    if (wrong) return;
    const [from, to] = read.map((one) => (one === null ? undefined : Number(one.amount)));
    if (from === min && to === max) return;
    refine(from !== undefined && to !== undefined && from > to ? [to, from] : [from, to]);
  };
  return (
    <form
      class="price-range"
      onSubmit={(event) => {
        event.preventDefault();
        apply();
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
              inputMode="decimal"
              autoComplete="off"
              maxLength={16}
              aria-invalid={problem !== null}
              aria-describedby={problem === null ? undefined : problemId}
              placeholder={(at === 0 ? first?.min : first?.max)?.split('.')[0]}
              value={texts[at]}
              onInput={({ currentTarget }) =>
                setTexts(texts.map((text, i) => (i === at ? currentTarget.value : text)))
              }
              onChange={apply}
            />
          </label>
        ))}
        <button type="submit" class="button">
          Apply
        </button>
      </div>
      {problem !== null && (
        <p id={problemId} class="problem" role="alert">
          {problem}
        </p>
      )}
      {prices.length > 1 && (
        <p class="note">
          Limits apply to the price in the currency of each listing:{' '}
          {prices.map(({ currency }) => currency).join(', ')}.
        </p>
      )}
    </form>
  );
}
