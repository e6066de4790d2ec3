import type { ComponentChildren } from 'preact';
import { count } from '../format.js';

/** One row of a plot: a range of values with marks on it. */
export interface SpreadRow {
  key: string;
  label: ComponentChildren;
  /** The row in words, for those who do not see the plot. */
  text: string;
  /** The value in words, at the end of the row. */
  value: ComponentChildren;
  range?: [from: number, to: number] | undefined;
  marks: { at: number; kind: 'main' | 'other' | 'muted' }[];
}

/** The values at which a logarithmic scale has ticks: powers of ten, or finer steps if the scale has few of them. */
const POWERS = Array.from({ length: 11 }, (_, power) => 10 ** (power - 2));
const FINER = POWERS.flatMap((power) => [power, 2 * power, 5 * power]);
const MIN_TICKS = 3;

/** The ticks between two values of a logarithmic scale. */
function ticksBetween(low: number, high: number): number[] {
  const within = (values: readonly number[]) => values.filter((value) => value > low && value < high);
  const powers = within(POWERS);
  return powers.length < MIN_TICKS ? within(FINER) : powers;
}

/** Rows of ranges and marks over a common scale, such as the prices of one product in each shop. */
export function SpreadPlot({
  label,
  rows,
  isLogarithmic = false,
}: {
  label: string;
  rows: readonly SpreadRow[];
  isLogarithmic?: boolean;
}) {
  const values = rows.flatMap(({ range = [], marks }) => [...range, ...marks.map(({ at }) => at)]);
  const scaled = (value: number) => (isLogarithmic ? Math.log(Math.max(value, 0.01)) : value);
  const [low, high] = [Math.min(...values.map(scaled)), Math.max(...values.map(scaled))];
  // The marks keep a distance to the ends, so that none is cut off.
  const place = (value: number) => (high === low ? 50 : 3 + (94 * (scaled(value) - low)) / (high - low));
  const ticks = isLogarithmic ? ticksBetween(Math.exp(low), Math.exp(high)) : [];
  return (
    <ul class="spread" aria-label={label}>
      {ticks.length > 0 && (
        <li class="axis" aria-hidden="true">
          <span />
          <svg class="spread-line" preserveAspectRatio="none">
            {ticks.map((value) => (
              <text key={value} x={`${place(value)}%`} y="60%" text-anchor="middle">
                {value < 1 ? value : count(value)}
              </text>
            ))}
          </svg>
        </li>
      )}
      {rows.map(({ key, label: name, text, value, range, marks }) => (
        <li key={key}>
          <span class="spread-label">{name}</span>
          <svg class="spread-line" role="img" aria-label={text} preserveAspectRatio="none">
            {ticks.map((value) => (
              <line
                key={value}
                class="base"
                x1={`${place(value)}%`}
                x2={`${place(value)}%`}
                y1="-20%"
                y2="120%"
              />
            ))}
            <line class="base" x1="0" x2="100%" y1="50%" y2="50%" />
            {range !== undefined && (
              <line class="range" x1={`${place(range[0])}%`} x2={`${place(range[1])}%`} y1="50%" y2="50%" />
            )}
            {marks.map(({ at, kind }, number) => (
              <circle key={number} class={kind} cx={`${place(at)}%`} cy="50%" r={kind === 'muted' ? 4 : 6} />
            ))}
          </svg>
          <span class="spread-value">{value}</span>
        </li>
      ))}
    </ul>
  );
}

/** A bar of shares, with the shares in words beside it. */
export function ShareBar({
  label,
  parts,
}: {
  label: string;
  parts: readonly { name: string; value: number; tone: string }[];
}) {
  const total = parts.reduce((sum, { value }) => sum + value, 0);
  const text = parts
    .filter(({ value }) => value > 0)
    .map(({ name, value }) => `${name} ${Math.round((1_000 * value) / Math.max(1, total)) / 10} %`)
    .join(', ');
  let from = 0;
  return (
    <svg
      class="shares"
      role="img"
      aria-label={`${label}: ${text === '' ? 'none' : text}`}
      preserveAspectRatio="none"
    >
      <title>{text}</title>
      {parts.map(({ name, value, tone }) => {
        const width = (100 * value) / Math.max(1, total);
        const x = from;
        from += width;
        return width > 0 && <rect key={name} class={tone} x={`${x}%`} width={`${width}%`} height="100%" />;
      })}
    </svg>
  );
}
