import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { date, money, shortDate } from '../format.js';
import { type KnownPrice, type PriceLine, type PriceSeries, toSeries } from './price-lines.js';

const HEIGHT = 280;
const [FONT_SIZE, FONT_FAMILY] = [12, 'system-ui'];
const FONT = `${FONT_SIZE}px ${FONT_FAMILY}`;

/** The colours of the lines of shops, which `theme.css` defines. */
const SHOP_COLOURS = 6;

/** Loads the plotting library, once. A view that shows a plot after its answers have come calls it before they come. */
export const loadPlots = () => import('uplot');

const values = (prices: readonly KnownPrice[]) =>
  prices.map((known) => (known === null ? null : Number(known.price)));

/** The lowest price of all shops as steps, with each shop's on demand; read with the pointer or the arrow keys. */
export function HistoryPlot({ lines }: { lines: readonly PriceLine[] }) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [Plot, setPlot] = useState<typeof uPlot | null>(null);
  const [at, setAt] = useState<number | null>(null);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const help = useId();
  const id = JSON.stringify(lines);
  const { times, lowest, shops, guides } = useMemo(() => toSeries(lines), [id]);
  const currency = lines[0]?.currency ?? null;
  const isOne = shops.length === 1;

  useEffect(() => {
    // Without the plot there is still the table.
    loadPlots().then(
      (loaded) => setPlot(() => loaded.default),
      () => undefined,
    );
  }, []);

  useEffect(() => {
    const element = place.current;
    if (element === null || Plot === null) return;
    const draw = () => {
      plot.current?.destroy();
      const styles = getComputedStyle(document.documentElement);
      const probe = document.createElement('span');
      element.append(probe);
      const colour = (name: string) => {
        probe.style.color = styles.getPropertyValue(name);
        return getComputedStyle(probe).color;
      };
      const [text, grid, accent] = ['--muted', '--line', '--accent'].map(colour) as [string, string, string];
      const colours = shops.map((_, shop) => colour(`--line-${(shop % SHOP_COLOURS) + 1}`));
      probe.remove();
      const axis = {
        stroke: text,
        grid: { stroke: grid, width: 1 },
        ticks: { stroke: grid, width: 1 },
        font: FONT,
      };
      const stepped = Plot.paths.stepped?.({ align: 1 });
      const line = { points: { show: false }, spanGaps: false, ...(stepped && { paths: stepped }) };
      plot.current = new Plot(
        {
          width: element.clientWidth,
          height: HEIGHT,
          legend: { show: false },
          padding: [null, guideMargin(guides), null, null],
          cursor: { y: false, drag: { x: true, y: false } },
          scales: { y: { range: (_, min, max) => limits(min, max) } },
          axes: [
            { ...axis, space: 50, values: (_, ticks) => datesOf(ticks) },
            {
              ...axis,
              size: 64,
              label: currency ?? 'Price',
              labelSize: 20,
              labelFont: FONT,
              values: (_, ticks) => ticks.map((value) => value.toLocaleString('en')),
            },
          ],
          series: [
            {},
            { ...line, label: 'Lowest price', stroke: accent, width: 2 },
            ...shops.map(({ label }, shop) => ({
              ...line,
              label,
              stroke: colours[shop] ?? text,
              width: 1.5,
              show: chosen.includes(label),
            })),
          ],
          hooks: {
            setCursor: [({ cursor }) => setAt(cursor.idx ?? null)],
            draw: [(drawn) => drawGuides(drawn, guides, text)],
          },
        },
        [times, values(lowest), ...shops.map(({ prices }) => values(prices))],
        element,
      );
    };
    draw();
    const resized = new ResizeObserver(() => {
      if (plot.current !== null && plot.current.width !== element.clientWidth)
        plot.current.setSize({ width: element.clientWidth, height: HEIGHT });
    });
    resized.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    return () => {
      resized.disconnect();
      scheme.removeEventListener('change', draw);
      plot.current?.destroy();
      plot.current = null;
    };
  }, [id, Plot, chosen]);

  const move = (to: number) => {
    const index = Math.max(0, Math.min(times.length - 1, to));
    const chart = plot.current;
    setAt(index);
    chart?.setCursor({
      left: chart.valToPos(times[index] ?? 0, 'x'),
      top: chart.valToPos(Number(lowest[index]?.price ?? 0), 'y'),
    });
  };
  const moves: Record<string, number> = {
    ArrowLeft: (at ?? times.length) - 1,
    ArrowRight: (at ?? -1) + 1,
    Home: 0,
    End: times.length - 1,
  };
  const reading = (index: number): string => {
    const known = lowest[index] ?? null;
    const price =
      known === null ? 'not observed' : `${money(known.price, currency)}${isOne ? '' : ` at ${known.label}`}`;
    return `${date((times[index] ?? 0) * 1_000)}: ${price}`;
  };
  const first = times[0];
  return (
    <figure class="history">
      <div
        ref={place}
        class="plot"
        role="application"
        aria-roledescription="price history"
        aria-label={`${isOne ? `Prices of ${shops[0]?.label}` : 'The lowest price of all shops'} since ${first === undefined ? 'never' : date(first * 1_000)}`}
        aria-describedby={help}
        tabIndex={0}
        onKeyDown={(event) => {
          const to = moves[event.key];
          if (to === undefined) return;
          event.preventDefault();
          move(to);
        }}
      />
      <figcaption>
        <span role="status" class="reading">
          {at === null ? '' : reading(at)}
        </span>
        <span id={help} class="note for-mouse">
          Use the arrow keys or point at the chart to read a price. Drag to zoom in, double-click to zoom out.
        </span>
      </figcaption>
      {!isOne && (
        <div class="shop-lines" role="group" aria-label="Lines of shops">
          <span>
            <span class="swatch lowest" /> Lowest price of all shops
          </span>
          {shops.map(({ label }, shop) => (
            <label key={label}>
              <input
                type="checkbox"
                checked={chosen.includes(label)}
                onChange={({ currentTarget: { checked } }) =>
                  setChosen(checked ? [...chosen, label] : chosen.filter((one) => one !== label))
                }
              />
              <span class={`swatch line-${(shop % SHOP_COLOURS) + 1}`} /> {label}
            </label>
          ))}
        </div>
      )}
      <details>
        <summary>Prices as a table</summary>
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">From</th>
                <th scope="col" class="number">
                  {isOne ? 'Price' : 'Lowest price'}
                </th>
                {!isOne && <th scope="col">Shop</th>}
              </tr>
            </thead>
            <tbody>
              {changes(times, lowest).map(({ time, price, label }) => (
                <tr key={time}>
                  <td>{date(time * 1_000)}</td>
                  <td class="number">{money(price, currency)}</td>
                  {!isOne && <td>{label}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

/** The dates of ticks, with the year below the first one and below the first one of each further year. */
const datesOf = (ticks: readonly number[]): string[] => {
  const years = ticks.map((time) => new Date(time * 1_000).getFullYear());
  return ticks.map(
    (time, at) => shortDate(time * 1_000) + (years[at] === years[at - 1] ? '' : `\n${years[at]}`),
  );
};

/** The names of the guides, the highest price first. */
const guideNames = (guides: PriceSeries['guides']): [name: string, price: string][] =>
  guides === null || guides.low === guides.high
    ? []
    : (['high', 'median', 'low'] as const).map((name) => [
        `${name} ${money(guides[name], null)}`,
        guides[name],
      ]);

/** The width, in pixels, of the names of guides right of the plot, where no line crosses them; null without guides. */
function guideMargin(guides: PriceSeries['guides']): number | null {
  const context = document.createElement('canvas').getContext('2d');
  if (context === null) return null;
  context.font = FONT;
  const widths = guideNames(guides).map(([name]) => context.measureText(name).width);
  return widths.length === 0 ? null : GUIDE_GAP + Math.ceil(Math.max(...widths));
}
const [GUIDE_GAP, GUIDE_HEIGHT] = [8, 14];

/** Draws the lowest, the median and the highest price as dashed lines, with their names at the right. */
function drawGuides({ ctx, bbox, valToPos }: uPlot, guides: PriceSeries['guides'], colour: string): void {
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.fillStyle = colour;
  ctx.setLineDash([4, 4]);
  ctx.font = `${FONT_SIZE * devicePixelRatio}px ${FONT_FAMILY}`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  const right = bbox.left + bbox.width;
  let above = -Infinity;
  for (const [name, price] of guideNames(guides)) {
    const y = valToPos(Number(price), 'y', true);
    if (y < bbox.top || y > bbox.top + bbox.height) continue;
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(right, y);
    ctx.stroke();
    // A name that would cover the one above it moves down.
    above = Math.max(y, above + GUIDE_HEIGHT * devicePixelRatio);
    ctx.fillText(name, right + GUIDE_GAP * devicePixelRatio, above);
  }
  ctx.restore();
}

/** The limits of the axis of prices: those of the prices, with a margin. */
function limits(min: number, max: number): [number, number] {
  if (!Number.isFinite(min) || !Number.isFinite(max)) return [0, 1];
  const margin = max === min ? Math.max(1, max * 0.1) : (max - min) * 0.15;
  return [Math.max(0, min - margin), max + margin];
}

/** The times from which another price applied. */
const changes = (times: readonly number[], lowest: readonly KnownPrice[]) =>
  lowest.flatMap((known, at) => {
    const before = lowest.slice(0, at).findLast((one) => one !== null);
    return known === null || known.price === before?.price ? [] : [{ time: times[at] ?? 0, ...known }];
  });
