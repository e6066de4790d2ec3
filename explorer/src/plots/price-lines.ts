/** The prices of one listing over time. */
export interface PriceLine {
  /** The shop. Lines of one label are shown as one line of their lowest prices. */
  label: string;
  currency: string | null;
  /** When each price began to apply, and the price as decimal text, in chronological order. */
  points: readonly { at: string; price: string }[];
  /** Periods without observations, in which the line is interrupted. */
  gaps: readonly { from: string; to: string }[];
  /** The end of the period. The last price applies until then. */
  to: string;
  /** Until when the last price is known. */
  known: string | null;
}

/** A price as decimal text, and the shop that asks it; null if none is known. */
export type KnownPrice = { price: string; label: string } | null;

/** Prices at common times. */
export interface PriceSeries {
  /** In seconds since 1970, in chronological order. */
  times: number[];
  /** The lowest price of all shops at each time. */
  lowest: KnownPrice[];
  /** The lowest price of each shop at each time. */
  shops: { label: string; prices: KnownPrice[] }[];
  /** Of `lowest`: the lowest and highest price, and the one below which the price was for half of the time; null without prices. */
  guides: { low: string; median: string; high: string } | null;
}

const seconds = (at: string): number => Math.floor(Date.parse(at) / 1_000);

const cheaper = (a: KnownPrice, b: KnownPrice): KnownPrice =>
  a === null || (b !== null && Number(b.price) < Number(a.price)) ? b : a;

/** For how long, in seconds, a price is taken to apply after it was last observed, as in the API's gaps. */
const GAP = 14 * 86_400;

/** Brings the prices of several listings to common times. */
export function toSeries(lines: readonly PriceLine[]): PriceSeries {
  const priced = lines.filter(({ points }) => points.length > 0);
  // Shops are not checked at the same time: the last price of each applies until the last check of any of them.
  const latest = Math.max(...priced.map(endOf));
  const read = priced.map((line) => readLine(line, latest - endOf(line) < GAP ? latest : endOf(line)));
  const times = [...new Set(read.flatMap(({ changes }) => changes))].sort((a, b) => a - b);
  const labels = [...new Set(read.map(({ label }) => label))];
  const shops = labels.map((label) => {
    const own = read.filter((line) => line.label === label);
    return {
      label,
      prices: times.map((time) =>
        own.reduce<KnownPrice>((known, { priceAt }) => cheaper(known, priceAt(time)), null),
      ),
    };
  });
  const lowest = times.map((_, at) =>
    shops.reduce<KnownPrice>((known, { prices }) => cheaper(known, prices[at] ?? null), null),
  );
  return { times, lowest, shops, guides: guidesOf(times, lowest) };
}

/** Until when the prices of a line are known. */
const endOf = ({ points, to, known }: PriceLine): number =>
  Math.max(
    seconds(points.at(-1)?.at ?? to),
    Math.min(seconds(to), known === null ? Infinity : seconds(known)),
  );

/** The times at which the price of a line may change, and its price at any time until it ends. */
function readLine({ label, points, gaps }: PriceLine, end: number) {
  const steps = points.map(({ at, price }) => ({ at: seconds(at), price }));
  const interrupted = gaps.map(({ from, to: end }) => [seconds(from), seconds(end)] as const);
  return {
    label,
    changes: [
      ...steps.map(({ at }) => at),
      ...interrupted.flatMap(([from, until]) => [from + 1, until]),
      end,
    ],
    priceAt(time: number): KnownPrice {
      if (time > end || interrupted.some(([from, until]) => time > from && time < until)) return null;
      const step = steps.findLast(({ at }) => at <= time);
      return step === undefined ? null : { price: step.price, label };
    },
  };
}

/** The median is weighted by time. Each of the three is a price that was asked, so none is rounded. */
function guidesOf(times: readonly number[], lowest: readonly KnownPrice[]): PriceSeries['guides'] {
  const periods = lowest
    .flatMap((known, at) =>
      known === null
        ? []
        : [{ price: known.price, length: (times[at + 1] ?? times[at] ?? 0) - (times[at] ?? 0) }],
    )
    .sort((a, b) => Number(a.price) - Number(b.price));
  const half = periods.reduce((sum, { length }) => sum + length, 0) / 2;
  let passed = 0;
  const median = periods.find(({ length }) => (passed += length) >= half);
  const [low, high] = [periods[0], periods.at(-1)];
  if (low === undefined || high === undefined || median === undefined) return null;
  return { low: low.price, median: median.price, high: high.price };
}
