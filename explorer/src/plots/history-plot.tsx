import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { date, money, shortDate } from '../format.js';

/** The prices of one listing over time. */
export interface PriceLine {
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

const HEIGHT = 260;

const seconds = (at: string): number => Date.parse(at) / 1_000;

/** Loads the plotting library, once. A view that shows a plot after its answers have come calls it before they come. */
export const loadPlots = () => import('uplot');

/** The values of the plot: times in seconds, and prices, null in gaps. */
function toData({ points, gaps, known, to }: PriceLine): {
  data: [number[], (number | null)[]];
  texts: (string | null)[];
} {
  const steps: [at: number, text: string | null][] = points.map(({ at, price }) => [seconds(at), price]);
  for (const { from, to: end } of gaps) {
    const before = points.findLast(({ at }) => at <= from);
    if (before !== undefined) steps.push([seconds(from), null]);
    // The price after the gap is a point of its own.
    if (!points.some(({ at }) => at >= end)) steps.push([seconds(end), null]);
  }
  const last = points.at(-1);
  const end = Math.min(seconds(to), known === null ? seconds(to) : seconds(known));
  if (last !== undefined && end > seconds(last.at)) steps.push([end, last.price]);
  steps.sort(([a], [b]) => a - b);
  return {
    data: [steps.map(([at]) => at), steps.map(([, text]) => (text === null ? null : Number(text)))],
    texts: steps.map(([, text]) => text),
  };
}

/**
 * The price history as steps. It can be read with the pointer, and with the arrow keys when it has the focus;
 * the table below has the same data.
 */
export function HistoryPlot({ line }: { line: PriceLine }) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [Plot, setPlot] = useState<typeof uPlot | null>(null);
  const [at, setAt] = useState<number | null>(null);
  const help = useId();
  const { data, texts } = toData(line);
  const id = JSON.stringify(line);

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
      const [text, grid, accent] = [colour('--muted'), colour('--line'), colour('--accent')];
      probe.remove();
      const axis = {
        stroke: text,
        grid: { stroke: grid, width: 1 },
        ticks: { stroke: grid, width: 1 },
        font: '12px system-ui',
      };
      const stepped = Plot.paths.stepped?.({ align: 1 });
      plot.current = new Plot(
        {
          width: element.clientWidth,
          height: HEIGHT,
          legend: { show: false },
          cursor: { y: false, drag: { x: true, y: false } },
          scales: { y: { range: (_, min, max) => limits(min, max) } },
          axes: [
            { ...axis, space: 70, values: (_, times) => times.map((time) => shortDate(time * 1_000)) },
            { ...axis, size: 64, values: (_, values) => values.map((value) => value.toLocaleString('en')) },
          ],
          series: [
            {},
            {
              label: line.label,
              stroke: accent,
              width: 2,
              points: { show: false },
              spanGaps: false,
              ...(stepped && { paths: stepped }),
            },
          ],
          hooks: { setCursor: [({ cursor }) => setAt(cursor.idx ?? null)] },
        },
        data,
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
  }, [id, Plot]);

  const move = (to: number) => {
    const index = Math.max(0, Math.min(data[0].length - 1, to));
    const chart = plot.current;
    setAt(index);
    chart?.setCursor({
      left: chart.valToPos(data[0][index] ?? 0, 'x'),
      top: chart.valToPos(data[1][index] ?? 0, 'y'),
    });
  };
  const moves: Record<string, number> = {
    ArrowLeft: (at ?? data[0].length) - 1,
    ArrowRight: (at ?? -1) + 1,
    Home: 0,
    End: data[0].length - 1,
  };
  const shown = at === null ? undefined : data[0][at];
  const first = data[0][0];
  return (
    <figure class="history">
      <div
        ref={place}
        class="plot"
        role="application"
        aria-roledescription="price history"
        aria-label={`Prices of ${line.label} since ${first === undefined ? 'never' : date(first * 1_000)}`}
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
          {shown === undefined
            ? ''
            : `${date(shown * 1_000)}: ${(texts[at ?? 0] ?? null) === null ? 'not observed' : money(texts[at ?? 0], line.currency)}`}
        </span>
        <span id={help} class="note">
          Arrow keys or the pointer read single prices; drag to zoom, double-click to zoom out.
        </span>
      </figcaption>
      <details>
        <summary>Prices as a table</summary>
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">From</th>
                <th scope="col" class="number">
                  Price
                </th>
              </tr>
            </thead>
            <tbody>
              {changes(line.points).map((point) => (
                <tr key={point.at}>
                  <td>{date(point.at)}</td>
                  <td class="number">{money(point.price, line.currency)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

/** The limits of the axis of prices: those of the prices, with a margin. */
function limits(min: number, max: number): [number, number] {
  if (!Number.isFinite(min) || !Number.isFinite(max)) return [0, 1];
  const margin = max === min ? Math.max(1, max * 0.1) : (max - min) * 0.12;
  return [Math.max(0, min - margin), max + margin];
}

/** The points at which the price changed. */
const changes = <Point extends { price: string }>(points: readonly Point[]): Point[] =>
  points.filter((point, at) => point.price !== points[at - 1]?.price);
