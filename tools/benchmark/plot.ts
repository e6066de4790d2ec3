export interface Point {
  x: number;
  y: number;
  line: string;
}

const [WIDTH, HEIGHT] = [560, 320];
const MARGIN = { top: 40, right: 170, bottom: 50, left: 70 };
const COLOURS = ['#4c78a8', '#f58518', '#e45756', '#72b7b2', '#54a24b', '#eeca3b', '#b279a2', '#9d755d'];
const TICKS = 5;

type Scale = (value: number) => number;

export function linePlot(
  points: readonly Point[],
  { title, x, y, logarithmicY = false }: { title: string; x: string; y: string; logarithmicY?: boolean },
): string {
  const [xs, ys] = [points.map((point) => point.x), points.map((point) => point.y)];
  const lowestY = logarithmicY ? Math.min(...ys) : 0;
  const toX = scaleOf([Math.min(...xs), Math.max(...xs)], [0, WIDTH], true);
  const toY = scaleOf([lowestY, Math.max(...ys)], [HEIGHT, 0], logarithmicY);
  const names = [...new Set(points.map((point) => point.line))];
  const lines = names.flatMap((name, at) => {
    const colour = COLOURS[at % COLOURS.length] ?? 'black';
    const ordered = points.filter((point) => point.line === name).sort((a, b) => a.x - b.x);
    const pixels = ordered.map((point) => [fixed(toX(point.x)), fixed(toY(point.y))] as const);
    const legend = 14 + at * 18;
    return [
      `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${pixels.map((pair) => pair.join()).join(' ')}"/>`,
      ...pixels.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3" fill="${colour}"/>`),
      `<circle cx="${WIDTH + 16}" cy="${legend - 4}" r="4" fill="${colour}"/>${text(name, WIDTH + 26, legend, 'start')}`,
    ];
  });
  const xTicks = [...new Set(xs)].map((value) => text(short(value), toX(value), HEIGHT + 18));
  const yTicks = ticksOf([lowestY, Math.max(...ys)], logarithmicY).map((value) => {
    const at = fixed(toY(value));
    return `<path d="M0 ${at}H${WIDTH}" stroke="#ddd"/>${text(short(value), -8, Number(at) + 4, 'end')}`;
  });
  const [width, height] = [WIDTH + MARGIN.left + MARGIN.right, HEIGHT + MARGIN.top + MARGIN.bottom];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="11">`,
    `<rect width="100%" height="100%" fill="white"/><g transform="translate(${MARGIN.left},${MARGIN.top})">`,
    `<g font-weight="bold">${text(title, WIDTH / 2, -18)}${text(x, WIDTH / 2, HEIGHT + 38)}</g>`,
    `<g font-weight="bold" transform="rotate(-90)">${text(y, -HEIGHT / 2, -50)}</g>`,
    ...yTicks,
    ...xTicks,
    `<path d="M0 0V${HEIGHT}H${WIDTH}" fill="none" stroke="black"/>`,
    ...lines,
    '</g></svg>\n',
  ].join('\n');
}

function scaleOf([low, high]: [number, number], [start, end]: [number, number], logarithmic: boolean): Scale {
  const of = logarithmic ? Math.log : (value: number) => value;
  const span = of(high) - of(low) || 1;
  return (value) => start + ((of(value) - of(low)) / span) * (end - start);
}

function ticksOf([low, high]: [number, number], logarithmic: boolean): number[] {
  return Array.from({ length: TICKS + 1 }, (_, at) => {
    const share = at / TICKS;
    return logarithmic ? low * (high / low) ** share : low + (high - low) * share;
  });
}

const fixed = (pixels: number): string => pixels.toFixed(1);

function short(value: number): string {
  const format = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });
  return format.format(value);
}

function text(content: string, x: number, y: number, anchor = 'middle'): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${fixed(x)}" y="${fixed(y)}" text-anchor="${anchor}">${escaped}</text>`;
}
