import { date, money, plural, shopName } from '../format.js';
import type { PriceHistory } from '../types.js';
import type { PriceSeries } from './price-lines.js';

const POSITIONS: Readonly<Record<string, string>> = {
  lowest_ever: 'The lowest price ever observed',
  low: 'A low price',
  typical: 'A typical price',
  high: 'A high price',
  highest_ever: 'The highest price ever observed',
  unknown: 'Not observed long enough to judge',
};

/**
 * How the best price of a product compares with those before and with the usual best price of all shops, which the plot shows as well:
 * `Lowest ever · 46 % below the usual best price of 479.00`.
 * @param verdict that of the history of the offer, which is one shop's.
 * @param lowestEver the lowest price that any of the shops ever asked; `guides` are those of the period that is shown.
 */
export function verdictOf(
  verdict: PriceHistory['position']['verdict'],
  { price, source }: { price: string | null; source: string },
  { guides, shops }: Pick<PriceSeries, 'guides' | 'shops'>,
  lowestEver: number,
): string {
  const words: Partial<Record<typeof verdict, string>> = {
    lowest_ever: 'Lowest ever',
    low: 'Lower than usual',
    typical: 'Usual price',
    high: 'Higher than usual',
    highest_ever: 'Highest ever',
  };
  const said = words[verdict];
  if (said === undefined || price === null || guides === null)
    return said ?? 'Not observed long enough to judge';
  const isOfAllShops = shops.length === 1 || (verdict === 'lowest_ever' && Number(price) <= lowestEver);
  const below = Math.round(100 * (1 - Number(price) / Number(guides.median)));
  const parts = [
    isOfAllShops ? said : `${said} at ${shopName(source)}`,
    ...(below > 0 ? [`${below} % below the usual best price of ${money(guides.median, null)}`] : []),
  ];
  return parts.join(' · ');
}

/** How the current price compares with those before, in words. */
export function Verdict({ position }: { position: PriceHistory['position'] }) {
  return (
    <p class={`verdict ${position.verdict}`}>
      <strong>{POSITIONS[position.verdict]}</strong>
      <span class="note"> from {plural(position.basis_days, 'observed day')}</span>
    </p>
  );
}

/** The current, lowest, median and highest price of a history. */
export function PriceNumbers({
  statistics,
  currency,
}: {
  statistics: NonNullable<PriceHistory['statistics']>;
  currency: string | null;
}) {
  const { current, lowest, median, highest } = statistics;
  const rows: [label: string, price: string | null | undefined, at?: string | undefined][] = [
    ['Now', current],
    ['Lowest', lowest?.price, lowest?.at],
    ['Median', median],
    ['Highest', highest?.price, highest?.at],
  ];
  return (
    <dl class="numbers">
      {rows.map(([label, price, at]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            {money(price, currency)}
            {at === undefined ? null : <span class="note"> {date(at)}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
