import { date, money, plural } from '../format.js';
import type { PriceHistory } from '../types.js';

const POSITIONS: Readonly<Record<string, string>> = {
  lowest_ever: 'The lowest price ever observed',
  low: 'A low price',
  typical: 'A typical price',
  high: 'A high price',
  highest_ever: 'The highest price ever observed',
  unknown: 'Not observed long enough to judge',
};

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
