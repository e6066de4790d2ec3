const [WIDTH, HEIGHT] = [120, 28];

/** The course of a price as a small line of steps. The text beside it says what matters, so it is hidden from screen readers. */
export function Sparkline({ points, to }: { points: readonly { at: string; price: string }[]; to: string }) {
  const [first] = points;
  if (first === undefined || points.length < 2) return <span class="sparkline" />;
  const [start, end] = [Date.parse(first.at), Date.parse(to)];
  const prices = points.map(({ price }) => Number(price));
  const [low, high] = [Math.min(...prices), Math.max(...prices)];
  const x = (at: string) => ((Date.parse(at) - start) / Math.max(1, end - start)) * WIDTH;
  const y = (price: number) => 2 + (HEIGHT - 4) * (high === low ? 0.5 : 1 - (price - low) / (high - low));
  const steps = points.map(({ at, price }, number) => {
    const height = y(Number(price)).toFixed(1);
    return number === 0 ? `M0 ${height}` : `H${x(at).toFixed(1)}V${height}`;
  });
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path d={`${steps.join('')}H${WIDTH}`} />
    </svg>
  );
}
