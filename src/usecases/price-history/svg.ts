import { toUnits } from '../../listing/price.js';
import type { PriceHistory } from '../../listing/price-history.js';
import { escapeMarkup } from '../../text/clean.js';
import { roundTo } from '../../text/statistics.js';

const WIDTH = 720;
const HEIGHT = 260;
const PLOT = { left: 84, right: 700, top: 52, bottom: 220 };
/** The maximum width of the product name, in letters. An ideograph is as wide as two letters. */
const NAME_WIDTH = 62;

/** The fonts and the light or dark scheme are those of the viewer, so that nothing is fetched. */
const STYLE = `
  svg { --ground: #ffffff; --ink: #1f2933; --faint: #7b8794; --rule: #e4e7eb; --line: #0b69a3; }
  @media (prefers-color-scheme: dark) {
    svg { --ground: #14181d; --ink: #e8ecf0; --faint: #9aa5b1; --rule: #323f4b; --line: #6cb8f0; }
  }
  text { font: 13px system-ui, sans-serif; fill: var(--faint); }
  .name { font-size: 15px; font-weight: 600; fill: var(--ink); }
  .now { fill: var(--ink); }
  .ground { fill: var(--ground); }
  .rule { stroke: var(--rule); }
  .price, .gap { fill: none; stroke: var(--line); stroke-width: 2; }
  .gap { stroke-dasharray: 3 5; opacity: 0.6; }
  .dot { fill: var(--line); }
`;

/** The content security policy allows an image that is opened directly to use inline styles and nothing else. */
export const SVG_HEADERS = {
  'Content-Type': 'image/svg+xml; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
};

/** Draws a price history of any interval as a step chart, with dashed lines in gaps between observations. */
export function priceHistorySvg(history: PriceHistory, name: string): string {
  const { points, statistics, currency } = history;
  const money = (price: string) => (currency === null ? price : `${price} ${currency}`);
  const title = escaped(fitting(name));
  const span = `${history.from.slice(0, 10)} to ${history.to.slice(0, 10)}`;
  const { lowest = null, highest = null, current = null } = statistics ?? {};
  const described =
    lowest === null || highest === null
      ? `No price was observed from ${span}.`
      : `From ${span}: lowest ${money(lowest.price)}, highest ${money(highest.price)}, now ${current === null ? 'without a price' : money(current)}.`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="t d">`,
    `<title id="t">${title}</title><desc id="d">${escaped(described)}</desc><style>${STYLE}</style>`,
    `<rect class="ground" width="${WIDTH}" height="${HEIGHT}"/>`,
    label(PLOT.left - 68, 28, title, 'class="name"'),
    ...(points.length === 0
      ? [label(WIDTH / 2, HEIGHT / 2, 'No price was observed', 'text-anchor="middle"')]
      : plot(history, money)),
    label(PLOT.left, 244, history.from.slice(0, 10)),
    label(PLOT.right, 244, history.to.slice(0, 10), 'text-anchor="end"'),
    '</svg>\n',
  ].join('\n');
}

function plot(history: PriceHistory, money: (price: string) => string): string[] {
  const from = Date.parse(history.from);
  const to = Math.max(Date.parse(history.to), from + 1);
  const observed = history.points.map(({ at, price }) => ({
    at: Math.max(Date.parse(at), from),
    units: toUnits(price),
    price,
  }));
  const sorted = observed.toSorted((a, b) => a.units - b.units);
  const [low, high] = [sorted[0], sorted.at(-1)];
  if (low === undefined || high === undefined) return [];
  const x = (at: number) => roundTo(1, PLOT.left + ((at - from) / (to - from)) * (PLOT.right - PLOT.left));
  const spread = high.units - low.units;
  // If the price is constant, the chart has no range of prices, so the line is drawn in the middle.
  const y = (units: number) =>
    roundTo(1, PLOT.bottom - (spread === 0 ? 0.5 : (units - low.units) / spread) * (PLOT.bottom - PLOT.top));
  const gaps = history.coverage.gaps.map((gap) => ({ from: Date.parse(gap.from), to: Date.parse(gap.to) }));
  const paths = { price: '', gap: '' };
  observed.forEach(({ at, units }, index) => {
    const next = observed[index + 1];
    const until = next?.at ?? to;
    // A point stands for a day or a week, in which a gap may begin or end. It is drawn as a gap if the gap contains its middle.
    const middle = (at + until) / 2;
    const isInGap = gaps.some((gap) => gap.from <= middle && middle <= gap.to);
    paths[isInGap ? 'gap' : 'price'] += `M${x(at)} ${y(units)}H${x(until)}`;
    if (next !== undefined) paths.price += `M${x(until)} ${y(units)}V${y(next.units)}`;
  });
  const last = observed.at(-1) ?? high;
  return [
    ...[high, ...(spread === 0 ? [] : [low])].flatMap(({ units, price }) => [
      `<path class="rule" d="M${PLOT.left} ${y(units)}H${PLOT.right}"/>`,
      label(PLOT.left - 8, y(units) + 4, price, 'text-anchor="end"'),
    ]),
    `<path class="price" d="${paths.price}"/>`,
    `<path class="gap" d="${paths.gap}"/>`,
    `<circle class="dot" cx="${x(last.at)}" cy="${y(last.units)}" r="3"/>`,
    label(PLOT.right, 28, escaped(money(last.price)), 'class="now" text-anchor="end"'),
  ];
}

function fitting(name: string): string {
  let width = 0;
  const end = [...name].findIndex((character) => (width += character > '\u2e7f' ? 2 : 1) > NAME_WIDTH);
  return end < 0 ? name : `${[...name].slice(0, end).join('')}…`;
}

const label = (x: number, y: number, text: string, attributes = ''): string =>
  `<text x="${x}" y="${y}" ${attributes}>${text}</text>`;

const escaped = (text: string): string =>
  // Control characters are replaced by blanks, because XML 1.0 does not allow them.
  escapeMarkup(text.toWellFormed().replace(/[\0-\x1f\x7f-\x9f\ufffe\uffff]/g, ' '));
